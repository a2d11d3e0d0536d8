package mean

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/verdict-score/v1"

// Options say how scores are judged.
type Options struct {
	Threshold float64             // strictly between 0 and 1
	Alpha     float64             // bounds either error over all looks; 0 means verdict.DefaultAlpha
	Errors    verdict.ErrorPolicy // how trials without a score count; robust by default
}

// Result is a verdict on the mean of scores.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode  int     `json:"exit_code"`
	Alpha     float64 `json:"alpha"`     // bounds either error over all looks, from 0 to 1
	Threshold float64 `json:"threshold"` // the least mean that is good enough, from 0 to 1
	// How trials without a score count: as whatever is against the verdict, not at all, or as 0.
	Errors   verdict.ErrorPolicy `json:"errors"`
	Reasons  []verdict.Reason    `json:"reasons"`  // why the verdict is what it is, the most important first
	Warnings []verdict.Warning   `json:"warnings"` // what to know before relying on it; may be empty
	Trials   int                 `json:"trials"`   // with a score, or that count as 0
	Unscored int                 `json:"unscored"` // trials without a score
	Mean     *float64            `json:"mean"`     // of the scores; nil without any
	Interval *verdict.Interval   `json:"interval"` // of the mean, each limit of which errs with alpha; nil without trials
	// In the order of the recording.
	Scenarios []Scenario `json:"scenarios"`
}

// Scenario are the scores of one scenario.
type Scenario struct {
	Name     string          `json:"name"`
	Unscored int             `json:"unscored"` // trials without a score
	Mean     *float64        `json:"mean"`     // of the scores; nil without any
	Values   []betting.Value `json:"values"`   // the scores, by rising value
}

// Scores gathers those of trials.
type Scores struct {
	names     ordinal.Keys[string]
	scenarios []Scenario // of each name
	values    []map[float64]int
}

// Add takes in the score of a trial. It returns an error for one that is not from 0 to 1.
func (s *Scores) Add(t *trial.Trial) error {
	i, isNew := s.names.Place(t.Scenario)
	if isNew {
		s.scenarios = append(s.scenarios, Scenario{Name: t.Scenario})
		s.values = append(s.values, map[float64]int{})
	}
	switch x := t.Score; {
	case t.Outcome == trial.Error || !x.Known:
		s.scenarios[i].Unscored++
	case !(x.Value >= 0 && x.Value <= 1):
		return fmt.Errorf("%v: the score %v is not from 0 to 1", t.Place, x.Value)
	default:
		s.values[i][x.Value]++
	}
	return nil
}

// Scenarios are the scores by scenario.
func (s *Scores) Scenarios() []Scenario {
	list := slices.Clone(s.scenarios)
	for i := range list {
		list[i].Values = []betting.Value{}
		for x, times := range s.values[i] {
			list[i].Values = append(list[i].Values, betting.Value{Value: x, Times: times})
		}
		slices.SortFunc(list[i].Values, func(a, b betting.Value) int { return cmp.Compare(a.Value, b.Value) })
	}
	return list
}

// Judge judges the mean of the scores of all scenarios together. An error means that the options or the scores cannot
// be used; weak evidence is an Inconclusive result.
func Judge(scenarios []Scenario, o Options) (*Result, error) {
	o.Alpha = cmp.Or(o.Alpha, verdict.DefaultAlpha)
	if err := cmp.Or(verdict.CheckLevel("threshold", o.Threshold), verdict.CheckLevel("alpha", o.Alpha)); err != nil {
		return nil, err
	}
	r := &Result{Schema: Schema, Alpha: o.Alpha, Threshold: o.Threshold, Errors: o.Errors,
		Warnings: []verdict.Warning{}, Scenarios: []Scenario{}}
	var values []betting.Value
	uneven := false
	first := -1
	for _, s := range scenarios {
		n, sum := countOf(s.Values)
		if s.Mean = nil; n > 0 {
			s.Mean = new(sum / float64(n))
		}
		values = append(values, s.Values...)
		r.Unscored += s.Unscored
		if first < 0 {
			first = n + s.Unscored
		}
		uneven = uneven || n+s.Unscored != first
		r.Scenarios = append(r.Scenarios, s)
	}
	if err := r.decide(values); err != nil {
		return nil, err
	}
	if uneven {
		r.Warnings = append(r.Warnings, verdict.WarnUnevenRounds.Warning(
			"the scenarios have unlike numbers of trials: the errors hold for analyses after whole rounds of all scenarios"))
	}
	if r.Unscored > 0 {
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning("%s no score%s",
			prose.Count(r.Unscored, "trial")+prose.Form(r.Unscored, " has", " have"), meaning(o.Errors)))
	}
	r.ExitCode = r.Verdict.ExitCode()
	return r, nil
}

