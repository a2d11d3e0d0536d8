package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats/dist"
)

// statsmodels 0.13.5: OLS(outcomes, ones).fit(cov_type='cluster', use_t=True),
// conf_int(alpha), before the cut to 0..1.
func TestClusteredRateAgainstStatsmodels(t *testing.T) {
	for _, test := range []struct {
		clusters         []Counts
		alpha, low, high float64
	}{
		{[]Counts{{4, 4}, {2, 4}, {0, 4}, {3, 4}, {4, 4}, {1, 4}}, 0.05, 0.15490303, 1.01176364},
		{[]Counts{{9, 10}, {2, 5}, {0, 3}, {14, 20}, {7, 8}, {1, 4}, {30, 31}}, 0.1, 0.58972949, 0.96582607},
	} {
		got, err := ClusteredRate(test.clusters, test.alpha)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "low", got.Low, test.low, 1e-7)
		refdata.Close(t, "high", got.High, math.Min(test.high, 1), 1e-7)
	}
}

// SciPy 1.10.1: t.interval(.9, 6, mean(rates), sem(rates)); its t quantile has ten
// right digits here.
func TestClusteredMeanRateAgainstSciPy(t *testing.T) {
	clusters := []Counts{{9, 10}, {2, 5}, {0, 3}, {14, 20}, {7, 8}, {1, 4}, {30, 31}}
	got, err := ClusteredMeanRate(clusters, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", got.Low, 0.31122870307163836, 1e-9)
	refdata.Close(t, "high", got.High, 0.858126135638039, 1e-9)
}

// Miller 2024, equation 4, from the single outcomes: the products of the residuals
// of all pairs of trials of the same scenario.
func TestClusteredRateFromSingleTrials(t *testing.T) {
	clusters := []Counts{{3, 4}, {1, 2}, {5, 9}, {0, 1}, {6, 6}}
	const passes, trials = 15., 22.
	sum := 0.0
	for _, c := range clusters {
		for i := range c.Trials {
			for j := range c.Trials {
				outcome := func(i int) float64 {
					if i < c.Passes {
						return 1
					}
					return 0
				}
				sum += (outcome(i) - passes/trials) * (outcome(j) - passes/trials)
			}
		}
	}
	reach := 2.7764451051977996 * math.Sqrt(sum*5/4) / trials // scipy.stats.t.isf(.025, 4)
	got, err := ClusteredRate(clusters, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", got.Low, math.Max(0, passes/trials-reach), 1e-12)
	refdata.Close(t, "high", got.High, math.Min(1, passes/trials+reach), 1e-12)
}

// Without any spread between scenarios the interval is Wilson's for one trial each.
func TestClusteredRateWithoutSpread(t *testing.T) {
	for _, test := range []struct {
		clusters []Counts
		as       Counts
	}{
		{[]Counts{{4, 4}, {4, 4}, {3, 3}}, Counts{3, 3}},
		{[]Counts{{0, 4}, {0, 9}, {}}, Counts{0, 2}},
		{[]Counts{{2, 4}, {1, 2}, {3, 6}, {5, 10}}, Counts{2, 4}},
	} {
		want, err := Wilson(test.as, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		for _, rate := range []func([]Counts, float64) (Interval, error){ClusteredRate, ClusteredMeanRate} {
			got, err := rate(test.clusters, 0.05)
			if err != nil || math.Abs(got.Low-want.Low) > 1e-12 || math.Abs(got.High-want.High) > 1e-12 {
				t.Errorf("%v: got %v, want %v, error %v", test.clusters, got, want, err)
			}
		}
	}
}

func TestStratifiedRateByHand(t *testing.T) {
	// Two scenarios of ten trials: variance of the passes 9·1/9 + 1·9/9 = 2, so that
	// p(1-p)/(2/400) = 50 trials are as good as these 20.
	got, err := StratifiedRate([]Counts{{9, 10}, {1, 10}}, 0.05)
	want, err2 := Wilson(Counts{25, 50}, 0.05)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "low", got.Low, want.Low, 1e-13)
	refdata.Close(t, "high", got.High, want.High, 1e-13)

	// Single trials are one stratum: 3 of 4 has the variance 3·1/3 = 1, together with
	// 2 of 4 (4/3) that is 7/3 of 8 trials with rate 5/8.
	got, err = StratifiedRate([]Counts{{1, 1}, {1, 1}, {0, 1}, {1, 1}, {2, 4}}, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	n := math.Max(8, 5./8*3/8/(7./3/64))
	check := wilsonOf(5./8*n, 3./8*n, dist.NormalUpperQuantile(0.025))
	refdata.Close(t, "low", got.Low, check.Low, 1e-13)
	refdata.Close(t, "high", got.High, check.High, 1e-13)
}

func TestStratifiedRateWithoutVariance(t *testing.T) {
	for _, clusters := range [][]Counts{{{4, 4}, {0, 4}, {4, 4}}, {{5, 5}}, {{0, 3}, {0, 8}}, {{3, 4}}} {
		pooled := Counts{}
		for _, c := range clusters {
			pooled.Passes, pooled.Trials = pooled.Passes+c.Passes, pooled.Trials+c.Trials
		}
		want, err := Wilson(pooled, 0.05)
		got, err2 := StratifiedRate(clusters, 0.05)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Low-want.Low) > 1e-14 || math.Abs(got.High-want.High) > 1e-14 {
			t.Errorf("%v: got %v, want %v", clusters, got, want)
		}
	}
}

// Each interval answers its own question. Scenario rates are drawn from a
// distribution with mean 0.6; the fixed suite's interval covers the drawn suite's
// rate, the clustered one the mean of the distribution.
func TestClusterIntervalsCover(t *testing.T) {
	const repetitions, scenarios, trials = 2000, 40, 6
	random := rand.New(rand.NewPCG(5, 9))
	clusteredHits, stratifiedHits, wrongQuestion := 0, 0, 0
	for range repetitions {
		clusters := make([]Counts, scenarios)
		suiteRate := 0.0
		for i := range clusters {
			p := 0.2 + 0.8*random.Float64()
			suiteRate += p / scenarios
			for range trials {
				clusters[i].Trials++
				if random.Float64() < p {
					clusters[i].Passes++
				}
			}
		}
		clustered, err := ClusteredRate(clusters, 0.05)
		stratified, err2 := StratifiedRate(clusters, 0.05)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if clustered.Contains(0.6) {
			clusteredHits++
		}
		if stratified.Contains(suiteRate) {
			stratifiedHits++
		}
		if stratified.Contains(0.6) {
			wrongQuestion++
		}
	}
	slack := 4 * math.Sqrt(0.95*0.05/repetitions)
	for name, hits := range map[string]int{"clustered": clusteredHits, "stratified": stratifiedHits} {
		if share := float64(hits) / repetitions; math.Abs(share-0.95) > slack {
			t.Errorf("%s: %v of the intervals cover, want 0.95 ± %v", name, share, slack)
		}
	}
	if share := float64(wrongQuestion) / repetitions; share > 0.9 {
		t.Errorf("the fixed suite's interval covers the mean of new scenarios in %v", share)
	}
}

func TestClusterLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clusters := make([]Counts, rapid.IntRange(2, 12).Draw(t, "scenarios"))
		mirrored := make([]Counts, len(clusters))
		var pooled Counts
		for i := range clusters {
			c := drawCounts(t, fmt.Sprintf("scenario %d", i), 30)
			clusters[i], mirrored[len(clusters)-1-i] = c, Counts{c.Fails(), c.Trials}
			pooled.Passes, pooled.Trials = pooled.Passes+c.Passes, pooled.Trials+c.Trials
		}
		for name, rate := range map[string]func([]Counts, float64) (Interval, error){
			"clustered": ClusteredRate, "mean": ClusteredMeanRate, "stratified": StratifiedRate,
		} {
			got, err := rate(clusters, 0.05)
			if err != nil || !(got.Low >= 0 && got.High <= 1 && got.Low < got.High) {
				t.Fatalf("%s: %v, error %v", name, got, err)
			}
			if name != "mean" && !got.Contains(pooled.Rate()) {
				t.Fatalf("%s: %v does not contain %v", name, got, pooled.Rate())
			}
			other, err := rate(mirrored, 0.05)
			if err != nil || math.Abs(1-other.High-got.Low) > 1e-10 || math.Abs(1-other.Low-got.High) > 1e-10 {
				t.Fatalf("%s: failures for passes in another order give %v against %v, error %v", name, other, got, err)
			}
			if surer, _ := rate(clusters, 0.01); surer.Low > got.Low || surer.High < got.High {
				t.Fatalf("%s: %v at 99 %%, %v at 95 %%", name, surer, got)
			}
		}
		stratified, _ := StratifiedRate(clusters, 0.05)
		if wilson, _ := Wilson(pooled, 0.05); stratified.Width() > wilson.Width()+1e-12 {
			t.Fatalf("stratified %v is wider than %v", stratified, wilson)
		}
	})
}

