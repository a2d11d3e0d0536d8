package recording

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
)

// StoppedTests says of a recording that tests gathered its trials, and ended when their outcomes had
// decided: the number of trials follows from the outcomes, and of several scenarios those have
// the most trials whose rate is in doubt. What takes the numbers for fixed does not hold for it:
// its risks, intervals and p-values are of other recordings. What holds is over the
// distribution of the ends of the tests.
//
// A fixed number of trials that was stopped before all of them had run is such a recording too: whoever stops it has
// seen what they came to, and failures may use up a budget sooner. What holds is that which may be looked at any time.
type StoppedTests struct {
	Tests []Stop `json:"tests"`
}

// Stop is how one test gathered its trials.
type Stop struct {
	Test      string   `json:"test"`              // name
	Scenarios []string `json:"scenarios"`         // that it drew from; several are pooled
	Design    string   `json:"design"`            // digest of what stopped it
	Judged    int      `json:"judged"`            // its first trials, after which it ended; 0 where it has not
	Outcome   string   `json:"outcome,omitempty"` // of the test: pass, fail or inconclusive; empty where it has not ended
	Recording string   `json:"file,omitempty"`    // that holds the trials, for a person
	// Variant of the agent, in a store alone, where the trials of several are together; "" is none.
	Variant string `json:"variant,omitempty"`
	// Where it could stop; nil where that is not known: of a test against a baseline, and of journals
	// of earlier versions.
	Sample *baseline.SampleRecord `json:"sample,omitempty"`
}

// Follows reports whether the number of trials may follow from the outcomes: true unless it is
// known that it was fixed, and all of them ran.
func (s Stop) Follows() bool { return s.Sample == nil || s.Sample.Fixed == 0 || s.IsCut() }

// IsCut reports whether a fixed number of trials was stopped before all of them had run.
func (s Stop) IsCut() bool { return s.Sample != nil && s.Sample.Fixed > 0 && s.Judged < s.Sample.Fixed }

// StoppedBy says how the trials were gathered. What was said before is kept: a recording may
// be of several files.
func (r *Recording) StoppedBy(tests ...Stop) { r.stops = append(r.stops, tests...) }

// Stopped says how the trials were stopped. It is nil where the number of trials was fixed, and
// where nothing says that it was not.
func (r *Recording) Stopped() *StoppedTests { return StoppedOf(r.stops) }

// StoppedOf is what the tests of a run say; nil where all of them had fixed numbers of trials.
func StoppedOf(tests []Stop) *StoppedTests {
	if !slices.ContainsFunc(tests, Stop.Follows) {
		return nil
	}
	return &StoppedTests{Tests: tests}
}

// Of returns the tests that drew from a scenario: one, of one run.
func (s *StoppedTests) Of(scenario string) (list []Stop) {
	if s == nil {
		return nil
	}
	for _, t := range s.Tests {
		if slices.Contains(t.Scenarios, scenario) {
			list = append(list, t)
		}
	}
	return list
}

// Pool returns the scenarios whose trials may be judged one after the other as those of one
// rate: of tests that all drew from the same ones. Several is true of tests that drew from
// different scenarios: how many trials each has follows from its outcomes, and the mix of them too.
func (s *StoppedTests) Pool() (scenarios []string, several bool) {
	for i, t := range s.Tests {
		if i == 0 {
			scenarios = t.Scenarios
		} else if !slices.Equal(t.Scenarios, scenarios) {
			return nil, true
		}
	}
	return scenarios, false
}

// IsCut reports whether nothing but a stop from outside made the numbers of trials follow from the outcomes: then what
// holds at any time holds, of several scenarios too, as no test chose which of them has more trials.
func (s *StoppedTests) IsCut() bool {
	return s != nil && !slices.ContainsFunc(s.Tests, func(t Stop) bool { return t.Follows() && !t.IsCut() })
}

// Ended reports whether all tests have. One that was tested together with others has an outcome, and no end of its own.
func (s *StoppedTests) Ended() bool { return s == nil || s.Open().Ended() }

// Ended reports whether the test has.
func (s Stop) Ended() bool { return s.Judged > 0 || s.Outcome != "" }

// Open is the first test that has not ended, or else the first of all.
func (s *StoppedTests) Open() Stop {
	return s.Tests[max(0, slices.IndexFunc(s.Tests, func(t Stop) bool { return !t.Ended() }))]
}

