package runner

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Standing says what part a trial has in the decision of its test.
type Standing uint8

// The standings. The zero value is that of a trial that was launched and has not ended.
const (
	Unfinished Standing = iota // launched, and its end is not known
	Judged                     // part of the decision, be it an error
	overrun                    // beyond the trial that decided
	ahead                      // ended, but one before it did not
)

var standings = enum.Of[Standing]("standing", "unfinished", "judged", "overrun", "ahead")

// String returns "unfinished", "judged", "overrun" or "ahead".
func (s Standing) String() string { return standings.String(s) }

// MarshalText writes the standing's name.
func (s Standing) MarshalText() ([]byte, error) { return standings.MarshalText(s) }

// Result is what a run did.
type Result struct {
	Seed      uint64         // of the order and of each trial's seed
	StoppedBy runs.StopCause // why the run ended
	Limit     Limit          // of the budget that ended it; NoLimit if it was not the budget
	Tests     []TestResult   // in the order of the options
	// Trials are in launch order. Where the records are brief they are those that a result may list, and [Result.Outcomes]
	// counts all.
	Trials []Record
	Spent  journal.Spend // by all attempts that ended, in all sessions
	// Repeated are the attempts that never began and that another one replaced, by their cause.
	Repeated map[string]int
	// Lost are attempts that began and whose end is not known: they were cancelled, or
	// killed with an earlier session.
	Lost    int
	Cut     int           // of the lost, those that the budget cut off on the wire: what they took is in Spent
	Elapsed time.Duration // of all sessions, without the time between them
	Resumed int           // trials that an earlier session finished
	// Changed are programs of the agent or its judges that are others than when the run began.
	Changed []string
	// Unconfined is what of the agents was to be held, and was not.
	Unconfined []string
	// Prices of a trial by which the arms raced, in their order; nil: they raced by none.
	Prices []float64
	// Calibration is what the run was calibrated by; nil where it was not.
	Calibration *runs.Calibration
	Share       *journal.Share // of a shard that has run its part; nil: of one that has not, and of a whole run
	Journal     *runs.Journal  // as it was when the run ended; nil where none was kept

	packed [][][]packedTrial // of each test, the trials that are not in Trials, in launch order
}

// TestResult is how one test ended. Trials are those that the decision is made of.
type TestResult struct {
	Name      string         // of the test
	Variant   string         // of the agent; empty where there are none
	Scenarios []string       // those whose trials it judges
	Design    sprt.Design    // as it was extended
	Against   *runs.Against  // the baseline that was tested against; nil: none was
	Joint     *runs.Joint    // what it was asked together with others; nil: nothing
	Recorded  string         // outcomes of a baseline that Joint is against
	Digest    string         // of the design, and of the baseline where there is one
	Shared    int            // how many tests share the alpha; 0: it is its own
	Outcome   sprt.Outcome   // Undecided where the run was stopped before
	StoppedBy runs.StopCause // its decision, its last trial, or what stopped the run before

	Trials          int           // judged, of both sides in a test in rounds
	Failures        int           // among the judged trials
	Errors          int           // among the judged trials
	Overrun         int           // trials that ended beyond the decision
	OverrunFailures int           // among those of the overrun
	Ahead           int           // trials that ended beyond one that did not
	Unfinished      int           // trials that were launched and did not end
	Spent           journal.Spend // by all its trials
}

// Record is one trial of a run.
type Record struct {
	Test     string        // that it belongs to
	Scenario string        // what the agent was asked
	Variant  string        // of the agent; empty where there are none
	Baseline bool          // of the side that the agent is tested against
	Number   int           // within scenario, variant and side, from 0
	Seed     uint64        // below 2^53
	Standing Standing      // in the decision of its test
	Spent    journal.Spend // by all its attempts that ended
	Trial    *trial.Trial  // nil where Unfinished
	// How the program of its last attempt ended; nil where there is nothing to tell of it.
	Process *journal.Process
	// MoreSteps is how many steps it had beyond those of Trial, in a run whose records are brief.
	MoreSteps int
	// Usage is what it took of each model, in a run whose records are brief; nil is what Trial says.
	Usage *usage.Trial
	// Answer tells what it answered from other answers, in a run whose records are brief; nil is what Trial says.
	Answer *uint64
}

