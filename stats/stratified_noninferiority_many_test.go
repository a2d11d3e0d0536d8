package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// The rows and columns of a window are all that counts: the search gives the same number, to the last bit, as with all.
func TestWindowsChangeNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	narrow := 0
	for range 40 {
		nb, nc := 200+random.IntN(8000), 200+random.IntN(8000)
		delta := []float64{.01, .03, .1}[random.IntN(3)]
		rate := []float64{0, .01, .1, .5, .85}[random.IntN(5)]
		fails := [2]int{int(rate * float64(nb)), int((rate + delta*random.Float64()) * float64(nc))}
		over := rangeOf(nb, delta, fails[0])
		var found [2]float64
		var sizes [2]int
		for i, windows := range []parameterRange{wholeRange, over} {
			event := newPoolEvent(nb, nc, delta, windows)
			event.orderUpTo(event.ordering(fails[0], fails[1]))
			p, err := event.bound(t.Context(), over, math.Inf(1))
			if err != nil {
				t.Fatal(err)
			}
			found[i], sizes[i] = p, len(event.staircase.cuts)
		}
		if found[0] != found[1] {
			t.Errorf("%v of %d and %d, delta %v: %v in the window, %v of all", fails, nb, nc, delta, found[1], found[0])
		}
		if sizes[1] < sizes[0] {
			narrow++
		}
	}
	if narrow < 20 {
		t.Errorf("%d windows are smaller than all", narrow)
	}
}

// With an early end the answer is the same as the p-value's, and so are the bounds of inequalities never below p.
func TestShownIsThatOfP(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	shown := map[bool]int{}
	bounded := 0
	for range thorough.Draws(20, 60) {
		n := 500 + random.IntN(4000)
		rate := []float64{.01, .1, .5, .85}[random.IntN(4)]
		const delta, beta = .05, .1
		fails := [2]int{int(rate * float64(n)), 0}
		deviation := math.Sqrt((rate*(1-rate) + (rate+delta)*(1-rate-delta)) / float64(n))
		fails[1] = max(int((rate+delta-deviation*(random.Float64()*5-.5))*float64(n)), 0)
		strata := []Stratum{{Counts{n - fails[0], n}, Counts{n - fails[1], n}}}
		r, err := StratifiedNonInferiority(t.Context(), strata, nil, delta)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ShowsStratifiedNonInferiority(t.Context(), strata, nil, delta, beta)
		if err != nil || got != (r.P <= beta) {
			t.Errorf("%v: shown %v, %v; p is %v", strata, got, err, r.P)
		}
		shown[got]++
		event := newNonInferiorityEvent(n, n, delta)
		score := -event.ordering(fails[0], fails[1])
		exact, err := NonInferiority(t.Context(), strata[0].Baseline, strata[0].Candidate, delta)
		if err != nil {
			t.Fatal(err)
		}
		b := event.bennett(score, rangeOf(n, delta, fails[0]))
		// The exact p is up to a millionth above the largest probability.
		if b < exact*(1-1e-5)-2e-7 {
			t.Errorf("%v: the bound is %v; p is %v", strata, b, exact)
		}
		if b <= beta {
			bounded++
		}
	}
	if least := thorough.Draws(3, 10); shown[true] < least || shown[false] < least || bounded < least {
		t.Errorf("shown %v, %d by the bound", shown, bounded)
	}
}

// unevenStrata have other shares on both sides.
func unevenStrata(random *rand.Rand, strata, trials int, drop float64) (list []Stratum) {
	for i := range strata {
		rate := .8 + .15*float64(i%5)/5
		side := func(n int, rate float64) Counts {
			k := float64(n)*rate + math.Sqrt(float64(n)*rate*(1-rate))*random.NormFloat64()
			return Counts{int(min(max(k, 0), float64(n))), n}
		}
		list = append(list, Stratum{
			side(trials+random.IntN(trials/4), rate), side(trials+random.IntN(trials/4), rate-drop),
		})
	}
	return list
}

