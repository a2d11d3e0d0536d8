package runner

import "time"

// Spent is what attempts took. Unknown amounts are counted, not taken as 0.
type Spent struct {
	Attempts      int           `json:"attempts"`
	Unstarted     int           `json:"unstarted,omitempty"` // attempts that never began, and took nothing
	CostUSD       float64       `json:"cost_usd"`
	CostUnknown   int           `json:"cost_unknown"` // attempts whose cost is not known
	InputTokens   int64         `json:"input_tokens"`
	OutputTokens  int64         `json:"output_tokens"`
	TokensUnknown int           `json:"tokens_unknown"` // attempts that tell neither
	Turns         int           `json:"turns"`          // that are known
	Duration      time.Duration `json:"duration_ns"`    // added up, also of attempts that ran at once
}

// Add adds what others took.
func (s *Spent) Add(o Spent) {
	s.Attempts += o.Attempts
	s.Unstarted += o.Unstarted
	s.CostUSD += o.CostUSD
	s.CostUnknown += o.CostUnknown
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.TokensUnknown += o.TokensUnknown
	s.Turns += o.Turns
	s.Duration += o.Duration
}

// Tokens returns the input and the output tokens together.
func (s Spent) Tokens() int64 { return s.InputTokens + s.OutputTokens }
