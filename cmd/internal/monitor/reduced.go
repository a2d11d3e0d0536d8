package monitor

import (
	"github.com/tribunal-dev/tribunal/trial"
)

// The last trials of a stream are kept for their fingerprints, each with so many steps. Both are chosen.
const (
	keptTrials = 200
	keptSteps  = 300
)

// reduced returns a copy of what a fingerprint is made of, without contents.
func reduced(t *trial.Trial) *trial.Trial {
	r := &trial.Trial{
		Scenario: t.Scenario, Outcome: t.Outcome, DurationSeconds: t.DurationSeconds, CostUSD: t.CostUSD,
		InputTokens: t.InputTokens, OutputTokens: t.OutputTokens, Turns: t.Turns, ToolCalls: t.ToolCalls,
	}
	if t.Steps == nil {
		return r
	}
	r.Steps = make([]trial.Step, min(len(t.Steps), keptSteps))
	for i := range r.Steps {
		s := &t.Steps[i]
		r.Steps[i] = trial.Step{Action: s.Action, Tool: s.Tool, Depth: s.Depth, OutputTokens: s.OutputTokens}
		if s.Error != "" {
			r.Steps[i].Error = "error"
		}
	}
	return r
}

// value returns a measure of a trial, but for the pass rate and the distance.
func (m Measure) value(t *trial.Trial) (x float64, known bool) {
	switch m {
	case Cost:
		return t.CostUSD.Value, t.CostUSD.Known
	case Duration:
		return t.DurationSeconds.Value, t.DurationSeconds.Known
	case Steps:
		return float64(len(t.Steps)), t.Steps != nil
	case Turns:
		for i := range t.Steps {
			if a := t.Steps[i].Action; a == trial.Reason || a == trial.Respond {
				x++
			}
		}
		if x == 0 {
			return float64(t.Turns.Value), t.Turns.Known && t.Turns.Value >= 0
		}
		return x, true
	}
	return 0, false
}
