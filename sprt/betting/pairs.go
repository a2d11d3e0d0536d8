package betting

import (
	"context"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Worse returns the logarithm of the evidence that a candidate is worse: that the mean difference of pairs is above 0.
// It needs no independence of the two of a pair.
func Worse(d sprt.Differences) float64 { return newPairEvidence(onLow, 0, -1).of(d) }

// NotWorse is the same of the evidence that it is not worse by delta, from 0 to below 1: that the mean difference is
// below delta.
func NotWorse(d sprt.Differences, delta float64) float64 {
	return newPairEvidence(onSame, delta, 1).of(d)
}

// MostPairs is where [PairTest] ends.
const MostPairs = 1000

// PairTest is a comparison that is looked at after each pair, until the candidate is shown to be worse, which is Fail,
// or not worse by delta, which is Pass.
type PairTest struct {
	// By pairs, then by those that broke: as many must be mended for a Pass at least, and for a Fail at most.
	pass, fail [MostPairs + 1][]int16
}

// NewPairTest finds where evidence is enough: alpha bounds a false Fail, and beta a false Pass. It returns a
// [stats.ArgumentError] for numbers that are not strictly between 0 and 1, and the error of the context.
func NewPairTest(ctx context.Context, delta, alpha, beta float64) (*PairTest, error) {
	for _, part := range []struct {
		name string
		x    float64
	}{{"delta", delta}, {"alpha", alpha}, {"beta", beta}} {
		if err := argument.OpenUnit(part.name, part.x); err != nil {
			return nil, err
		}
	}
	t := &PairTest{}
	// The more broke, the more must be mended.
	spread.AtOnce(2, func(side int) {
		limits, evidence, enough := &t.pass, newPairEvidence(onSame, delta, 1), -math.Log(beta)
		more := func(x float64) bool { return x < enough }
		if side == 1 {
			limits, evidence, enough = &t.fail, newPairEvidence(onLow, 0, -1), -math.Log(alpha)
			more = func(x float64) bool { return x >= enough }
		}
		for n := 1; n <= MostPairs && ctx.Err() == nil; n++ {
			limits[n] = make([]int16, n+1)
			mended := 0
			for broke := range n + 1 {
				at := func() sprt.Differences {
					return sprt.Differences{Broke: broke, Same: n - broke - mended, Mended: mended}
				}
				for mended+broke <= n && more(evidence.of(at())) {
					mended++
				}
				// For a Fail it is the last at which there is enough.
				limits[n][broke] = int16(mended - side)
			}
		}
	})
	return t, context.Cause(ctx)
}

// pairEvidence is that of pairs with the logarithms that it is made of, for many counts of them.
type pairEvidence struct {
	bets  []bet
	gains [][3]float64 // by bet: of a pair that broke, one that is the same, and one that was mended
	logs  []float64
}

// newPairEvidence is of bets that the mean difference is below delta, or above, in the direction -1.
func newPairEvidence(bets []bet, delta, direction float64) *pairEvidence {
	e := &pairEvidence{bets: bets, logs: make([]float64, len(bets))}
	for _, b := range bets {
		var by [3]float64
		for i, difference := range []float64{1, 0, -1} {
			by[i] = math.Log1p(b.share * gain((1-direction*difference)/2, (1-delta)/2))
		}
		e.gains = append(e.gains, by)
	}
	return e
}

// of is the logarithm of the evidence.
func (e *pairEvidence) of(d sprt.Differences) float64 {
	for i, b := range e.bets {
		e.logs[i] = b.weight
		for k, times := range [3]int{d.Broke, d.Same, d.Mended} {
			if times > 0 {
				e.logs[i] += float64(times) * e.gains[i][k]
			}
		}
	}
	return sum(e.logs)
}

// PairExpectation is what a test does of pairs that break and are mended at some rates.
type PairExpectation struct {
	Pass, Fail float64 // chances of either within [MostPairs]; what is left goes on
	Pairs      float64 // expected until then
}

// negligible is the chance of counts that are not followed any further: all of them together are below 1e-9.
const negligible = 1e-16

// At computes what the test does where pairs break and are mended at these rates, independently of each other: the sum
// over all counts that it can come to.
func (t *PairTest) At(broke, mended float64) (c PairExpectation) {
	const side = MostPairs + 2
	// Chances of counts that go on, by pairs that broke, and one more, and then by those that were mended. Each line
	// goes on from here to there; all else is 0.
	type span struct{ from, to int }
	type counts struct {
		chances []float64
		lines   []span
	}
	var both [2]counts
	for i := range both {
		both[i] = counts{make([]float64, (side+1)*side), slices.Repeat([]span{{side, -1}}, side+1)}
	}
	now, next := &both[0], &both[1]
	now.chances[side], now.lines[1] = 1, span{0, 0}
	same, from, to, goes := 1-broke-mended, 1, 1, 1.0
	for n := 1; n <= MostPairs && from <= to; n++ {
		c.Pairs += goes
		goes = 0
		first, last := side, 0
		for b := from; b <= to+1; b++ {
			less, here, added := now.lines[b-1], now.lines[b], span{side, -1}
			fewer, line := now.chances[(b-1)*side:b*side], now.chances[b*side:(b+1)*side]
			going := next.chances[b*side : (b+1)*side]
			pass, fail := int(t.pass[n][b-1]), int(t.fail[n][b-1])
			left := 0.0 // one fewer mended
			for m := min(less.from, here.from); m <= max(less.to, here.to+1); m++ {
				p := line[m]*same + fewer[m]*broke + left*mended
				left = line[m]
				switch {
				case p == 0:
				case m >= pass:
					c.Pass += p
				case m <= fail:
					c.Fail += p
				case p >= negligible:
					going[m] = p
					goes += p
					added = span{min(added.from, m), m}
				}
			}
			if next.lines[b] = added; added.to >= 0 {
				first, last = min(first, b), b
			}
		}
		for b := from; b <= to; b++ {
			if l := now.lines[b]; l.to >= 0 {
				clear(now.chances[b*side+l.from : b*side+l.to+1])
			}
			now.lines[b] = span{side, -1}
		}
		now, next, from, to = next, now, first, last
	}
	return c
}
