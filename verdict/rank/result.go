package rank

import (
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/rank/v1"

// mostResults is how many results are ranked at most. It is chosen: all pairs of them are tested.
const mostResults = 20

// RateAxis is the name of the axis that every result has: the pass rate.
const RateAxis = "rate"

// Result says how results of the same suite compare, axis by axis.
type Result struct {
	Schema string `json:"schema"` // names the JSON form
	// What the evidence allows to say of the improvement that was asked for; Inconclusive where none was.
	Verdict  verdict.Verdict `json:"verdict"`
	ExitCode int             `json:"exit_code"` // of the process; 0 where no improvement was asked for
	Alpha    float64         `json:"alpha"`     // bounds, axis by axis, the chance that any interval of ranks is wrong
	Seed     uint64          `json:"seed"`      // of permutations
	Results  []Entry         `json:"results"`   // in the order in which they were given
	Axes     []Axis          `json:"axes"`      // the pass rate first
	// Nil where no improvement was asked for.
	Improvement *Improvement      `json:"improvement,omitempty"`
	Reasons     []verdict.Reason  `json:"reasons"`  // of the verdict; empty where there is none
	Warnings    []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
}

// Entry is one of the results.
type Entry struct {
	Name   string `json:"name"`
	Suite  string `json:"suite"`  // name
	Digest string `json:"digest"` // of the suite
	Trials int    `json:"trials"` // that passed or failed
	Errors int    `json:"errors"` // trials that ended in an error, which count on no axis
	// The mean of the sums of points, scenario by scenario; nil where an axis is not known, or there is none.
	Points   *float64 `json:"points"`
	CostUSD  *float64 `json:"cost_usd"`   // of a trial; nil where it is not known
	Duration *float64 `json:"duration_s"` // of a trial, in seconds; nil where it is not known
	// No other result is as good in points, cost and time, as far as all tell them, and better in one.
	Efficient bool `json:"efficient"`
	// Its tests stopped the trials by their outcomes.
	Stopped bool   `json:"stopped,omitempty"`
	Tests   []Test `json:"tests"` // what it is judged from
}

// Test is what one test of a result holds.
type Test struct {
	Name     string         `json:"name"`
	Outcomes string         `json:"outcomes"`       // P, F, E, and . where a trial did not end
	Axes     []score.Series `json:"axes,omitempty"` // the points of the same trials
}

// Axis is what the results are on one axis.
type Axis struct {
	Name  string       `json:"name"`
	From  score.Source `json:"from,omitempty"` // "" of the pass rate, and of one with parts
	Max   float64      `json:"max"`            // points; 1 of the pass rate
	Ranks []Rank       `json:"ranks"`          // in the order of the results
	Pairs []Pair       `json:"pairs"`          // all of them, in the order of the results
}

// Rank is that of one result on an axis; 1 is the best, and results whose means are equal share one.
type Rank struct {
	Mean *float64 `json:"mean"` // over the scenarios; nil where it is not known
	// The interval of the true rank: with probability 1-alpha those of all results hold at once.
	Low  int `json:"low"`
	High int `json:"high"`
}

// Pair is a test of the means of two results.
type Pair struct {
	First  int `json:"first"`  // its place among the results, from 0
	Second int `json:"second"` // that of the other
	// Of the means, within scenarios: second less first; nil where both have none in common.
	Difference *float64 `json:"difference"`
	P          float64  `json:"p"` // two-sided
	// The adjusted p-value of the one that looks better being no better, over all pairs in both directions.
	Adjusted float64 `json:"adjusted_p"`
}

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: r.Improvement != nil, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}

// Source is a result that is ranked.
type Source struct {
	Name string // by which it is told from others
	Run  *runs.Result
}

// Options say how results are ranked. The zero value is ready for use.
type Options struct {
	Alpha float64 // of the intervals of ranks of an axis, and of the improvement; 0 is [verdict.DefaultAlpha]
	Seed  uint64  // of permutations; 0 is 1
	// Improve is the axis on which the second of two results is to be better than the first; "" asks for none.
	Improve string
	Delta   float64 // the drop of the pass rate that an improvement must exclude; 0 is 0.1
}

