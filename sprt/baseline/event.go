package baseline

import (
	"github.com/tribunal-dev/tribunal/stats"
)

// end is one end of a test: what both sides came to, and the logarithm of the number of
// pairs of sequences of trials that end there.
type end struct {
	basePasses, baseFailures int
	passes, failures         int // of the candidate
	logPaths                 float64
}

// endKey tells ends apart: what both sides came to, or the rounds and events of a test in rounds.
type endKey [4]int

func (e end) key() endKey { return endKey{e.basePasses, e.baseFailures, e.passes, e.failures} }

// event is a set of ends. Its probability at rates of both sides is the sum over its ends, for a test ends
// once.
type event []end

// rateFactors are the rates of passing and failing of the baseline and of a candidate
// that is lower by drop; of sides that are alike those of both. The order is that of the powers in
// [end.term]; what is not used is the constant 1.
func rateFactors(drop float64) [factors]linear {
	if drop == 0 {
		return [factors]linear{{0, 1}, {1, -1}, {1, 0}, {1, 0}}
	}
	return [factors]linear{{0, 1}, {1, -1}, {-drop, 1}, {1 + drop, -1}}
}

// term is the end as a function of the baseline's rate. Without a drop the sides need not
// be told apart.
func (e end) term(drop float64) term {
	a, b, c, d := float64(e.basePasses), float64(e.baseFailures), float64(e.passes), float64(e.failures)
	if drop == 0 {
		return term{[factors]float64{a + c, b + d}, e.logPaths}
	}
	return term{[factors]float64{a, b, c, d}, e.logPaths}
}

// maximum returns the largest probability of the event over the guarded rates of the
// baseline, with the candidate lower by drop.
func (e event) maximum(target, drop float64, guarded stats.Interval) peak {
	return e.polynomial(drop, guarded).maximum(guarded, target)
}

// polynomial is the probability of the event as a function of the baseline's rate.
func (e event) polynomial(drop float64, guarded stats.Interval) *polynomial {
	terms := make([]term, len(e))
	for i, x := range e {
		terms[i] = x.term(drop)
	}
	return newPolynomial(rateFactors(drop), terms, guarded)
}
