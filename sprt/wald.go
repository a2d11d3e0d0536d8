package sprt

import "math"

// Wald returns Wald's (1945) sequential probability ratio test, cut off at
// maxTrials: it stops when the log-likelihood ratio of the lower rate against the
// threshold reaches log(beta/(1-alpha)), Pass, or log((1-beta)/alpha), Fail
// (AgentAssay, Definition 3.9). Its exact errors are near alpha and beta, and not
// always below: see [Design.Errors]. Without a cut-off it has no upper limit.
func Wald(h Hypotheses, maxTrials int) (Design, error) {
	if err := h.Validate(); err != nil {
		return Design{}, err
	}
	if err := checkMaxTrials(maxTrials); err != nil {
		return Design{}, err
	}
	return Design{Kind: WaldKind, Hypotheses: h, Boundaries: waldBoundaries(h, maxTrials, 0)}, nil
}

// waldBoundaries returns the boundaries of the test whose log-likelihood ratio
// starts at the given value.
func waldBoundaries(h Hypotheses, maxTrials int, start float64) Boundaries {
	b := open(maxTrials)
	pass := math.Log(h.Lower() / h.Threshold)
	fail := math.Log((1 - h.Lower()) / (1 - h.Threshold))
	accept := math.Log(h.Beta/(1-h.Alpha)) - start
	reject := math.Log((1-h.Beta)/h.Alpha) - start
	// A ratio within rounding of a boundary has reached it.
	const reached = 1e-9
	for n := 1; n <= maxTrials; n++ {
		passes := float64(n) * pass
		if k := math.Floor((accept-passes)/(fail-pass) + reached); k >= 0 {
			b.PassAtOrBelow[n-1] = int(math.Min(k, float64(n)))
		}
		if k := math.Ceil((reject-passes)/(fail-pass) - reached); k <= float64(n) {
			b.FailAtOrAbove[n-1] = int(math.Max(k, 0))
		}
	}
	return b
}