// Warnings of results that are ranked.
const (
	warnStopped verdict.Code = "rank-stopped-early" // trials stopped by their outcomes
	warnUnknown verdict.Code = "rank-unknown"       // points that are not known
)

// optionError says what cannot be ranked.
type optionError struct {
	Option  string // such as "improve"
	Problem string
	Advice  string // may be ""
}

// Error is the message and the hint.
func (e *optionError) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message says what it is, and what is wrong with it.
func (e *optionError) Message() string { return e.Option + " " + e.Problem }

// Hint returns the advice.
func (e *optionError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *optionError) ExitCode() int { return exit.Input }

// Judge ranks results of runs that have the same tests, and axes of which the suites say the same. The error is an
// [optionError], or the cause of the context's end.
func Judge(ctx context.Context, sources []Source, o Options) (*Result, error) {
	r := &Result{Schema: Schema, Alpha: o.Alpha, Seed: o.Seed, Reasons: []verdict.Reason{}, Warnings: []verdict.Warning{}}
	if r.Alpha == 0 {
		r.Alpha = verdict.DefaultAlpha
	}
	if r.Seed == 0 {
		r.Seed = 1
	}
	for _, s := range sources {
		r.Results = append(r.Results, entryOf(s))
	}
	if o.Improve != "" {
		r.Improvement = &Improvement{Axis: o.Improve, Delta: o.Delta}
		if o.Delta == 0 {
			r.Improvement.Delta = 0.1
		}
	}
	return r, r.judge(ctx)
}

// entryOf is what a run says of itself.
func entryOf(s Source) Entry {
	e := Entry{Name: s.Name, Suite: s.Run.Suite, Digest: s.Run.Digest, Stopped: runs.StoppedOf(s.Run) != nil,
		Tests: []Test{}}
	for i := range s.Run.Tests {
		t := &s.Run.Tests[i]
		e.Tests = append(e.Tests, Test{Name: t.Name, Outcomes: t.Outcomes, Axes: t.Axes})
	}
	if spent := s.Run.Spent; spent.CostUSD != nil && spent.CostUnknown == 0 && spent.Trials > 0 {
		e.CostUSD = new(*spent.CostUSD / float64(spent.Trials))
	}
	total, known := 0.0, s.Run.TrialsOmitted == 0 && len(s.Run.Trials) > 0
	for _, t := range s.Run.Trials {
		if t.Duration == nil {
			known = false
			break
		}
		total += *t.Duration
	}
	if known {
		e.Duration = new(total / float64(len(s.Run.Trials)))
	}
	return e
}

// judge computes everything from the entries and the options that the result holds.
func (r *Result) judge(ctx context.Context) error {
	if err := r.check(); err != nil {
		return err
	}
	unknown := 0
	for i := range r.Results {
		e := &r.Results[i]
		e.Trials, e.Errors = 0, 0
		for _, t := range e.Tests {
			for _, mark := range t.Outcomes {
				switch mark {
				case 'P', 'F':
					e.Trials++
				case 'E':
					e.Errors++
				}
			}
			for _, s := range t.Axes {
				unknown += s.Unknown
			}
		}
	}
	r.Axes = nil
	for _, a := range r.axes() {
		if err := r.rank(ctx, &a); err != nil {
			return err
		}
		r.Axes = append(r.Axes, a)
	}
	r.points()
	r.pareto()
	r.Warnings = []verdict.Warning{}
	if slices.ContainsFunc(r.Results, func(e Entry) bool { return e.Stopped }) {
		r.Warnings = append(r.Warnings,
			warnStopped.Warning("tests stopped the trials of a result by their outcomes: its means "+
				"lean to the side of the decision, and the ranks by them; trials of a fixed number would not"))
	}
	if unknown > 0 {
		r.Warnings = append(r.Warnings, warnUnknown.Warning("%s not known, and left out", prose.Count(unknown, "number")+
			" of points "+prose.Form(unknown, "is", "are")))
	}
	if errs := r.errors(); errs > 0 {
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning("%s ended in an error and %s on no axis",
			prose.Count(errs, "trial"), prose.Form(errs, "counts", "count")))
	}
	return r.improve(ctx)
}

// errors is how many trials ended in an error.
func (r *Result) errors() (n int) {
	for _, e := range r.Results {
		n += e.Errors
	}
	return n
}

