package sampled

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Sample is what a result holds of a sample of the trials of both sides.
type Sample struct {
	Seed      uint64   `json:"seed"`      // which trials were drawn follows from it
	Scenarios []string `json:"scenarios"` // names, of both sides
	Baseline  Side     `json:"baseline"`  // of its trials
	Candidate Side     `json:"candidate"` // of its trials
}

// Side is the sample of one side. Series, outcomes and words have one place for each trial, in the order of their
// ranks.
type Side struct {
	Of int `json:"of"` // trials from which it was drawn
	// Below is the rank below which trials were kept; 0 kept all.
	Below    Rank         `json:"below,omitempty"`
	Scenario trial.Series `json:"scenario"` // by its place among the scenarios
	Outcomes string       `json:"outcomes"` // P, F, E, and ? where nobody judged
	// Numbers of the trials, and of those without one which of their scenario they are, from 0.
	Trial trial.Series `json:"trial,omitempty"`
	At    trial.Series `json:"at,omitempty"`
	// Hashes of the inputs in hexadecimal, - where there is none; empty where no trial has one.
	Inputs string `json:"inputs,omitempty"`
	// By the name of the metric, those that some trial tells.
	Metrics map[string]trial.Series `json:"metrics,omitempty"`
	// Where some cost is an estimate: 1 of one, and 2 of an upper bound.
	CostBasis trial.Series `json:"cost_basis,omitempty"`
	// The first 128 bits of SHA-256 of each trial, in base64 with - and _, with a space between them.
	Digests string `json:"digests"`
}

// Rank is a hash of what names a trial. In JSON it has 16 hexadecimal digits.
type Rank uint64

// MarshalText writes 16 hexadecimal digits.
func (r Rank) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(r)), nil }

// UnmarshalText reads 16 hexadecimal digits.
func (r *Rank) UnmarshalText(text []byte) error {
	n, err := strconv.ParseUint(string(text), 16, 64)
	if err != nil || len(text) != 16 {
		return fmt.Errorf("%q is no rank of 16 hexadecimal digits", text)
	}
	*r = Rank(n)
	return nil
}

// Of is the sample of both drawings, which have the same seed.
func Of(baseline, candidate *Drawing) *Sample {
	s := &Sample{Seed: baseline.Seed, Scenarios: []string{}}
	places := map[string]int{}
	for i, d := range []*Drawing{baseline, candidate} {
		d.cut()
		side := []*Side{&s.Baseline, &s.Candidate}[i]
		side.Of, side.Below = d.trials, Rank(d.below)
		for _, item := range d.kept {
			at, known := places[item.scenario]
			if !known {
				at = len(s.Scenarios)
				places[item.scenario] = at
				s.Scenarios = append(s.Scenarios, item.scenario)
			}
			side.add(at, &item)
		}
		side.finish()
	}
	return s
}

// add appends a trial.
func (s *Side) add(scenario int, item *drawnTrial) {
	s.Scenario = append(s.Scenario, trial.Some(float64(scenario)))
	s.Outcomes += string(mark.Of(item.outcome))
	var number, at trial.Optional[float64]
	if item.number.Known {
		number = trial.Some(float64(item.number.Value))
	} else {
		at = trial.Some(float64(item.at))
	}
	s.Trial, s.At = append(s.Trial, number), append(s.At, at)
	input := noInput
	if item.input != 0 {
		input = strconv.FormatUint(item.input, 16)
	}
	space := ""
	if len(s.Outcomes) > 1 {
		space = " "
	}
	s.Inputs += space + input
	s.Digests += space + item.digest
	if s.Metrics == nil {
		s.Metrics = map[string]trial.Series{}
	}
	for name := range recording.AllMetrics() {
		var x trial.Optional[float64]
		if value, known := item.metrics[name]; known {
			x = trial.Some(value)
		}
		s.Metrics[name.String()] = append(s.Metrics[name.String()], x)
	}
	s.CostBasis = append(s.CostBasis, recording.BasisNumber(item.basis))
}

