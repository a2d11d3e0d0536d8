package wire

import (
	"errors"
	"net"
	"net/http"
)

// Act does something with what passes on a route: it changes a request or its answer, holds them back, or answers
// itself. What an attempt's acts share with nobody else is theirs: an act is of one attempt, and its RoundTrip may be
// called by several goroutines at once.
type Act interface {
	// RoundTrip answers a request, by next or in its place, as [http.RoundTripper] does. The answer's body is what the
	// agent gets, and what is seen of it.
	RoundTrip(r *Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error)
}

// ender is an act that has something to say of an attempt that has ended.
type ender interface {
	Act
	// End is called once what was seen is known, which it may add to.
	End(*Traffic)
}

// end lets acts say what they have to say, and notes at each exchange what they did with it.
func (s *Traffic) end(acts []Act) {
	for _, act := range acts {
		if e, ok := act.(ender); ok {
			e.End(s)
		}
	}
	events := map[int][]string{}
	for _, e := range s.Events {
		events[e.Request] = append(events[e.Request], valid(e.Act+": "+e.Name))
	}
	for i := range s.Exchanges {
		if n := s.Exchanges[i].Number; n > 0 { // else it was turned away
			s.Exchanges[i].events = events[n]
		}
	}
}

// ErrReset is the error of an act that lets the agent's connection be reset in place of an answer.
var ErrReset = errors.New("the connection is reset")

// ErrWithheld is within the error of an act that keeps back what a model answered. The answer was paid for: it is a
// turn, and the agent is told in a form in which no client asks again.
var ErrWithheld = errors.New("the answer is not passed on")

// reset resets the connection of a request: what is read of it next fails.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // which closes it
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // closed then with a reset
	}
	_ = connection.Close()
}

// Request is a request on its way to a server.
type Request struct {
	// HTTP is what goes up: its body may be read and replaced, with its length.
	HTTP     *http.Request
	Provider Provider
	Path     string // behind the provider's base address, such as /chat/completions
	// Dialect, Asked and Body are what was asked of a model: its form, such as openai/chat, what is read of it, and the
	// bytes as the agent sent them. "", nothing and nil of what is in no known form, or too long to be read.
	Dialect string
	Asked   ParsedRequest
	Body    []byte
	Number  int // of the attempt's requests to models, from 1; 0 of any other

	route *Route
}

// Event is something that an act did.
type Event struct {
	Act     string // which, such as "fault" or "guard"
	Of      string // where the name is of something, such as the contract of a guardrail
	Name    string // of what was done, such as "rate-limit"
	Request int    // [Request.Number], where it was one
	Detail  string // for a person
	Ended   bool   // the attempt was ended at it; see [Route.End]
}

// Tell keeps an event for [Traffic.Events].
func (r *Request) Tell(e Event) {
	e.Request = r.Number
	r.route.Tell(e)
}

// Came is what came of an earlier request of the attempt to a model, by its number; false: it is under way, or there is
// none.
func (r *Request) Came(number int) (Exchange, bool) {
	r.route.mu.Lock()
	defer r.route.mu.Unlock()
	for _, e := range r.route.calls {
		if e.Number == number && e.done {
			return *e, true
		}
	}
	return Exchange{}, false
}

// Stop ends the attempt for a reason, which is [Traffic.Stopped], unless it has one already.
func (r *Request) Stop(reason string) { r.route.Stop(reason) }

// End keeps an event for [Traffic.Events] and ends the attempt for a reason, at this event unless it was ended before.
func (r *Request) End(reason string, e Event) {
	e.Request = r.Number
	r.route.End(reason, e)
}

// Tell keeps an event for [Traffic.Events].
func (r *Route) Tell(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

// End keeps an event for [Traffic.Events] and ends the attempt for a reason, at this event unless it was ended before.
func (r *Route) End(reason string, e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.Ended = r.reason == ""
	r.events = append(r.events, e)
	if e.Ended {
		r.stop(reason)
	}
}

// Stop ends the attempt for a reason, which is [Traffic.Stopped], unless it has one already. See [Route.Stopped].
func (r *Route) Stop(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reason == "" {
		r.stop(reason)
	}
}

// actTransport is a transport through the acts of a route, the first of which stands nearest to the agent.
type actTransport struct {
	request  *Request
	acts     []Act
	last     http.RoundTripper
	observer *observer // nil: of a request in no known form
}

// RoundTrip hands a request to the first act.
func (a actTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if len(a.acts) == 0 {
		if a.observer != nil {
			a.observer.asked.Store(true)
		}
		return a.last.RoundTrip(request)
	}
	r := *a.request
	r.HTTP = request
	return a.acts[0].RoundTrip(&r, actTransport{a.request, a.acts[1:], a.last, a.observer}.RoundTrip)
}
