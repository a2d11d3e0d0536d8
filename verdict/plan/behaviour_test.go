package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// recordedTokens are 50 trials of each of two scenarios, nine of ten of which pass, whose output tokens alone vary:
// their logarithms are normal.
func recordedTokens(t *testing.T) (*fingerprint.Sample, [2][]float64) {
	t.Helper()
	var s fingerprint.Sample
	var logs [2][]float64
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		tokens := int64(1000 * math.Exp(0.3*r.NormFloat64()+float64(i%2)))
		logs[i%2] = append(logs[i%2], math.Log1p(float64(tokens)))
		outcome := trial.Pass
		if i%10 == 0 {
			outcome = trial.Fail
		}
		s.Add(&trial.Trial{Scenario: []string{"a", "b"}[i%2], Outcome: outcome, OutputTokens: trial.Some(tokens)})
	}
	return &s, logs
}

// With one column Hotelling's test is Student's. R 4.3 has power.t.test(delta = 1, sd = 1, power = .9) at n = 22.02110
// of each side, delta = .5 at 85.03128. By hand, with z_.05 + z_.1 = 1.644854 + 1.281552, whose square is 8.563847:
// Equation 30 gives 2·8.563847/Δ² + 1, Equation 6 at a rate of .9 gives 8.563847·(.09+.16)/.01 = 214.1, and Equation
// 31, with h = 2 asin √.9 - 2 asin √.8 = .283794, gives 215·2/(1 + Δ²/h² - 1). Algorithm 4 is 105·(1 + √.02) = 119.8,
// as Equation 39 asks for fewer.
func TestFormulasOfBehaviour(t *testing.T) {
	recorded, logs := recordedTokens(t)
	variance := 0.0
	for _, scenario := range logs {
		mean := 0.0
		for _, x := range scenario {
			mean += x / float64(len(scenario))
		}
		for _, x := range scenario {
			variance += (x - mean) * (x - mean) / 98
		}
	}
	for distance, want := range map[float64]map[string]int{
		1: {"noncentral F": 23, "Equation 30": 19, "Equation 31": 35, "Equation 39": int(math.Ceil(8.563847*variance + 1)),
			"Algorithm 4": 120},
		.5: {"noncentral F": 86, "Equation 30": 70, "Equation 31": 139,
			"Equation 39": int(math.Ceil(4*8.563847*variance + 1)),
			"Algorithm 4": 120},
	} {
		b, err := TestOfBehaviour(t.Context(), recorded, BehaviourOptions{Distance: distance, Simulations: 100,
			Permutations: 99})
		if err != nil {
			t.Fatal(err)
		}
		have := map[string]int{}
		for _, f := range b.Formulas {
			have[f.Name] = f.Trials
			if f.Name == "noncentral F" && (*f.NormalPower < .9 || *f.NormalPower > .915) {
				t.Errorf("%d trials have power %v", f.Trials, *f.NormalPower)
			}
			// The test is nearly Student's, and has nearly its power.
			if f.NormalPower != nil && math.Abs(*f.NormalPower-*f.Power) > .15 {
				t.Errorf("distance %v, %s: simulated %v, %v if normal", distance, f.Name, *f.Power, *f.NormalPower)
			}
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("distance %v: %s", distance, diff)
		}
		if b.Columns != 1 || b.EffectiveDimension != 1 || b.Participation != 1 || math.Abs(b.Variance-variance) > 1e-9 {
			t.Errorf("%d columns, d_eff %d, participation %v, variance %v", b.Columns, b.EffectiveDimension, b.Participation,
				b.Variance)
		}
		// 98/χ² by mpmath, of 98 degrees of freedom.
		if lower, upper := b.VarianceInterval[0]/variance, b.VarianceInterval[1]/variance; math.Abs(
			lower-0.769943466347) > 1e-9 || math.Abs(upper-1.35170662172) > 1e-9 {
			t.Errorf("the variance is from %v to %v of its estimate", lower, upper)
		}
		if b.Power < .9 || b.Trials < 15 || b.PerScenario != (b.Trials+1)/2 || b.Cost != nil {
			t.Errorf("%+v", b)
		}
	}
}

// Two scenarios of 10 and 30 cents, 5 trials of each recorded: 8 a side take 3 more of the baseline's and 8 of the
// candidate's, 11 · 40 cents. $2.05 pays for 5 of each, $2.80 for 6, of which the baseline lacks one.
func TestCostOfBehaviour(t *testing.T) {
	prices := []scenarioPrice{{usd: .1, recorded: 5}, {usd: .3, recorded: 5}}
	if baseline, candidate, usd := price(prices, 8); baseline != 6 || candidate != 16 || math.Abs(usd-4.4) > 1e-12 {
		t.Errorf("%d and %d for %v", baseline, candidate, usd)
	}
	for usd, want := range map[float64]int{.39: 0, .41: 1, 2.05: 5, 2.79: 5, 2.81: 6, 3.61: 7} {
		if a := affordable(prices, usd); a.PerScenario != want || a.Trials != 2*want || a.USD > usd {
			t.Errorf("$%v pays for %+v, not %d", usd, a, want)
		}
	}
	counts := (&fingerprint.Counts{
		Scenarios: []string{"a", "b", "c"}, Scenario: trial.Series{trial.Some(0.), trial.Some(0.), trial.Some(1.),
			trial.Some(2.)},
		CostUSD: trial.Series{trial.Some(1.), trial.Some(2.), trial.Some(6.), {}},
	})
	have, known := pricesOf(counts, nil)
	want := []scenarioPrice{{1.5, 2}, {6, 1}, {3, 1}} // nobody knows the third's: the mean of all
	if diff := cmp.Diff(want, have, cmp.AllowUnexported(scenarioPrice{})); diff != "" || known != 3 {
		t.Errorf("%d: %s", known, diff)
	}
	if have, _ := pricesOf(counts, new(.5)); have[1].usd != .5 {
		t.Errorf("%+v", have)
	}
}

func TestRefusedPlansOfBehaviour(t *testing.T) {
	recorded, _ := recordedTokens(t)
	one := []ColumnShift{{"output_tokens", 1}}
	for name, o := range map[string]BehaviourOptions{
		"nothing": {}, "both": {Shift: one, Distance: 1}, "twice": {Shift: append(one, one...)},
		"alpha": {Distance: 1, Alpha: 2}, "beta": {Distance: 1, Beta: math.NaN()}, "delta": {Distance: 1, Delta: -1},
		"price":   {Distance: 1, PriceUSD: new(math.Inf(1))},
		"budget":  {Distance: 1, MaxCostUSD: new(0.)},
		"no cost": {Distance: 1, MaxCostUSD: new(1.), Simulations: 1, Permutations: 19},
		"work":    {Distance: 1, Simulations: 401}, "permutations": {Distance: 1, Permutations: 300},
	} {
		if b, err := TestOfBehaviour(t.Context(), recorded, o); !is[*verdict.OptionError](err) {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
	}
}
