package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"

	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Mode says what becomes of an act that is forbidden.
type Mode string

// The modes. In both the act is not done.
const (
	Deny Mode = "deny" // the agent is told why, and goes on
	Kill Mode = "kill" // the attempt ends
)

// Guard is an act that judges calls of tools by guardrails. It may be on several routes at once.
type Guard struct {
	guards *contract.Guards
	mode   Mode
}

// New returns a guard.
func New(guards *contract.Guards, m Mode) *Guard { return &Guard{guards, m} }

// GuardrailError says that an agent was ended by a guard.
type GuardrailError struct {
	Contract string // its name
	Clause   string // of the contract
	Evidence string // what was to be done
}

// Error names itself: reports have the text alone, and it is the agent that failed, not what it ran on.
func (e *GuardrailError) Error() string {
	return fmt.Sprintf("GuardrailError: stopped by the guardrail %s: %s", e.Clause, e.Evidence)
}

// Ended is why a guard ended an attempt; nil where none did.
func Ended(seen *wire.Seen) *GuardrailError {
	if seen.Stopped != wire.Guardrail {
		return nil
	}
	for _, e := range seen.Events {
		if e.Act == wire.GuardAct && e.Ended {
			return &GuardrailError{e.Of, e.Name, e.Detail}
		}
	}
	return &GuardrailError{Clause: "of the contract"}
}

// End says that a guard stood on the way, also where it denied nothing.
func (g *Guard) End(seen *wire.Seen) { seen.Guarded = true }

// teller is a route, or a request on it.
type teller interface {
	Tell(wire.Event)
	End(reason string, e wire.Event)
}

// forbidden notes a breach, and returns what the agent is told.
func (g *Guard) forbidden(to teller, b *contract.Breach) string {
	e := wire.Event{Act: wire.GuardAct, Of: b.Contract, Name: b.Clause, Detail: b.Evidence}
	if g.mode == Kill {
		to.End(wire.Guardrail, e)
	} else {
		to.Tell(e)
	}
	return "denied by the guardrail " + b.String()
}

// Judge judges a call before it reaches a server of tools.
func (g *Guard) Judge(r *wire.Route, c wire.ToolCall) (why string) {
	if c.Unread == "" && dialect.Excessive(c.Arguments) {
		c.Unread = excessive
	}
	if c.Unread != "" {
		if b := g.guards.Unread(c.Unread); b != nil {
			return g.forbidden(r, b)
		}
		return ""
	}
	if b := g.guards.Call(context.Background(), c.Name, trial.Raw(c.Arguments)); b != nil {
		return g.forbidden(r, b)
	}
	return ""
}

// call judges a model's call, by the name of its tool and the text of its arguments.
func (g *Guard) call(to teller, name, arguments string) (why string) {
	if dialect.Excessive([]byte(arguments)) {
		if b := g.guards.Unread(excessive); b != nil {
			return g.forbidden(to, b)
		}
		return ""
	}
	if b := g.guards.Call(context.Background(), name, trial.Raw(arguments)); b != nil {
		return g.forbidden(to, b)
	}
	return ""
}

// excessive says why a call is not judged by its arguments.
const excessive = "the arguments of a call have more values than are read"

// errExcessive ends an answer that is not read.
var errExcessive = fmt.Errorf("a guard lets nothing through unread: %w", dialect.ErrExcessive)

// errUnread ends an answer that is no JSON: others read more than we do, such as numbers that are none, or UTF-16.
var errUnread = errors.New("a guard lets nothing through unread: it is no JSON")

// maxAnswerBytes bounds what is held back of an answer. A longer one is not passed on.
const maxAnswerBytes = 32 << 20

// RoundTrip judges what a model calls before the agent gets its answer.
func (g *Guard) RoundTrip(r *wire.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	form, known := forms[r.Dialect]
	if !known || g.guards.Len() == 0 {
		return next(r.HTTP)
	}
	r.HTTP.Header.Set("Accept-Encoding", "identity") // what is packed cannot be looked at as it comes
	answer, err := next(r.HTTP)
	if err != nil || answer.StatusCode < 200 || answer.StatusCode > 299 {
		return answer, err
	}
	if packed := answer.Header.Get("Content-Encoding"); packed != "" && packed != "identity" {
		answer.Body.Close()
		return nil, fmt.Errorf("%w: it is packed as %q, and a guard lets nothing through unread", wire.ErrWithheld, packed)
	}
	judge := func(name, arguments string) string { return g.call(r, name, arguments) }
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind == "text/event-stream" || kind == "application/x-ndjson" || r.Asked.Stream && kind != "application/json" {
		answer.Body = newStream(answer.Body, form, judge, kind)
		answer.Header.Del("Content-Length")
		answer.ContentLength = -1
		return answer, nil
	}
	return g.whole(answer, form, judge)
}

// whole judges an answer that comes whole.
func (g *Guard) whole(answer *http.Response, f form, judge judge) (*http.Response, error) {
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswerBytes {
		return nil, fmt.Errorf("%w: it is longer than the %d bytes that a guard reads", wire.ErrWithheld, maxAnswerBytes)
	}
	switch {
	case dialect.Excessive(body):
		return nil, errExcessive
	case !json.Valid(body):
		return nil, errUnread
	}
	body = rewritten(body, f, judge)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	answer.ContentLength = int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return answer, nil
}

// judge says why a call must not be made; "" is that it may be.
type judge func(name, arguments string) (why string)
