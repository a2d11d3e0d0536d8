package fingerprint

import (
	"math/bits"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// blocks are permutations that are gathered and then measured together: each row of the pool is read once for
// all permutations of a block, and blocks are measured by as many goroutines as there are. What comes of a
// permutation does not depend on those beside it.
type blocks struct {
	test  *permutationTest
	list  []block
	count int    // permutations that are gathered
	most  int    // how many are gathered before they are measured
	looks []look // of each permutation
}

// block is permutations that one goroutine measures.
type block struct {
	picked []uint16 // of each row, the permutations that pick it, a bit each
	count  int      // permutations
}

// blockSize is how many permutations a block has: their sums stay in the nearest cache.
const blockSize = 16

// goroutineWork is how many numbers a block adds up before a goroutine of its own is worth it.
const goroutineWork = 1 << 17

// newBlocks has so many blocks at most, and fewer where there is little to do.
func (t *permutationTest) newBlocks(most int) *blocks {
	p := t.pool
	work := blockSize * len(p.values) * (len(t.sums) + len(t.features)) / 2
	b := &blocks{test: t, list: make([]block, max(1, min(most, work/goroutineWork)))}
	// A short test, which may end soon, measures one by one.
	b.most = min(blockSize*len(b.list), max(1, work/(blockSize*64)))
	for i := range b.list {
		b.list[i].picked = make([]uint16, len(p.values))
	}
	b.looks = make([]look, b.most)
	for i := range b.looks {
		b.looks[i] = t.look.empty()
	}
	return b
}

// empty is a look of the same sizes at nothing.
func (m *look) empty() look {
	return look{
		sums: make([]float64, len(m.sums)), squares: make([]float64, len(m.squares)),
		extremes: make([]float64, len(m.extremes)), features: make([]float64, len(m.features)),
		scenarios: make([]float64, len(m.scenarios)),
	}
}

// add takes in a permutation, and reports whether as many are there as are measured together.
func (b *blocks) add(r *permutation) (full bool) {
	x := &b.list[b.count/blockSize]
	bit := uint16(1) << x.count
	for k, s := range r.strata {
		for _, row := range r.rows[s.from : s.from+r.picked[k]] {
			x.picked[row] |= bit
		}
	}
	x.count++
	b.count++
	return b.count == b.most
}

// clear forgets the permutations.
func (b *blocks) clear() {
	for i := range b.list {
		clear(b.list[i].picked)
		b.list[i].count = 0
	}
	b.count = 0
}

// measure measures the permutations that were taken in.
func (b *blocks) measure() {
	var others sync.WaitGroup
	for i := range b.list {
		x := &b.list[i]
		if x.count == 0 {
			continue
		}
		looks := b.looks[i*blockSize:][:x.count]
		if i == len(b.list)-1 || b.list[i+1].count == 0 {
			x.measure(b.test, looks)
		} else {
			others.Go(func() { x.measure(b.test, looks) })
		}
	}
	others.Wait()
}

// statistics returns those of the permutations that were measured, in the order in which they were taken in.
func (b *blocks) statistics() []float64 {
	list := make([]float64, b.count)
	for i := range list {
		list[i] = b.test.statistic(&b.looks[i])
	}
	return list
}

// measure is [permutationTest.measure] for all permutations of the block. The rows are added in the order of the
// pool, whatever the permutation.
func (x *block) measure(t *permutationTest, looks []look) {
	for i := range looks {
		clear(looks[i].sums)
		clear(looks[i].features)
		clear(looks[i].scenarios)
		looks[i].happened = 0
	}
	for k, s := range t.pool.strata {
		x.addRows(t, looks, k, s)
	}
	x.addEvents(t, looks)
	for i := range looks {
		m := &looks[i]
		// The sums over all scenarios are those of the scenarios together.
		for from := 0; from < len(m.scenarios); from += len(m.sums) {
			floats.Add(m.sums, m.scenarios[from:from+len(m.sums)])
		}
		t.setExtremes(m)
	}
}

// addRows adds the rows of the k-th stratum to the sums of the permutations that pick them.
func (x *block) addRows(t *permutationTest, looks []look, k int, s stratum) {
	d := len(t.sums)
	var into [blockSize][]float64
	for i := range looks {
		into[i] = looks[i].sums
		if len(t.scenarios) > 0 {
			at := t.beside.perGroup.scenario[k] * d
			into[i] = looks[i].scenarios[at : at+d]
		}
	}
	for row := s.from; row < s.to; row++ {
		residuals := t.pool.residuals[row]
		for picked := x.picked[row]; picked != 0; picked &= picked - 1 {
			i := bits.TrailingZeros16(picked)
			floats.Add(into[i], residuals)
			if t.beside != nil {
				floats.Add(looks[i].features, t.beside.rows[row])
			}
		}
	}
}

// addEvents finds which events happened: those that no row of the baseline's keeps from it.
func (x *block) addEvents(t *permutationTest, looks []look) {
	if len(t.events) == 0 {
		return
	}
	pickedCandidate := t.pool.pickedCandidate()
	for row, events := range t.eventsOf {
		if events == 0 {
			continue
		}
		baseline := x.picked[row]
		if pickedCandidate {
			baseline = ^baseline
		}
		for i := range looks {
			if baseline>>i&1 == 1 {
				looks[i].happened |= events
			}
		}
	}
	for i := range looks {
		looks[i].happened = ^looks[i].happened
	}
}
