package runs

import (
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
)

// Tails are the p-values of the end of a test at a rate, exact in the stage-wise ordering of
// [sprt.Boundaries.Tails], as a gate needs them for its floors: against "at least the rate",
// with errors as passes, and against "at most the rate", with errors as failures. Both are 1
// where no test of the candidate's trials alone has ended, as in rounds.
func (t *Test) Tails(rate float64) (low, high float64, err error) {
	test, err := t.Replay()
	if err != nil || test == nil {
		return 1, 1, err
	}
	b := test.Design().Boundaries
	optimist, pessimist := test.Sides()
	// A side that has not ended shows nothing.
	low, high = 1, 1
	if optimist.Decided() {
		if low, _, err = b.Tails(optimist.Trials(), optimist.Failures(), rate); err != nil {
			return 0, 0, err
		}
	}
	if pessimist.Decided() {
		if _, high, err = b.Tails(pessimist.Trials(), pessimist.Failures(), rate); err != nil {
			return 0, 0, err
		}
	}
	return low, high, nil
}

// Replay judges the outcomes of a saved test again, and returns the test of the candidate's trials
// where it stands: that against the threshold, where there is one, or else that against a stored
// baseline, by its boundaries. It is nil where neither is there: in rounds, in a question about
// several tests, and where the baseline
// has trials without an outcome. It needs the boundaries and the outcomes alone; beside a
// baseline also the number of judged trials, beyond which nothing counts.
func (t *Test) Replay() (*sprt.RobustTest, error) {
	if t.Standing != "" {
		return nil, nil
	}
	var d sprt.Design
	switch x := t.Regression; {
	case t.Design.MaxTrials > 0 || x == nil:
		var err error
		if d, err = t.Design.Rebuild("", t.hypotheses()); err != nil {
			return nil, err
		}
	case x.Boundaries == nil:
		return nil, nil
	default:
		d = sprt.Design{Kind: sprt.BaselineKind, Boundaries: x.Boundaries.Test(),
			Hypotheses: sprt.Hypotheses{Delta: x.Delta, Alpha: x.Alpha, Beta: x.Beta}}
	}
	test, err := sprt.NewRobustTest(d)
	if err != nil {
		return nil, err
	}
	outcomes := t.Outcomes
	if t.Regression != nil {
		outcomes = outcomes[:min(max(t.Trials, 0), len(outcomes))]
	}
	for i, letter := range []byte(outcomes) {
		o, known := mark.Outcome(letter)
		if !known || test.Decided() {
			continue
		}
		if err := test.Observe(i, o); err != nil {
			return nil, err
		}
	}
	return test, nil
}
