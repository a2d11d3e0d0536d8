package journal

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Spend is what attempts took, one or many. An amount that an attempt does not tell is
// counted among the unknown ones, and never taken for 0. Tokens beyond an int64 stay at its largest. Sums are over
// attempts, of one trial or of a run: Add is all that it takes.
type Spend struct {
	Attempts      int           `json:"attempts"`            // that ended
	Unstarted     int           `json:"unstarted,omitempty"` // of the attempts, those that never began and took nothing
	CostUSD       float64       `json:"cost_usd"`            // of the attempts that tell it
	CostUnknown   int           `json:"cost_unknown"`        // attempts that do not tell their cost
	InputTokens   int64         `json:"input_tokens"`        // of the attempts that tell them
	OutputTokens  int64         `json:"output_tokens"`       // of the attempts that tell them
	TokensUnknown int           `json:"tokens_unknown"`      // attempts that tell neither input nor output tokens
	Turns         int           `json:"turns"`               // of the attempts that tell them
	Duration      time.Duration `json:"duration_ns"`         // added up, also of attempts that ran at once
}

// Add adds what others took.
func (s *Spend) Add(o Spend) {
	s.Attempts += o.Attempts
	s.Unstarted += o.Unstarted
	s.CostUSD += o.CostUSD
	s.CostUnknown += o.CostUnknown
	s.InputTokens = trial.Plus(s.InputTokens, o.InputTokens)
	s.OutputTokens = trial.Plus(s.OutputTokens, o.OutputTokens)
	s.TokensUnknown += o.TokensUnknown
	s.Turns += o.Turns
	s.Duration += o.Duration
}

// Tokens returns the known input and output tokens together.
func (s Spend) Tokens() int64 { return trial.Plus(s.InputTokens, s.OutputTokens) }