// Sentence says for a warning what is the matter.
func (s *StoppedTests) Sentence() string {
	if s.IsCut() {
		most := 0
		for _, t := range s.Tests {
			if t.IsCut() {
				most = max(most, t.Sample.Fixed)
			}
		}
		return fmt.Sprintf("the recording of %s was stopped before all of them had run, after outcomes were known, or by "+
			"a budget that failures may use up sooner", prose.Count(most, "trial"))
	}
	if !s.Ended() {
		return "the run has no verdict: it was interrupted, its budget was used up, or it still goes on"
	}
	n := 0
	for _, t := range s.Tests {
		if t.Follows() {
			n++
		}
	}
	return fmt.Sprintf("%s ended when the outcomes had decided: the numbers of trials follow from them, and shares of "+
		"passes lean to the side of the decision", prose.Count(n, "test"))
}

// StoppedError says that a recording is of tests that stopped by their outcomes, and was given
// to a method that takes the number of trials for fixed.
type StoppedError struct {
	Name    string // of the recording
	Stopped *StoppedTests
	Advice  string // what a person might do
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("%s: its trials were not a fixed number: %s", e.Name, e.Stopped.Sentence())
}

// Message is the problem.
func (e *StoppedError) Message() string { return e.Error() }

// Hint returns the advice.
func (e *StoppedError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *StoppedError) ExitCode() int { return exit.Input }

// StopError says why what a test came to cannot be judged by where it could end.
type StopError struct {
	Test    string // name
	Problem string
	Advice  string // what a person might do
}

func (e *StopError) Error() string { return fmt.Sprintf("test %q: %s", e.Test, e.Problem) }

// Message is the problem.
func (e *StopError) Message() string { return e.Error() }

// Hint returns the advice.
func (e *StopError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *StopError) ExitCode() int { return exit.Input }

// End is what a test came to.
type End struct {
	Sample      baseline.Sample
	Best, Worst baseline.Outcome // with errors as passes, and as failures
	Errors      int              // trials without an outcome among the judged ones
}

// End returns what a test came to, by its judged trials: the first ones of its scenarios in the
// recording. It returns a [StopError] where the test has not ended, where it is not known
// where it could stop, and where the trials do not end there.
func (r *Recording) End(s Stop) (End, error) {
	refuse := func(problem, advice string) (End, error) { return End{}, &StopError{s.Test, problem, advice} }
	switch {
	case s.Judged <= 0 && s.Outcome != "":
		return refuse("it was tested together with other scenarios, and has no end of its own",
			"compare the saved results of both runs, or record both with tribunal run --record N")
	case s.Judged <= 0:
		return refuse("its run was stopped before it ended", "tribunal run --resume lets it end")
	case s.Sample == nil:
		return refuse("the recording does not hold where it could stop", "name the results of run in place of journals")
	}
	sample, err := s.Sample.Sample()
	if err != nil {
		return refuse(err.Error(), "")
	}
	outcomes := r.first(s.Scenarios, s.Judged)
	b, sequential := sample.Stops()
	e := End{Sample: sample}
	const changed = "its trials do not end where the recording says: was it changed?"
	if len(outcomes) < s.Judged {
		return refuse(changed, "")
	}
	if !sequential {
		if b, err = sprt.NewBoundaries(s.Sample.Fixed); err != nil {
			return refuse(err.Error(), "")
		}
	}
	test, err := sprt.NewRobustTest(sprt.Design{Boundaries: b})
	if err != nil {
		return refuse(err.Error(), "")
	}
	for i, o := range outcomes {
		if err := test.Observe(i, o); err != nil {
			return End{}, err
		}
		if test.Decided() != (i == s.Judged-1) {
			return refuse(changed, "")
		}
	}
	if e.Errors = test.Errors(); !sequential {
		e.Best = baseline.Outcome{Trials: test.Trials(), Failures: test.Failures()}
		e.Worst = baseline.Outcome{Trials: test.Trials(), Failures: test.Failures() + test.Errors()}
		return e, nil
	}
	// Whatever the errors would have been, the test has ended; but where may differ.
	best, worst := test.Sides()
	e.Best = baseline.Outcome{Trials: best.Trials(), Failures: best.Failures()}
	e.Worst = baseline.Outcome{Trials: worst.Trials(), Failures: worst.Failures()}
	return e, nil
}

// first returns the outcomes of the first trials of scenarios, as many as there are up to n.
func (r *Recording) first(scenarios []string, n int) (outcomes []trial.Outcome) {
	for _, o := range r.Observations() {
		if !slices.Contains(scenarios, o.Scenario) {
			continue
		}
		for range o.Count {
			if len(outcomes) == n {
				return outcomes
			}
			outcomes = append(outcomes, o.Outcome)
		}
	}
	return outcomes
}
