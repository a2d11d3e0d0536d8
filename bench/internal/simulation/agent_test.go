package simulation

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// moments returns the mean and the standard deviation.
func moments(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, math.Sqrt(sd)
}

// checkSpread compares draws of a lognormal distribution with it. The variance of a
// sample's variance is that of the fourth moment of the distribution.
func checkSpread(t *testing.T, name string, x []float64, s Spread) {
	t.Helper()
	n := float64(len(x))
	mean, sd := moments(x)
	if math.Abs(mean-s.Mean) > 4*s.SD/math.Sqrt(n)+1e-9 {
		t.Errorf("%s: mean %v, not %v", name, mean, s.Mean)
	}
	if s.Mean == 0 || s.SD == 0 {
		return
	}
	w := 1 + s.SD*s.SD/(s.Mean*s.Mean)
	kurtosis := w*w*w*w + 2*w*w*w + 3*w*w - 3
	if relative := math.Sqrt((kurtosis - 1) / n); math.Abs(sd*sd/(s.SD*s.SD)-1) > 4*relative {
		t.Errorf("%s: standard deviation %v, not %v (relative error of the variance %v)", name, sd, s.SD, relative)
	}
}

func TestAgentsDrawWhatTheyPromise(t *testing.T) {
	const trials = 20_000
	for i, agent := range append(Models(), Domains()...) {
		if err := agent.Validate(); err != nil {
			t.Error(err)
		}
		agent.PassRate, agent.ErrorRate = 0.8, 0.1
		random := seeded.Stream(1, uint64(i))
		var tokens, seconds, cost []float64
		calls, outcomes := map[string]int{}, map[trial.Outcome]float64{}
		for n := range trials {
			one := agent.Trial(random, 0, n)
			if err := one.Validate(); err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, float64(one.OutputTokens.Value))
			seconds = append(seconds, one.DurationSeconds.Value)
			cost = append(cost, one.CostUSD.Value)
			outcomes[one.Outcome]++
			for _, step := range one.Steps {
				calls[step.Tool]++
			}
			if one.Steps[0].Action != trial.Reason ||
				(one.Steps[len(one.Steps)-1].Action == trial.Respond) == (one.Outcome == trial.Error) {
				t.Fatalf("%+v", one)
			}
		}
		checkSpread(t, agent.Name+" tokens", tokens, agent.Tokens)
		checkSpread(t, agent.Name+" seconds", seconds, agent.Seconds)
		checkSpread(t, agent.Name+" cost", cost,
			Spread{agent.CostUSD, agent.CostUSD * agent.Tokens.SD / agent.Tokens.Mean})
		for _, use := range agent.Tools {
			if mean := float64(calls[use.Name]) / trials; math.Abs(mean-use.Calls) > 4*math.Sqrt(use.Calls/trials) {
				t.Errorf("%s: %v calls of %s", agent.Name, mean, use.Name)
			}
		}
		for outcome, p := range map[trial.Outcome]float64{trial.Error: 0.1, trial.Pass: 0.72, trial.Fail: 0.18} {
			if got := outcomes[outcome] / trials; math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/trials) {
				t.Errorf("%s: %v in %v of the trials", agent.Name, outcome, got)
			}
		}
	}
}

func TestModelsAreThoseOfTheTable(t *testing.T) {
	type row struct {
		name                          string
		tokens, sd, cost, seconds, ss float64
	}
	want := []row{
		{"GPT-5.2", 112, 23, .0009, 2.295, .465}, {"Sonnet 4.6", 142, 31, .0018, 2.920, 3.820},
		{"Mistral-Large-3", 561, 346, .0033, 4.422, 3.034}, {"Llama-4-Maverick", 106, 20, 0, .613, .180}, {"Phi-4",
			116, 64, 0, 12.874, 11.877},
	}
	for i, a := range Models() {
		if got := (row{a.Name, a.Tokens.Mean, a.Tokens.SD, a.CostUSD, a.Seconds.Mean, a.Seconds.SD}); got != want[i] {
			t.Errorf("%+v", got)
		}
	}
	total := 0.0
	for _, a := range Domains() {
		total += 100 * a.CostUSD
	}
	if math.Abs(total-(.170+.372+.174)) > 1e-12 {
		t.Errorf("100 trials of each kind cost %v", total)
	}
}

