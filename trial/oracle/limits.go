package oracle

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tribunal-dev/tribunal/trial"
)

// Limits are what a trial may take at most, all its attempts together. An unknown
// limit is none; whether that was meant is for the suite to say.
type Limits struct {
	MaxTurns   trial.Optional[int]     // answers of the model
	MaxCostUSD trial.Optional[float64] // in US dollars
	// Tokens in and out. Digests of limits without it do not have this.
	MaxTokens trial.Optional[int64] `json:",omitzero"`
	// IfTold says that a trial is held to what it tells, and need not tell it. Digests do not have this.
	IfTold bool `json:",omitempty"`
	// Warn says that a limit which is broken, or not known to be kept, is told and counted, and fails no trial.
	Warn bool `json:",omitempty"`
}

// LimitResult is a limit and what a trial took.
type LimitResult struct {
	Name   string                  // [TurnLimit], [CostLimit] or [TokenLimit]
	Max    float64                 // the limit, in turns, US dollars or tokens
	Actual trial.Optional[float64] // what the trial took, or a bound of it; unknown where it was not recorded
	// Outcome is Pass where an upper bound is within the limit, Fail where a lower bound is above it, which is Actual
	// then, and Error where neither is known.
	Outcome trial.Outcome
	Warn    bool // whatever the outcome is, the trial does not fail for it
}

// limitJSON is the JSON form of a limit.
//
// The outcome is a word, and an unknown value null, as elsewhere in results.
type limitJSON struct {
	Name     string   `json:"name"`
	Max      float64  `json:"max"`
	Actual   *float64 `json:"actual"` // null where it is unknown
	Outcome  string   `json:"outcome"`
	Severity string   `json:"severity,omitempty"` // warn, or nothing
}

// WarnSeverity is the word for a limit that fails no trial.
const WarnSeverity = "warn"

// SeverityOf is the word for a limit that warns, or does not.
func SeverityOf(warns bool) string {
	if warns {
		return WarnSeverity
	}
	return ""
}

// MarshalJSON writes the outcome as a word.
func (r LimitResult) MarshalJSON() ([]byte, error) {
	form := limitJSON{Name: r.Name, Max: r.Max, Outcome: r.Outcome.String(), Severity: SeverityOf(r.Warn)}
	if r.Actual.Known {
		form.Actual = &r.Actual.Value
	}
	return json.Marshal(form)
}

// UnmarshalJSON reads what [LimitResult.MarshalJSON] writes.
func (r *LimitResult) UnmarshalJSON(text []byte) error {
	var form limitJSON
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	outcome, ok := trial.ParseOutcome(form.Outcome)
	if !ok {
		return fmt.Errorf("outcome %q of a limit must be pass, fail or error", form.Outcome)
	}
	if form.Severity != "" && form.Severity != WarnSeverity {
		return fmt.Errorf("severity %q of a limit must be %s, or left out", form.Severity, WarnSeverity)
	}
	*r = LimitResult{Name: form.Name, Max: form.Max, Outcome: outcome, Warn: form.Severity != ""}
	if form.Actual != nil {
		r.Actual = trial.Some(*form.Actual)
	}
	return nil
}

// String says what a trial took and whether it may: "max_turns: 8, within the limit of 15". Of what it does not tell it
// says how it would, and how the limit is dropped.
func (r LimitResult) String() string {
	if !r.Actual.Known {
		return fmt.Sprintf("%s: not recorded, and the limit is %s; %s tells it, and %s: none under limits drops the limit",
			r.Name,
			r.amount(r.Max), tells[r.Name], r.Name)
	}
	if r.Outcome == trial.Error {
		return fmt.Sprintf("%s: at most %s by its tokens, and the limit is %s; what is cached or long among them is "+
			"not recorded; cost_usd in the trial record would say", r.Name, r.amount(r.Actual.Value), r.amount(r.Max))
	}
	where := "within"
	if r.Outcome == trial.Fail {
		where = "above"
	}
	return fmt.Sprintf("%s: %s, %s the limit of %s", r.Name, r.amount(r.Actual.Value), where, r.amount(r.Max))
}