func TestClusterRefuses(t *testing.T) {
	for _, test := range []struct {
		clusters []Counts
		alpha    float64
		argument string
	}{
		{nil, 0.05, "scenarios"},
		{[]Counts{{}, {}}, 0.05, "scenarios"},
		{[]Counts{{1, 2}, {3, 2}}, 0.05, "passes"},
		{[]Counts{{1, MaxTrials}, {1, MaxTrials}}, 0.05, "trials"},
		{[]Counts{{1, 2}, {1, 2}}, 0, "alpha"},
		{[]Counts{{1, 2}, {1, 2}}, math.NaN(), "alpha"},
	} {
		for _, rate := range []func([]Counts, float64) (Interval, error){ClusteredRate, ClusteredMeanRate, StratifiedRate} {
			_, err := rate(test.clusters, test.alpha)
			var argument *ArgumentError
			if !errors.As(err, &argument) || argument.Argument != test.argument {
				t.Errorf("%v, alpha %v: error %v, want one about %s", test.clusters, test.alpha, err, test.argument)
			}
		}
	}
	var argument *ArgumentError
	if _, err := ClusteredRate([]Counts{{1, 2}, {}}, 0.05); !errors.As(err, &argument) || argument.Argument != "scenarios" {
		t.Errorf("one scenario: error %v", err)
	}
}

func FuzzClusters(f *testing.F) {
	f.Add(4, 4, 2, 4, 0.05)
	f.Add(0, 1, 1<<29, 1<<29, 1e-300)
	f.Fuzz(func(t *testing.T, k1, n1, k2, n2 int, alpha float64) {
		for _, rate := range []func([]Counts, float64) (Interval, error){ClusteredRate, ClusteredMeanRate, StratifiedRate} {
			got, err := rate([]Counts{{k1, n1}, {k2, n2}}, alpha)
			if err == nil && !(got.Low >= 0 && got.Low <= got.High && got.High <= 1) {
				t.Fatalf("%v", got)
			}
		}
	})
}

func ExampleClusteredRate() {
	suite := []Counts{{4, 4}, {4, 4}, {1, 4}, {4, 4}, {0, 4}, {3, 4}, {4, 4}, {2, 4}, {4, 4}, {4, 4}}
	fixed, err := StratifiedRate(suite, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fresh, err := ClusteredRate(suite, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("this suite: %.2f to %.2f\nnew scenarios like these: %.2f to %.2f\n", fixed.Low, fixed.High, fresh.Low, fresh.High)
	// Output:
	// this suite: 0.65 to 0.83
	// new scenarios like these: 0.48 to 1.00
}