// The rates of the scenarios have the Beta distribution's first four moments.
func TestScenariosAreBeta(t *testing.T) {
	const scenarios = 40_000
	for _, a := range []Agent{{PassRate: .9, ScenarioSD: .05}, {PassRate: .8, ScenarioSD: .3},
		{PassRate: .5, ScenarioSD: .01}, {PassRate: .7, ScenarioSD: math.Sqrt(.21)}} {
		rates, squares := make([]float64, scenarios), make([]float64, scenarios)
		for i := range rates {
			rates[i] = a.Rate(i, 0)
			squares[i] = (rates[i] - a.PassRate) * (rates[i] - a.PassRate)
		}
		mean, _ := moments(rates)
		variance, spread := moments(squares)
		if math.Abs(mean-a.PassRate) > 4*a.ScenarioSD/math.Sqrt(scenarios) {
			t.Errorf("%+v: mean %v", a, mean)
		}
		if want := a.ScenarioSD * a.ScenarioSD; math.Abs(variance-want) > 4*spread/math.Sqrt(scenarios)+1e-12 {
			t.Errorf("%+v: variance %v, not %v", a, variance, want)
		}
		// Skewness 2(b-a)√(a+b+1)/((a+b+2)√(ab)) (Johnson, Kotz and Balakrishnan 1995, chapter 25).
		size := a.PassRate*(1-a.PassRate)/(a.ScenarioSD*a.ScenarioSD) - 1
		if size < 1e-6 {
			continue
		}
		first, second := a.PassRate*size, (1-a.PassRate)*size
		skewness := 2 * (second - first) * math.Sqrt(size+1) / ((size + 2) * math.Sqrt(first*second))
		cubes := make([]float64, scenarios)
		for i, r := range rates {
			cubes[i] = math.Pow((r-a.PassRate)/a.ScenarioSD, 3)
		}
		got, sd := moments(cubes)
		if math.Abs(got-skewness) > 4*sd/math.Sqrt(scenarios) {
			t.Errorf("%+v: skewness %v, not %v", a, got, skewness)
		}
	}
}

func TestAgentRate(t *testing.T) {
	drifting := Agent{PassRate: .9, Drift: -.2}
	got := []float64{
		drifting.Rate(3, 0), drifting.Rate(3, 50), drifting.Rate(3, 10_000), (Agent{PassRate: .9, Drift: 1}).Rate(0,
			20),
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	if !slices.EqualFunc(got, []float64{.9, .8, 0, 1}, near) {
		t.Error(got)
	}
	some := Agent{PassRate: .9, ScenarioSD: .1}
	if some.Rate(1, 0) != some.Rate(1, 99) || some.Rate(1, 0) == some.Rate(2, 0) {
		t.Error("a scenario has one rate, and others have others")
	}
}

func TestTrialsRepeat(t *testing.T) {
	draw := func(seed uint64) (list []*trial.Trial) {
		a := Domains()[1]
		a.PassRate, a.ErrorRate, a.ScenarioSD = .8, .1, .1
		random := seeded.Stream(seed, 0)
		for n := range 50 {
			list = append(list, a.Trial(random, n%5, n/5))
		}
		return list
	}
	if diff := cmp.Diff(draw(1), draw(1)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(draw(1), draw(2)) {
		t.Error("another seed gives the same trials")
	}
}

// Failures take longer, and by nothing else differ from passes.
func TestSlowness(t *testing.T) {
	a := Agent{PassRate: 0, Slowness: 5, Seconds: Spread{Mean: 2}}
	one := a.Trial(seeded.Stream(1, 1), 0, 0)
	if one.DurationSeconds.Value != 10 || one.OutputTokens.Value != 0 || one.CostUSD.Value != 0 {
		t.Errorf("%+v", one)
	}
	a.Slowness = 0
	if one := a.Trial(seeded.Stream(1, 1), 0, 0); one.DurationSeconds.Value != 2 {
		t.Errorf("%+v", one)
	}
}

func TestPoisson(t *testing.T) {
	for _, mean := range []float64{0, .5, 29, 100} {
		const runs = 20_000
		random := seeded.Stream(4, 4)
		var counts []float64
		for range runs {
			counts = append(counts, float64(Poisson(random, mean)))
		}
		got, sd := moments(counts)
		if math.Abs(got-mean) > 4*math.Sqrt(mean/runs) || math.Abs(sd*sd-mean) > 4*math.Sqrt((mean+2*mean*mean)/runs) {
			t.Errorf("mean %v: %v, variance %v", mean, got, sd*sd)
		}
	}
}

func TestAgentsAreChecked(t *testing.T) {
	for _, a := range []Agent{
		{PassRate: 1.1}, {PassRate: math.NaN()}, {ErrorRate: -1}, {PassRate: .9, ScenarioSD: .31}, {PassRate: 1,
			ScenarioSD: .01},
		{Drift: math.Inf(1)}, {Slowness: -1}, {Tokens: Spread{Mean: math.NaN()}}, {CostUSD: math.Inf(1)},
		{Tools: []ToolUse{{"a", -1}}},
	} {
		if a.Validate() == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
}
