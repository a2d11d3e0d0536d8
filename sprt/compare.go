package sprt

import "math"

// End is where a test ended.
type End struct {
	Boundaries       Boundaries
	Trials, Failures int
}

// LowerP returns a p-value of H0 "the candidate's rate is at least the baseline's" from
// the ends of two independent tests, whose boundaries may differ. It is at most a level
// if the stage-wise upper limit of the candidate lies below the lower limit of the
// baseline, each with half of the level for its error: under H0 one of the two limits
// is wrong then, so that the probability is at most the level. It is computed where the
// two tails cross,
//
//	2 · min over r of max(P(the candidate ends so low | r), P(the baseline ends so high | r)),
//
// for the first falls with r and the second rises. It is conservative. An error says
// that one of the tests cannot end there.
func LowerP(baseline, candidate End) (float64, error) {
	before, high, err := baseline.Boundaries.ordered(baseline.Trials, baseline.Failures)
	if err != nil {
		return math.NaN(), err
	}
	after, low, err := candidate.Boundaries.ordered(candidate.Trials, candidate.Failures)
	if err != nil {
		return math.NaN(), err
	}
	crossing := bisect(func(r float64) bool { return before.atLeast(high, r) <= after.atMost(low, r) })
	larger := math.Max(before.atLeast(high, crossing), after.atMost(low, crossing))
	return math.Min(1, 2*larger), nil
}
