package usage

import "github.com/tribunal-dev/tribunal/trial"

// Usage is what trials took, whatever their outcome. Each amount is a sum over the trials that tell it.
type Usage struct {
	Trials int         `json:"trials"`       // all of them
	Known  KnownCounts `json:"known_trials"` // of how many each amount is told
	Amounts
	// By model, the dearest first. A trial is in the row of each model that it used; the amounts add up to those above.
	Models []Model `json:"models"`
}

// KnownCounts is of how many trials each amount is told.
type KnownCounts struct {
	CostUSD      int `json:"cost_usd"`
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	CachedTokens int `json:"cached_tokens"`
	CacheWrites  int `json:"cache_write_tokens"`
	Turns        int `json:"turns"`
	ToolCalls    int `json:"tool_calls"`
}

// Amounts are sums, each nil where no trial tells it.
type Amounts struct {
	CostUSD      *float64 `json:"cost_usd,omitempty"`           // US dollars
	InputTokens  *int64   `json:"input_tokens,omitempty"`       // with cached ones
	OutputTokens *int64   `json:"output_tokens,omitempty"`      // that models wrote
	CachedTokens *int64   `json:"cached_tokens,omitempty"`      // of the input tokens, those read from a cache
	CacheWrites  *int64   `json:"cache_write_tokens,omitempty"` // of the input tokens, those written to one
	Turns        *int64   `json:"turns,omitempty"`              // answers of models
	ToolCalls    *int64   `json:"tool_calls,omitempty"`         // calls of tools
}

// Model is what trials took of a model.
type Model struct {
	Model  string `json:"model,omitempty"` // its name; empty: what nothing tells the model of
	Trials int    `json:"trials"`          // that used it
	// Of these, those whose cost is an estimate by tokens and list prices, and of these the upper bounds.
	EstimatedTrials int `json:"estimated_trials,omitempty"`
	AtMostTrials    int `json:"at_most_trials,omitempty"` // see EstimatedTrials
	Amounts
}

// Names are those of the models, in the order of the rows; nil is none.
func (u *Usage) Names() (names []string) {
	if u == nil {
		return nil
	}
	for _, m := range u.Models {
		if m.Model != "" {
			names = append(names, m.Model)
		}
	}
	return names
}

// count counts what is known of a trial.
func (k *KnownCounts) count(a *amounts) {
	if a.cost.Known {
		k.CostUSD++
	}
	for kind := range a.counts {
		if a.counts[kind].Known {
			*k.counts()[kind]++
		}
	}
}

// shown are the amounts as results hold them.
func (a *amounts) shown() Amounts {
	return Amounts{
		CostUSD: pointer(a.cost), InputTokens: pointer(a.counts[input]), OutputTokens: pointer(a.counts[output]),
		CachedTokens: pointer(a.counts[cached]), CacheWrites: pointer(a.counts[cacheWrites]),
		Turns: pointer(a.counts[turns]), ToolCalls: pointer(a.counts[toolCalls]),
	}
}

// pointer is nil of what is not known.
func pointer[T any](x trial.Optional[T]) *T {
	if !x.Known {
		return nil
	}
	return &x.Value
}

// Plus adds the numbers of trials of two sets.
func (k KnownCounts) Plus(more KnownCounts) KnownCounts {
	k.CostUSD += more.CostUSD
	for kind, to := range k.counts() {
		*to += *more.counts()[kind]
	}
	return k
}
