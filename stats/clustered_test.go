package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// With one trial each, and with scenarios that always pass or always fail, scenarios are trials.
func TestClusteredRateOfSingleTrials(t *testing.T) {
	for _, test := range []struct {
		clusters []Counts
		as       Counts
	}{
		{[]Counts{{4, 4}, {4, 4}, {3, 3}}, Counts{3, 3}},
		{[]Counts{{0, 4}, {0, 9}, {}}, Counts{0, 2}},
		{[]Counts{{1, 1}, {0, 1}, {1, 1}, {1, 1}, {9, 9}}, Counts{4, 5}},
	} {
		want, err := ClopperPearson(test.as, 0.05)
		got, err2 := ClusteredRate(test.clusters, 0.05)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "low", got.Low+1, want.Low+1, 1e-12)
		refdata.Close(t, "high", got.High, want.High, 1e-12)
	}
}

// The number of trials of a scenario does not count, but its rate.
func TestClusteredRateOfRates(t *testing.T) {
	got, err := ClusteredRate([]Counts{{2, 4}, {1, 1}, {3, 4}}, 0.1)
	want, err2 := BoundedMean([]float64{0.5, 1, 0.75}, 0, 1, 0.1)
	if err := errors.Join(err, err2); err != nil || got != want {
		t.Fatalf("got %v, want %v, error %v", got, want, err)
	}
}

// However unlike the rates of the scenarios are, by enumeration.
func TestSuiteRateCovers(t *testing.T) {
	const n, alpha = 3, 0.05
	for _, rates := range [][]float64{
		{.99, .99, .99, .99, .99}, {1, .8}, {1, 1, .8, .8}, {.9, .5, .3}, {.8, .5, .05}, {1, 1, 1, 1, .6},
	} {
		mean := 0.0
		for _, p := range rates {
			mean += p / float64(len(rates))
		}
		missed := 0.0
		var enumerate func(suite []Counts, probability float64)
		enumerate = func(suite []Counts, probability float64) {
			if len(suite) == len(rates) {
				interval, err := SuiteRate(suite, alpha)
				if err != nil {
					t.Fatal(err)
				}
				if !interval.Contains(mean) {
					missed += probability
				}
				return
			}
			p := rates[len(suite)]
			mass := []float64{(1 - p) * (1 - p) * (1 - p), 3 * p * (1 - p) * (1 - p), 3 * p * p * (1 - p), p * p * p}
			for k := range n + 1 {
				enumerate(append(suite[:len(suite):len(suite)], Counts{k, n}), probability*mass[k])
			}
		}
		enumerate(nil, 1)
		if missed > alpha {
			t.Errorf("rates %v: misses %v", rates, missed)
		}
	}
}

// Each interval answers its own question. Scenario rates are drawn from a
// distribution with mean 0.6; the fixed suite's interval covers the drawn suite's
// rate, the clustered one the mean of the distribution.
func TestClusterIntervalsCover(t *testing.T) {
	const scenarios, trials = 40, 6
	repetitions := thorough.Draws(500, 2000)
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
		stratified, err2 := SuiteRate(clusters, 0.05)
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
	slack := 4 * math.Sqrt(0.95*0.05/float64(repetitions))
	for name, hits := range map[string]int{"clustered": clusteredHits, "suite": stratifiedHits} {
		if share := float64(hits) / float64(repetitions); share < 0.95-slack {
			t.Errorf("%s: %v of the intervals cover, want 0.95", name, share)
		}
	}
	if share := float64(wrongQuestion) / float64(repetitions); share > 0.95 {
		t.Errorf("the fixed suite's interval covers the mean of new scenarios in %v", share)
	}
}

func TestClusterLaws(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		clusters := make([]Counts, rapid.IntRange(2, 12).Draw(t, "scenarios"))
		mirrored := make([]Counts, len(clusters))
		var pooled Counts
		for i := range clusters {
			c := drawCounts(t, fmt.Sprintf("scenario %d", i), 30)
			clusters[i], mirrored[len(clusters)-1-i] = c, Counts{c.Fails(), c.Trials}
			pooled.Passes, pooled.Trials = pooled.Passes+c.Passes, pooled.Trials+c.Trials
		}
		for name, rate := range map[string]func([]Counts, float64) (Interval, error){
			"clustered": ClusteredRate, "suite": SuiteRate,
		} {
			got, err := rate(clusters, 0.05)
			if err != nil || !(got.Low >= 0 && got.High <= 1 && got.Low < got.High) {
				t.Fatalf("%s: %v, error %v", name, got, err)
			}
			if name == "suite" && !got.Contains(pooled.Rate()) {
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
		for _, rate := range []func([]Counts, float64) (Interval, error){ClusteredRate, SuiteRate} {
			_, err := rate(test.clusters, test.alpha)
			var argument *ArgumentError
			if !errors.As(err, &argument) || argument.Argument != test.argument {
				t.Errorf("%v, alpha %v: error %v, want one about %s", test.clusters, test.alpha, err, test.argument)
			}
		}
	}
	var argument *ArgumentError
	if _, err := ClusteredRate([]Counts{{1, 2}, {}}, 0.05); !errors.As(err, &argument) ||
		argument.Argument != "scenarios" {
		t.Errorf("one scenario: error %v", err)
	}
}

func FuzzClusters(f *testing.F) {
	f.Add(4, 4, 2, 4, 0.05)
	f.Add(0, 1, 1<<29, 1<<29, 1e-300)
	f.Fuzz(func(t *testing.T, k1, n1, k2, n2 int, alpha float64) {
		for _, rate := range []func([]Counts, float64) (Interval, error){ClusteredRate, SuiteRate} {
			got, err := rate([]Counts{{k1, n1}, {k2, n2}}, alpha)
			if err == nil && !(got.Low >= 0 && got.Low <= got.High && got.High <= 1) {
				t.Fatalf("%v", got)
			}
		}
	})
}

func ExampleClusteredRate() {
	suite := []Counts{{4, 4}, {4, 4}, {1, 4}, {4, 4}, {0, 4}, {3, 4}, {4, 4}, {2, 4}, {4, 4}, {4, 4}}
	fixed, err := SuiteRate(suite, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fresh, err := ClusteredRate(suite, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("this suite: %.2f to %.2f\nnew scenarios like these: %.2f to %.2f\n", fixed.Low, fixed.High, fresh.Low,
		fresh.High)
	// Output:
	// this suite: 0.59 to 0.87
	// new scenarios like these: 0.43 to 0.93
}
