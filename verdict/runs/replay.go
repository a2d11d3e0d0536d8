package runs

import "github.com/tribunal-dev/tribunal/sprt"

// Tails are the p-values of the end of a test at a rate, exact in the stage-wise ordering of
// [sprt.Boundaries.Tails], as a gate needs them for its floors: against "at least the rate",
// with errors as passes, and against "at most the rate", with errors as failures.
func (t *Test) Tails(rate float64) (low, high float64, err error) {
	test, err := t.Replay()
	if err != nil {
		return 0, 0, err
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

// Replay judges the outcomes of a saved test again, and returns the test where it stands.
// It needs the design and the outcomes alone.
func (t *Test) Replay() (*sprt.RobustTest, error) {
	e, err := t.Evidence(0)
	if err != nil {
		return nil, err
	}
	test, err := sprt.NewRobustTest(e.Design)
	if err != nil {
		return nil, err
	}
	for i, x := range e.Trials {
		if x.Trial == nil || test.Decided() {
			continue
		}
		if err := test.Observe(i, x.Trial.Outcome); err != nil {
			return nil, err
		}
	}
	return test, nil
}
