package fingerprint

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/tribunal-dev/tribunal/stats/dist"
)

// permutation is the permutation test of a pool. All of it but the labels is the
// same for every relabeling.
//
// T² on the covariance of all trials about their common mean rises with T² on the
// covariance within the sides, also if the same multiple of the identity is added to
// both (Sherman and Morrison's formula). So one decomposition serves all relabelings,
// and nothing is lost by it.
type permutation struct {
	pool       *pool
	axes       axes
	shrinkage  float64
	rotation   []float64 // row k: the loadings of axis k
	quadratics []quadratic
	single     *largest // nil: takes no part
	events     []departure
	multiple   int
	departs    []uint64  // events by row
	surprises  []float64 // of the events, if they happen
	heights    []float64 // of the events among the columns' sums, if they happen

	sums, squares, extremes []float64 // of the relabeling at hand
	happened                uint64    // events
}

// tie is the relative difference up to which two statistics count as equal: the
// same trials can be summed in several orders.
const tie = 1e-9

func newPermutation(p *pool, test Test, alpha float64) (*permutation, bool) {
	n, d := len(p.values), len(p.tested)
	x := mat.NewDense(n, d, nil)
	for _, s := range p.strata {
		weight := math.Sqrt(s.factor() / p.spread)
		for i := s.from; i < s.to; i++ {
			for j, r := range p.residuals[i] {
				x.Set(i, j, weight*r)
			}
		}
	}
	shrunk := shrink(x)
	a, ok := principal(shrunk.covariance)
	if !ok {
		return nil, false
	}
	t := &permutation{pool: p, axes: a, sums: make([]float64, d), squares: make([]float64, d),
		extremes: make([]float64, d), multiple: 1}
	// Trials of a scenario are fewer independent ones than they look: a pair is one.
	t.shrinkage = math.Min(1, shrunk.intensity*float64(n-1)/float64(p.freedom()))
	t.rotation = make([]float64, d*d)
	for k := range d {
		for j := range d {
			t.rotation[k*d+j] = a.vectors.At(j, k)
		}
	}
	t.quadratics = t.components(test, shrunk.scale)
	if test == PermutationT2 {
		t.single = newLargest(d, p.spread, n, p.freedom())
		t.events, t.multiple = p.departures(alpha)
		t.departs = masks(t.events, n)
		for _, e := range t.events {
			// As an event must be rare among so many events, a sum must be among the columns.
			rarity := e.p * float64(t.multiple) / float64(d)
			t.surprises = append(t.surprises, -math.Log(math.Min(1, e.p*float64(t.multiple))))
			t.heights = append(t.heights, dist.NormalUpperQuantile(rarity/2)*math.Sqrt(p.spread*float64(n)))
		}
	}
	return t, true
}

// components returns the T² of a test. The unshrunk one takes part if it has twice
// as many degrees of freedom as columns: with fewer it has little power to add.
func (t *permutation) components(test Test, scale float64) (list []quadratic) {
	n, freedom, rank := len(t.pool.values), t.pool.freedom(), t.axes.rank()
	add := func(shrinkage float64) {
		factors := make([]float64, len(t.axes.variances))
		for k := range rank {
			v := t.axes.variances[k]
			factors[k] = v / ((1-shrinkage)*v + shrinkage*scale)
		}
		list = append(list, newQuadratic(factors, t.axes.variances, t.pool.spread, n, freedom))
	}
	add(t.shrinkage)
	if test == PermutationT2 && t.shrinkage > 0 && 2*rank <= freedom {
		add(0)
	}
	return list
}

// measure adds up the residuals of the picked side, and sees which events happened.
// A column's extreme is the size of its sum, or what has the same probability as
// its event.
func (t *permutation) measure(r *relabeling) {
	clear(t.sums)
	for k, s := range r.strata {
		for _, row := range r.rows[s.from : s.from+r.picked[k]] {
			floats.Add(t.sums, t.pool.residuals[row])
		}
	}
	for j, x := range t.sums {
		t.extremes[j] = math.Abs(x)
	}
	if len(t.events) == 0 {
		return
	}
	t.happened = happened(t.departs, r.baselineRows)
	for i, e := range t.events {
		if t.happened>>i&1 == 1 {
			for _, j := range e.columns {
				t.extremes[j] = max(t.extremes[j], t.heights[i])
			}
		}
	}
}

