package detection

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/trial"
)

// Agent is a simulated system that does not change: every trial of a
// scenario is drawn from one distribution.
type Agent struct {
	Name      string // for messages and tables
	Scenarios int    // tried in turn; 0 is 1
	// Draw draws a trial of a scenario, by its number from 0, that has no name yet.
	Draw func(random *rand.Rand, scenario int) *trial.Trial
}

// Agents returns systems that are hard on a test of their vectors: columns
// that are constant, nearly always 0, without a finite variance, functions of each
// other, more than there are trials, unknown here and there, or different from one
// scenario to the next.
func Agents() []Agent {
	return []Agent{
		{"constant columns", 1, constantColumns},
		{"rare errors", 1, rareErrors},
		{"heavy tails", 1, heavyTails},
		{"correlated columns", 1, correlatedColumns},
		{"more columns than traces", 1, manyTools},
		{"unknown values", 1, unknownValues},
		{"five scenarios", 5, scenarioMeans},
	}
}

// answer returns a trial that spent so many tokens and dollars.
//
// It always passed: these agents are about behaviour alone.
func answer(steps []trial.Step, tokens, dollars float64) *trial.Trial {
	return &trial.Trial{
		Outcome: trial.Pass, Steps: steps,
		OutputTokens: trial.Some(int64(tokens)), CostUSD: trial.Some(dollars),
	}
}

// call is a step that calls a tool and does not fail.
func call(tool string) trial.Step { return trial.Step{Action: trial.CallTool, Tool: tool} }

// constantColumns always does the same; the length of the answer varies, and with it
// what it costs.
func constantColumns(random *rand.Rand, _ int) *trial.Trial {
	// lognormal, with a median of about 400
	tokens := math.Exp(6 + 0.4*random.NormFloat64())
	steps := []trial.Step{{Action: trial.Reason}, call("search"), call("book"), {Action: trial.Respond}}
	return answer(steps, tokens, 1e-5*tokens+0.002*random.Float64())
}

// rareErrors fails in one call of a hundred, and mostly tries again.
func rareErrors(random *rand.Rand, _ int) *trial.Trial {
	tools := [...]string{"search", "read", "book"}
	var steps []trial.Step
	for range 3 + random.IntN(5) {
		step := call(tools[random.IntN(len(tools))])
		if random.Float64() < 0.01 {
			step.Error = "timeout"
			steps = append(steps, step)
			if random.Float64() < 0.3 {
				continue
			}
			step.Error = ""
		}
		steps = append(steps, step)
	}
	n := float64(len(steps))
	return answer(append(steps, trial.Step{Action: trial.Respond}), 200+60*n+40*random.NormFloat64(),
		0.002*n*(1+0.2*random.Float64()))
}

// heavyTails has tokens and costs without a mean, and now and then a very long trial.
func heavyTails(random *rand.Rand, _ int) *trial.Trial {
	// An exponent of 1 or less has no mean, one of 1.1 no variance. Bounds keep trials finite.
	pareto := func(exponent float64) float64 { return math.Pow(1-random.Float64(), -1/exponent) }
	var steps []trial.Step
	for range int(min(2*pareto(1.1), 400)) {
		step := call("search")
		step.Depth = trial.Some(int(min(pareto(1), 1000)))
		steps = append(steps, step)
		if random.Float64() < 0.3 {
			steps = append(steps, trial.Step{Action: trial.Reason})
		}
	}
	return answer(steps, min(100*pareto(0.7), 1e12), min(0.001*pareto(0.7), 1e9))
}

// correlatedColumns has one cause behind nearly everything: how hard the task was.
func correlatedColumns(random *rand.Rand, _ int) *trial.Trial {
	hardness := math.Exp(0.6 * random.NormFloat64())
	var steps []trial.Step
	for i := range 2 + int(5*hardness) {
		step := call("search")
		if i%3 == 2 {
			step = call("read")
		}
		step.Depth = trial.Some(i / 4)
		steps = append(steps, trial.Step{Action: trial.Reason}, step)
	}
	n := float64(len(steps))
	return answer(append(steps, trial.Step{Action: trial.Respond}), 80*n*(1+0.05*random.NormFloat64()),
		0.001*n*(1+0.05*random.NormFloat64()))
}

// manyTools chooses among forty tools.
func manyTools(random *rand.Rand, _ int) *trial.Trial {
	var steps []trial.Step
	for range 20 + random.IntN(30) {
		steps = append(steps, call(fmt.Sprintf("tool%02d", random.IntN(40))))
	}
	return answer(steps, 500*random.ExpFloat64(), 0.01*random.ExpFloat64())
}

// unknownValues does not record everything in every trial.
func unknownValues(random *rand.Rand, _ int) *trial.Trial {
	t := correlatedColumns(random, 0)
	t.CostUSD.Known = random.Float64() > 0.1
	t.OutputTokens.Known = random.Float64() > 0.15
	if random.Float64() < 0.02 {
		t.Steps = nil
	}
	return t
}

// scenarioMeans differs more between scenarios than between the trials of one.
func scenarioMeans(random *rand.Rand, scenario int) *trial.Trial {
	var steps []trial.Step
	for range 1 + 4*scenario + random.IntN(3) {
		tool := "search"
		if random.Float64() < 0.15*float64(scenario) {
			tool = "book"
		}
		steps = append(steps, call(tool))
	}
	steps = append(steps, trial.Step{Action: trial.Respond})
	return answer(steps, 300*float64(1+scenario)*math.Exp(0.2*random.NormFloat64()),
		0.002*float64(len(steps))*(1+0.3*random.Float64()))
}
