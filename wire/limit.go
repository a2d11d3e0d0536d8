package wire

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// The limits, by the names that suites and errors have for them.
const (
	MaxTurns   = "max_turns"
	MaxTokens  = "max_tokens"
	MaxCostUSD = "max_cost_usd"
)

// IsLimit reports whether an attempt that was stopped for a reason reached a limit.
func IsLimit(reason string) bool {
	return reason == MaxTurns || reason == MaxTokens || reason == MaxCostUSD
}

// ask counts a request that may become a turn, unless a limit is reached: then why says so to the agent, and the
// attempt is stopped.
func (r *Route) ask(e *Exchange) (why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	turns := r.limits.Spent.Turns + r.spent.Turns + r.asked
	tokens := trial.Plus(r.limits.Spent.Tokens, r.spent.Tokens)
	cost := r.limits.Spent.CostUSD + r.spent.CostUSD
	switch l := r.limits; {
	case r.reason != "":
	case l.MaxTurns.Known && turns >= l.MaxTurns.Value:
		r.stop(MaxTurns)
	case l.MaxTokens.Known && tokens >= l.MaxTokens.Value:
		r.stop(MaxTokens)
	case l.MaxCostUSD.Known && cost >= l.MaxCostUSD.Value:
		r.stop(MaxCostUSD)
	case !l.Budget.allows():
		r.stop(RunBudget)
	}
	if r.reason == RunBudget {
		return "stopped by budget: this request would go beyond the budget of the run"
	}
	if r.reason != "" && !IsLimit(r.reason) {
		return fmt.Sprintf("stopped by %s: the attempt is over", r.reason)
	}
	if r.reason != "" {
		return fmt.Sprintf("stopped by %s: this request would go beyond the limit of the trial", r.reason)
	}
	r.asked++
	e.budget = r.limits.Budget
	return ""
}

// stop ends the attempt for a reason. The lock is held.
func (r *Route) stop(reason string) {
	r.reason = reason
	close(r.stopped)
}

// answered counts what came of a request that was asked.
func (r *Route) answered(e *Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.done = true
	if e.counts() {
		e.budget.add(e.taken())
	}
	if !slices.Contains(r.calls, e) { // of an attempt that did not wait for it
		return
	}
	r.asked--
	if !e.counts() {
		return
	}
	r.spent.Turns++
	r.taken = r.taken.Plus(e.taken())
	u := e.Answer.Usage
	r.spent.Tokens = trial.Plus(r.spent.Tokens, trial.Plus(u.Input.Value, u.Output.Value))
	if e.CostUSD.Known && e.CostBasis != trial.CostAtMost {
		r.spent.CostUSD += e.CostUSD.Value
	}
}