// ErrAllErrors says that no trial of a run reached an outcome.
var ErrAllErrors = errors.New("every trial ended in an error")

// result says what the run did so far. It may be asked at any time; trials keep their launch order.
func (r *run) result() *Result {
	result := &Result{
		Seed: r.options.Seed, StoppedBy: r.stoppedBy, Limit: r.limit, Spent: r.ledger.spent, Lost: r.ledger.lost,
		Cut:      r.ledger.told,
		Repeated: maps.Clone(r.ledger.repeated),
		Elapsed:  r.ledger.elapsed(), Resumed: r.resumed, Changed: r.changed,
		Unconfined: r.options.Unconfined,
	}
	if r.journal != nil {
		chain := r.journal.Chain()
		result.Journal = &runs.Journal{Chain: chain.String(), Lines: chain.Lines()}
	}
	if r.racing != nil {
		result.Prices = r.racing.told
	}
	if c := r.calibration; c != nil {
		result.Calibration = &runs.Calibration{Trials: c.options.Trials, Decision: c.decided}
	}
	if r.part != nil {
		result.Share = r.part.told
	}
	for _, t := range r.tests {
		result.Tests = append(result.Tests, t.result(r.stoppedBy))
	}
	for _, s := range r.trials {
		if s != nil {
			result.Trials = append(result.Trials, s.Record)
		}
	}
	for _, t := range r.tests {
		result.packed = append(result.packed, t.packing.list)
	}
	return result
}

// result says how the test ended, and gives its trials their standing. Trials, failures and errors are
// those that the test has judged; what ended beyond is counted apart.
func (t *testRun) result(stoppedBy runs.StopCause) TestResult {
	r := TestResult{
		Name: t.spec.Name, Variant: t.spec.Variant, Scenarios: t.spec.Scenarios,
		Design: t.spec.Design, Against: t.spec.Against, Joint: t.spec.Joint, Recorded: t.spec.Recorded,
		Digest: t.spec.digest(), Shared: t.spec.Shared,
		Outcome: t.test.Outcome(), StoppedBy: t.stoppedBy(stoppedBy),
		Trials: t.test.Trials(), Failures: t.test.Failures(), Errors: t.test.Errors(),
	}
	r.Spent = t.packing.spent
	for _, s := range t.trials {
		if s == nil {
			continue // judged
		}
		// What overran was paid for like the rest.
		r.Spent.Add(s.Spent)
		s.Standing = t.standing(s)
		switch s.Standing {
		case Unfinished:
			r.Unfinished++
		case ahead:
			r.Ahead++
		case overrun:
			r.Overrun++
			if s.failed() {
				r.OverrunFailures++
			}
		}
	}
	return r
}

// standing returns that of a trial. A test judges places without a gap, so the first Trials() of them are
// those that it judged.
func (t *testRun) standing(s *trialRun) Standing {
	switch {
	case s.place < t.test.Trials():
		return Judged
	case !s.finished():
		return Unfinished
	case t.ended():
		return overrun
	}
	return ahead
}

// stoppedBy returns why the test ended: by itself, or by what stopped the run.
func (t *testRun) stoppedBy(run runs.StopCause) runs.StopCause {
	switch t.test.Outcome() {
	case sprt.Inconclusive:
		return runs.StoppedByMaxTrials
	case sprt.Pass, sprt.Fail:
		return runs.StoppedByDecision
	}
	return run
}

// allErrors returns [ErrAllErrors] with the last cause where no trial has an outcome. The last cause is the
// likeliest to be of use: what was wrong at first may have been repaired.
func (r *run) allErrors() error {
	var last *trialRun
	for _, s := range r.trials {
		switch {
		case s == nil: // there are others of its outcome
		case s.errored():
			last = s
		// A trial that passed or failed: the run has something to say.
		case s.finished():
			return nil
		}
	}
	if last == nil {
		return nil
	}
	return fmt.Errorf("%w; the last, scenario %q, trial %d: %s", ErrAllErrors, last.Scenario, last.Number,
		causeOf(last.Trial))
}

// causeOf returns the cause of a trial that ended in an error.
func causeOf(t *trial.Trial) string {
	if t.Error == nil {
		return "it recorded no cause"
	}
	const most = 400 // chosen: a message with the end of a standard error fits
	return prose.PrintableUpTo(prose.OneLine(t.Error.Message), most)
}
