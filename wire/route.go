package wire

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Limits bound what an attempt may take. What is unknown is not bounded.
type Limits struct {
	MaxTurns  trial.Optional[int]   // answers of models
	MaxTokens trial.Optional[int64] // of all requests and answers
	// MaxCostUSD is in US dollars, by [Options].Prices: what answers may have cost at most. An answer without a known
	// price counts as the mean of the others.
	MaxCostUSD trial.Optional[float64]
	// Spent is what earlier attempts of the trial took already.
	Spent Expense
	// Budget bounds what all attempts of the run take; nil is none.
	Budget *Budget
}

// Expense is what was taken so far.
type Expense struct {
	Turns   int // answers, and what was asked and cannot be read, or was not waited for
	Tokens  int64
	CostUSD float64 // an upper bound, where there is one
	// Lower bounds: what answers tell.
	LeastTokens  int64
	LeastCostUSD float64
}

// Plus adds what was taken besides.
func (s Expense) Plus(o Expense) Expense {
	return Expense{
		s.Turns + o.Turns, trial.Plus(s.Tokens, o.Tokens), s.CostUSD + o.CostUSD,
		trial.Plus(s.LeastTokens, o.LeastTokens), s.LeastCostUSD + o.LeastCostUSD,
	}
}

// Route is the way of one attempt over the wire.
type Route struct {
	wire   *Wire
	secret string
	limits Limits
	acts   []Act

	mu        sync.Mutex
	calls     []*Exchange
	inside    int // requests that are under way
	attempt   int // the number of [Route.Begin]
	queue     queue
	observers map[*observer]bool // of requests that are under way
	certain   int                // of them, those that count as turns whatever comes
	spent     Expense
	taken     BudgetUse // [Traffic].Taken
	unpriced  int       // answers that count as the mean of the others
	closed    bool
	reason    string          // why it was stopped; "" is not
	stopped   chan struct{}   // closed with the reason
	over      chan struct{}   // closed when the attempt was stopped, or has ended: nobody waits any more
	told      map[string]bool // results, by what identifies them, of which the first is kept
	passed    int             // requests in a form that is not known
	numbered  int             // requests to models
	events    []Event
	closing   []func()
	tools     []*toolCall
	mounted   map[string]http.Handler // servers of tools, by their names
	variables map[string]string       // of the agent, besides those of clients
	returned  sync.Cond               // a request was ended; its lock is mu
}

// Root is the address of the route, to which /NAME of a provider is added.
func (r *Route) Root() string { return r.wire.root(r.secret) }

// Environment has the addresses of the route under the variables that clients of models read, and a placeholder under
// those of the keys that the agent does not have.
func (r *Route) Environment() map[string]string {
	set := map[string]string{RootVariable: r.Root()}
	r.mu.Lock()
	maps.Copy(set, r.variables)
	r.mu.Unlock()
	for _, p := range providers {
		if r.wire.options.Upstreams[p.name] == nil {
			continue
		}
		for _, variable := range p.bases {
			set[variable] = r.Root() + "/" + string(p.name) + p.base
		}
		if r.wire.key(p.name) != "" {
			for _, variable := range p.keys {
				set[variable] = placeholder
			}
		}
	}
	return set
}

// SetVariable adds a variable to those of [Route.Environment].
func (r *Route) SetVariable(name, value string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.variables == nil {
		r.variables = map[string]string{}
	}
	r.variables[name] = value
}

// AtClose lets a function be called when the route is closed.
func (r *Route) AtClose(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closing = append(r.closing, f)
}

// Reason is why the attempt was stopped; "" is that it was not.
func (r *Route) Reason() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reason
}

// key is the key that the agent does not have; "" is none.
func (w *Wire) key(name Provider) string {
	if w.options.Key == nil {
		return ""
	}
	return w.options.Key(name)
}

// enter begins a request; false: the attempt is over.
func (r *Route) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.inside++
	return true
}

// leave ends a request.
func (r *Route) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inside--
	if r.returned.L != nil {
		r.returned.Broadcast()
	}
}

// Stopped is closed when a limit was reached: the attempt is to be ended. [Traffic] says which.
func (r *Route) Stopped() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// Close ends the attempt, and the route: what is still asked is turned away. It returns what was seen, as [Route.Take].
func (r *Route) Close() *Traffic {
	r.wire.mu.Lock()
	delete(r.wire.routes, r.secret)
	r.wire.mu.Unlock()
	r.mu.Lock()
	r.closed = true
	closing := r.closing
	r.closing = nil
	r.mu.Unlock()
	for _, f := range closing {
		f()
	}
	return r.Take()
}

// Begin begins another attempt of a program that stays up.
func (r *Route) Begin(l Limits, acts ...Act) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.limits, r.spent, r.taken, r.reason, r.stopped = l, Expense{}, BudgetUse{}, "", make(chan struct{})
	r.calls, r.passed, r.told, r.unpriced = nil, 0, map[string]bool{}, 0
	r.attempt, r.over, r.certain, r.observers = r.attempt+1, make(chan struct{}), 0, map[*observer]bool{}
	r.queue = queue{
		maxTurns: l.MaxTurns, maxTokens: l.MaxTokens, maxCostUSD: l.MaxCostUSD,
		spent: r.amounts, mu: &r.mu, sizes: r.queue.sizes,
	}
	r.acts, r.numbered, r.events, r.tools = acts, 0, nil, nil
}

// Take returns what was seen of an attempt that has ended, once the requests that are under way have ended too. One
// that has not within a second is taken with what came until then.
func (r *Route) Take() *Traffic {
	seen, acts := r.take()
	seen.end(acts) // whose locks may be held by a request that was given up, and waits for that of the route
	return seen
}

// For so long what is under way may go on when an attempt has ended: what the agent did not wait for, and what it did.
const (
	leftGrace  = 250 * time.Millisecond // of which the end is often on its way
	underGrace = time.Second
)

// take returns what was seen, and the acts of the attempt.
func (r *Route) take() (seen *Traffic, acts []Act) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.release()
	r.await(leftGrace)
	r.eachUnderWay((*observer).abandon)
	r.await(underGrace - leftGrace)
	closed := r.closed
	r.eachUnderWay(func(o *observer) {
		if o.end(); closed {
			o.cancel()
		}
	})
	seen = &Traffic{Passed: r.passed, Stopped: r.reason, Spent: r.spent, Taken: r.taken, Events: slices.Clone(r.events)}
	seen.Broken, seen.Unsure = r.judge()
	seen.Tools = r.uses()
	for _, call := range r.calls {
		if call.done {
			seen.Exchanges = append(seen.Exchanges, *call)
		}
	}
	slices.SortStableFunc(seen.Exchanges, func(a, b Exchange) int { return a.Started.Compare(b.Started) })
	return seen, r.acts
}

// eachUnderWay does something with the requests to models that have not been answered. The lock is held, but while it
// is done.
func (r *Route) eachUnderWay(do func(*observer)) {
	under := slices.Collect(maps.Keys(r.observers))
	r.mu.Unlock()
	defer r.mu.Lock()
	for _, o := range under {
		do(o)
	}
}

// await waits until no request is under way, for so long at most. The lock is held, but while it waits.
func (r *Route) await(most time.Duration) {
	r.returned.L = &r.mu
	late := false
	timer := time.AfterFunc(most, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		late = true
		r.returned.Broadcast()
	})
	defer timer.Stop()
	for r.inside > 0 && !late {
		r.returned.Wait()
	}
}