// amount writes at least the cents of a cost.
func (r LimitResult) amount(x float64) string {
	text := strconv.FormatFloat(x, 'f', -1, 64)
	if r.Name != CostLimit {
		return text
	}
	if cents := strconv.FormatFloat(x, 'f', 2, 64); len(cents) > len(text) {
		return cents
	}
	if len(text) > 12 { // a sum of decimal fractions such as 0.30000000000000004
		return strconv.FormatFloat(x, 'g', 6, 64)
	}
	return text
}

// The names of limits.
const (
	TurnLimit  = "max_turns"
	CostLimit  = "max_cost_usd"
	TokenLimit = "max_tokens"
)

// tells is what a record lacks where a limit cannot be judged. Calls of tools are no answers of the model: how many it
// gave between them is not known.
var tells = map[string]string{
	TurnLimit:  `"turns" in the trial record, or a step with "action": "respond" (or "reason") for each answer of the model,`,
	CostLimit:  `"cost_usd" in the trial record, or in each of its steps,`,
	TokenLimit: `"input_tokens" with "output_tokens" in the trial record, or in each step that is no call of a tool,`,
}

// ByName are the limits that are set, by their names.
func (l Limits) ByName() map[string]float64 {
	set := map[string]float64{}
	if l.MaxTurns.Known {
		set[TurnLimit] = float64(l.MaxTurns.Value)
	}
	if l.MaxCostUSD.Known {
		set[CostLimit] = l.MaxCostUSD.Value
	}
	if l.MaxTokens.Known {
		set[TokenLimit] = float64(l.MaxTokens.Value)
	}
	return set
}

// Check compares what a trial took, over all its attempts, with the limits, and
// returns a result for each limit that is set.
func (l Limits) Check(e Evidence) []LimitResult {
	total := e.total()
	var results []LimitResult
	if l.MaxTurns.Known && (total.Turns.Known || !l.IfTold) {
		actual := trial.Optional[float64]{Value: float64(total.Turns.Value), Known: total.Turns.Known}
		results = append(results, limited(TurnLimit, float64(l.MaxTurns.Value), actual, actual.Value))
	}
	if l.MaxCostUSD.Known {
		r := limited(CostLimit, l.MaxCostUSD.Value, total.CostUSD, total.costAtLeast())
		if total.CostUSD.Known || r.Outcome == trial.Fail || !l.IfTold {
			results = append(results, r)
		}
	}
	if l.MaxTokens.Known {
		r := limited(TokenLimit, float64(l.MaxTokens.Value), total.Tokens, total.tokensAtLeast())
		if total.Tokens.Known || r.Outcome == trial.Fail || !l.IfTold {
			results = append(results, r)
		}
	}
	// What is missing may only add to it.
	for i := range results {
		results[i].Warn = l.Warn
		if e.Truncated && !l.IfTold && results[i].Outcome == trial.Pass {
			results[i].Outcome, results[i].Actual = trial.Error, trial.Optional[float64]{}
		}
	}
	return results
}

// summationSlack lets 0.1+0.2 keep within a limit of 0.3.
//
// It is relative to the limit: costs of many steps are summed as float64.
const summationSlack = 1e-12

// limited compares a value, or an upper bound of it, with its limit: Pass if that is within it, Fail if a lower bound
// is above it.
func limited(name string, most float64, actual trial.Optional[float64], least float64) LimitResult {
	r := LimitResult{Name: name, Max: most, Actual: usable(actual), Outcome: trial.Error}
	bound := most + most*summationSlack
	switch {
	case r.Actual.Known && r.Actual.Value <= bound:
		r.Outcome = trial.Pass
	case !(least <= bound): // also where the limit is NaN
		r.Outcome, r.Actual = trial.Fail, trial.Some(least)
	}
	return r
}
