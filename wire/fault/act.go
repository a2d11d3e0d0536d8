package fault

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/wire"
)

// The names of events: of what was broken, and of what the client did after it.
const (
	Name   = "fault"
	Client = "client"
)

// Faults break what passes on the route of one attempt. It is a [wire.Act].
type Faults struct {
	seed uint64

	mu      sync.Mutex
	states  []state
	results map[string]changedResult // by the ids of their calls
	earlier map[string][]string      // texts of results, by their tools
	order   []Result                 // results, in their order
	client  client
	servers servers

	incidental bool // that one has no occasion is nothing to be told
}

// state is a fault, and how far it got. Its lock is that of [Faults].
type state struct {
	fault  Fault
	about  About
	index  uint64
	seen   int  // results, or lists of a server's tools, that it could have been of
	served bool // of lists: those of servers on the wire have the tool
	fired  int
	lost   int    // occasions at which its rate let it be
	detail string // of the last time
}

// New are faults of an attempt. Rates, and what is changed, follow from the seed: that of the trial.
func New(faults []Fault, seed uint64) *Faults {
	f := &Faults{seed: seed, results: map[string]changedResult{}, earlier: map[string][]string{}}
	f.client.init()
	f.servers.init()
	for i, one := range faults {
		a, _ := about(one.Kind)
		f.states = append(f.states, state{fault: one, about: a, index: uint64(i)})
	}
	return f
}

// hit reports whether a fault is due at an occasion, by its number from 1. The lock is held.
func (s *state) hit(f *Faults, occasion int) bool {
	times := s.fault.Times
	if s.fault.At > 0 {
		times = max(1, times)
		if occasion < s.fault.At || occasion >= s.fault.At+times {
			return false
		}
	}
	if times > 0 && s.fired >= times {
		return false
	}
	if s.fault.Rate == 0 {
		return true
	}
	if seeded.Stream(f.seed, s.number(occasion)).Float64() < s.fault.Rate {
		return true
	}
	s.lost++
	return false
}

// number is of the random numbers for an occasion; the one above it is free too.
func (s *state) number(occasion int) uint64 { return s.index<<32 | uint64(occasion)<<1 }

// due reports whether a fault is due at a request.
func (f *Faults) due(s *state, request int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.hit(f, request)
}

// fire counts a fault that is due at a request; false: it is not.
func (f *Faults) fire(s *state, request int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !s.hit(f, request) {
		return false
	}
	s.fired++
	return true
}

// of reports whether there are faults of a part.
func (f *Faults) of(part Part) bool {
	return slices.ContainsFunc(f.states, func(s state) bool { return s.about.Of == part })
}

// has reports whether there are faults of a kind.
func (f *Faults) has(k Kind) bool {
	return slices.ContainsFunc(f.states, func(s state) bool { return s.fault.Kind == k })
}

// detailOf is what is to be said of a fault that was. The lock is held.
func (f *Faults) detailOf(k Kind) string {
	for i := range f.states {
		if f.states[i].fault.Kind == k && f.states[i].detail != "" {
			return f.states[i].detail
		}
	}
	return ""
}

// Unfired are the faults that had no occasion: those that never were, but for those that their rate let be.
func (f *Faults) Unfired() (all []Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.states {
		if s := &f.states[i]; s.fired == 0 && s.lost == 0 {
			all = append(all, s.fault)
		}
	}
	return all
}

// Incidental lets an attempt in which a fault has no occasion show something all the same. It returns f.
func (f *Faults) Incidental() *Faults {
	f.incidental = true
	return f
}

// End says of an attempt in which a fault had no occasion that it shows nothing, unless that is [Faults.Incidental].
func (f *Faults) End(seen *wire.Traffic) {
	if f.incidental {
		return
	}
	var names []string
	for _, one := range f.Unfired() {
		names = append(names, one.String())
	}
	if names == nil {
		return
	}
	is := prose.Form(len(names), "fault", "faults")
	seen.Void = fmt.Sprintf("the %s %s never happened, so that the trial shows nothing: the agent made %s",
		is, prose.And(names), prose.Count(len(seen.Exchanges), "request"))
}

// RoundTrip breaks a request to a model, or its answer, where a fault is due: what it asks of tools and tells of them
// first, then the request itself. Of the faults that answer, or change the answer, the first that is due is.
func (f *Faults) RoundTrip(r *wire.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if r.Dialect == "" {
		return next(r.HTTP)
	}
	f.judge(r, time.Now())
	f.rewrite(r)
	pace, err := f.slow(r)
	if err != nil {
		return nil, err
	}
	answer, err := f.answer(r, next)
	if err != nil {
		return nil, err
	}
	if pace > 0 {
		answer.Body = paced(r.HTTP.Context(), answer.Body, pace)
	}
	return answer, nil
}

// answer answers a request, with the first fault that is due.
func (f *Faults) answer(r *wire.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	for i := range f.states {
		s := &f.states[i]
		if s.about.Of != OfModel || s.fault.Kind == Slow || !f.due(s, r.Number) {
			continue
		}
		if change := changes[s.fault.Kind]; change != nil {
			return f.changed(r, s, change, next)
		}
		if f.fire(s, r.Number) {
			f.tell(r, s, "")
			return f.inPlace(r, s)
		}
	}
	f.mu.Lock()
	if len(f.client.broken) > 0 { // the answer is read
		r.HTTP.Header.Set("Accept-Encoding", "identity")
	}
	f.mu.Unlock()
	answer, err := next(r.HTTP)
	if err == nil {
		f.note(r, answer)
	}
	return answer, err
}

// tell tells of a fault that was.
func (f *Faults) tell(r *wire.Request, s *state, detail string) {
	r.Tell(wire.Event{Act: Name, Name: string(s.fault.Kind), Detail: detail})
}

// inPlace answers in place of the model.
func (f *Faults) inPlace(r *wire.Request, s *state) (*http.Response, error) {
	switch s.fault.Kind {
	case Timeout:
		<-r.HTTP.Context().Done()
		return nil, r.HTTP.Context().Err()
	case Reset:
		return nil, wire.ErrReset
	}
	failure := failureOf(&s.fault, r)
	answer := failure.response(r.HTTP)
	f.note(r, answer)
	if s.fault.Kind == RateLimit && told(answer.Header) == 0 { // told in the body, as Gemini does
		f.mu.Lock()
		f.client.wait(s.fault.wait())
		f.mu.Unlock()
	}
	return answer, nil
}
