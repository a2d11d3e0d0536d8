package coverage

import (
	"math"
	"math/rand/v2"
	"testing"
)

// After n trials of one path the limit is 0.05^(1/(n-1)): the first trial says which path it is.
func TestOnePath(t *testing.T) {
	for n := 2; n <= 30; n++ {
		want := math.Pow(0.05, 1/float64(n-1))
		if got := seenAtLeast([]PathCount{{n, 1}}); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d trials: %v, want %v", n, got, want)
		}
	}
	last := 0.0
	for n := 2; n < 400; n++ { // one more trial of the same path never lowers it
		got := seenAtLeast([]PathCount{{n, 1}})
		if got <= last || got > math.Pow(0.05, 1/float64(n-1))+1e-12 {
			t.Fatalf("%d trials: %v after %v", n, got, last)
		}
		last = got
	}
	if got := seenAtLeast([]PathCount{{1, 1}}); got != 0 {
		t.Error(got)
	}
	if turing(15, 1) != 14.0/15 || turing(0, 0) != 0 || turing(3, 3) != 0 {
		t.Error("Turing's estimate")
	}
}

// Whatever the paths do, the limit by new paths fails with at most alpha: an opponent who sees every trial,
// and may lower what is unseen whenever he likes, as trials do, has no better chance. His best play is
// found backwards over (trials left, new paths, where he stands).
func TestOpponentOfNewPaths(t *testing.T) {
	for _, n := range []int{1, 2, 5, 14, 29} {
		for _, alpha := range []float64{.025, .05, .2, .5} {
			limits := make([]float64, n) // by the number of new paths; of n of n it is 1, which nothing exceeds
			for k := range limits {
				limits[k] = unseenAtMost(k, n, alpha)
			}
			wins := make([][]float64, n+2)
			for k := range wins {
				wins[k] = make([]float64, n)
				for j := range limits {
					if k <= j {
						wins[k][j] = 1
					}
				}
			}
			for range n {
				before := make([][]float64, n+2)
				for k := range before {
					before[k] = make([]float64, n)
				}
				for k := range n {
					best := 0.0
					for j, u := range limits {
						best = max(best, u*wins[k+1][j]+(1-u)*wins[k][j])
						before[k][j] = best
					}
				}
				wins = before
			}
			if got := wins[0][n-1]; got > alpha*(1+1e-9) {
				t.Errorf("%d trials at %v: %v", n, alpha, got)
			}
		}
	}
}

// The chance that the limit is above the truth, by enumeration of all counts of up to four paths.
func TestSeenAtLeastCovers(t *testing.T) {
	for _, n := range []int{2, 4, 7} {
		steps := 12
		for a := 1; a < steps; a++ {
			for b := 0; a+b < steps; b++ {
				for c := 0; a+b+c <= steps; c++ {
					p := []float64{float64(a), float64(b), float64(c), float64(steps - a - b - c)}
					for i := range p {
						p[i] /= float64(steps)
					}
					if missed := missedBy(p, n); missed > .05+1e-9 {
						t.Fatalf("%v, %d trials: missed with %v", p, n, missed)
					}
				}
			}
		}
	}
}

// missedBy adds the multinomial probabilities of the counts whose limit is above what was seen.
func missedBy(p []float64, n int) (missed float64) {
	var visit func(i, left int, counts []int, probability float64)
	visit = func(i, left int, counts []int, probability float64) {
		if i == len(p) {
			if left > 0 || probability == 0 {
				return
			}
			var paths []PathCount
			seen := 0.0
			for j, k := range counts {
				if k > 0 {
					paths = append(paths, PathCount{k, 1})
					seen += p[j]
				}
			}
			if seenAtLeast(paths) > seen+1e-9 {
				missed += probability
			}
			return
		}
		each := 1.0
		for k := range left + 1 {
			visit(i+1, left-k, append(counts, k), probability*each)
			each *= p[i] * float64(left-k) / float64(k+1)
		}
	}
	visit(0, n, nil, 1)
	return missed
}

// Where there are many paths the halves decide. The limit is too high in at most 5 % of drawn samples, here
// with three standard errors, and far above that of new paths alone.
func TestHalves(t *testing.T) {
	const n, runs = 80, 300
	random := rand.New(rand.NewPCG(1, 2))
	for _, kinds := range []int{5, 20, 60, 400} {
		missed, better := 0, 0
		for range runs {
			counts := make([]int, kinds)
			for range n {
				counts[random.IntN(kinds)]++
			}
			var paths []PathCount
			distinct := 0
			for _, k := range counts {
				if k > 0 {
					paths = append(paths, PathCount{k, 1})
					distinct++
				}
			}
			low := seenAtLeast(paths)
			if low > float64(distinct)/float64(kinds)+1e-9 {
				missed++
			}
			if low > 1-unseenAtMost(distinct-1, n-1, .05) {
				better++
			}
		}
		if limit := runs*.05 + 3*math.Sqrt(runs*.05*.95); float64(missed) > limit {
			t.Errorf("%d paths: %d of %d missed", kinds, missed, runs)
		}
		if kinds == 20 && better < runs {
			t.Errorf("%d paths: better in %d of %d", kinds, better, runs)
		}
	}
}

// A count that no machine could hold takes no memory.
func TestHugeCounts(t *testing.T) {
	if got := seenAtLeast([]PathCount{{1 << 20, 1}, {1, 2}}); !(got > .99 && got < 1) {
		t.Error(got)
	}
}
