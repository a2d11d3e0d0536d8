package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// bruteForceMLE maximises the likelihood under pc - pb = d by bisection on its
// derivative, written from the definition.
func bruteForceMLE(baseline, candidate Counts, d float64) (pb, pc float64) {
	slope := func(p float64) float64 {
		term := func(k int, rate float64) float64 {
			if k == 0 {
				return 0
			}
			return float64(k) / rate
		}
		return term(baseline.Passes, p) - term(baseline.Fails(), 1-p) +
			term(candidate.Passes, p+d) - term(candidate.Fails(), 1-p-d)
	}
	low, high := math.Max(0, -d), math.Min(1, 1-d)
	for range 200 {
		middle := low + (high-low)/2
		if slope(middle) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return low + (high-low)/2, low + (high-low)/2 + d
}

func TestConstrainedMLEMatchesBruteForce(t *testing.T) {
	differences := []float64{-0.999, -0.75, -0.5, -0.2, -0.05, -1e-6, 0, 1e-6, 0.05, 0.1, 1. / 3, 0.6, 0.99}
	for _, sizes := range [][2]int{{1, 1}, {1, 5}, {6, 3}, {7, 7}} {
		for kb := range sizes[0] + 1 {
			for kc := range sizes[1] + 1 {
				for _, d := range differences {
					baseline, candidate := Counts{kb, sizes[0]}, Counts{kc, sizes[1]}
					wantB, wantC := bruteForceMLE(baseline, candidate, d)
					gotB, gotC := constrainedMLE(baseline, candidate, d)
					if math.Abs(gotB-wantB) > 1e-11 || math.Abs(gotC-wantC) > 1e-11 {
						t.Errorf("constrainedMLE(%v, %v, %v) = %v, %v, want %v, %v",
							baseline, candidate, d, gotB, gotC, wantB, wantC)
					}
				}
			}
		}
	}
}

func TestConstrainedMLECorners(t *testing.T) {
	tests := []struct {
		name                string
		baseline, candidate Counts
		d, pb, pc           float64
	}{
		{"all pass, candidate lower", Counts{10, 10}, Counts{8, 8}, -0.25, 1, 0.75},
		{"all pass, candidate higher", Counts{10, 10}, Counts{8, 8}, 0.25, 0.75, 1},
		{"none passes, candidate lower", Counts{0, 10}, Counts{0, 8}, -0.25, 0.25, 0},
		{"none passes, candidate higher", Counts{0, 10}, Counts{0, 8}, 0.25, 0, 0.25},
		{"all pass, no difference", Counts{3, 3}, Counts{5, 5}, 0, 1, 1},
		{"none passes, no difference", Counts{0, 3}, Counts{0, 5}, 0, 0, 0},
		{"pooled", Counts{3, 4}, Counts{1, 4}, 0, 0.5, 0.5},
		{"largest drop", Counts{3, 4}, Counts{1, 4}, -1, 1, 0},
		{"largest rise", Counts{3, 4}, Counts{1, 4}, 1, 0, 1},
		{"beyond the range", Counts{3, 4}, Counts{1, 4}, -1.5, 1, 0},
		{"all against none, inner maximum", Counts{6, 6}, Counts{0, 2}, -0.5, 0.75 * 1.5 / 1.125, 0.5},
		{"all against none, inner", Counts{6, 6}, Counts{0, 6}, -0.5, 0.75, 0.25},
		{"unrestricted estimate", Counts{50, 100}, Counts{25, 100}, -0.25, 0.5, 0.25},
	}
	for _, test := range tests {
		pb, pc := constrainedMLE(test.baseline, test.candidate, test.d)
		if math.Abs(pb-test.pb) > 1e-15 || math.Abs(pc-test.pc) > 1e-15 {
			t.Errorf("%s: got %v, %v, want %v, %v", test.name, pb, pc, test.pb, test.pc)
		}
	}
	if pb, pc := constrainedMLE(Counts{1, 2}, Counts{1, 2}, math.NaN()); !math.IsNaN(pb) || !math.IsNaN(pc) {
		t.Errorf("NaN: got %v, %v", pb, pc)
	}
}

// The expected values do not come from float64 arithmetic at all.
func TestConstrainedMLEAgainstMpmath(t *testing.T) {
	for _, test := range constrainedMLEReference {
		pb, pc := constrainedMLE(test.baseline, test.candidate, test.d)
		refdata.Close(t, "pb", pb, test.pb, 1e-13)
		refdata.Close(t, "pc", pc, test.pc, 1e-13)
	}
}

func TestConstrainedMLELaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		baseline, candidate := drawCounts(t, "baseline", 2000), drawCounts(t, "candidate", 2000)
		d := rapid.Float64Range(-1, 1).Draw(t, "difference")
		pb, pc := constrainedMLE(baseline, candidate, d)
		if !(pb >= 0 && pb <= 1 && pc >= 0 && pc <= 1) || math.Abs(pc-pb-d) > 1e-15 {
			t.Fatalf("rates %v and %v are not %v apart", pb, pc, d)
		}
		// Swapping the sides, or passes and failures, only relabels the problem.
		if qc, qb := constrainedMLE(candidate, baseline, -d); qb != pb || qc != pc {
			t.Fatalf("swapped sides: %v, %v against %v, %v", qb, qc, pb, pc)
		}
		failB, failC := Counts{baseline.Fails(), baseline.Trials}, Counts{candidate.Fails(), candidate.Trials}
		if qb, qc := constrainedMLE(failB, failC, -d); math.Abs(1-qb-pb) > 1e-12 || math.Abs(1-qc-pc) > 1e-12 {
			t.Fatalf("swapped outcomes: %v, %v against %v, %v", 1-qb, 1-qc, pb, pc)
		}
		likelihood := func(pb, pc float64) float64 {
			return xlogy(baseline.Passes, pb) + xlogy(baseline.Fails(), 1-pb) +
				xlogy(candidate.Passes, pc) + xlogy(candidate.Fails(), 1-pc)
		}
		best := likelihood(pb, pc)
		for i := range 101 {
			p := math.Max(0, -d) + (1-math.Abs(d))*float64(i)/100
			if other := likelihood(p, min(max(p+d, 0), 1)); other > best+1e-9*math.Abs(best)+1e-12 {
				t.Fatalf("likelihood %v at %v is above %v at %v", other, p, best, pb)
			}
		}
	})
}

