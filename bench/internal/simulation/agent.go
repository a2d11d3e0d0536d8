package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// Agent is a simulated system with a known pass rate and known behaviour. What a trial
// does depends on its outcome in its duration alone.
type Agent struct {
	Name       string  // for messages
	PassRate   float64 // mean over scenarios, of the first trial
	ScenarioSD float64 // the scenarios' rates are Beta with mean PassRate and this standard deviation
	Drift      float64 // change of the pass rate over 100 trials
	ErrorRate  float64 // share of trials that end in an infrastructure error
	Slowness   float64 // how much longer failures take than passes; 0 is 1

	Tokens  Spread    // output tokens of a trial
	Seconds Spread    // duration of a trial that passes
	CostUSD float64   // mean cost of a trial, proportional to its tokens
	Tools   []ToolUse // called in any order
}

// Spread is a mean and a standard deviation, of a lognormal distribution.
type Spread struct {
	Mean float64 // positive, or 0: every number is 0
	SD   float64 // 0: every number is the mean
}

// ToolUse is how often a trial calls a tool: a Poisson number of times.
type ToolUse struct {
	Name  string  // of the tool
	Calls float64 // mean
}

// Validate returns an error unless the rates are probabilities, and the other numbers
// finite and not negative. A drift may be negative.
func (a Agent) Validate() error {
	for _, f := range []struct {
		name  string
		value float64
	}{{"pass rate", a.PassRate}, {"error rate", a.ErrorRate}} {
		if !(f.value >= 0 && f.value <= 1) {
			return fmt.Errorf("agent %q: %s %v must lie between 0 and 1", a.Name, f.name, f.value)
		}
	}
	if most := math.Sqrt(a.PassRate * (1 - a.PassRate)); !(a.ScenarioSD >= 0 && a.ScenarioSD <= most) {
		return fmt.Errorf("agent %q: standard deviation %v of the scenarios must lie between 0 and %.4g, "+
			"that of rates of 0 and 1", a.Name, a.ScenarioSD, most)
	}
	if math.IsNaN(a.Drift) || math.IsInf(a.Drift, 0) {
		return fmt.Errorf("agent %q: drift %v must be finite", a.Name, a.Drift)
	}
	amounts := []float64{a.Slowness, a.Tokens.Mean, a.Tokens.SD, a.Seconds.Mean, a.Seconds.SD, a.CostUSD}
	for _, use := range a.Tools {
		amounts = append(amounts, use.Calls)
	}
	for _, x := range amounts {
		if !(x >= 0 && x <= math.MaxInt32) {
			return fmt.Errorf("agent %q: %v must be finite and not negative", a.Name, x)
		}
	}
	return nil
}

// Rate returns the pass rate of a trial, that is not an error, of a scenario. It is
// drawn once for a scenario of that number, so that two agents meet equally hard
// scenarios; other numbers are other scenarios. The drift is clamped to [0,1].
func (a Agent) Rate(scenario, number int) float64 {
	rate := a.PassRate
	if a.ScenarioSD > 0 {
		rate = Beta(seeded.Stream(scenarioSeed, uint64(scenario)), a.PassRate, a.ScenarioSD)
	}
	return min(max(rate+a.Drift*float64(number)/100, 0), 1)
}

// scenarioSeed seeds the rates of the scenarios.
//
// It is "scenario" in ASCII, and no part of the options: two agents meet the same scenarios.
const scenarioSeed = 0x7363656e6172696f

// Trial returns a trial of a scenario. Numbers of scenarios and trials begin at 0.
func (a Agent) Trial(random *rand.Rand, scenario, number int) *trial.Trial {
	t := &trial.Trial{
		Scenario: fmt.Sprintf("s%d", scenario),
		Index:    trial.Some(number),
		Outcome:  trial.Fail,
		Steps:    a.steps(random),
	}
	// All is drawn whatever the outcome will be, so that agents that differ in a rate alone draw the
	// same numbers otherwise.
	tokens, seconds := a.Tokens.Draw(random), a.Seconds.Draw(random)
	passed, broke := random.Float64() < a.Rate(scenario, number), random.Float64() < a.ErrorRate
	switch {
	// A trial that breaks ends before its answer.
	case broke:
		t.Outcome = trial.Error
		t.Error = &trial.Cause{Origin: trial.InfrastructureOrigin, Type: "timeout",
			Message: "the provider did not answer"}
		t.Steps = t.Steps[:len(t.Steps)-1]
	case passed:
		t.Outcome = trial.Pass
	case a.Slowness > 0:
		seconds *= a.Slowness
	}
	cost := a.CostUSD
	if a.Tokens.Mean > 0 {
		cost *= tokens / a.Tokens.Mean
	}
	t.OutputTokens = trial.Some(int64(math.Round(tokens)))
	t.CostUSD, t.DurationSeconds = trial.Some(cost), trial.Some(seconds)
	return t
}

// steps are a thought, the calls in any order, and the answer.
func (a Agent) steps(random *rand.Rand) []trial.Step {
	steps := []trial.Step{{Action: trial.Reason}}
	for _, use := range a.Tools {
		for range Poisson(random, use.Calls) {
			steps = append(steps, trial.Step{Action: trial.CallTool, Tool: use.Name})
		}
	}
	calls := steps[1:]
	random.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	return append(steps, trial.Step{Action: trial.Respond})
}

// Draw draws a number. With a standard deviation of 0 it is the mean.
func (s Spread) Draw(random *rand.Rand) float64 {
	// Drawn also where it is not used, for the same reason.
	z := random.NormFloat64()
	if !(s.Mean > 0) {
		return 0
	}
	// The variance of the logarithm that gives the wanted mean and standard deviation.
	variance := math.Log1p(s.SD * s.SD / (s.Mean * s.Mean))
	return s.Mean * math.Exp(math.Sqrt(variance)*z-variance/2)
}

// Poisson draws a Poisson number by counting arrivals (Knuth 1969), in parts that are
// far from underflow.
func Poisson(random *rand.Rand, mean float64) (count int) {
	const part = 30
	for ; mean > part; mean -= part {
		count += Poisson(random, part)
	}
	for product, limit := random.Float64(), math.Exp(-mean); product > limit; product *= random.Float64() {
		count++
	}
	return count
}

// Beta draws from the Beta distribution with a mean and a standard deviation: 0 or 1,
// where the standard deviation is the largest that there is.
func Beta(random *rand.Rand, mean, sd float64) float64 {
	size := mean*(1-mean)/(sd*sd) - 1 // the sum of the two parameters
	if !(size > 1e-9) {
		if random.Float64() < mean {
			return 1
		}
		return 0
	}
	return 1 / (1 + math.Exp(logGamma(random, (1-mean)*size)-logGamma(random, mean*size)))
}

// logGamma draws the logarithm of a Gamma number of scale 1 (Marsaglia and Tsang 2000,
// ACM Transactions on Mathematical Software 26:363); in logarithms, since shapes near 0
// give numbers below the least float64.
func logGamma(random *rand.Rand, shape float64) float64 {
	// Marsaglia and Tsang's method needs a shape of 1 or more; below, a Gamma of shape+1 is multiplied
	// by U^(1/shape), whose logarithm is minus an exponential number over the shape.
	if shape < 1 {
		return logGamma(random, shape+1) - random.ExpFloat64()/shape
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := random.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if random.ExpFloat64() > -x*x/2-d+d*v-d*math.Log(v) {
			return math.Log(d) + math.Log(v)
		}
	}
}
