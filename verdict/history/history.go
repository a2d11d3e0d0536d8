package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/history/v1"

// MostPoints bounds the points of a history: beyond, runs are to be taken together before it is judged.
const MostPoints = 1000

// Options say what a history is of, and how changes are looked for. The zero value is of the pass rate.
type Options struct {
	// What the runs are of, for a reader; "" is not said.
	Suite, Version, Branch, Scenario string

	Metric Metric
	// Baseline names what distances are from; "" is the first run.
	Baseline string
	// Alpha is the probability of finding any change where there is none, and the error of intervals and of the places
	// of changes; 0 is [verdict.DefaultAlpha].
	Alpha float64
	// ByTrials takes single trials of the pass rate for what is exchangeable while nothing changes, in place of whole
	// points: it finds more, and holds where trials of one run are no more alike than those of two, and their number
	// does not depend on how they ended.
	ByTrials     bool
	Permutations int    // orders drawn for a test; 0 is 999
	Seed         uint64 // of the orders, and of the samples of scenarios
}

// Result is a history.
type Result struct {
	Schema   string `json:"schema"` // names the JSON form
	Suite    string `json:"suite"`
	Version  string `json:"version,omitempty"`
	Branch   string `json:"branch,omitempty"`
	Scenario string `json:"scenario,omitempty"` // pattern of the scenarios
	Metric   Metric `json:"metric"`
	Baseline string `json:"baseline,omitempty"` // that distances are from; absent: the first run

	Alpha        float64     `json:"alpha"`        // chance of any change where there is none
	Level        float64     `json:"level"`        // of the intervals
	Interval     string      `json:"interval"`     // of the points: "wilson" of rates, "student" of means, "" of distances
	Unit         change.Unit `json:"unit"`         // what is exchanged
	Permutations int         `json:"permutations"` // of a test
	Seed         uint64      `json:"seed"`

	Runs     int       `json:"runs"`     // of all points
	Points   []Point   `json:"points"`   // in the order of time
	Segments []Segment `json:"segments"` // between the changes; empty where nothing is known of any point
	Changes  []Change  `json:"changes"`  // of the series; may be empty
	// Variation is how alike the trials of a scenario are in the last segment; nil of other metrics than the pass rate,
	// and where no scenarios are known.
	Variation *intraclass.Variation `json:"variation,omitempty"`
	Warnings  []verdict.Warning     `json:"warnings"` // may be empty
}

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{Schema: r.Schema, Warnings: r.Warnings}
}

// Codes of the warnings.
const (
	warnFewPoints     verdict.Code = "few-runs"
	warnPooled        verdict.Code = "runs-taken-together"
	warnBranches      verdict.Code = "several-branches"
	warnUncounted     verdict.Code = "errors-not-counted"
	warnNothing       verdict.Code = "nothing-known"
	warnSuiteChanged  verdict.Code = "suite-changed"
	warnFewOfScenario verdict.Code = "correlation-unknown"
)

// fewestPoints is how many points it takes to find a change at 5 % where points are exchanged: of fewer, no order of
// them is rare enough.
const fewestPoints = 8

// Scenarios tells what the trials of the points from..to-1 come to by scenario; nil where that is not known.
type Scenarios func(ctx context.Context, from, to int) ([]Tally, error)

// Tally is what the trials of one scenario come to.
type Tally struct {
	Name   string
	Counts stats.Counts // of the trials that passed or failed
}

// Judge looks for changes in a series of points, and for the scenarios that changed with them. Points are in the order
// of time; their values and intervals are computed. Of the pass rate, points are exchanged as a whole unless
// [Options.ByTrials] says otherwise; of other metrics, the means of points are. See [change.Segments]. More than
// [MostPoints] points, and options that cannot be, are a [verdict.OptionError].
func Judge(ctx context.Context, points []Point, scenarios Scenarios, o Options) (*Result, error) {
	o.Alpha = cmp.Or(o.Alpha, verdict.DefaultAlpha)
	if err := verdict.CheckLevel("alpha", o.Alpha); err != nil {
		return nil, err
	}
	if len(points) > MostPoints {
		return nil, &verdict.OptionError{Option: "points", Value: len(points), Problem: fmt.Sprintf("are more than %d",
			MostPoints)}
	}
	r := newResult(o)
	for _, p := range points {
		p.estimate(o.Metric, o.Alpha)
		r.Runs += p.Runs
		r.Points = append(r.Points, p)
	}
	if err := r.segment(ctx, o); err != nil {
		return nil, err
	}
	if scenarios != nil && o.Metric == Rate {
		if err := r.scenarios(ctx, scenarios); err != nil {
			return nil, err
		}
	}
	r.warn()
	return r, nil
}