func FuzzConstrainedMLE(f *testing.F) {
	f.Add(0, 1, 1, 1, -0.5)
	f.Add(1<<30, 1<<30, 0, 1, 1e-300)
	f.Add(1, 1<<30, 1<<29, 1<<30, 0.999999999999)
	f.Fuzz(func(t *testing.T, kb, nb, kc, nc int, d float64) {
		baseline, candidate := Counts{kb, nb}, Counts{kc, nc}
		if validateBoth(baseline, candidate) != nil || math.IsNaN(d) {
			t.Skip()
		}
		pb, pc := constrainedMLE(baseline, candidate, d)
		if !(pb >= 0 && pb <= 1 && pc >= 0 && pc <= 1) {
			t.Fatalf("constrainedMLE(%v, %v, %v) = %v, %v", baseline, candidate, d, pb, pc)
		}
	})
}

func BenchmarkConstrainedMLE(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		constrainedMLE(Counts{93, 100}, Counts{i % 101, 100}, -0.1)
	}
}

func xlogy(k int, p float64) float64 {
	if k == 0 {
		return 0
	}
	return float64(k) * math.Log(p)
}

// drawCounts draws counts with at most the given number of trials, at least one.
func drawCounts(t *rapid.T, name string, most int) Counts {
	trials := rapid.IntRange(1, most).Draw(t, name+" trials")
	return Counts{rapid.IntRange(0, trials).Draw(t, name+" passes"), trials}
}
