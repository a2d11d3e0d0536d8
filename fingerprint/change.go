package fingerprint

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Change is what became of a column from the baseline to the candidate.
type Change struct {
	Column    Column `json:"column"`    // what was compared
	Status    Status `json:"status"`    // whether it was tested
	Baseline  Mean   `json:"baseline"`  // in the unit of the column
	Candidate Mean   `json:"candidate"` // in the unit of the column
	// Difference is candidate minus baseline of the tested values, in standard deviations
	// of all trials of a scenario; 0 if the column was not tested.
	Difference float64 `json:"difference"`
	// AdjustedP is Westfall and Young's p-value, from 0 to 1: all columns together have at
	// most this probability of a smaller one under H0. It is 1 if the column was not tested.
	AdjustedP float64 `json:"adjusted_p"`
	// Spread is how far trials lie apart; nil where it was not tested.
	Spread  *Spread `json:"spread,omitempty"`
	Changed bool    `json:"changed"` // the test as a whole found a change, and this column is significant
}

// Mean is the mean of a column on one side. Scenarios weigh the same on both sides,
// so that a different mix of scenarios is not taken for a change.
type Mean struct {
	Value  float64 `json:"value"`  // 0 if it is unknown
	Trials int     `json:"trials"` // that know the value; if 0, the mean is unknown
}

// changes returns the means of every column. They are in the columns' own units, without the transform and
// the imputed values of the test: numbers for a person.
func (p *pool) changes(columns []Column) []Change {
	list := make([]Change, len(columns))
	for j, c := range columns {
		change := Change{Column: c, Status: p.status[j], AdjustedP: 1}
		change.Baseline, change.Candidate = p.means(func(v Vector) (float64, bool) {
			return v.Values[j].Value, v.Values[j].Known
		})
		list[j] = change
	}
	return list
}

// means weighs a scenario by baseline·candidate/trials of those that know the
// value, as the test does.
//
// It is the weight of a scenario's difference in the sums of the test: that of the least squares estimate
// with an effect for each scenario. A scenario that knows the value on one side alone is left out.
func (p *pool) means(value func(Vector) (float64, bool)) (baseline, candidate Mean) {
	total := 0.0
	for _, s := range p.strata {
		var sums [2]float64
		var trials [2]int
		for i := s.from; i < s.to; i++ {
			if x, ok := value(p.vectors[i]); ok {
				side := 0
				if p.side[i] {
					side = 1
				}
				sums[side] += x
				trials[side]++
			}
		}
		if trials[0] == 0 || trials[1] == 0 {
			continue
		}
		b, c := float64(trials[0]), float64(trials[1])
		weight := b * c / (b + c)
		total += weight
		baseline.Value += weight * sums[0] / b
		candidate.Value += weight * sums[1] / c
		baseline.Trials += trials[0]
		candidate.Trials += trials[1]
	}
	if total > 0 {
		baseline.Value /= total
		candidate.Value /= total
	}
	return baseline, candidate
}

// String returns the change for a person: "output tokens 512 -> 707 (+38 %)".
func (c Change) String() string {
	name := strings.ReplaceAll(c.Column.Name, "_", " ")
	baseline, candidate := c.Baseline, c.Candidate
	if c.Spread != nil && c.Spread.Changed {
		return c.Spread.text(c.Column.Name)
	}
	percent := func(x float64) string { return short(100*x) + " %" }
	seconds := func(x float64) string { return short(x) + " s" }
	switch c.Column.Kind {
	case ToolCalls:
		tool := strings.TrimPrefix(c.Column.Name, toolPrefix)
		return "calls of " + tool + " " + arrow(baseline, candidate, short) + " per trial"
	case otherToolCalls:
		return "calls of rare tools " + arrow(baseline, candidate, short) + " per trial"
	case toolPair:
		pair := strings.TrimPrefix(c.Column.Name, pairPrefix)
		return "calls in the order " + pair + ": " + arrow(baseline, candidate, short) + " per trial"
	case actionSteps:
		action := strings.TrimPrefix(c.Column.Name, actionPrefix)
		return action + " steps " + arrow(baseline, candidate, short) + " per trial"
	case otherActionSteps:
		return "steps with rare actions " + arrow(baseline, candidate, short) + " per trial"
	case anyError:
		return "trials with a failed step " + arrow(baseline, candidate, percent)
	case recoveredShare:
		return "recovered share of failed steps " + arrow(baseline, candidate, percent)
	case Cost:
		return "cost " + arrow(baseline, candidate, dollars) + relative(baseline, candidate)
	case costPerStep:
		return "cost per step " + arrow(baseline, candidate, dollars) + relative(baseline, candidate)
	case duration:
		return "wall time " + arrow(baseline, candidate, seconds) + relative(baseline, candidate)
	case maxDepth:
		name = "largest depth"
	case OutputComplexity, ownMeasure:
		return name + " " + arrow(baseline, candidate, short)
	}
	return name + " " + arrow(baseline, candidate, short) + relative(baseline, candidate)
}

// arrow writes a change of means, such as "512 -> 707".
func arrow(from, to Mean, write func(float64) string) string {
	if from.Trials == 0 || to.Trials == 0 {
		return "unknown"
	}
	before, after := write(from.Value), write(to.Value)
	// Two means that differ are written apart.
	plain := before == short(from.Value) && from.Value != to.Value
	for digits := 3; plain && before == after && digits <= 6; digits++ {
		rounded := func(x float64) string { return strconv.FormatFloat(x, 'g', digits, 64) }
		before, after = rounded(from.Value), rounded(to.Value)
	}
	return before + " -> " + after
}

// relative returns the change in percent, where there is something to relate it to. A mean of 0 or less has
// no percentage.
func relative(from, to Mean) string {
	if from.Trials == 0 || to.Trials == 0 || !(from.Value > 0) {
		return ""
	}
	return fmt.Sprintf(" (%+.0f %%)", 100*(to.Value/from.Value-1))
}

// dollars writes an amount of money.
func dollars(x float64) string { return "$" + short(x) }

// short writes a number with two digits at least, and no fraction from 100.
func short(x float64) string {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	// Digits after the point for two significant ones, which are none from 10 on; below 100 one is shown.
	digits := max(0, 1-int(math.Floor(math.Log10(math.Abs(x)))))
	if math.Abs(x) >= 10 && math.Abs(x) < 100 {
		digits = 1
	}
	text := strconv.FormatFloat(x, 'f', min(digits, 6), 64)
	// Zeros at the end of a fraction say nothing.
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
