package usage

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// Rounding is the relative error that a sum of costs may have, by the order in which it was added up.
const Rounding = 1e-9

// Problem names the first figure that [Sum.Usage] would not have given, with what it should be; the name is empty where
// there is none.
func (u *Usage) Problem() (name, have, want string) {
	if u.Trials < 1 {
		return "trials", fmt.Sprint(u.Trials), "at least 1"
	}
	rows := make([]Amounts, len(u.Models))
	seen := map[string]bool{}
	for i, m := range u.Models {
		at := fmt.Sprintf("models[%d].", i)
		switch {
		case seen[m.Model]:
			return at + "model", fmt.Sprintf("%.80q", m.Model), "another than in the rows before"
		case m.Trials < 1 || m.Trials > u.Trials:
			return at + "trials", fmt.Sprint(m.Trials), fmt.Sprintf("from 1 to %d", u.Trials)
		case m.AtMostTrials < 0 || m.AtMostTrials > m.EstimatedTrials || m.EstimatedTrials > m.Trials:
			return at + "estimated_trials", fmt.Sprint(m.EstimatedTrials),
				fmt.Sprintf("from %d to %d", max(0, m.AtMostTrials), m.Trials)
		}
		seen[m.Model], rows[i] = true, m.Amounts
	}
	if name, have, want = u.costProblem(rows); name != "" {
		return name, have, want
	}
	return u.countsProblem(rows)
}

// costProblem compares the cost with the sum of the rows.
func (u *Usage) costProblem(rows []Amounts) (name, have, want string) {
	sum, known := 0.0, false
	for i, r := range rows {
		if x := r.CostUSD; x != nil {
			if !(*x >= 0) || math.IsInf(*x, 0) {
				return fmt.Sprintf("models[%d].cost_usd", i), fmt.Sprint(*x), "an amount"
			}
			sum, known = sum+*x, true
		}
	}
	total := u.CostUSD
	switch {
	case (total != nil) != known || known != (u.Known.CostUSD > 0):
		return "cost_usd", told(total), "told where a row and a trial tell it"
	case total != nil && math.Abs(*total-sum) > Rounding*sum:
		return "cost_usd", fmt.Sprint(*total), fmt.Sprintf("%v, the sum of its rows", sum)
	case u.Known.CostUSD < 0 || u.Known.CostUSD > u.Trials:
		return "known_trials.cost_usd", fmt.Sprint(u.Known.CostUSD), fmt.Sprintf("from 0 to %d", u.Trials)
	}
	return "", "", ""
}

// countsProblem compares each whole number with the sum of the rows.
func (u *Usage) countsProblem(rows []Amounts) (name, have, want string) {
	for kind, total := range u.counts() {
		name, sum, known := countedNames[kind], int64(0), false
		for i, r := range rows {
			if n := r.counts()[kind]; n != nil {
				if *n < 0 {
					return fmt.Sprintf("models[%d].%s", i, name), fmt.Sprint(*n), "an amount"
				}
				sum, known = trial.Plus(sum, *n), true
			}
		}
		count := u.Known.counts()[kind]
		switch {
		case (total != nil) != known || known != (*count > 0):
			return name, told(total), "told where a row and a trial tell it"
		case total != nil && *total != sum:
			return name, fmt.Sprint(*total), fmt.Sprintf("%d, the sum of its rows", sum)
		case *count < 0 || *count > u.Trials:
			return "known_trials." + name, fmt.Sprint(*count), fmt.Sprintf("from 0 to %d", u.Trials)
		}
	}
	return "", "", ""
}

// told is a number for a person.
func told[T any](x *T) string {
	if x == nil {
		return "not told"
	}
	return fmt.Sprint(*x)
}

// countedNames are those of the whole numbers in JSON.
var countedNames = [countedKinds]string{
	"input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "turns", "tool_calls",
}

// counts are the whole numbers by their kind.
func (a *Amounts) counts() [countedKinds]*int64 {
	return [countedKinds]*int64{a.InputTokens, a.OutputTokens, a.CachedTokens, a.CacheWrites, a.Turns, a.ToolCalls}
}

// counts are the numbers of trials by the kind of what they tell.
func (k *KnownCounts) counts() [countedKinds]*int {
	return [countedKinds]*int{&k.InputTokens, &k.OutputTokens, &k.CachedTokens, &k.CacheWrites, &k.Turns, &k.ToolCalls}
}