// statistic is minus the logarithm of the smallest reference probability of what
// was measured.
func (t *permutation) statistic() float64 {
	d := len(t.sums)
	for k := range t.squares {
		y := floats.Dot(t.rotation[k*d:(k+1)*d], t.sums)
		t.squares[k] = y * y
	}
	highest := math.Inf(-1)
	for i := range t.quadratics {
		highest = max(highest, t.quadratics[i].surprise(t.squares))
	}
	if t.single != nil {
		highest = max(highest, t.single.surprise(t.sums))
	}
	if rarest := bits.TrailingZeros64(t.happened); rarest < len(t.events) {
		highest = max(highest, t.surprises[rarest])
	}
	return highest
}

// baselineRows yields the rows that count to the baseline's side.
func (r *relabeling) baselineRows(yield func(int) bool) {
	for k, s := range r.strata {
		rows := r.rows[s.from+r.picked[k] : s.to]
		if !r.pickedCandidate {
			rows = r.rows[s.from : s.from+r.picked[k]]
		}
		for _, row := range rows {
			if !yield(row) {
				return
			}
		}
	}
}

// permuted is the outcome of a permutation test.
type permuted struct {
	p          float64
	columns    []float64 // p-values of the columns, adjusted by Westfall and Young
	relabeled  int       // relabelings looked at, the observed one among them
	exhaustive bool      // they are all there are
	stopped    bool      // early, because too many were as extreme
	leastP     float64   // the smallest p-value that these numbers of trials allow, if all relabelings differ
}

// run relabels the trials: in every way if there are few enough, at random if not.
// Random ones stop once so many were at least as extreme that the test cannot reject
// any more; the p-value is then their share (Besag and Clifford 1991, Biometrika
// 78:301). Otherwise the observed arrangement counts as one of them. Both are
// valid: P(p <= x) <= x for every x. The only error is that of the context.
func (t *permutation) run(ctx context.Context, alpha float64, permutations int, random *rand.Rand) (permuted, error) {
	r := t.pool.relabeling()
	t.measure(r)
	observed := t.statistic()
	limit := observed - tie*math.Abs(observed)
	columns := newStepDown(t.extremes)
	hits, looks := 0, 0
	look := func() (goOn bool) { // until the context ends
		if looks++; looks%64 == 0 && ctx.Err() != nil {
			return false
		}
		t.measure(r)
		if t.statistic() >= limit {
			hits++
		}
		columns.count(t.extremes)
		return true
	}
	if total, ok := r.total(permutations + 1); ok {
		if !r.each(look) {
			return permuted{}, context.Cause(ctx)
		}
		return permuted{
			p: ratio(hits, total), columns: columns.adjusted(0, total), relabeled: total, exhaustive: true,
			leastP: ratio(t.leastTies(), total),
		}, nil
	}
	enough := max(int(alpha*float64(permutations+1)*(1+1e-12)), 10)
	out := permuted{leastP: 1 / float64(permutations+1)}
	for out.relabeled = 1; out.relabeled <= permutations; out.relabeled++ {
		r.shuffle(random)
		if !look() {
			return permuted{}, context.Cause(ctx)
		}
		if hits == enough && out.relabeled < permutations {
			out.stopped = true
			out.p = ratio(hits, out.relabeled)
			out.columns = columns.adjusted(1, out.relabeled+1)
			for j, p := range out.columns { // no finer than the test that ended the relabeling
				out.columns[j] = max(p, out.p)
			}
			out.relabeled++
			return out, nil
		}
	}
	out.p = ratio(hits+1, permutations+1)
	out.columns = columns.adjusted(1, permutations+1)
	return out, nil
}

// leastTies counts the relabelings that are as extreme as any: exchanging the sides
// as a whole leaves T² and the size of every sum
// as they are.
func (t *permutation) leastTies() int {
	for _, s := range t.pool.strata {
		if s.baseline != s.candidate {
			return 1
		}
	}
	if len(t.events) > 0 {
		return 1
	}
	return 2
}

func ratio(part, whole int) float64 { return float64(part) / float64(whole) }