// noInput stands for the hash of no input.
const noInput = "-"

// finish leaves out what no trial has.
func (s *Side) finish() {
	s.Trial, s.At, s.CostBasis = s.Trial.Anything(), s.At.Anything(), s.CostBasis.Anything()
	if strings.Trim(s.Inputs, noInput+" ") == "" {
		s.Inputs = ""
	}
	for name, series := range s.Metrics {
		if series.Anything() == nil {
			delete(s.Metrics, name)
		}
	}
}

// Check says whether the sample is one that its seed may draw of trials with such counts, as far as that can be told
// without them. The error is a [verdict.DifferenceError].
func (s *Sample) Check(baseline, candidate []verdict.Tally) error {
	for i, side := range []*Side{&s.Baseline, &s.Candidate} {
		path, tallies := [2]string{"baseline", "candidate"}[i], [2][]verdict.Tally{baseline, candidate}[i]
		if err := s.check(side, tallies); err != nil {
			return recheck.Within(path, err)
		}
	}
	return nil
}

func (s *Sample) check(side *Side, tallies []verdict.Tally) error {
	list, err := s.drawn(side)
	if err != nil {
		return err
	}
	all := verdict.Pool("", tallies)
	if trials := all.Passes + all.Fails + all.Errors; side.Of != trials {
		return &verdict.DifferenceError{Path: "of", Have: fmt.Sprint(side.Of), Want: fmt.Sprint(trials)}
	}
	if side.Below == 0 && len(list) != side.Of {
		return &verdict.DifferenceError{Path: "outcomes", Have: prose.Count(len(list), "trial"),
			Want: fmt.Sprintf("all %d", side.Of)}
	}
	// The bound is the rank of the trial after the last one that is kept: so many times the share of ranks below it is a
	// gamma variable, whose standard deviation is a thirtieth of its mean. Trials of the same name, which are few, spread
	// it.
	if expected := float64(side.Of) * float64(side.Below) / math.Pow(2, 64); side.Below != 0 &&
		(expected > 2*float64(len(list)) || expected < float64(len(list))/2 || len(list) > most) {
		return &verdict.DifferenceError{Path: "below", Have: fmt.Sprintf("a bound for %.0f of %d trials", expected, side.Of),
			Want: fmt.Sprintf("one for %d, of at most %d", len(list), most)}
	}
	counts := map[string]*[3]int{}
	single := len(tallies) == 1 // a result of a single scenario does not name it
	for _, t := range tallies {
		counts[t.Scenario] = &[3]int{t.Passes, t.Fails, t.Errors}
	}
	for i, item := range list {
		rank := item.rankBy(s.Seed)
		if i > 0 && rank < list[i-1].rankBy(s.Seed) || side.Below != 0 && rank >= uint64(side.Below) {
			return &verdict.DifferenceError{Path: fmt.Sprintf("trial[%d]", i), Have: item.name(),
				Want: "a trial that the seed draws"}
		}
		left := counts[item.scenario]
		if single {
			left = counts[tallies[0].Scenario]
		}
		if left == nil {
			return &verdict.DifferenceError{Path: fmt.Sprintf("scenario[%d]", i), Have: prose.Quote(item.scenario),
				Want: "one of those judged"}
		}
		if at := place(item.outcome); left[at] == 0 {
			return &verdict.DifferenceError{Path: fmt.Sprintf("outcomes[%d]", i), Have: item.outcome.String(),
				Want: fmt.Sprintf("no more in %s than there are", prose.Quote(item.scenario))}
		} else {
			left[at]--
		}
	}
	return nil
}

// place is that of an outcome among passes, fails and errors.
func place(o trial.Outcome) int {
	switch o {
	case trial.Pass:
		return 0
	case trial.Fail:
		return 1
	}
	return 2
}

