package contract

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// tail is P(X >= least) of a binomial, by its definition in exact arithmetic.
func tail(k, least int, p float64) float64 {
	rate := new(big.Rat).SetFloat64(p)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	sum := new(big.Rat)
	for x := max(least, 0); x <= k; x++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(x)))
		for range x {
			term.Mul(term, rate)
		}
		for range k - x {
			term.Mul(term, rest)
		}
		sum.Add(sum, term)
	}
	value, _ := sum.Float64()
	return value
}

func sequence(kept, violated int) []bool {
	s := make([]bool, kept+violated)
	for i := range kept {
		s[violated+i] = true
	}
	return s
}

func TestSatisfactionInClosedForm(t *testing.T) {
	// Without a violation the lower limit is the root of p^n = alpha.
	s, err := Satisfy(Promise{P: 0.9, Delta: 0.1, K: 10}, sequence(100, 0), 0, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	low := math.Pow(0.05, 1.0/100)
	if math.Abs(s.Low-low) > 1e-12 || s.Rate != 1 || s.Needed != 10 || math.Abs(s.Chance-math.Pow(low, 10)) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if s.Reached != 0.9 { // P(X>=9) is 0.966, P(X=10) 0.741
		t.Errorf("reached %v", s.Reached)
	}
	if s.Windows != (Windows{Count: 91, Satisfied: 91, Worst: 1}) {
		t.Errorf("%+v", s.Windows)
	}
}

// At a fixed k, the share that is reached stays away from p however many trials there
// were, against p' >= p - O(1/√n).
func TestPropositionDoesNotHoldWithoutTheTermOfK(t *testing.T) {
	for _, n := range []int{10_000, 1_000_000, 100_000_000} {
		rate := 0.9 - 1/math.Sqrt(float64(n))/10 // the lower limit of a pass at 0.9 is about there
		at := tail(10, 8, rate)
		if at >= 0.95 || tail(10, 7, rate) < 0.95 {
			t.Errorf("n %d: %v", n, at)
		}
	}
	s, err := Satisfy(Promise{P: 0.5, Delta: 1, K: 10}, sequence(900_000, 100_000), 0, 0.05)
	if err != nil || s.Reached != 0.7 || s.Low < 0.899 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		p    Promise
		rate float64
		want int
	}{
		{Promise{P: 0.9, Delta: 1, K: 10}, 1, 10},  // above 0.9: ten of ten
		{Promise{P: 0.8, Delta: 1, K: 10}, 1, 9},   // 8 of 10 is not above
		{Promise{P: 0.7, Delta: 1, K: 10}, 1, 8},   // 0.7*10 is 7.000000000000001 or 6.999: rounding does not count
		{Promise{P: 0, Delta: 0.1, K: 10}, 1, 10},  // less than 0.1 below 1
		{Promise{P: 0, Delta: 0.3, K: 10}, 0.9, 7}, // above 0.6
		{Promise{P: 0.5, Delta: 1, K: 1}, 1, 1},    // one of one
		{Promise{P: 0, Delta: 1, K: 5}, 0.2, 1},    // above 0
	} {
		if got := c.p.needed(c.rate); got != c.want {
			t.Errorf("%+v at %v: %d, want %d", c.p, c.rate, got, c.want)
		}
	}
}

func TestSatisfactionAgainstEnumeration(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		kept := rapid.SliceOfN(rapid.Bool(), 1, 40).Draw(t, "kept")
		unjudged := rapid.IntRange(0, 5).Draw(t, "unjudged")
		p := Promise{P: float64(rapid.IntRange(0, 9).Draw(t, "p")) / 10,
			Delta: float64(rapid.IntRange(1, 10).Draw(t, "delta")) / 10, K: rapid.IntRange(1, 20).Draw(t, "k")}
		s, err := Satisfy(p, kept, unjudged, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		// The limit is where so many trials that keep the contract have a chance of alpha.
		if s.Kept == 0 && s.Low != 0 || s.Kept > 0 && math.Abs(tail(s.Trials, s.Kept, s.Low)-0.05) > 1e-9 {
			t.Fatalf("low %v", s.Low)
		}
		satisfied, worst, count := 0, 1.0, 0
		for i := 0; i+p.K <= len(kept); i++ {
			n := 0
			for _, k := range kept[i : i+p.K] {
				if k {
					n++
				}
			}
			share := float64(n) / float64(p.K)
			worst, count = min(worst, share), count+1
			if share > p.P+1e-10 && s.Rate-share < p.Delta-1e-10 {
				satisfied++
			}
		}
		if s.Windows.Count != count || s.Windows.Satisfied != satisfied || count > 0 && s.Windows.Worst != worst {
			t.Fatalf("%+v, want %d %d %v", s.Windows, count, satisfied, worst)
		}
		if math.Abs(s.Chance-tail(p.K, s.Needed, s.Low)) > 1e-9 {
			t.Fatalf("chance %v", s.Chance)
		}
		at := int(math.Round(s.Reached * float64(p.K)))
		if tail(p.K, at, s.Low) < 0.95-1e-9 || at < p.K && tail(p.K, at+1, s.Low) >= 0.95+1e-9 {
			t.Fatalf("reached %v", s.Reached)
		}
	})
	for _, c := range []struct {
		kept  []bool
		alpha float64
	}{{nil, 0.05}, {sequence(3, 0), 0}, {sequence(3, 0), 0.5}, {sequence(3, 0), math.NaN()}} {
		if s, err := Satisfy(Promise{P: 0.9, Delta: 0.1, K: 10}, c.kept, 1, c.alpha); err == nil {
			t.Errorf("%+v", s)
		}
	}
}
