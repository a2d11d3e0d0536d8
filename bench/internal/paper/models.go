package paper

import (
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// Model is what a trial of a model takes: a row of Table 4.
type Model struct {
	Name    string    `json:"name"`
	Trials  int       `json:"trials"`
	Tokens  Amount    `json:"tokens"`     // of the output
	CostUSD Amount    `json:"cost_usd"`   // of a trial
	Seconds Amount    `json:"duration_s"` // of a trial
	Passes  int       `json:"passes"`     // of the trials
	Paper   *TableRow `json:"paper"`      // what the paper has in its row; nil for a model that is not in it
}

// Amount is a mean with a standard deviation.
type Amount struct {
	Mean  float64 `json:"mean"`
	SD    float64 `json:"sd"`    // with divisor Known-1; 0 of fewer than two
	Known int     `json:"known"` // values
}

// TableRow is a row of Table 4 as it is printed.
type TableRow struct {
	Tokens   float64 `json:"tokens"`
	TokensSD float64 `json:"tokens_sd"`
	CostUSD  float64 `json:"cost_usd"`
	Seconds  float64 `json:"duration_s"`
	SD       float64 `json:"duration_sd"`
}

// table4 is AgentAssay's Table 4.
var table4 = map[string]TableRow{
	"GPT-5.2":          {112, 23, 0.0009, 2.295, 0.465},
	"Sonnet 4.6":       {142, 31, 0.0018, 2.920, 3.820},
	"Mistral-Large-3":  {561, 346, 0.0033, 4.422, 3.034},
	"Llama-4-Maverick": {106, 20, 0.0000, 0.613, 0.180},
	"Phi-4":            {116, 64, 0.0000, 12.874, 11.877},
}

// modelOf sums up trials of a model.
func modelOf(name string, trials []*trial.Trial) Model {
	m := Model{Name: name, Trials: len(trials)}
	var tokens, cost, seconds []float64
	for _, t := range trials {
		if t.OutputTokens.Known {
			tokens = append(tokens, float64(t.OutputTokens.Value))
		}
		if t.CostUSD.Known {
			cost = append(cost, t.CostUSD.Value)
		}
		if t.DurationSeconds.Known {
			seconds = append(seconds, t.DurationSeconds.Value)
		}
		if t.Outcome == trial.Pass {
			m.Passes++
		}
	}
	m.Tokens, m.CostUSD, m.Seconds = amountOf(tokens), amountOf(cost), amountOf(seconds)
	if stated, is := table4[name]; is {
		m.Paper = &stated
	}
	return m
}

// amountOf is the mean and the standard deviation of values.
func amountOf(values []float64) (a Amount) {
	a.Known = len(values)
	if a.Known == 0 {
		return a
	}
	for _, x := range values {
		a.Mean += x
	}
	a.Mean /= float64(a.Known)
	if a.Known < 2 {
		return a
	}
	for _, x := range values {
		a.SD += (x - a.Mean) * (x - a.Mean)
	}
	a.SD = math.Sqrt(a.SD / float64(a.Known-1))
	return a
}
