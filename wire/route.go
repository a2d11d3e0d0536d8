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
	// MaxCostUSD is in US dollars, by [Options].Prices. An answer without a known price, or with an upper bound of one,
	// counts nothing.
	MaxCostUSD trial.Optional[float64]
	// Spent is what earlier attempts of the trial took already.
	Spent Spent
	// Budget bounds what all attempts of the run take; nil is none.
	Budget *Budget
}

// Spent is what was taken so far.
type Spent struct {
	Turns   int // answers, and what was asked and cannot be read, or was not waited for
	Tokens  int64
	CostUSD float64
}

// Plus adds what was taken besides.
func (s Spent) Plus(o Spent) Spent {
	return Spent{s.Turns + o.Turns, trial.Plus(s.Tokens, o.Tokens), s.CostUSD + o.CostUSD}
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
	asked     int // of them, those that may become turns
	spent     Spent
	taken     Taken // [Seen].Taken
	closed    bool
	reason    string          // why it was stopped; "" is not
	stopped   chan struct{}   // closed with the reason
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

// Stopped is closed when a limit was reached: the attempt is to be ended. [Seen] says which.
func (r *Route) Stopped() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// Close ends the attempt, and the route: what is still asked is turned away. It returns what was seen, as [Route.Take].
func (r *Route) Close() *Seen {
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
	r.limits, r.spent, r.taken, r.reason, r.stopped = l, Spent{}, Taken{}, "", make(chan struct{})
	r.calls, r.passed, r.asked, r.told = nil, 0, 0, map[string]bool{}
	r.acts, r.numbered, r.events, r.tools = acts, 0, nil, nil
}

// Take returns what was seen of an attempt that has ended, once the requests that are under way have ended too, or were
// given up for lost after a second.
func (r *Route) Take() *Seen {
	seen, acts := r.take()
	seen.end(acts) // whose locks may be held by a request that was given up, and waits for that of the route
	return seen
}

// take returns what was seen, and the acts of the attempt.
func (r *Route) take() (seen *Seen, acts []Act) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.returned.L = &r.mu
	lost := false
	timer := time.AfterFunc(time.Second, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		lost = true
		r.returned.Broadcast()
	})
	defer timer.Stop()
	for r.inside > 0 && !lost {
		r.returned.Wait()
	}
	seen = &Seen{Passed: r.passed, Stopped: r.reason, Spent: r.spent, Taken: r.taken, Events: slices.Clone(r.events)}
	seen.Tools = r.uses()
	for _, call := range r.calls {
		if call.done {
			seen.Exchanges = append(seen.Exchanges, *call)
		}
	}
	slices.SortStableFunc(seen.Exchanges, func(a, b Exchange) int { return a.Started.Compare(b.Started) })
	return seen, r.acts
}