// countOf is how many values there are, and their sum.
func countOf(values []betting.Value) (n int, sum float64) {
	for _, v := range values {
		n += v.Times
		sum += float64(v.Times) * v.Value
	}
	return n, sum
}

// meaning goes on behind "3 trials have no score".
func meaning(p verdict.ErrorPolicy) string {
	switch p {
	case verdict.ExcludeErrors:
		return ", and do not count"
	case verdict.FailErrors:
		return ", and count as 0"
	}
	return ": Pass or Fail is said only where it holds whatever they would have been"
}

// decide sets the verdict on the values.
func (r *Result) decide(values []betting.Value) error {
	n, sum := countOf(values)
	// What is not known is 0 where the mean is to be above, and 1 where it is to be below: each value is for one side.
	worst, best := values, values
	switch {
	case r.Errors == verdict.FailErrors:
		worst = append(slices.Clone(values), betting.Value{Value: 0, Times: r.Unscored})
		best = worst
		n += r.Unscored
	case r.Errors == verdict.RobustErrors:
		worst = append(slices.Clone(values), betting.Value{Value: 0, Times: r.Unscored})
		best = append(slices.Clone(values), betting.Value{Value: 1, Times: r.Unscored})
	}
	low, err := betting.Limits(worst, r.Alpha)
	if err != nil {
		return err
	}
	high, err := betting.Limits(best, r.Alpha)
	if err != nil {
		return err
	}
	if r.Trials = n; n == 0 {
		r.Reasons = []verdict.Reason{verdict.CodeNoTrials.Reason("no trial has a score")}
		return nil
	}
	r.Mean = new(sum / float64(n))
	r.Interval = &verdict.Interval{Method: "betting", Level: math.Max(0, 1-2*r.Alpha), Low: low.Low, High: high.High}
	threshold := phrase.Number(r.Threshold)
	seen := fmt.Sprintf("the mean score of %s is %s", prose.Count(n, "trial"), Text(*r.Mean))
	limits := fmt.Sprintf("%s interval %s to %s", phrase.Percent(r.Interval.Level), Text(low.Low),
		Text(high.High))
	enough := -math.Log(r.Alpha)
	switch {
	case betting.Above(worst, r.Threshold) >= enough:
		r.Verdict = verdict.Pass
		r.Reasons = []verdict.Reason{verdict.CodeAboveThreshold.Reason("%s: at or above the %s you require (%s)", seen,
			threshold, limits)}
	case betting.Below(best, r.Threshold) >= enough:
		r.Verdict = verdict.Fail
		r.Reasons = []verdict.Reason{verdict.CodeBelowThreshold.Reason("%s: below the %s you require (%s)", seen,
			threshold, limits)}
	default:
		r.Reasons = []verdict.Reason{verdict.CodeStraddlesThreshold.Reason(
			"%s: too few to tell whether it is below or above the %s you require (%s); more trials may be added and judged "+
				"at any time", seen, threshold, limits)}
	}
	return nil
}

// Text is a mean of scores for a person.
func Text(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings}
}
