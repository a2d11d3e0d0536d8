package twophase

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// unconstrained is the largest logarithm of the likelihood at any rate.
func (k counts) unconstrained() float64 {
	passed, failed := k.pp+k.pf+k.up, k.fp+k.ff+k.uf
	l := xlog(passed, passed/(passed+failed)) + xlog(failed, failed/(passed+failed))
	for _, c := range [][2]float64{{k.pp, k.pf}, {k.fp, k.ff}} {
		l += xlog(c[0], c[0]/(c[0]+c[1])) + xlog(c[1], c[1]/(c[0]+c[1]))
	}
	return l
}

// signedRoot is the signed root of the likelihood ratio of the rate p against any.
func (k counts) signedRoot(p float64) float64 {
	_, l := k.constrained(p, cells{.5, .5})
	root := math.Sqrt(math.Max(0, 2*(k.unconstrained()-l)))
	switch low, high := k.rates(); {
	case low > p:
		return root
	case high < p:
		return -root
	}
	return 0
}

// enumerated is the chance of the samples that say as much as s or more, one by one, at a judge.
func enumerated(s Sample, p float64) func(cells) float64 {
	s = s.planned()
	rootOf := func(x, n1, y1, n0, y0 int) float64 { return countsOf(s.Judged, x, n1, y1, n0, y0).signedRoot(p) }
	root := rootOf(s.Passed, s.OfPassed.Trials, s.OfPassed.Passes, s.OfFailed.Trials, s.OfFailed.Passes)
	var within [][5]int
	for x := range s.Judged + 1 {
		n1, n0 := s.at(x)
		for y1 := range n1 + 1 {
			for y0 := range n0 + 1 {
				if rootOf(x, n1, y1, n0, y0) >= root-tie {
					within = append(within, [5]int{x, n1, y1, n0, y0})
				}
			}
		}
	}
	return func(c cells) (chance float64) {
		a, b := c.predictive(p)
		row := make([]float64, s.Judged+1)
		for x := range row {
			row[x] = dist.Binomial{N: s.Judged, P: c.judgePasses(p)}.Prob(x)
		}
		masses := map[[2]int]float64{}
		mass := func(which, n, k int, rate float64) float64 {
			key := [2]int{2*n + which, k}
			m, ok := masses[key]
			if !ok {
				m = dist.Binomial{N: n, P: rate}.Prob(k)
				masses[key] = m
			}
			return m
		}
		for _, w := range within {
			chance += row[w[0]] * mass(0, w[1], w[2], a) * mass(1, w[3], w[4], b)
		}
		return chance
	}
}
