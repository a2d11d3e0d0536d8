package runner

import (
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/wire"
)

// A run's budget holds between attempts, see ledger.refuses, and on the wire within them: a request that would go
// beyond it is not made, and what is in flight ends at once. Attempts that are cut off so are unfinished, as after an
// interrupt.

// onWire is the budget that holds on the wire, with what is left of it; nil bounds nothing.
func (l *ledger) onWire() *wire.Budget {
	var cost trial.Optional[float64]
	var tokens trial.Optional[int64]
	if l.budget.MaxCostUSD > 0 {
		cost = trial.Some(l.budget.MaxCostUSD)
	}
	if l.budget.MaxTokens > 0 {
		tokens = trial.Some(l.budget.MaxTokens)
	}
	if !cost.Known && !tokens.Known {
		return nil
	}
	s := l.spent
	taken := takenOf(s)
	// Attempts of earlier sessions that do not tell, or were lost, count as the mean of the others.
	began := s.Attempts - s.Unstarted
	unknown := float64(s.CostUnknown + l.lost - l.told)
	if known := began - s.CostUnknown; known > 0 {
		taken.CostUSD += unknown * s.CostUSD / float64(known)
	}
	untold := float64(s.TokensUnknown + l.lost - l.told)
	if known := began - s.TokensUnknown; known > 0 {
		mean := float64(s.Tokens()) / float64(known)
		taken.InputTokens = trial.Plus(taken.InputTokens, int64(min(untold*mean, float64(trial.MaxTokens))))
	}
	return wire.NewBudget(cost, tokens, taken)
}

// takenOf is what attempts took that ended.
func takenOf(s journal.Spend) wire.BudgetUse {
	return wire.BudgetUse{
		Turns: s.Turns, InputTokens: s.InputTokens, OutputTokens: s.OutputTokens, CostUSD: s.CostUSD,
		Unpriced: s.CostUnknown, Untold: s.TokensUnknown,
	}
}

// settled tells the budget what an attempt took that has ended, where its record tells more than was seen.
func (r *run) settled(e attemptEnd, spent journal.Spend) {
	seen, took := e.attempt.taken, takenOf(spent)
	if spent.CostUnknown > 0 && seen.Turns > 0 {
		took.CostUSD, took.Unpriced = seen.CostUSD, seen.Unpriced
	}
	if spent.TokensUnknown > 0 && seen.Turns > 0 {
		took.InputTokens, took.OutputTokens, took.Untold = seen.InputTokens, seen.OutputTokens, seen.Untold
	}
	r.capped.Settle(seen, took)
}

// cap is the limit that was reached on the wire.
func (r *run) cap() Limit {
	if r.capped.Reached() == wire.MaxTokens {
		return tokenLimit
	}
	return costLimit
}

// cutOff is what an attempt took that the budget ended: what was seen of it.
func (e attemptEnd) cutOff(price float64) journal.Spend {
	t := e.attempt.taken
	s := journal.Spend{
		Attempts: 1, CostUSD: t.CostUSD, InputTokens: t.InputTokens, OutputTokens: t.OutputTokens, Turns: t.Turns,
		Duration: e.duration,
	}
	nothing := e.attempt.cut && t.Turns == 0 // it was turned away before it took any
	if t.Turns == t.Unpriced && !nothing {   // nothing tells its cost
		s.CostUSD = price
		if price == 0 {
			s.CostUnknown = 1
		}
	}
	if t.Turns == t.Untold && !nothing {
		s.TokensUnknown = 1
	}
	return s
}

// tellCut writes down that the budget ended attempts, and what they took: it is all that is known of them.
func (r *run) tellCut() {
	if r.cut.Attempts == 0 {
		return
	}
	r.ledger.spent.Add(r.cut)
	r.ledger.told += r.cut.Attempts
	if r.journal != nil {
		r.journal.Cut(journal.Cut{Budget: r.cap().String(), Spent: r.cut, ElapsedSeconds: r.ledger.elapsed().Seconds()})
	}
}
