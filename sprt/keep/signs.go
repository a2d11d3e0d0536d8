package keep

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// All of these are chosen: how many pairs that differ a test may have, in fixed samples; the part of the error of
// losing a gain that is left for tests that run out of pairs; and how many times as likely so few pairs that differ
// must be without a gain as with one, for a challenger to be reverted.
const (
	stretch  = 1.7
	leftOver = 0.02
	fewOdds  = 10
)

// mostShare bounds the share of mended pairs among those that differ that is told apart from a half, where nothing at
// all would break.
const mostShare = 0.95

// signs are the hypotheses of the pairs that differ: of one that is no better at most a half are mended, and of the
// gain the share that independent sides have.
func (q Question) signs() sprt.Hypotheses {
	r := Apart(q.Rate, q.Rate+q.Gain)
	share := math.Min(r.Mended/(r.Broke+r.Mended), mostShare)
	return sprt.Hypotheses{Threshold: share, Delta: share - 0.5, Alpha: (1 - q.Power) * (1 - leftOver), Beta: q.Alpha}
}

// differ is the share of pairs that differ with the gain.
func (q Question) differ() float64 {
	r := Apart(q.Rate, q.Rate+q.Gain)
	return r.Broke + r.Mended
}

// mostDiffer is how many pairs that differ a test needs, and at most what two standard deviations above the expected
// number of so many pairs are.
func (q Question) mostDiffer(pairs int) int {
	most := min(pairs, reached(float64(pairs)*q.differ(), q.differ()))
	if fixed, ok := q.signs().FixedSample(); ok {
		most = min(most, int(math.Ceil(stretch*float64(fixed.Trials))))
	}
	return max(most, 1)
}

// reached is two standard deviations more than are expected.
func reached(expected, share float64) int {
	return int(math.Ceil(expected + 2*math.Sqrt(expected*(1-share))))
}

// pairsFor are so many that as few as two standard deviations below the expected number of those that differ are
// enough.
func (q Question) pairsFor() int {
	share := q.differ()
	needed := float64(q.mostDiffer(MostPairs))
	root := (math.Sqrt(1-share) + math.Sqrt(1-share+needed)) / math.Sqrt(share)
	return min(int(math.Ceil(root*root)), MostPairs)
}

// bySigns sets the boundaries of the optimal test on the pairs that differ, and reports whether there is one.
func (d *Design) bySigns(ctx context.Context) (ok bool, err error) {
	q, most := d.question, d.question.mostDiffer(d.pairs)
	weighting, err := sprt.Beta(2, 2) // challengers that change nothing, and not much less those that do
	if err != nil {
		return false, err
	}
	plan, err := sprt.Optimal(ctx, q.signs(), sprt.OptimalOptions{MaxTrials: most, Weighting: weighting})
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	if err != nil {
		return false, nil // such as where so few pairs cannot keep the level
	}
	b := plan.Design.Boundaries
	lattice, err := b.Lattice()
	if err != nil {
		return false, err
	}
	if d.risk = lattice.At(0.5).Pass; d.risk > q.Alpha {
		return false, nil // by rounding, as it is at the level
	}
	// What broke is a failure of a trial there. No state that is better for the challenger is reverted, or less kept.
	d.keep = make([]int, most+1)
	broke := make([]int, most+1) // as many are reverted
	d.keep[0], broke[0] = most+1, most+1
	for k := 1; k <= most; k++ {
		d.keep[k] = max(k-b.PassAtOrBelow[k-1], d.keep[max(k-1, 1)])
		broke[k] = min(b.FailAtOrAbove[k-1], k+1)
	}
	d.revert = make([][]int, d.pairs+1)
	for n := range d.revert {
		d.revert[n] = make([]int, most+1)
		few := q.few(n)
		for b := range d.revert[n] {
			mended := -1
			for k := b; k <= most && (b >= broke[k] || k <= few); k++ {
				mended = k - b
			}
			d.revert[n][b] = mended
		}
	}
	return true, nil
}

// few is the most pairs that differ, of n, that put a gain out of sight: so few are [fewOdds] times as likely where
// their share is the one that was seen as where it is the gain, and with the gain it is no smaller. -1 is none.
func (q Question) few(n int) int {
	most := -1
	for k := 0; float64(k) < q.Gain*float64(n); k++ {
		seen := float64(k) / float64(n)
		ratio := xlogy(float64(k), seen/q.Gain) + xlogy(float64(n-k), (1-seen)/(1-q.Gain))
		if ratio < math.Log(fewOdds) {
			break
		}
		most = k
	}
	return most
}
