package runs

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
)

// RecordedTest is what a test of a saved run gives as a baseline.
type RecordedTest struct {
	Sample  baseline.Sample  // how its trials were sampled
	Outcome baseline.Outcome // what they came to, with those that have no outcome as passes
	Worst   baseline.Outcome // what they came to, with these as failures
	Errors  int              // trials without an outcome
	Counted Side             // the trials of several runs that were pooled; zero of one run
	// The trials in the order of launch, P, F or E for each, where their number was fixed before they ran; else "".
	Letters string
}

// Counts are the trials.
func (r RecordedTest) Counts() Side {
	return (&StoredBaseline{Outcome: r.Outcome, Worst: r.Worst, Errors: r.Errors, Counted: r.Counted}).side()
}

// Against is the test, planned as a family for this sample, of a candidate against what was recorded.
func (r RecordedTest) Against(f *baseline.Family, source BaselineSource) *Against {
	a := &Against{Gamma: f.Gamma(), Stored: &StoredBaseline{
		Family: f, Outcome: r.Outcome, Errors: r.Errors, Counted: r.Counted, Source: source,
	}}
	if r.Worst != r.Outcome {
		a.Stored.Worst = r.Worst
	}
	return a
}

// BaselineError says why a test of a saved run is no baseline.
type BaselineError struct {
	Test    string // name; "" where the whole run is none
	Problem string
	Advice  string // may be ""
}

func (e *BaselineError) Error() string {
	if e.Test == "" {
		return e.Problem
	}
	return fmt.Sprintf("%q is no baseline: %s", e.Test, e.Problem)
}

// Message returns the problem.
func (e *BaselineError) Message() string { return e.Error() }

// Hint returns the advice.
func (e *BaselineError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *BaselineError) ExitCode() int { return exit.Input }

// BaselineOf returns what a test of a saved run gives as a baseline: a number of trials that
// was fixed before they ran, or the end of a sequential test. It rests on the outcomes and the
// boundaries alone, which are judged again. It returns a [BaselineError] for a test that is not
// there or has not ended, and for one whose stop points are not those of one pair of
// boundaries; and a [verdict.DifferenceError] where the saved test does not fit together.
func BaselineOf(saved *Result, test string) (RecordedTest, error) {
	at := slices.IndexFunc(saved.Tests, func(t Test) bool { return t.Name == test })
	if at < 0 {
		return RecordedTest{}, &BaselineError{Test: test, Problem: "the saved run has no scenario of this name"}
	}
	families, err := saved.against()
	if err != nil {
		return RecordedTest{}, err
	}
	if saved.Tests[at].Standing != "" {
		return RecordedTest{}, &BaselineError{
			Problem: "the run was stopped by a test of the whole suite (test: by: suite), so it cannot be a baseline",
			Advice:  "record one with tribunal run --record N"}
	}
	e, err := saved.Tests[at].evidence(at, families, nil)
	if err != nil {
		return RecordedTest{}, err
	}
	d, err := decide(e)
	if err != nil {
		return RecordedTest{}, err
	}
	l := d.lattice()
	switch {
	case l == nil:
		return RecordedTest{}, &BaselineError{test, "more than one test decided when it stopped, so how it was " +
			"sampled is not known", "record one with tribunal run --record N, or use the baseline that it had"}
	case !l.Decided():
		return RecordedTest{}, &BaselineError{test, fmt.Sprintf("it was stopped after %s, before its end",
			prose.Count(l.Trials(), "judged trial")), "run it to its end, or record one with tribunal run --record N"}
	}
	b := l.Design().Boundaries
	sample, err := baseline.Stopping(b)
	if err != nil {
		return RecordedTest{}, err
	}
	if _, sequential := sample.Stops(); !sequential {
		return RecordedTest{Errors: l.Errors(), Outcome: baseline.Outcome{Trials: l.Trials(), Failures: l.Failures()},
			Letters: saved.Tests[at].Outcomes[:l.Trials()],
			Worst:   baseline.Outcome{Trials: l.Trials(), Failures: l.Failures() + l.Errors()}, Sample: sample}, nil
	}
	// Whatever the errors would have been, the test has ended; but where may differ.
	optimist, pessimist := l.Sides()
	end := func(t *sprt.Test) baseline.Outcome {
		return baseline.Outcome{Trials: t.Trials(), Failures: t.Failures()}
	}
	return RecordedTest{Errors: l.Errors(), Outcome: end(optimist), Worst: end(pessimist), Sample: sample}, nil
}

// decide judges the trials of a test that is asked alone.
func decide(t TestEvidence) (*decider, error) {
	list, err := decideAll([]TestEvidence{t})
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// decideAll judges the trials of the tests of a run.
func decideAll(tests []TestEvidence) ([]*decider, error) {
	list, err := newDeciders(tests)
	if err != nil {
		return nil, err
	}
	for i, t := range tests {
		for place, x := range t.gathered().Trials {
			// What was recorded beyond the last trial that the test can have is judged by nothing.
			o, ended := x.outcome()
			if !ended || place >= list[i].MaxTrials() {
				continue
			}
			if err := list[i].Observe(place, o); err != nil {
				return nil, fmt.Errorf("test %q: %w", t.Name, err)
			}
		}
	}
	return list, nil
}
