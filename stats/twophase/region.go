package twophase

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// region is the set of samples that say at least as much as the observed one that the true rate is above p: by the
// number that the judge passed, and that of true passes among the labels of its failures, the least number of true
// passes among the labels of its passes.
type region struct {
	sample Sample
	p      float64
	first  int // number that the judge passed, of the first row
	rows   []row
}

// row is the part of a region at one number of passes of the judge.
type row struct {
	ofPassed int   // labels of trials that the judge passed
	least    []int // by true passes among the labels of its failures; ofPassed+1 where none is enough
}

// tie is how much smaller a signed root may be to count as equal: rounding of the likelihood.
const tie = 1e-6

// regionOf walks down the staircase of each number of passes of the judge, from first to last: the more true passes
// among the labels of its failures, the fewer are needed among those of its passes.
func regionOf(ctx context.Context, s Sample, p, root float64, start cells, first, last int) (*region, error) {
	r := &region{sample: s, p: p, first: first}
	for passed := first; passed <= last; passed++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		ofPassed, ofFailed := s.at(passed)
		here := row{ofPassed, make([]int, ofFailed+1)}
		at, need := start, ofPassed+1
		for y := range here.least {
			for need > 0 {
				k := countsOf(s.Judged, passed, ofPassed, need-1, ofFailed, y)
				z, found := k.signedRoot(p, at)
				at = found
				if z < root-tie {
					break
				}
				need--
			}
			here.least[y] = need
		}
		r.rows = append(r.rows, here)
	}
	return r, nil
}

// probability of the region where the true rate is that of the region and the judge is c. What may lie beyond the
// first and last rows is counted as within.
func (r *region) probability(c cells) float64 {
	m := c.judgePasses(r.p)
	a, b := c.predictive(r.p)
	var tails, masses table
	sum, inside := 0.0, 0.0
	ofRows := make([]float64, len(r.rows))
	binomial(ofRows, r.first, r.sample.Judged, m)
	for i, here := range r.rows {
		mass := ofRows[i]
		inside += mass
		if mass < 1e-14 {
			sum += mass
			continue
		}
		upper := tails.upper(here.ofPassed, a)
		row := masses.mass(len(here.least)-1, b)
		chance := 0.0
		for y, need := range here.least {
			chance += row[y] * upper[need]
		}
		sum += mass * chance
	}
	return math.Min(1, sum+math.Max(0, 1-inside))
}

// table keeps the last distribution that was asked for: neighbouring rows have the same numbers of labels.
type table struct {
	n      int
	values []float64
}

// mass is the distribution of a binomial number of n with the rate p.
func (t *table) mass(n int, p float64) []float64 {
	if t.values != nil && t.n == n {
		return t.values
	}
	t.n, t.values = n, make([]float64, n+1)
	binomial(t.values, 0, n, p)
	return t.values
}

// upper has, by k up to n+1, the probability of k or more.
func (t *table) upper(n int, p float64) []float64 {
	if t.values != nil && t.n == n {
		return t.values
	}
	t.n, t.values = n, make([]float64, n+2)
	binomial(t.values[:n+1], 0, n, p)
	for k := n - 1; k >= 0; k-- {
		t.values[k] += t.values[k+1]
	}
	return t.values
}

// binomial fills the probabilities of first of n at the rate p, and of those that follow it: from the likeliest of them
// outwards, by the ratio of neighbours.
func binomial(to []float64, first, n int, p float64) {
	if len(to) == 0 {
		return
	}
	p = math.Min(math.Max(p, 0), 1)
	last := first + len(to) - 1
	mode := min(max(int(float64(n+1)*p), first), last)
	to[mode-first] = dist.Binomial{N: n, P: p}.Prob(mode)
	for k := mode; k < last; k++ {
		to[k+1-first] = 0
		if p < 1 {
			to[k+1-first] = to[k-first] * float64(n-k) / float64(k+1) * p / (1 - p)
		}
	}
	for k := mode; k > first; k-- {
		to[k-1-first] = 0
		if p > 0 {
			to[k-1-first] = to[k-first] * float64(k) / float64(n-k+1) * (1 - p) / p
		}
	}
}
