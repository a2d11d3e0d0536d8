package runner

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// StopReason says why a run, or a test of it, ended.
type StopReason uint8

const (
	NotStopped       StopReason = iota
	StoppedDecision             // every test decided
	StoppedMaxTrials            // every test ended, one at least without a decision
	StoppedBudget               // the next trial would have broken the budget
	StoppedInterrupt            // somebody stopped it
	StoppedDeadline             // the time was over
	StoppedErrors               // too many trials ended in errors
	StoppedFailure              // it could not go on; the error of [Run] says why
)

// String returns "running", "decision", "max-trials", "budget", "interrupt",
// "deadline", "errors" or "failure".
func (s StopReason) String() string {
	return [...]string{"running", "decision", "max-trials", "budget", "interrupt", "deadline", "errors", "failure"}[min(s, StoppedFailure)]
}

// MarshalText writes the reason's name.
func (s StopReason) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Standing says what part a trial has in the decision of its test.
type Standing uint8

const (
	Unfinished Standing = iota // launched, and its end is not known
	Judged                     // part of the decision, be it an error
	Overrun                    // beyond the trial that decided
	Ahead                      // ended, but one before it did not
)

// String returns "unfinished", "judged", "overrun" or "ahead".
func (s Standing) String() string {
	return [...]string{"unfinished", "judged", "overrun", "ahead"}[min(s, Ahead)]
}

// MarshalText writes the standing's name.
func (s Standing) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Result is what a run did.
type Result struct {
	Seed    uint64
	Reason  StopReason
	Limit   Limit // of the budget that ended it
	Tests   []TestResult
	Trials  []Record      // in launch order
	Spent   journal.Spend // by all attempts that ended, in all sessions
	Lost    int           // attempts that began and whose end is not known: cancelled, or killed with an earlier session
	Elapsed time.Duration
	Resumed int // trials that an earlier session finished
}

// TestResult is how one test ended. Trials are those that the decision is made of.
type TestResult struct {
	Name      string
	Scenarios []string
	Design    sprt.Design
	Digest    string // of the design
	Outcome   sprt.Outcome
	Reason    StopReason

	Trials, Failures, Errors int // judged, and the failures and errors among them
	Overrun, OverrunFailures int // ended beyond the decision
	Ahead                    int // ended beyond a trial that did not
	Unfinished               int
	Spent                    journal.Spend // by all its trials
}

// Record is one trial of a run.
type Record struct {
	Test     string
	Scenario string
	Number   int // within the scenario
	Seed     uint64
	Standing Standing
	Attempts int           // that ended
	Spent    journal.Spend // by all attempts
	Trial    *trial.Trial  // nil where Unfinished
}

// ErrAllErrors says that no trial of a run reached an outcome.
var ErrAllErrors = exit.New(exit.Unavailable, "every trial ended in an error")

func (r *run) result() *Result {
	result := &Result{
		Seed: r.options.Seed, Reason: r.reason, Limit: r.limit, Spent: r.ledger.spent, Lost: r.ledger.lost,
		Elapsed: r.ledger.elapsed(), Resumed: r.resumed,
	}
	standings := map[*slot]Standing{}
	for _, t := range r.tests {
		result.Tests = append(result.Tests, t.result(r.reason, standings))
	}
	for _, s := range r.slots {
		result.Trials = append(result.Trials, Record{
			Test: s.test.spec.Name, Scenario: s.scenario.spec.Name, Number: s.number, Seed: s.seed,
			Standing: standings[s], Attempts: s.spent.Attempts, Spent: s.spent, Trial: s.record,
		})
	}
	return result
}

func (t *testRun) result(reason StopReason, standings map[*slot]Standing) TestResult {
	r := TestResult{
		Name: t.spec.Name, Scenarios: t.spec.Scenarios, Design: t.spec.Design, Digest: t.spec.Design.Digest(),
		Outcome: t.test.Outcome(), Reason: t.reason(reason), Trials: t.test.Trials(), Failures: t.test.Failures(), Errors: t.test.Errors(),
	}
	for i, s := range t.slots {
		r.Spent.Add(s.spent)
		standings[s] = t.standing(i)
		switch standings[s] {
		case Unfinished:
			r.Unfinished++
		case Ahead:
			r.Ahead++
		case Overrun:
			r.Overrun++
			if s.failed() {
				r.OverrunFailures++
			}
		}
	}
	return r
}

func (t *testRun) standing(i int) Standing {
	switch s := t.slots[i]; {
	case i < t.test.Trials():
		return Judged
	case !s.finished():
		return Unfinished
	case t.ended():
		return Overrun
	}
	return Ahead
}

func (t *testRun) reason(ofRun StopReason) StopReason {
	switch t.test.Outcome() {
	case sprt.Inconclusive:
		return StoppedMaxTrials
	case sprt.Pass, sprt.Fail:
		return StoppedDecision
	}
	return ofRun
}

// allErrors returns [ErrAllErrors] with the last cause where no trial has an outcome.
func (r *run) allErrors() error {
	var last *slot
	for _, s := range r.slots {
		switch {
		case s.errored():
			last = s
		case s.finished():
			return nil
		}
	}
	if last == nil {
		return nil
	}
	why := "it recorded no cause"
	if cause := last.record.Error; cause != nil {
		why = prose.Excerpt(cause.Message)
	}
	return fmt.Errorf("%w; the last, scenario %q, trial %d: %s", ErrAllErrors, last.scenario.spec.Name, last.number, why)
}
