package stats

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// A region holds exactly the tables whose p-value is at most alpha.
func TestRegionsMatchPValues(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {4, 4}, {12, 9}, {20, 20}, {7, 31}} {
		for _, alpha := range []float64{0.01, 0.05, 0.1} {
			for _, test := range []Test{BoschlooTest, FisherTest, ZTest} {
				region, err := test.Region(context.Background(), n[0], n[1], alpha)
				if err != nil {
					t.Fatal(err)
				}
				checkRegion(t, fmt.Sprint(test, n, alpha), n, region, alpha,
					func(b, c Counts) float64 { return oneSided(t, test, b, c) })
			}
			for _, delta := range []float64{0.05, 0.2} {
				region, err := NonInferiorityRegion(context.Background(), n[0], n[1], delta, alpha)
				if err != nil {
					t.Fatal(err)
				}
				checkRegion(t, fmt.Sprint("non-inferiority", n, alpha, delta), n, region, alpha, func(b, c Counts) float64 {
					p, err := NonInferiority(context.Background(), b, c, delta)
					if err != nil {
						t.Fatal(err)
					}
					return p
				})
			}
		}
	}
}

func oneSided(t *testing.T, test Test, baseline, candidate Counts) (p float64) {
	t.Helper()
	var err error
	switch test {
	case BoschlooTest:
		p, err = Boschloo(context.Background(), baseline, candidate)
	case FisherTest:
		p, err = FisherLess(baseline, candidate)
	case ZTest:
		_, p, err = ZPooled(baseline, candidate)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func checkRegion(
	t *testing.T, name string, n [2]int, region *Region, alpha float64, p func(baseline, candidate Counts) float64,
) {
	t.Helper()
	for i := 0; i <= n[0]; i++ {
		for j := 0; j <= n[1]; j++ {
			value := p(Counts{i, n[0]}, Counts{j, n[1]})
			if math.Abs(value-alpha) < 1e-9 {
				continue // decided by rounding
			}
			if got := region.Contains(i, j); got != (value <= alpha) {
				t.Errorf("%s: Contains(%d, %d) = %v, p = %v", name, i, j, got, value)
			}
		}
	}
}

// Power by enumeration of all tables, one by one.
func TestRegionProbabilityAgainstEnumeration(t *testing.T) {
	const nb, nc = 13, 9
	worse, err := BoschlooTest.Region(context.Background(), nb, nc, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	fine, err := NonInferiorityRegion(context.Background(), nb, nc, 0.2, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	for _, pb := range []float64{0, 0.3, 0.9, 1} {
		for _, pc := range []float64{0, 0.5, 0.85, 1} {
			var inWorse, inFine, inEither float64
			for i := 0; i <= nb; i++ {
				for j := 0; j <= nc; j++ {
					mass := dist.Binomial{N: nb, P: pb}.Prob(i) * dist.Binomial{N: nc, P: pc}.Prob(j)
					inWorse += mass * indicator(worse.Contains(i, j))
					inFine += mass * indicator(fine.Contains(i, j))
					inEither += mass * indicator(worse.Contains(i, j) || fine.Contains(i, j))
				}
			}
			either, err := worse.EitherProbability(fine, pb, pc)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprint(pb, " ", pc)
			refdata.Near(t, name+" worse", worse.Probability(pb, pc), inWorse, 1e-12)
			refdata.Near(t, name+" fine", fine.Probability(pb, pc), inFine, 1e-12)
			refdata.Near(t, name+" either", either, inEither, 1e-12)
		}
	}
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// Boschloo's gain over Fisher at 50 against 50 trials, 0.95 against 0.85. The
// figures come from SciPy: binomial masses summed over the tables in which
// fisher_exact, or boschloo_exact with n=64, is at most 0.05.
func TestBoschlooPowerExceedsFisher(t *testing.T) {
	for test, want := range map[Test]float64{BoschlooTest: 0.45144432720881955, FisherTest: 0.38790955813189454} {
		region, err := test.Region(context.Background(), 50, 50, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Near(t, test.String(), region.Probability(0.95, 0.85), want, 1e-6)
	}
	for _, n := range [][2]int{{10, 10}, {25, 40}, {60, 20}} {
		boschloo, _ := BoschlooTest.Region(context.Background(), n[0], n[1], 0.05)
		fisher, _ := FisherTest.Region(context.Background(), n[0], n[1], 0.05)
		for i := 0; i <= n[0]; i++ {
			for j := 0; j <= n[1]; j++ {
				if fisher.Contains(i, j) && !boschloo.Contains(i, j) {
					t.Errorf("%v: Fisher rejects %d, %d and Boschloo does not", n, i, j)
				}
			}
		}
	}
}

// The exact tests keep their level at every common rate, the margin test at every
// pair of rates a delta apart; the z test does not, which is why it does not decide.
func TestLevelsHold(t *testing.T) {
	zExceeds := false
	for _, n := range [][2]int{{10, 10}, {50, 50}, {30, 90}, {200, 200}} {
		boschloo, _ := BoschlooTest.Region(context.Background(), n[0], n[1], 0.05)
		z, _ := ZTest.Region(context.Background(), n[0], n[1], 0.05)
		margin, _ := NonInferiorityRegion(context.Background(), n[0], n[1], 0.1, 0.1)
		for p := 0.0; p <= 1; p += 0.005 {
			if level := boschloo.Probability(p, p); level > 0.05 {
				t.Errorf("boschloo %v at %v: level %v", n, p, level)
			}
			zExceeds = zExceeds || z.Probability(p, p) > 0.05
			if p < 0.1 {
				continue
			}
			if level := margin.Probability(p, p-0.1); level > 0.1 {
				t.Errorf("non-inferiority %v at %v: level %v", n, p, level)
			}
		}
	}
	if !zExceeds {
		t.Error("the z test kept its level everywhere, which contradicts the manual")
	}
}

func TestSmallestDrop(t *testing.T) {
	region, err := BoschlooTest.Region(context.Background(), 100, 100, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	drop, ok := region.SmallestDrop(0.93, 0.9)
	if !ok {
		t.Fatal("no drop found")
	}
	refdata.Near(t, "power at the drop", region.Probability(0.93, 0.93-drop), 0.9, 1e-6)
	tiny, _ := BoschlooTest.Region(context.Background(), 2, 2, 0.05)
	if drop, ok := tiny.SmallestDrop(0.5, 0.9); ok {
		t.Errorf("two trials a side find a drop of %v", drop)
	}
}

func TestPairedRegionsMatchPValues(t *testing.T) {
	for _, pairs := range []int{1, 5, 12, 25} {
		for _, alpha := range []float64{0.05, 0.1} {
			worse, err := McNemarTest.PairedRegion(context.Background(), pairs, alpha)
			if err != nil {
				t.Fatal(err)
			}
			fine, err := PairedNonInferiorityRegion(context.Background(), pairs, 0.1, alpha)
			if err != nil {
				t.Fatal(err)
			}
			var inWorse, inFine, inEither float64
			const breaks, mends = 0.2, 0.11
			for b := 0; b <= pairs; b++ {
				for c := 0; b+c <= pairs; c++ {
					table := Pairs{pairs - b - c, b, c, 0}
					p, _ := McNemarLess(table)
					if worse.Contains(b, c) != (p <= alpha) {
						t.Errorf("mcnemar %d pairs: Contains(%d, %d) = %v, p = %v", pairs, b, c, worse.Contains(b, c), p)
					}
					p, _ = PairedNonInferiority(context.Background(), table, 0.1)
					if fine.Contains(b, c) != (p <= alpha) {
						t.Errorf("paired margin %d pairs: Contains(%d, %d) = %v, p = %v", pairs, b, c, fine.Contains(b, c), p)
					}
					mass := trinomial(pairs, b, c, breaks, mends)
					inWorse += mass * indicator(worse.Contains(b, c))
					inFine += mass * indicator(fine.Contains(b, c))
					inEither += mass * indicator(worse.Contains(b, c) || fine.Contains(b, c))
				}
			}
			either, err := worse.EitherProbability(fine, breaks, mends)
			if err != nil {
				t.Fatal(err)
			}
			refdata.Near(t, "worse", worse.Probability(breaks, mends), inWorse, 1e-11)
			refdata.Near(t, "fine", fine.Probability(breaks, mends), inFine, 1e-11)
			refdata.Near(t, "either", either, inEither, 1e-11)
		}
	}
}

func TestPairedSmallestDrop(t *testing.T) {
	region, err := McNemarTest.PairedRegion(context.Background(), 200, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	drop, ok := region.SmallestDrop(0.03, 0.9)
	if !ok {
		t.Fatal("no drop found")
	}
	refdata.Close(t, "power at the drop", region.Probability(0.03+drop, 0.03), 0.9, 1e-6)
}

func BenchmarkPower(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint("boschloo/", n), func(b *testing.B) {
			for b.Loop() {
				region, err := BoschlooTest.Region(context.Background(), n, n, 0.05)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(region.Probability(0.95, 0.9), "power")
			}
		})
		b.Run(fmt.Sprint("non-inferiority/", n), func(b *testing.B) {
			for b.Loop() {
				region, err := NonInferiorityRegion(context.Background(), n, n, 0.1, 0.1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(region.Probability(0.95, 0.95), "power")
			}
		})
		b.Run(fmt.Sprint("paired/", n), func(b *testing.B) {
			for b.Loop() {
				region, err := PairedNonInferiorityRegion(context.Background(), n, 0.1, 0.1)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(region.Probability(0.05, 0.05), "power")
			}
		})
	}
}
