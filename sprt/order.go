package sprt

import (
	"math"
	"math/rand/v2"
)

// OrderedTest is a test that ended, and the order of their outcomes, for [OrderP].
type OrderedTest struct {
	Boundaries Boundaries // by which the test stopped
	Failed     []bool     // of each trial in the order of launch, up to the end of the test
}

// What a test of order computes. Both are chosen: 999 draws put p within 0.3 points at 1 %.
const (
	orderDraws   = 999
	mostOrdering = 4_000_000 // points of a lattice
)

// OrderP tests H0: the trials of each test have one pass rate, whichever it is, against a rate that rises or falls in
// the order of launch. Few or no failures, and tests that are too long, say nothing of it: without any other ok is
// false.
//
// Given where a sequential test ended, each order of its outcomes that would have brought it there is as likely as any
// other, whatever the rate: all such paths have the same numbers of passes and failures. So orders are drawn among
// these, uniformly, by the numbers of paths to each point of the lattice, and p = (1+#)/(1+draws) of those whose
// failures lie as far from where they lie on average, both ways, is exact (Dwass 1957, Annals of Mathematical
// Statistics 28:181). The statistic is the sum of the places of the failures, each in units of the number of trials of
// its test.
//
// Later reports whether failures lie late. The draws are those of the seed.
func OrderP(tests []OrderedTest, seed uint64) (p float64, later, ok bool) {
	source := rand.New(rand.NewPCG(seed, 0x6f72646572)) // the word order
	values := make([]float64, orderDraws+1)             // the observed one first
	for _, t := range tests {
		paths, fits := newPaths(t)
		if !fits {
			continue
		}
		ok = true
		values[0] += placesOf(t.Failed)
		drawn := make([]bool, len(t.Failed))
		for i := range orderDraws {
			paths.draw(source, drawn)
			values[i+1] += placesOf(drawn)
		}
	}
	if !ok {
		return 1, false, false
	}
	// The mean of all of them, the observed one too, is the same whichever of them was observed.
	mean := 0.0
	for _, x := range values {
		mean += x / float64(len(values))
	}
	// Sums of the same places in another order may differ in the last digits.
	const near = 1e-9
	far := math.Abs(values[0]-mean) - near
	count := 0
	for _, x := range values {
		if math.Abs(x-mean) >= far {
			count++
		}
	}
	return float64(count) / float64(len(values)), values[0] > mean, true
}

// placesOf is the sum of the places of failures, from 0 to 1.
func placesOf(failed []bool) (sum float64) {
	for i, f := range failed {
		if f {
			sum += float64(i) / float64(len(failed))
		}
	}
	return sum
}

// paths are numbers of the ways to the points of a lattice, by trials and failures, that do not end before.
type paths struct {
	trials, failures int
	ways             [][]float64 // each row by its own scale
}

// newPaths counts the ways to where a test ended; false where there is one alone, or too many points.
func newPaths(t OrderedTest) (paths, bool) {
	n, k := len(t.Failed), 0
	for _, f := range t.Failed {
		if f {
			k++
		}
	}
	if k == 0 || k == n || n > t.Boundaries.MaxTrials() || (n+1)*(k+1) > mostOrdering {
		return paths{}, false
	}
	p := paths{n, k, make([][]float64, n)}
	p.ways[0] = make([]float64, k+1)
	p.ways[0][0] = 1
	for i := 1; i < n; i++ {
		row := make([]float64, k+1)
		largest := 0.0
		for f := max(0, k-(n-i)); f <= min(i, k); f++ {
			if f <= t.Boundaries.PassAtOrBelow[i-1] || f >= t.Boundaries.FailAtOrAbove[i-1] {
				continue // it would have ended there
			}
			row[f] = p.ways[i-1][f]
			if f > 0 {
				row[f] += p.ways[i-1][f-1]
			}
			largest = max(largest, row[f])
		}
		if largest == 0 {
			return paths{}, false // these outcomes do not lead there
		}
		for f := range row {
			row[f] /= largest
		}
		p.ways[i] = row
	}
	return p, true
}

// draw draws one of the ways, each as likely as any other: backwards, from where the test ended.
func (p paths) draw(source *rand.Rand, failed []bool) {
	f := p.failures
	for i := p.trials - 1; i >= 0; i-- {
		passes, fails := p.ways[i][f], 0.0
		if f > 0 {
			fails = p.ways[i][f-1]
		}
		failed[i] = source.Float64()*(passes+fails) >= passes
		if failed[i] {
			f--
		}
	}
}
