package gate

import (
	"slices"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// BaselineOf takes what a comparison needs from a baseline with a name. The trials of its runs are one recording
// together where the number of each was fixed before they ran. Several that tests stopped are compared with nothing
// here: a run against them is their test.
func BaselineOf(b *runs.Baseline) *BaselineRun {
	r := &BaselineRun{File: b.Name, MaxAge: Age(b.MaxAge), Revision: b.Revision, Runs: b.Source().Runs}
	if len(b.Runs) == 1 {
		r.Run = TestsOf(b.First())
		return r
	}
	pooled := *b.First()
	pooled.Finished, pooled.Tests = b.Finished(), nil
	var problems []string
	for _, t := range b.First().Tests {
		together, problem := pool(b, t.Name)
		if problem != "" {
			// As of a run that another baseline stopped: there is the name, and no outcomes.
			together = runs.Test{Name: t.Name, Regression: &runs.Regression{}}
		}
		pooled.Tests, problems = append(pooled.Tests, together), append(problems, problem)
	}
	r.Run = TestsOf(&pooled)
	for i := range r.Run.Tests {
		r.Run.Tests[i].Why = problems[i]
	}
	return r
}

// pool is a test of all runs together; a problem says why there is none.
func pool(b *runs.Baseline, name string) (t runs.Test, problem string) {
	e := runs.TestEvidence{Name: name, Scenarios: []string{name}}
	for _, r := range b.Runs {
		i := slices.IndexFunc(r.Result.Tests, func(t runs.Test) bool { return t.Name == name })
		if i < 0 {
			return t, "the baseline's run " + r.ID + " does not have it"
		}
		test := &r.Result.Tests[i]
		if test.Regression != nil || !fixed(test) {
			return t, "tests stopped the baseline's runs, which are pooled where a run is against it and nowhere else"
		}
		for _, letter := range []byte(test.Outcomes[:test.Trials]) {
			outcome, _ := mark.Outcome(letter)
			e.Trials = append(e.Trials, runs.TrialEvidence{Scenario: name, Number: len(e.Trials),
				Trial: &trial.Trial{Scenario: name, Outcome: outcome}})
		}
	}
	var err error
	if e.Design, err = sprt.Recording(len(e.Trials)); err == nil {
		t, err = judgeOne(e)
	}
	if err != nil {
		return t, err.Error()
	}
	return t, ""
}

// fixed reports whether a test ended after a number of trials that was fixed before they ran.
func fixed(t *runs.Test) bool {
	if t.Trials != t.Design.MaxTrials || t.Trials > len(t.Outcomes) {
		return false
	}
	sample, err := baseline.Stopping(t.Design.Boundaries.Test())
	if err != nil {
		return false
	}
	_, stopped := sample.Stops()
	return !stopped
}