// check refuses what cannot be compared.
func (r *Result) check() error {
	if n := len(r.Results); n < 2 || n > mostResults {
		return &optionError{"results", fmt.Sprintf("must be from 2 to %d, not %d", mostResults, n), ""}
	}
	if !(r.Alpha > 0 && r.Alpha < 1) {
		return &optionError{"alpha", "must lie strictly between 0 and 1", ""}
	}
	names := map[string]bool{}
	for _, e := range r.Results {
		if names[e.Name] {
			return &optionError{"results", fmt.Sprintf("have %q twice", prose.Excerpt(e.Name)), "each once"}
		}
		names[e.Name] = true
		if err := e.check(r.Results[0]); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a result that does not fit the first one.
func (e Entry) check(first Entry) error {
	name := fmt.Sprintf("%q", prose.Excerpt(e.Name))
	tests := func(e Entry) (names []string) {
		for _, t := range e.Tests {
			names = append(names, t.Name)
		}
		slices.Sort(names)
		return names
	}
	if mine := tests(e); len(mine) == 0 || !slices.Equal(mine, tests(first)) {
		return &optionError{
			"results", fmt.Sprintf("do not fit: %s has other scenarios than %q", name, prose.Excerpt(first.Name)),
			"rank results of one suite",
		}
	}
	for _, t := range e.Tests {
		for _, s := range t.Axes {
			for i := range t.Outcomes {
				if _, err := score.TrialOf(t.Axes, i); err != nil {
					return &optionError{"results", fmt.Sprintf("cannot be used: in %s %v", name, err), ""}
				}
			}
			if len(s.Points) != len(t.Outcomes) {
				return &optionError{"results", fmt.Sprintf("cannot be used: in %s an axis has other trials than its test", name),
					""}
			}
			if s.Name == RateAxis {
				return &optionError{"results", fmt.Sprintf("cannot be used: %s has an axis called rate", name), "call it otherwise"}
			}
			if other := first.series(t.Name, s.Name); other != nil && (other.Digest != s.Digest || other.Max != s.Max) {
				return &optionError{
					"results", fmt.Sprintf("do not fit: the axis %s of %s is scored otherwise than that of %q", s.Name, name,
						prose.Excerpt(first.Name)), "score both by one suite",
				}
			}
		}
	}
	return nil
}

// series is what a test of the result has on an axis; nil where it has nothing.
func (e Entry) series(test, axis string) *score.Series {
	for i := range e.Tests {
		if e.Tests[i].Name != test {
			continue
		}
		for j := range e.Tests[i].Axes {
			if e.Tests[i].Axes[j].Name == axis {
				return &e.Tests[i].Axes[j]
			}
		}
	}
	return nil
}

// axes are those that are ranked: the pass rate, and those of the first test of the first result that has any.
func (r *Result) axes() []Axis {
	list := []Axis{{Name: RateAxis, Max: 1}}
	for _, t := range r.Results[0].Tests {
		for _, s := range t.Axes {
			list = append(list, Axis{Name: s.Name, From: s.From, Max: s.Max})
		}
		if len(t.Axes) > 0 {
			break
		}
	}
	return list
}

// values are what the trials of a test have on an axis, as far as it is known.
func (e Entry) values(test, axis string) (list []float64) {
	if axis == RateAxis {
		for _, t := range e.Tests {
			if t.Name != test {
				continue
			}
			for _, mark := range t.Outcomes {
				switch mark {
				case 'P':
					list = append(list, 1)
				case 'F':
					list = append(list, 0)
				}
			}
		}
		return list
	}
	if s := e.series(test, axis); s != nil {
		for _, x := range s.Points {
			if x.Known {
				list = append(list, x.Value)
			}
		}
	}
	return list
}

// mean is that of a result on an axis, over the scenarios; nil where one of them has none.
func (e Entry) mean(axis string) *float64 {
	sum := 0.0
	for _, t := range e.Tests {
		values := e.values(t.Name, axis)
		if len(values) == 0 {
			return nil
		}
		one := 0.0
		for _, x := range values {
			one += x
		}
		sum += one / float64(len(values))
	}
	return new(sum / float64(len(e.Tests)))
}
