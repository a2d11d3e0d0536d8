package sprt

import (
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
)

// TrialTest is a test of trials some of which have no outcome. Trials have places from 0
// on, and only those without a gap from the first on are judged, so the order in which
// they end does not matter. Once the test has ended, nothing that it says changes.
// [RobustTest] is one.
type TrialTest interface {
	// Observe records what came of the trial at a place. The same may be observed again.
	Observe(place int, o trial.Outcome) error
	Decided() bool    // whether the test has ended
	Outcome() Outcome // where it stands
	Trials() int      // judged, with those that ended in an error
	Failures() int    // among the judged
	Errors() int      // among the judged
	// WasteFree is how many trials beyond the judged ones are needed in any case.
	WasteFree() int
}

// JointTest runs several tests over the same stream of trials, all of which must pass. It
// ends with Fail as soon as one of them fails, with Pass when all have passed, and with
// Inconclusive when all have ended, none with Fail and not all with Pass. Each of them is
// frozen where it ended: what comes later changes nothing of it.
//
// Its errors are bounded by those of the tests. It fails falsely only where one of them
// does, so with at most the sum of their alphas. It passes falsely only where a test
// passes whose alternative holds, so with at most the largest beta of such tests.
//
// A JointTest may be used by one goroutine at a time.
type JointTest struct {
	tests    []TrialTest
	outcomes []trial.Outcome // by place; Unjudged where not known yet
}

// NewJointTest returns a joint test of one or more tests that have seen nothing.
func NewJointTest(tests ...TrialTest) (*JointTest, error) {
	if len(tests) == 0 {
		return nil, errors.New("no tests to hold together")
	}
	for i, t := range tests {
		if t.Trials() > 0 {
			return nil, fmt.Errorf("test %d has judged trials already", i+1)
		}
	}
	return &JointTest{tests: append([]TrialTest(nil), tests...)}, nil
}

// Observe records what came of the trial at a place, for all tests. All but a pass and a
// failure is an error: it might have been either.
func (t *JointTest) Observe(place int, o trial.Outcome) error {
	for _, x := range t.tests {
		if err := x.Observe(place, o); err != nil {
			return err
		}
	}
	if o == trial.Unjudged {
		o = trial.Error
	}
	for len(t.outcomes) <= place {
		t.outcomes = append(t.outcomes, trial.Unjudged)
	}
	t.outcomes[place] = o
	return nil
}

// Tests returns the tests in their order.
func (t *JointTest) Tests() []TrialTest { return append([]TrialTest(nil), t.tests...) }

// end returns where the joint test stands and how many trials it judged. All tests judge
// the same trials without a gap, so one that has not ended judged as many as any.
func (t *JointTest) end() (o Outcome, trials int) {
	passed, last, failed := true, 0, Never
	ended := true
	for _, x := range t.tests {
		switch x.Outcome() {
		case Fail:
			failed = min(failed, x.Trials())
		case Undecided:
			ended = false
		case Inconclusive:
			passed = false
		}
		last = max(last, x.Trials())
	}
	switch {
	case failed < Never:
		return Fail, failed
	case !ended:
		return Undecided, last
	case passed:
		return Pass, last
	}
	return Inconclusive, last
}

// Outcome returns where the joint test stands.
func (t *JointTest) Outcome() Outcome {
	o, _ := t.end()
	return o
}

// Decided reports whether the joint test has ended.
func (t *JointTest) Decided() bool { return t.Outcome() != Undecided }

// Trials returns the number of judged trials, with those that ended in an error: up to
// the one with which the joint test ended. Failures and Errors are parts of it.
func (t *JointTest) Trials() int {
	_, trials := t.end()
	return trials
}

// Failures returns the number of failures among the judged trials.
func (t *JointTest) Failures() int { return t.count(trial.Fail) }

// Errors returns the number of errors among the judged trials.
func (t *JointTest) Errors() int { return t.count(trial.Error) }

func (t *JointTest) count(o trial.Outcome) (count int) {
	for _, x := range t.outcomes[:t.Trials()] {
		if x == o {
			count++
		}
	}
	return count
}

// Ended returns where one of the tests stood when the joint test ended, or stands now: a
// test that ended only with trials beyond that is Undecided.
func (t *JointTest) Ended(test int) Outcome {
	o, trials := t.end()
	x := t.tests[test]
	if o != Undecided && x.Trials() > trials {
		return Undecided
	}
	return x.Outcome()
}

// WasteFree returns how many trials beyond the judged ones are needed in any case: no
// more than any test that has not ended needs, for each might fail.
func (t *JointTest) WasteFree() int {
	o, judged := t.end()
	if o != Undecided {
		return 0
	}
	first := Never
	for _, x := range t.tests {
		if !x.Decided() {
			first = min(first, x.Trials()+x.WasteFree())
		}
	}
	return max(first-judged, 1)
}
