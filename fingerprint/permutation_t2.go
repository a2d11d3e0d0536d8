package fingerprint

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// permutationTest is the permutation test of a pool. All of it but the labels is the
// same for every permutation.
//
// T² on the covariance of all trials about their common mean rises with T² on the
// covariance within the sides, also if the same multiple of the identity is added to
// both (Sherman and Morrison's formula). So one decomposition serves all permutations,
// and nothing is lost by it.
//
// The statistic is the largest of several -log P, each from a reference distribution
// of its own, so that they are on one scale.
type permutationTest struct {
	pool      *pool
	axes      axes
	shrinkage float64   // intensity, from 0 to 1
	rotation  []float64 // row k: the loadings of axis k

	quadratics []quadratic // the T², one or two
	single     *largestSum // the column that differs most; nil: it takes no part
	beside     *features   // what is looked at beside the means; nil: nothing

	events        []separatingEvent // the rarest first
	multiplicity  int               // by which their probabilities are multiplied
	eventsOf      []uint64          // for each row, the set of events that cannot happen if it is the baseline's
	eventScores   []float64         // -log of their corrected probabilities
	eventExtremes []float64         // what a column's extreme is at least if its event happens

	look // of the permutation at hand
}

// look is what a test measures of a permutation.
type look struct {
	sums      []float64 // of the residuals of the picked side, a column each
	squares   []float64 // of the sums' coordinates along the axes
	extremes  []float64 // of the columns, their spreads and the pairs of tools: how clearly each differs
	features  []float64 // sums of the features of the picked side
	scenarios []float64 // sums of the residuals of the picked side, a scenario and a column each
	happened  uint64    // set of events
}

// tie is the relative difference up to which two statistics count as equal: the
// same trials can be summed in several orders.
const tie = 1e-9

// newPermutationTest prepares the test. It is false if the decomposition of the
// covariance does not converge.
//
// The columns say what kinds those of the pool are; nil is of no kind.
func newPermutationTest(p *pool, columns []Column, test Test, alpha float64) (*permutationTest, bool) {
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
	t := &permutationTest{
		pool: p, axes: a, multiplicity: 1,
		look: look{sums: make([]float64, d), squares: make([]float64, d), extremes: make([]float64, d)},
	}
	// Trials of a scenario are fewer independent ones than they look: a pair is one.
	t.shrinkage = math.Min(1, shrunk.intensity*float64(n-1)/float64(p.freedom()))
	t.rotation = make([]float64, d*d)
	for k := range d {
		for j := range d {
			t.rotation[k*d+j] = a.vectors.At(j, k)
		}
	}
	t.addQuadratic(t.shrinkage, shrunk.scale)
	if test != PermutationT2 {
		return t, true
	}
	// Without shrinkage small axes count fully: it finds shifts along them, where there are trials enough
	// to know them.
	if t.shrinkage > 0 && 2*a.rank() <= p.freedom() { // with fewer it has little power to add
		t.addQuadratic(0, shrunk.scale)
	}
	t.single = newLargest(d, p.spread, n, p.freedom())
	t.beside = newFeatures(p, productColumns(p, columns), t.single)
	t.extremes = make([]float64, 2*d+len(p.pairs))
	t.features = make([]float64, len(t.beside.rows[0]))
	if g := t.beside.perGroup; g != nil {
		t.scenarios = make([]float64, len(g.variances))
	}
	t.addEvents(alpha)
	return t, true
}

// addQuadratic adds T² on the covariance of that shrinkage.
func (t *permutationTest) addQuadratic(shrinkage, scale float64) {
	// Along an axis: its own variance over the shrunk one. Without shrinkage all are 1.
	factors := make([]float64, len(t.axes.variances))
	for k := range t.axes.rank() {
		v := t.axes.variances[k]
		factors[k] = v / ((1-shrinkage)*v + shrinkage*scale)
	}
	p := t.pool
	t.quadratics = append(t.quadratics, newQuadratic(factors, t.axes.variances, p.spread, len(p.values), p.freedom()))
}

// addEvents adds the separating events that can be significant.
//
// An event enters twice: by its probability into the statistic, and as the sum of the same probability into
// the extremes of its columns, for the adjusted p-values.
func (t *permutationTest) addEvents(alpha float64) {
	p := t.pool
	t.events, t.multiplicity = p.separatingEvents(alpha)
	t.eventsOf = eventSets(t.events, len(p.values))
	for _, e := range t.events {
		corrected := e.p * float64(t.multiplicity)
		t.eventScores = append(t.eventScores, -math.Log(math.Min(1, corrected)))
		// As an event must be rare among so many events, a sum must be among the columns.
		perColumn := corrected / float64(len(p.tested))
		sum := dist.NormalUpperQuantile(perColumn/2) * math.Sqrt(p.spread*float64(len(p.values)))
		t.eventExtremes = append(t.eventExtremes, sum)
	}
}

// measure adds up the residuals of the picked side, and sees which events happened.
// A column's extreme is the size of its sum, or what has the same probability as
// its event.
func (t *permutationTest) measure(r *permutation) {
	clear(t.sums)
	for k, s := range r.strata {
		for _, row := range r.rows[s.from : s.from+r.picked[k]] {
			floats.Add(t.sums, t.pool.residuals[row])
		}
	}
	if t.beside != nil {
		t.beside.measure(r, &t.look)
	}
	t.happened = 0
	if len(t.events) > 0 {
		t.happened = happened(t.eventsOf, r.baselineRows)
	}
	t.setExtremes(&t.look)
}