// Where trials are left out the p of many trials is not above the one that the whole range gives but for what the
// range may miss, and its quantile of the ways of leaving out is never below.
func TestLeavingOutOfManyTrials(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for _, drop := range []float64{0, .01, .02, .03} {
		strata := unevenStrata(random, 6, 900, drop)
		const delta = .03
		kept := thin(strata, nil, delta)
		if kept.level == 1 {
			t.Fatal("nothing is left out")
		}
		whole, err := kept.p(t.Context(), delta-kept.mismatch, math.Inf(1))
		if err != nil {
			t.Fatal(err)
		}
		event := newNonInferiorityEvent(kept.totals[0], kept.totals[1], delta-kept.mismatch)
		quantile, err := kept.quantile(t.Context(), event)
		if err != nil {
			t.Fatal(err)
		}
		ofMany, over, err := kept.quantileOfMany(t.Context(), delta-kept.mismatch)
		if err != nil || ofMany < quantile || ofMany > quantile+.02 || over.high-over.low > .3 {
			t.Errorf("the quantile is %v, %v; not %v; %+v", ofMany, err, quantile, over)
		}
		kept.trials = mostWhole + 1
		many, err := kept.p(t.Context(), delta-kept.mismatch, math.Inf(1))
		// A part of the range has a smaller maximum, and search and quantile have tolerances.
		if err != nil || many > whole*(1+5e-3)+2e-6/kept.level || many < .9*whole {
			t.Errorf("p is %v, %v; over the whole range %v", many, err, whole)
		}
	}
}

// What is kept of cells and clusters has the distribution that their convolution has.
func TestFailuresKept(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	units := keepInRatio([]thinnedStratum{
		{cell: [2]Counts{{90, 100}, {70, 90}}, kept: [2]int{100, 90}},
		{cell: [2]Counts{{20, 30}, {44, 60}}, kept: [2]int{30, 60}},
		{cell: [2]Counts{{4, 9}, {3, 9}}, kept: [2]int{9, 9}},
	}, .8)
	var clusters [2][]Counts
	for side := range clusters {
		for range 40 {
			n := 2 + random.IntN(5)
			clusters[side] = append(clusters[side], Counts{random.IntN(n + 1), n})
		}
	}
	units = append(units, thinnedStratum{clusters: clusters, kept: [2]int{40, 40}})
	kept := measured(units)
	for side := range 2 {
		want := massFunction{mass: []float64{1}}
		for _, u := range kept.units {
			for _, part := range u.fails(side) {
				want = want.plus(t.Context(), part)
			}
		}
		got := kept.failsKept(side).masses(t.Context(), 0)
		total := 0.0
		for i, m := range got.mass {
			total += m
			at := got.first + i - want.first
			if at >= 0 && at < len(want.mass) && math.Abs(m-want.mass[at]) > 1e-14 {
				t.Fatalf("side %d: P(%d) is %v, not %v", side, got.first+i, m, want.mass[at])
			}
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("side %d: the total is %v", side, total)
		}
	}
}

// A billion trials, also where trials are left out.
func BenchmarkStratifiedNonInferiorityOfABillion(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	uneven := unevenStrata(random, 5000, 90_000, .005)
	even := slices.Clone(uneven)
	for i := range even {
		even[i].Candidate = Counts{int(even[i].Candidate.Rate() * 1e5), 1e5}
		even[i].Baseline = Counts{int(even[i].Baseline.Rate() * 1e5), 1e5}
	}
	drop := stratifiedDropOf(even)
	for name, c := range map[string]struct {
		strata []Stratum
		delta  float64
	}{
		"even clear": {even, .01}, "even open": {even, drop + 1.6e-5*1.9}, "even failing": {even, .004},
		"uneven clear": {uneven, .01}, "uneven open": {uneven, drop + 1e-4},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := StratifiedNonInferiority(b.Context(), c.strata, nil, c.delta)
				b.Logf("%+v %v", r, err)
			}
		})
	}
}

// stratifiedDropOf is the drop of the total rate.
func stratifiedDropOf(strata []Stratum) float64 {
	var b, c Counts
	for _, s := range strata {
		b.Passes, b.Trials = b.Passes+s.Baseline.Passes, b.Trials+s.Baseline.Trials
		c.Passes, c.Trials = c.Passes+s.Candidate.Passes, c.Trials+s.Candidate.Trials
	}
	return b.Rate() - c.Rate()
}
