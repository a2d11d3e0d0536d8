package wire

import (
	"context"
	"fmt"

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

// ask waits until a request may go up that may become a turn. Where it may not, because a limit is reached, why says so
// to the agent, and the attempt is stopped; "" is that the agent did not wait.
func (r *Route) ask(ctx context.Context, e *Exchange) (why string, ok bool) {
	r.mu.Lock()
	e.attempt = r.attempt
	over, budget, table, reason := r.over, r.limits.Budget, r.wire.options.Prices, r.reason
	bounded := r.queue.bounds()
	r.mu.Unlock()
	if reason == "" && bounded {
		if e.place, reason = r.queue.enter(ctx, over, e, table); e.place == nil && reason == "" {
			reason = r.Reason()
			return refusal(reason), false
		}
	}
	if reason == "" && budget != nil {
		var used string
		if e.share, used = budget.queue.enter(ctx, over, e, table); e.share == nil {
			r.mu.Lock()
			r.queue.leave(e.place, false)
			r.mu.Unlock()
			if used == "" {
				return refusal(r.Reason()), false
			}
			budget.reach(used)
			reason = RunBudget
		}
		e.budget = budget
	}
	if reason != "" {
		r.Stop(reason)
		return refusal(r.Reason()), false
	}
	return "", true
}

// refusal says to an agent why a request does not go up; "" where there is no reason.
func refusal(reason string) string {
	switch {
	case reason == "":
		return ""
	case reason == RunBudget:
		return "stopped by budget: this request would go beyond the budget of the run"
	case !IsLimit(reason):
		return fmt.Sprintf("stopped by %s: the attempt is over", reason)
	}
	return fmt.Sprintf("stopped by %s: this request would go beyond the limit of the trial", reason)
}

// stop ends the attempt for a reason. The lock is held.
func (r *Route) stop(reason string) {
	r.reason = reason
	close(r.stopped)
	r.release()
}

// release lets nobody wait any more. The lock is held.
func (r *Route) release() {
	select {
	case <-r.over:
	default:
		close(r.over)
	}
}

// left notes that the agent does not wait for what it asked a server: a turn that counts from now on, unless the server
// turns it down.
func (r *Route) left(e *Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.place != nil && !e.done && e.attempt == r.attempt {
		e.place.certain = true
		r.certain++
		r.queue.next()
	}
}

// answered counts what came of a request that was asked.
func (r *Route) answered(e *Exchange) {
	counts := e.counts()
	r.mu.Lock()
	defer r.mu.Unlock()
	e.done = true
	var reserved reservation
	if e.place != nil {
		reserved = e.place.reserved
	}
	taken := e.taken(r.wire.options.Prices, reserved.or(e.budget.reserved(e.share)))
	e.budget.answered(e, counts, taken)
	if e.attempt != r.attempt { // which did not wait for it
		return
	}
	if e.place != nil && e.place.certain {
		r.certain--
	}
	if counts {
		r.taken = r.taken.Plus(taken)
		r.unpriced += taken.Unpriced
		r.spent = r.spent.Plus(Expense{
			Turns: 1, Tokens: taken.Tokens(), CostUSD: taken.CostUSD,
			LeastTokens: e.leastTokens(), LeastCostUSD: e.LeastUSD,
		})
	}
	r.queue.leave(e.place, counts)
}

// amounts are what counts toward the limits so far. Answers without a price count as the mean of the others. The lock
// is held.
func (r *Route) amounts() amounts {
	s := r.limits.Spent.Plus(r.spent)
	return amounts{
		turns: s.Turns + r.certain, tokens: s.Tokens,
		costUSD: s.CostUSD + float64(r.unpriced)*r.queue.sizes.meanUSD(),
	}
}

// judge says which limits are known to be broken, or not known to be kept, once the attempt has ended. An upper bound
// of what was taken stops it, and a lower bound breaks the limit: before the request that was stopped by it, or by what
// was taken. The lock is held.
func (r *Route) judge() (broken, unsure string) {
	least, most := r.limits.Spent.Plus(r.spent), r.amounts()
	const slack = 1 + 1e-12 // of sums of decimal fractions
	for _, l := range []struct {
		name        string
		limit       trial.Optional[float64]
		least, most float64
		unknown     int // answers that tell nothing of it
	}{
		{MaxTurns, float(r.limits.MaxTurns), float64(least.Turns), float64(most.turns), 0},
		{MaxCostUSD, r.limits.MaxCostUSD, least.LeastCostUSD, most.costUSD, r.unpriced},
		{MaxTokens, float(r.limits.MaxTokens), float64(least.LeastTokens), float64(most.tokens), 0},
	} {
		stopped := r.reason == l.name
		switch {
		case !l.limit.Known:
		case l.least > l.limit.Value*slack, stopped && l.least*(1+rounding) >= l.limit.Value:
			if broken == "" || stopped {
				broken = l.name
			}
		case stopped, l.most > l.limit.Value*slack, l.unknown > 0:
			if unsure == "" || stopped {
				unsure = l.name
			}
		}
	}
	return broken, unsure
}

// float is a number as a float64.
func float[T int | int64](n trial.Optional[T]) trial.Optional[float64] {
	return trial.Optional[float64]{Value: float64(n.Value), Known: n.Known}
}
