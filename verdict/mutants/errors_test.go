package mutants_test

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// All shares together are at most 1, and none depends on what follows: adding a test takes nothing from those before.
func TestShare(t *testing.T) {
	sum, before := 0.0, 1.0
	for place := range 100_000 {
		share := mutants.Share(place)
		if share > before {
			t.Fatalf("the share at %d is %v, and %v before", place, share, before)
		}
		sum, before = sum+share, share
	}
	// Blocks of 1, 2, 4, ... tests have 1/2, 2/8, 4/32, ...: halves of halves.
	if sum > 1 || sum < 0.999 {
		t.Errorf("the shares come to %v", sum)
	}
	for place, want := range []float64{1. / 2, 1. / 8, 1. / 8, 1. / 32} {
		if got := mutants.Share(place); got != want {
			t.Errorf("the share at %d is %v, want %v", place, got, want)
		}
	}
}

// The chance that a campaign of 20 mutants which change nothing kills one, by enumeration: over all that the original
// comes to, which all mutants are compared with, and all ends of their tests.
func TestFalseKillsOfACampaign(t *testing.T) {
	const campaign, trials = 20, 240
	levels := mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.3, Family: true}
	tests := thorough.Draws(1, 50)
	sample, err := baseline.Fixed(trials)
	if err != nil {
		t.Fatal(err)
	}
	// By place of the test: log P(no mutant is killed by it) at each rate. Tests of equal alpha are equal.
	rates := []float64{0.80, 0.90, 0.95, 0.99}
	clean := map[float64][]float64{}
	alphas := func(alpha float64) []float64 {
		if known, ok := clean[alpha]; ok {
			return known
		}
		chain, err := baseline.NewChain(baseline.Question{Delta: levels.Delta, Alpha: alpha, Beta: levels.Beta}, sample,
			baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		logs := make([]float64, len(rates))
		for i, p := range rates {
			mass, none := 0.0, 0.0
			for failures := range trials + 1 {
				b := (dist.Binomial{N: trials, P: 1 - p}).Prob(failures)
				if b < 1e-9 {
					continue
				}
				mass += b
				o := baseline.Outcome{Trials: trials, Failures: failures}
				plan, err := chain.Against(t.Context(), o)
				if err != nil { // no test, and no kill
					none += b
					continue
				}
				boundaries, ok := plan.Family.Boundaries(o)
				if !ok {
					none += b
					continue
				}
				x, err := boundaries.Characteristics(p)
				if err != nil {
					t.Fatal(err)
				}
				none += b * math.Pow(1-x.Fail, campaign)
			}
			logs[i] = math.Log(none + 1 - mass)
		}
		clean[alpha] = logs
		return logs
	}
	sums := make([]float64, len(rates))
	for place := range tests {
		for i, l := range alphas(levels.OfTest(place, campaign)) {
			sums[i] += l
		}
		if n := place + 1; n == 1 || n == 3 || n == 7 || n == 20 || n == 50 {
			for i, p := range rates {
				killed := -math.Expm1(sums[i])
				t.Logf("%d tests at %v: a false kill in %.4f of campaigns", n, p, killed)
				if killed > levels.Alpha {
					t.Errorf("%d tests at %v: a false kill in %v of campaigns", n, p, killed)
				}
			}
		}
	}
}

// What a campaign takes: 20 mutants at a drop of 0.3, three fifths of them broken, a fifth with exactly that drop and a
// fifth without any, against 215 trials; a test of a fixed number of trials with the same errors takes 600.
func TestTrialsOfACampaign(t *testing.T) {
	levels := mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.3, Family: true}
	sample, err := baseline.Fixed(240)
	if err != nil {
		t.Fatal(err)
	}
	question := baseline.Question{Delta: levels.Delta, Alpha: levels.OfTest(0, 20), Beta: levels.Beta}
	plan, err := baseline.Against(t.Context(), question, sample, baseline.Outcome{Trials: 240, Failures: 12},
		baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(candidate float64) float64 { return plan.Family.At(0.95, candidate).ExpectedTrials }
	trials := 12*at(0.2) + 4*at(0.65) + 4*at(0.95)
	t.Logf("expected: broken %.1f, dropped %.1f, unchanged %.1f; 20 mutants %.0f", at(0.2), at(0.65), at(0.95), trials)
	if trials > 215 {
		t.Errorf("20 mutants take %v trials", trials)
	}
}

// At the default errors of each mutant a campaign of the same mix takes at most a tenth of 50 trials a mutant, with one
// test.
func TestTrialsOfAMutant(t *testing.T) {
	levels := mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.3}
	sample, err := baseline.Fixed(240)
	if err != nil {
		t.Fatal(err)
	}
	question := baseline.Question{Delta: levels.Delta, Alpha: levels.OfTest(0, 1), Beta: levels.Beta}
	plan, err := baseline.Against(t.Context(), question, sample, baseline.Outcome{Trials: 240, Failures: 12},
		baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := func(candidate float64) float64 { return plan.Family.At(0.95, candidate).ExpectedTrials }
	trials := 0.6*at(0.2) + 0.2*at(0.65) + 0.2*at(0.95)
	t.Logf("expected: broken %.2f, dropped %.2f, unchanged %.2f; of the mix %.2f", at(0.2), at(0.65), at(0.95), trials)
	if trials > mutants.DefaultFixed/10 {
		t.Errorf("a mutant of the mix takes %v trials", trials)
	}
}
