package runner

import "time"

// Spent is what attempts took. Unknown amounts are counted, not taken as 0.
type Spent struct {
	Attempts      int           `json:"attempts"`
	CostUSD       float64       `json:"cost_usd"`
	CostUnknown   int           `json:"cost_unknown"` // attempts whose cost is not known
	Tokens        int64         `json:"tokens"`
	TokensUnknown int           `json:"tokens_unknown"`
	Duration      time.Duration `json:"duration_ns"` // added up, also of attempts that ran at once
}

// Add adds what others took.
func (s *Spent) Add(o Spent) {
	s.Attempts += o.Attempts
	s.CostUSD += o.CostUSD
	s.CostUnknown += o.CostUnknown
	s.Tokens += o.Tokens
	s.TokensUnknown += o.TokensUnknown
	s.Duration += o.Duration
}
