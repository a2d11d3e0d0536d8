package wire

import (
	"sync"

	"github.com/tribunal-dev/tribunal/trial"
)

// RunBudget is the reason for which attempts end when the budget of their run is used up.
const RunBudget = "budget"

// Budget bounds what all attempts of a run take together. A request that is made when it is used up does not go up, and
// ends its attempt. One that might go beyond it, with those under way, waits for them: what is taken is at most one
// answer above it. Its methods may be called by several goroutines at once.
type Budget struct {
	maxCostUSD trial.Optional[float64]
	maxTokens  trial.Optional[int64]

	mu      sync.Mutex
	taken   BudgetUse
	answers BudgetUse // of taken, those that were seen
	reached string
	done    chan struct{} // closed when it is used up
	queue   queue
}

// BudgetUse is what was taken, with upper bounds of costs.
type BudgetUse struct {
	Turns        int
	InputTokens  int64
	OutputTokens int64
	CostUSD      float64
	Unpriced     int // answers whose cost is not known
	Untold       int // answers whose tokens are not known
}

// Tokens are those of requests and answers.
func (t BudgetUse) Tokens() int64 { return trial.Plus(t.InputTokens, t.OutputTokens) }

// Plus adds what was taken besides.
func (t BudgetUse) Plus(o BudgetUse) BudgetUse {
	return BudgetUse{
		t.Turns + o.Turns, trial.Plus(t.InputTokens, o.InputTokens), trial.Plus(t.OutputTokens, o.OutputTokens),
		t.CostUSD + o.CostUSD, t.Unpriced + o.Unpriced, t.Untold + o.Untold,
	}
}

// NewBudget returns a budget of US dollars and tokens, of which some are taken. What is unknown is not bounded.
func NewBudget(maxCostUSD trial.Optional[float64], maxTokens trial.Optional[int64], taken BudgetUse) *Budget {
	b := &Budget{maxCostUSD: maxCostUSD, maxTokens: maxTokens, taken: taken, done: make(chan struct{})}
	b.queue = queue{maxCostUSD: maxCostUSD, maxTokens: maxTokens, spent: b.amounts, mu: &b.mu}
	return b
}

// Done is closed when a request would have gone beyond the budget; nil, which never is, where there is none.
func (b *Budget) Done() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.done
}

// Reached is the bound that a request would have gone beyond: [MaxCostUSD] or [MaxTokens]; "" is none.
func (b *Budget) Reached() string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reached
}

// Left is what may still be taken of a budget, at least 0; nothing is known of what is not bounded.
func (b *Budget) Left() (costUSD trial.Optional[float64], tokens trial.Optional[int64]) {
	if b == nil {
		return costUSD, tokens
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.maxCostUSD.Known {
		costUSD = trial.Some(max(0, b.maxCostUSD.Value-b.taken.CostUSD))
	}
	if b.maxTokens.Known {
		tokens = trial.Some(max(0, b.maxTokens.Value-b.taken.Tokens()))
	}
	return costUSD, tokens
}

// Reach uses the budget up, as one who asked elsewhere found it to be.
func (b *Budget) Reach() {
	if b == nil {
		return
	}
	if b.maxCostUSD.Known {
		b.reach(MaxCostUSD)
	} else {
		b.reach(MaxTokens)
	}
}

// reach uses the budget up by one of its bounds, unless it is.
func (b *Budget) reach(bound string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reached == "" {
		b.reached, b.queue.ended = bound, bound
		close(b.done)
		b.queue.next()
	}
}

// Settle puts what an attempt took by all accounts in the place of what was seen of it.
func (b *Budget) Settle(seen, took BudgetUse) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	// They are only ever asked for together.
	b.taken.InputTokens, b.taken.OutputTokens = trial.Plus(b.taken.Tokens()-seen.Tokens(), took.Tokens()), 0
	b.taken.CostUSD += took.CostUSD - seen.CostUSD
	b.taken.Unpriced += took.Unpriced - seen.Unpriced
	b.taken.Untold += took.Untold - seen.Untold
	b.queue.next()
}

// amounts are what counts toward the budget so far. What does not tell counts as the mean of the answers that do. The
// lock is held.
func (b *Budget) amounts() amounts {
	cost := float64(b.taken.Unpriced) * mean(b.answers.CostUSD, b.answers.Turns-b.answers.Unpriced)
	tokens := float64(b.taken.Untold) * mean(float64(b.answers.Tokens()), b.answers.Turns-b.answers.Untold)
	return amounts{
		tokens:  trial.Plus(b.taken.Tokens(), int64(min(tokens, float64(trial.MaxTokens)))),
		costUSD: b.taken.CostUSD + cost,
	}
}

// mean is that of a sum over n answers, which stands for those that do not tell; 0 where none does.
func mean(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// reserved is what a place has reserved; nil has nothing.
func (b *Budget) reserved(p *place) (r reservation) {
	if p == nil {
		return r
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.reserved
}

// answered counts what came of a request.
func (b *Budget) answered(e *Exchange, counts bool, taken BudgetUse) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if counts {
		b.taken, b.answers = b.taken.Plus(taken), b.answers.Plus(taken)
	}
	b.queue.leave(e.share, counts)
}
