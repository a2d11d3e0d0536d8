package baseline

import (
	"math"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// planeOf is a lattice of so many rounds, on an even grid of 31 points.
func planeOf(h Hypotheses, k kind, rounds int) *plane {
	var points, savings []float64
	for i := range 31 {
		points, savings = append(points, float64(i)/30), append(savings, 1./31)
	}
	return newPlane(h, k, rounds, math.Inf(1), points, savings)
}

// The likelihood of a path times the number of paths is the probability of a point: that of two binomial numbers, and
// of matched pairs of a binomial number of discordant ones of which a binomial number broke.
func TestDensitiesAreExact(t *testing.T) {
	t.Parallel()
	h := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: EveryRate()}
	pairs := Hypotheses{Delta: 0.1, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0, High: 0.5}}
	for _, rounds := range []int{1, 60, 600} {
		sides := planeOf(h, sideKind(h, defaultFavour), rounds)
		matched := planeOf(pairs, matchedKind(pairs, defaultFavour), rounds)
		for n := 1; n <= rounds; n += max(rounds/7, 1) {
			for x := 0; x <= n; x += max(n/9, 1) {
				for y := 0; y <= n; y += max(n/9, 1) {
					paths := logChoose(n, x) + logChoose(n, y) - math.Log(sides.scale())
					low, list := sides.likelihoods().lower.at(n, x, y)
					for i, likelihood := range list {
						c := sides.models[low+i].lower
						want := dist.Binomial{N: n, P: c.x + c.both}.Prob(x) * dist.Binomial{N: n, P: c.y + c.both}.Prob(y)
						if got := likelihood * math.Exp(paths); math.Abs(got-want) > 1e-9*want+1e-300 {
							t.Fatalf("%d rounds: %v at %d, %d, %d; want %v", rounds, got, n, x, y, want)
						}
					}
					if x+y > n || x > matched.mostX[n] || y > matched.mostY[n] {
						continue
					}
					paths = logChoose(n, x+y) + logChoose(x+y, x) - math.Log(matched.scale())
					low, list = matched.likelihoods().lower.at(n, x, y)
					for i, likelihood := range list {
						c := matched.models[low+i].lower
						want := dist.Binomial{N: n, P: c.x + c.y}.Prob(x + y)
						if x+y > 0 {
							want *= dist.Binomial{N: x + y, P: c.y / (c.x + c.y)}.Prob(y)
						}
						if got := likelihood * math.Exp(paths); math.Abs(got-want) > 1e-9*want+1e-300 {
							t.Fatalf("%d pairs: %v at %d, %d, %d; want %v", rounds, got, n, x, y, want)
						}
					}
				}
			}
		}
	}
}

// However many parts of a lattice are gone over side by side, what comes of it is the same.
func TestPartsOfAPlane(t *testing.T) {
	t.Parallel()
	h := Hypotheses{Delta: 0.2, Alpha: 0.05, Beta: 0.1, Guarded: EveryRate()}
	narrow := Hypotheses{Delta: 0.2, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0.8, High: 1}}
	pairs := Hypotheses{Delta: 0.2, Alpha: 0.05, Beta: 0.1, Guarded: stats.Interval{Low: 0, High: 0.5}}
	for _, x := range []struct {
		h Hypotheses
		k kind
	}{
		{h, sideKind(h, defaultFavour)}, {narrow, sideKind(narrow, defaultFavour)},
		{pairs, matchedKind(pairs, defaultFavour)},
	} {
		var ends [][]roundsEnd
		var costs []float64
		for _, cuts := range [][]int{{}, {1}, {13, 29}, {5, 6, 20, 31}} {
			p := planeOf(x.h, x.k, 80)
			from := 0
			p.parts = nil
			for _, to := range append(cuts, p.mostX[p.rounds]+1) {
				p.parts = append(p.parts, [2]int{from, to})
				from = to
			}
			cost := p.induce(firstPrices(len(p.models)))
			test := p.test(x.k, p.stops)
			ends, costs = append(ends, test.ends), append(costs, cost)
			fails, exact := p.errors().fail[20], 0.0
			for _, e := range test.ends {
				if e.outcome == sprt.Fail {
					low, list := p.likelihoods().same.at(e.rounds, e.baseline, e.candidate)
					if i := 20 - low; i >= 0 && i < len(list) {
						exact += list[i] * math.Exp(e.logPaths) / p.scale()
					}
				}
			}
			if math.Abs(fails-exact) > 1e-12 {
				t.Errorf("with cuts at %v it fails with %v, its ends with %v", cuts, fails, exact)
			}
			if costs[0] != cost || !slices.Equal(ends[0], test.ends) {
				t.Errorf("with cuts at %v it costs %v and has %d ends, without %v and %d", cuts, cost, len(test.ends), costs[0],
					len(ends[0]))
			}
		}
	}
}
