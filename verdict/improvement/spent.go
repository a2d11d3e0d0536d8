package improvement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// spendingOf adds up calls by stage and model, in the order of the stages' names.
func spendingOf(calls []Call) []Part {
	parts := []Part{}
	for _, c := range calls {
		at := slices.IndexFunc(parts, func(p Part) bool { return p.Stage == c.Stage && p.Model == c.Model })
		if at < 0 {
			parts, at = append(parts, Part{Stage: c.Stage, Model: c.Model}), len(parts)
		}
		p := &parts[at]
		p.Calls++
		if c.InputTokens != nil {
			p.InputTokens += *c.InputTokens
		}
		if c.OutputTokens != nil {
			p.OutputTokens += *c.OutputTokens
		}
		if c.CostUSD != nil {
			p.Priced++
			p.CostUSD += *c.CostUSD
		}
	}
	slices.SortFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Model, b.Model))
	})
	return parts
}

// CostUSD is what all calls cost whose cost is known, in US dollars.
func (r *Result) CostUSD() (sum float64) {
	for _, p := range r.Spending {
		sum += p.CostUSD
	}
	return sum
}

// checkCalls refuses amounts that are none.
func checkCalls(calls []Call) error {
	for i, c := range calls {
		refuse := func(field string, have any) error {
			return &verdict.DifferenceError{Path: fmt.Sprintf("calls[%d].%s", i, field), Have: fmt.Sprint(have),
				Want: "an amount"}
		}
		for _, part := range []struct {
			name  string
			value *int64
		}{{"input_tokens", c.InputTokens}, {"output_tokens", c.OutputTokens}} {
			if part.value != nil && (*part.value < 0 || *part.value > trial.MaxTokens) {
				return refuse(part.name, *part.value)
			}
		}
		if x := c.CostUSD; x != nil && !(*x >= 0 && *x <= trial.MaxAmount && !math.IsNaN(*x)) {
			return refuse("cost_usd", *x)
		}
	}
	return nil
}