// newResult is a result without points.
func newResult(o Options) *Result {
	unit := change.Runs
	if o.ByTrials && o.Metric == Rate {
		unit = change.Trials
	}
	interval := map[Metric]string{Rate: "wilson", Distance: ""}
	method, is := interval[o.Metric]
	if !is {
		method = "student"
	}
	return &Result{
		Schema: Schema, Suite: o.Suite, Version: o.Version, Branch: o.Branch, Scenario: o.Scenario, Metric: o.Metric,
		Baseline: o.Baseline, Alpha: o.Alpha, Level: 1 - o.Alpha, Interval: method, Unit: unit,
		Permutations: o.Permutations, Seed: o.Seed,
		Points: []Point{}, Segments: []Segment{}, Changes: []Change{}, Warnings: []verdict.Warning{},
	}
}

// known is how many points have a value.
func (r *Result) known() (n int) {
	for i := range r.Points {
		if r.Points[i].Value != nil {
			n++
		}
	}
	return n
}

// warn says how far the history can be relied on.
func (r *Result) warn() {
	add := func(w verdict.Warning) { r.Warnings = append(r.Warnings, w) }
	known := r.known()
	switch {
	case known == 0:
		add(warnNothing.Warning("nothing is known of the %s: no run tells it", r.Metric))
	case known < fewestPoints && r.Unit == change.Runs:
		add(warnFewPoints.Warning("%s too few to find a change at all where whole runs are exchanged: it takes %d",
			prose.Form(known, "1 point is", fmt.Sprintf("%d points are", known)), fewestPoints))
	}
	if known > 0 && r.Runs > len(r.Points) && r.Unit == change.Runs {
		add(warnPooled.Warning("%s are taken together in %s: the chance of a change that is none holds nearly, not "+
			"exactly, as they are not of equally many runs", prose.Count(r.Runs, "run"), prose.Count(len(r.Points), "point")))
	}
	branches, errorsSeen, trials, tasks := map[string]bool{}, 0, 0, 0
	task := ""
	for i := range r.Points {
		p := &r.Points[i]
		branches[p.Branch] = true
		errorsSeen += p.Errors
		trials += p.Passes + p.Failures + p.Errors
		if p.Task != "" && task != "" && p.Task != task {
			tasks++
		}
		task = cmp.Or(p.Task, task)
	}
	if len(branches) > 1 {
		add(warnBranches.Warning("the runs are of %d branches: a change may be that of the branch", len(branches)))
	}
	if tasks > 0 {
		add(warnSuiteChanged.Warning("what is asked, or how it is judged, changed %s: a change there may be that of the "+
			"suite",
			prose.Form(tasks, "once", fmt.Sprintf("%d times", tasks))))
	}
	if r.Metric == Rate && errorsSeen > 0 {
		add(warnUncounted.Warning("%d of %s ended in errors, and do not count", errorsSeen, prose.Count(trials, "trial")))
	}
	if v := r.Variation; v != nil && v.Correlation == nil {
		add(warnFewOfScenario.Warning("how alike the trials of a scenario are cannot be told: it takes two scenarios, one " +
			"with two trials, and a pass and a failure"))
	}
}

// asOption tells an error of an argument as one of an option.
func asOption(err error) error {
	if e, ok := errors.AsType[*stats.ArgumentError](err); ok {
		return &verdict.OptionError{Option: e.Argument, Value: e.Value, Problem: e.Problem}
	}
	return err
}
