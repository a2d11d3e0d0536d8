package paper

import "github.com/tribunal-dev/tribunal/verdict/pipeline"

// Pipeline is what AgentAssay's Theorem 7.6 multiplies: the cost of a check as a share of that of the fixed number of
// trials, by five techniques. Its proof says that they are independent, and its Table 5 does not multiply them.
type Pipeline struct {
	Factors []pipeline.Technique `json:"factors"`
	Low     float64              `json:"low"`  // product of the low ends
	High    float64              `json:"high"` // product of the high ends
}

// theorem76 are the factors with their typical ranges.
func theorem76() Pipeline {
	p := Pipeline{Low: 1, High: 1, Factors: pipeline.Techniques()}
	for _, f := range p.Factors {
		p.Low *= f.Low
		p.High *= f.High
	}
	return p
}

// Example is Example 7.1: what a check of a suite costs.
type Example struct {
	Scenarios int     `json:"scenarios"`
	Fixed     float64 `json:"fixed_usd"` // all scenarios, 100 trials each
	Paper     float64 `json:"paper_usd"` // as the example has it
	// Converged is Corollary 7.7 (Equation 54) with its numbers: all its trials by the proxy, times 1-ρ².
	Converged float64 `json:"corollary_7_7_usd"`
	// Valid is what keeps the errors at the same prices: the optimal test of the scenarios that run, and cheap trials
	// for nothing; of an agent that passes every trial, and of one at the threshold.
	Valid          float64 `json:"valid_usd"`
	ValidThreshold float64 `json:"valid_at_threshold_usd"`
	// Four and Fourteen say what the example's trials of a scenario can do: 4 passes of 4 on the target alone leave this
	// upper limit of the failure rate, at the paper's alpha, exactly.
	FailureLimit float64 `json:"failure_limit_of_four"`
}

// The numbers of Example 7.1.
const (
	exampleScenarios = 50
	exampleLive      = 15
	exampleTarget    = 4
	exampleProxy     = 14
	examplePrice     = 0.15
	exampleCheap     = 0.01
	exampleRho       = 0.82
)

// example71 computes the example, with the expected trials of the optimal test at a rate of 1 and at the threshold.
func example71(stable, atThreshold, limit float64) Example {
	return Example{
		Scenarios: exampleScenarios,
		Fixed:     exampleScenarios * fixedTrials * examplePrice,
		Paper:     exampleLive * (exampleTarget*examplePrice + exampleProxy*exampleCheap),
		Converged: exampleLive * (exampleTarget + exampleProxy) * exampleCheap *
			(1 - exampleRho*exampleRho),
		Valid:          exampleLive * stable * examplePrice,
		ValidThreshold: exampleLive * atThreshold * examplePrice,
		FailureLimit:   limit,
	}
}