// drawn are the trials of a side. They are checked: a document may claim anything.
func (s *Sample) drawn(side *Side) ([]drawnTrial, error) {
	n := len(side.Outcomes)
	differ := func(path string, have any, want string) error {
		return &verdict.DifferenceError{Path: path, Have: fmt.Sprint(have), Want: want}
	}
	digests := strings.Fields(side.Digests)
	inputs := strings.Fields(side.Inputs)
	known := slices.Collect(recording.AllMetrics())
	for _, column := range []struct {
		path string
		n    int
	}{
		{"scenario", len(side.Scenario)}, {"trial", len(side.Trial)}, {"at", len(side.At)}, {"inputs", len(inputs)},
		{"cost_basis", len(side.CostBasis)}, {"digests", len(digests)},
	} {
		if optional := column.path != "scenario" && column.path != "digests"; column.n != n && !(optional && column.n == 0) {
			return nil, differ(column.path, "of "+prose.Count(column.n, "trial"), fmt.Sprintf("of %d", n))
		}
	}
	metrics := map[recording.MetricName]trial.Series{}
	for _, name := range known {
		series, there := side.Metrics[name.String()]
		if there && len(series) != n {
			return nil, differ("metrics."+name.String(), "of "+prose.Count(len(series), "trial"), fmt.Sprintf("of %d", n))
		}
		if there {
			metrics[name] = series
		}
	}
	if len(metrics) != len(side.Metrics) || n > 2*most {
		return nil, differ("metrics", prose.Count(n, "trial"), "known metrics, of a sample")
	}
	list := make([]drawnTrial, n)
	for i := range list {
		item := &list[i]
		scenario, ok := side.Scenario.Whole(i, len(s.Scenarios)-1)
		if !ok {
			return nil, differ(fmt.Sprintf("scenario[%d]", i), "none", "the place of one")
		}
		item.scenario = s.Scenarios[scenario]
		if item.outcome, ok = mark.Outcome(side.Outcomes[i]); !ok {
			return nil, differ(fmt.Sprintf("outcomes[%d]", i), strconv.Quote(side.Outcomes[i:i+1]), "P, F, E or ?")
		}
		if side.Trial != nil && side.Trial[i].Known {
			item.number = trial.Some(int(side.Trial[i].Value))
			ok = float64(item.number.Value) == side.Trial[i].Value
		} else if ok = side.At != nil; ok {
			item.at, ok = side.At.Whole(i, math.MaxInt32)
		}
		if !ok {
			return nil, differ(fmt.Sprintf("trial[%d]", i), "none", "the number of a trial, or its place in its scenario")
		}
		if len(inputs) > 0 && inputs[i] != noInput {
			hash, err := strconv.ParseUint(inputs[i], 16, 64)
			if item.input = hash; err != nil || hash == 0 {
				return nil, differ(fmt.Sprintf("inputs[%d]", i), inputs[i], "a hash")
			}
		}
		if side.CostBasis != nil {
			if item.basis, ok = recording.BasisOf(side.CostBasis[i]); !ok {
				return nil, differ(fmt.Sprintf("cost_basis[%d]", i), side.CostBasis[i].Value, "1 or 2")
			}
		}
		item.metrics = map[recording.MetricName]float64{}
		for name, series := range metrics {
			if series[i].Known {
				item.metrics[name] = series[i].Value
			}
		}
		item.digest = digests[i]
		if bits, err := base64.RawURLEncoding.DecodeString(item.digest); err != nil || len(bits) != digestBytes {
			return nil, differ(fmt.Sprintf("digests[%d]", i), item.digest, "128 bits in base64")
		}
		item.rank = item.rankBy(s.Seed)
	}
	return list, nil
}

// name is what a person calls the trial.
func (d *drawnTrial) name() string {
	return Name(d.scenario, d.number, d.at)
}

// Name is what a person calls a trial: by its number, or else by its place, from 0, among those of its scenario.
func Name(scenario string, number trial.Optional[int], at int) string {
	if number.Known {
		return fmt.Sprintf("trial %d of %s", number.Value, prose.Quote(scenario))
	}
	return fmt.Sprintf("trial %d of those of %s without a number", at+1, prose.Quote(scenario))
}
