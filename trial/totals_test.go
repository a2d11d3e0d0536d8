package trial

import "testing"

func TestTotals(t *testing.T) {
	answer := Step{Action: Reason, CostUSD: Some(0.5), OutputTokens: Some(int64(3))}
	call := Step{Action: CallTool}
	silent := Step{Action: Respond}
	for name, c := range map[string]struct {
		trial  Trial
		cost   Optional[float64]
		tokens Optional[int64]
	}{
		"stated": {Trial{CostUSD: Some(2.0), OutputTokens: Some(int64(9)), Steps: []Step{answer}},
			Some(2.0), Some(int64(9))},
		"summed":             {Trial{Steps: []Step{answer, call, answer}}, Some(1.0), Some(int64(6))},
		"an answer is mute":  {Trial{Steps: []Step{answer, silent}}, Optional[float64]{}, Optional[int64]{}},
		"nothing but a call": {Trial{Steps: []Step{call}}, Optional[float64]{}, Optional[int64]{}},
		"no steps":           {Trial{}, Optional[float64]{}, Optional[int64]{}},
	} {
		c.trial.InputTokens = c.trial.OutputTokens
		for i := range c.trial.Steps {
			c.trial.Steps[i].InputTokens = c.trial.Steps[i].OutputTokens
		}
		if input := c.trial.TotalInputTokens(); input != c.tokens {
			t.Errorf("%s: %v input tokens", name, input)
		}
		if cost, tokens := c.trial.TotalCostUSD(), c.trial.TotalOutputTokens(); cost != c.cost || tokens != c.tokens {
			t.Errorf("%s: %v, %v", name, cost, tokens)
		}
	}
}
