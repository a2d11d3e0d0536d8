package sprt

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
)

// RobustTest applies a design to trials some of which have no outcome, because
// something broke that is not the system under test. As in [Test], trials are
// numbered in launch order and judged without a gap.
//
// An error is neither a pass nor a failure, and the decision must hold whichever it
// would have been. So the trials are judged twice, with all errors as failures and
// with all errors as passes; the test passes when the first does, and fails when the
// second does. The error rates of the design hold: the first sees no more passes than
// there would be, the second no fewer, and both errors are monotone in the rate.
// Without an error the two are one. Where the first ended without a pass and the
// second without a failure, no further trial could decide: Inconclusive.
//
// A RobustTest may be used by one goroutine at a time.
type RobustTest struct {
	low      *Test           // errors are failures
	high     *Test           // errors are passes
	outcomes []trial.Outcome // by launch number; Unjudged where not known yet
	judged   int             // trials without a gap
	failures int             // among the judged
	errors   int             // among the judged
	outcome  Outcome
}

// NewRobustTest returns a test that has seen nothing.
func NewRobustTest(d Design) (*RobustTest, error) {
	low, err := NewTest(d)
	if err != nil {
		return nil, err
	}
	high, err := NewTest(d)
	return &RobustTest{low: low, high: high}, err
}

// Observe records what came of the trial with the launch number and judges what has
// no gap. All but a pass and a failure is an error: it might have been either. A trial
// may be observed again with the same outcome.
func (t *RobustTest) Observe(number int, o trial.Outcome) error {
	if o > trial.Error {
		return fmt.Errorf("trial %d: %d is no outcome", number, o)
	}
	if o == trial.Unjudged {
		o = trial.Error
	}
	if old := t.known(number); old != trial.Unjudged && old != o {
		return fmt.Errorf("trial %d: %w", number, ErrObserved)
	}
	if err := t.low.Observe(number, o == trial.Pass); err != nil {
		return err
	}
	if err := t.high.Observe(number, o != trial.Fail); err != nil {
		return err
	}
	for len(t.outcomes) <= number {
		t.outcomes = append(t.outcomes, trial.Unjudged)
	}
	t.outcomes[number] = o
	for t.outcome == Undecided && t.known(t.judged) != trial.Unjudged {
		switch t.known(t.judged) {
		case trial.Fail:
			t.failures++
		case trial.Error:
			t.errors++
		}
		t.judged++
		t.outcome = t.at(t.judged)
	}
	return nil
}

// known returns what came of a trial so far: Unjudged where nothing is known.
func (t *RobustTest) known(number int) trial.Outcome {
	if number < 0 || number >= len(t.outcomes) {
		return trial.Unjudged
	}
	return t.outcomes[number]
}

// at returns the outcome once so many trials are judged. Either test may be ahead,
// for it judges all that is known.
func (t *RobustTest) at(judged int) Outcome {
	low, high := t.low.outcomeAt(judged), t.high.outcomeAt(judged)
	switch {
	case low == Pass:
		return Pass
	case high == Fail:
		return Fail
	case low != Undecided && high != Undecided:
		return Inconclusive
	}
	return Undecided
}

// outcomeAt is the outcome after so many judged trials.
func (t *Test) outcomeAt(trials int) Outcome {
	if trials < t.trials {
		return Undecided
	}
	return t.outcome
}

// Design returns the design of the test.
func (t *RobustTest) Design() Design { return t.low.design }

// Outcome returns where the test stands.
func (t *RobustTest) Outcome() Outcome { return t.outcome }

// Decided reports whether the test has ended.
func (t *RobustTest) Decided() bool { return t.outcome != Undecided }

// Trials returns the number of judged trials, with those that ended in an error.
// Failures and Errors are parts of it. Once the test has ended they do not change.
func (t *RobustTest) Trials() int { return t.judged }

// Failures returns the number of failures among the judged trials.
func (t *RobustTest) Failures() int { return t.failures }

// Errors returns the number of errors among the judged trials.
func (t *RobustTest) Errors() int { return t.errors }

// Deciding returns the test that gave the outcome: the one with errors as passes
// where the outcome is Fail, and the one with errors as failures otherwise.
func (t *RobustTest) Deciding() *Test {
	if t.outcome == Fail {
		return t.high
	}
	return t.low
}

// ErrorsMatter reports whether a test is Inconclusive for its errors: with all of them
// as failures, or all as passes, it would have passed or failed.
func (t *RobustTest) ErrorsMatter() bool {
	low, high := t.low.outcomeAt(t.judged), t.high.outcomeAt(t.judged)
	return t.outcome == Inconclusive && (low != Inconclusive || high != Inconclusive)
}

// Sides returns the two tests: with errors as passes, and with errors as failures.
// Either may have ended before the other.
func (t *RobustTest) Sides() (optimist, pessimist *Test) { return t.high, t.low }

// WasteFree returns how many trials beyond the judged ones are needed in any case,
// those included that are known beyond a gap: so many may be under way, or known,
// without any being wasted. It is 0 once the test has ended.
func (t *RobustTest) WasteFree() int {
	if t.Decided() {
		return 0
	}
	b := t.low.design.Boundaries
	lowOpen, highOpen := t.low.outcomeAt(t.judged) == Undecided, t.high.outcomeAt(t.judged) == Undecided
	lowEnds, highEnds := !lowOpen, !highOpen
	failures, errors := t.Failures(), t.Errors()
	unknown := 0
	for i := t.judged; i < b.MaxTrials(); i++ {
		switch t.known(i) {
		case trial.Unjudged:
			unknown++
		case trial.Fail:
			failures++
		case trial.Error:
			errors++
		}
		// At best all that is unknown passes, at worst it fails.
		if lowOpen && failures+errors <= b.PassAtOrBelow[i] || highOpen && failures+unknown >= b.FailAtOrAbove[i] {
			return i + 1 - t.judged
		}
		// The third end: errors that could have decided it either way.
		lowEnds = lowEnds || failures+errors+unknown >= b.FailAtOrAbove[i]
		highEnds = highEnds || failures <= b.PassAtOrBelow[i]
		if lowEnds && highEnds {
			return i + 1 - t.judged
		}
	}
	return b.MaxTrials() - t.judged
}
