package sprt

import (
	"math/big"
	"slices"
	"strconv"
)

// Certificate proves the errors of a design in integers: both rates and targets are
// taken as the decimal fractions that they are written as, paths are counted in
// integers, and the two probabilities are exact fractions.
type Certificate struct {
	Digest     string   // of the design
	Alpha      *big.Rat // P(Fail) at the threshold, from 0 to 1
	Beta       *big.Rat // P(Pass) at the threshold less delta, from 0 to 1
	AlphaHolds bool     // Alpha is at most its target
	BetaHolds  bool     // Beta is at most its target
}

// Holds reports whether both errors are at most their targets.
func (c Certificate) Holds() bool { return c.AlphaHolds && c.BetaHolds }

// Certify computes the certificate of the design. It takes no float64 but the four numbers of the
// hypotheses, so it stands apart from what it checks: [Boundaries.Lattice].
func (d Design) Certify() (Certificate, error) {
	if err := d.Boundaries.Validate(); err != nil {
		return Certificate{}, err
	}
	upper, delta := decimal(d.Hypotheses.Threshold), decimal(d.Hypotheses.Delta)
	// 0.9 - 0.1 is 0.8 here, which it is not in float64.
	lower := new(big.Rat).Sub(upper, delta)
	c := Certificate{
		Digest: d.Digest(),
		Alpha:  exactProbability(d.Boundaries, upper, Fail),
		Beta:   exactProbability(d.Boundaries, lower, Pass),
	}
	c.AlphaHolds = c.Alpha.Cmp(decimal(d.Hypotheses.Alpha)) <= 0
	c.BetaHolds = c.Beta.Cmp(decimal(d.Hypotheses.Beta)) <= 0
	return c, nil
}

// decimal is the fraction that the shortest decimal form of x writes. Somebody who writes 0.9 means nine
// tenths, not the float64 nearest to it.
func decimal(x float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		return new(big.Rat) // not finite
	}
	return r
}

// exactProbability returns the probability of an outcome at a rational pass rate:
// with p = a/d, Σ paths · (d-a)^failures · a^passes / d^trials over the points of
// the outcome, brought to the common denominator from trial to trial.
func exactProbability(b Boundaries, p *big.Rat, outcome Outcome) *big.Rat {
	denominator := p.Denom()
	passing := p.Num()
	failing := new(big.Int).Sub(denominator, passing)
	sum, scale := new(big.Int), big.NewInt(1)
	// going holds paths times the powers of both rates, from low failures on. The
	// integers of the row before are written over: they are as long as those of this.
	going, next := []*big.Int{big.NewInt(1)}, []*big.Int{}
	var product big.Int
	low := 0
	for n := 1; n <= b.MaxTrials() && len(going) > 0; n++ {
		// What stopped before is brought to the denominator of this trial.
		sum.Mul(sum, denominator)
		scale.Mul(scale, denominator)
		next = slices.Grow(next, len(going)+1)[:len(going)+1]
		for i := range next {
			if next[i] == nil {
				next[i] = new(big.Int)
			}
			if i < len(going) {
				next[i].Mul(going[i], passing)
			} else {
				next[i].SetInt64(0)
			}
			if i > 0 {
				next[i].Add(next[i], product.Mul(going[i-1], failing))
			}
		}
		// The points that go on: above the limit of Pass and below that of Fail.
		first, last := max(low, b.PassAtOrBelow[n-1]+1), min(low+len(next), b.FailAtOrAbove[n-1])-1
		if n == b.MaxTrials() {
			last = first - 1 // nothing goes on
		}
		for i, paths := range next {
			if f := low + i; (f < first || f > last) && b.at(n, f) == outcome {
				sum.Add(sum, paths)
			}
		}
		if first > last {
			break
		}
		going, next = next[first-low:last-low+1], going
		low = first
	}
	if scale.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).SetFrac(sum, scale)
}
