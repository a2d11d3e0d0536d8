package judging

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// FailOn is what fails a comparison besides a lower pass rate, which always does.
type FailOn struct {
	words     []string // as they were given; none is the rate alone
	Behaviour bool
	Rises     []compare.MetricRise
}

const (
	failOnRate      = "rate"
	failOnBehaviour = "behaviour"
)

// failOnMetrics are the metrics by their words.
var failOnMetrics = map[string]recording.MetricName{
	"cost": recording.CostMetric, "tokens": recording.TokensMetric, "latency": recording.DurationMetric,
}

// Set adds the words of a list. The flag may be given several times.
func (f *FailOn) Set(text string) error {
	for _, word := range strings.Split(text, ",") {
		word = strings.TrimSpace(word)
		name, most, limited := strings.Cut(word, "=")
		metric, known := failOnMetrics[name]
		again := slices.ContainsFunc(f.words, func(other string) bool {
			other, _, _ = strings.Cut(other, "=")
			return other == name
		})
		switch {
		case !known && !slices.Contains(f.Completions(), name):
			return value.NoSuchWord(word, f.Completions())
		case again:
			return &value.Refusal{Problem: "names " + name + " twice", Hint: "omit one of them"}
		case !known && limited:
			return &value.Refusal{Problem: "allows no limit of " + name,
				Hint: "only cost, tokens and latency have one, such as cost=20%"}
		}
		rise := compare.MetricRise{Metric: metric}
		if limited {
			if err := readRise(&rise, most); err != nil {
				return err
			}
		}
		if known {
			f.Rises = append(f.Rises, rise)
		}
		f.Behaviour = f.Behaviour || name == failOnBehaviour
		f.words = append(f.words, word)
	}
	return nil
}

// riseUnits are the units in which a rise of a metric may be allowed, each with how many of the metric's own it is.
var riseUnits = map[recording.MetricName]map[string]float64{
	recording.CostMetric:     {"usd": 1},
	recording.DurationMetric: {"ms": .001, "s": 1, "min": 60},
	recording.TokensMetric:   {"": 1},
}

// readRise reads the rise that is allowed: a share of the baseline's mean, such as 20% or +20%, or an amount in the
// unit of the metric, such as 0.05usd, 2s or 500 (tokens).
func readRise(rise *compare.MetricRise, text string) error {
	end := strings.LastIndexAny(text, "0123456789.") + 1
	number, unit := text[:end], text[end:]
	x, err := strconv.ParseFloat(number, 64)
	sound := err == nil && x >= 0 && !math.Signbit(x) && !strings.ContainsAny(number, "xX_")
	one, amount := riseUnits[rise.Metric][unit]
	switch {
	case sound && unit == "%" && x <= 1e6:
		rise.Most = new(x / 100)
	case sound && amount && x*one <= 1e9:
		rise.Above = new(x * one)
	default:
		return &value.Refusal{
			Problem: "must allow a rise as a percentage from 0% to 1000000%, or in the unit of the metric",
			Hint:    "such as cost=20%, cost=0.05usd, latency=2s or tokens=500"}
	}
	return nil
}

// String returns the words as they were given.
func (f *FailOn) String() string {
	if len(f.words) == 0 {
		return failOnRate
	}
	return strings.Join(f.words, ",")
}

// Type is the word for a value in the help.
func (f *FailOn) Type() string { return "WHAT" }

// Completions are the words, in the order of the help; the shell completes them.
func (f *FailOn) Completions() []string {
	return []string{failOnRate, failOnBehaviour, "cost", "tokens", "latency"}
}