// setExtremes takes the extremes from what was summed up and from what happened.
func (t *permutationTest) setExtremes(m *look) {
	for j, x := range m.sums {
		m.extremes[j] = math.Abs(x)
	}
	for j := range m.extremes[len(m.sums):] {
		m.extremes[len(m.sums)+j] = math.Abs(m.features[j])
	}
	for i, e := range t.events {
		if m.happened>>i&1 == 1 {
			for _, j := range e.columns {
				m.extremes[j] = max(m.extremes[j], t.eventExtremes[i])
			}
		}
	}
}

// statistic is minus the logarithm of the smallest reference probability of what
// was measured.
//
// The references are approximations. That does not touch the level: the p-value is the rank of this number
// among the permutations, whatever it is.
func (t *permutationTest) statistic(m *look) float64 {
	d := len(m.sums)
	for k := range m.squares {
		y := floats.Dot(t.rotation[k*d:(k+1)*d], m.sums)
		m.squares[k] = y * y
	}
	highest := math.Inf(-1)
	for i := range t.quadratics {
		highest = max(highest, t.quadratics[i].minusLogP(m.squares))
	}
	if t.single != nil {
		highest = max(highest, t.single.minusLogP(m.sums))
	}
	if t.beside != nil {
		highest = max(highest, t.beside.minusLogP(m))
	}
	// Bit 0 is the rarest event: the lowest bit set has the largest score.
	if rarest := bits.TrailingZeros64(m.happened); rarest < len(t.events) {
		highest = max(highest, t.eventScores[rarest])
	}
	return highest
}

// permutationResult is the outcome of a permutation test.
type permutationResult struct {
	p            float64
	adjusted     []float64 // p-values of the columns, adjusted by Westfall and Young
	permutations int       // looked at, the observed one among them
	exhaustive   bool      // they are all there are
	stopped      bool      // early, because too many were as extreme
	leastP       float64   // the smallest p-value that these numbers of trials allow, if all permutations differ
}

// run exchanges the sides of the trials: in every way if there are few enough, at
// random if not. Random ones stop once so many were at least as extreme that the test
// cannot reject any more; the p-value is then their share (Besag and Clifford 1991,
// Biometrika 78:301). Otherwise the observed arrangement counts as one of them. Both
// are valid: P(p <= x) <= x for every x. The only error is that of the context.
func (t *permutationTest) run(
	ctx context.Context, alpha float64, permutations int, random *rand.Rand,
) (permutationResult, error) {
	r := t.pool.permutation()
	// The observed one is summed up as the others are, so that equal ones come out equal.
	blocks := t.newBlocks(1)
	blocks.add(r)
	blocks.measure()
	observed := blocks.statistics()[0]
	limit := observed - tie*math.Abs(observed)
	columns := newStepDown(blocks.looks[0].extremes)
	hits, looks, enough := 0, 0, math.MaxInt
	// All there are, the observed one among them: an exact test needs no random numbers.
	total, isExhaustive := r.total(permutations + 1)
	if !isExhaustive {
		// So many hits that the p-value is above alpha whatever follows; at least 10, so that a large p-value
		// is not coarse.
		enough = max(int(alpha*float64(permutations+1)*(1+1e-12)), 10)
	}
	blocks = t.newBlocks(runtime.GOMAXPROCS(0))
	// take measures what was gathered. It is false where the search is over: the context ended, or there were enough.
	take := func() (goOn bool) {
		if ctx.Err() != nil {
			return false
		}
		blocks.measure()
		for i, statistic := range blocks.statistics() {
			looks++
			columns.count(blocks.looks[i].extremes)
			if statistic >= limit {
				hits++
			}
			if hits == enough && looks < permutations {
				return false
			}
		}
		blocks.clear()
		return true
	}
	next := func() (goOn bool) { return !blocks.add(r) || take() }
	goOn := true
	if isExhaustive {
		goOn = r.each(next)
	} else {
		for n := 0; n < permutations && goOn; n++ {
			r.shuffle(random)
			goOn = next()
		}
	}
	goOn = goOn && take()
	switch {
	case ctx.Err() != nil:
		return permutationResult{}, context.Cause(ctx)
	case isExhaustive:
		return permutationResult{
			p: ratio(hits, total), adjusted: columns.adjusted(0, total), permutations: total, exhaustive: true,
			leastP: ratio(t.leastTies(), total),
		}, nil
	}
	result := permutationResult{leastP: 1 / float64(permutations+1), permutations: looks + 1, stopped: !goOn}
	result.adjusted = columns.adjusted(1, looks+1)
	result.p = ratio(hits+1, looks+1)
	// Hits over looks, without the observed one, is the p-value of Besag and Clifford.
	if result.stopped {
		result.p = ratio(hits, looks)
		for j, p := range result.adjusted { // no finer than the test that ended the search
			result.adjusted[j] = max(p, result.p)
		}
	}
	return result, nil
}

// leastTies counts the permutations that are as extreme as any: exchanging the sides
// as a whole leaves T² and the size of every sum as they are. Where a scenario has sides of different
// sizes, or events count, there is no such twin.
func (t *permutationTest) leastTies() int {
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

// ratio is part of whole, as a share.
func ratio(part, whole int) float64 { return float64(part) / float64(whole) }
