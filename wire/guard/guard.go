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
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
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
func Ended(seen *wire.Traffic) *GuardrailError {
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
func (g *Guard) End(seen *wire.Traffic) { seen.Guarded = true }

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

// Reads reports whether there is a guardrail: what is not read does not pass then.
func (g *Guard) Reads() bool { return g.guards.Len() > 0 }

// call judges a model's call, by the name of its tool and the text of its arguments.
func (g *Guard) call(to teller, name, arguments string) (why string) {
	unread := ""
	switch text := []byte(arguments); {
	case dialect.Excessive(text):
		unread = excessive
	case json.Valid(text) && !valid(text):
		unread = "the arguments of a call name a member twice"
	}
	if unread != "" {
		if b := g.guards.Unread(unread); b != nil {
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
var errExcessive = unread(dialect.ErrExcessive)

// errUnread ends an answer that is no JSON: others read more than we do, such as numbers that are none, or UTF-16.
var errUnread = unread(errors.New("it is no JSON, or names a member twice"))

// maxAnswerBytes bounds what is held back of an answer. A longer one is not passed on.
const maxAnswerBytes = 32 << 20

// RoundTrip judges what a model calls before the agent gets its answer.
func (g *Guard) RoundTrip(r *wire.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	form, known := forms[r.Dialect]
	if !known || !g.Reads() {
		return next(r.HTTP)
	}
	r.HTTP.Header.Set("Accept-Encoding", "identity") // what is packed cannot be looked at as it comes
	answer, err := next(r.HTTP)
	if err != nil {
		return answer, err
	}
	kind, err := kindOf(answer.Header)
	switch {
	case answer.StatusCode < 200 || answer.StatusCode > 299:
		return failed(answer, r.Path, err == nil)
	case err != nil:
		answer.Body.Close()
		return nil, unread(err)
	}
	judge := func(name, arguments string) string { return g.call(r, name, arguments) }
	if kind == "text/event-stream" || kind == "application/x-ndjson" || r.Asked.Stream && kind != "application/json" {
		if (kind == "text/event-stream") == form.lines && kind != "" || (kind == "application/x-ndjson") && !form.lines {
			answer.Body.Close()
			return nil, unread(fmt.Errorf("%s is no stream of %s", kind, r.Dialect))
		}
		answer.Body = newStream(answer.Body, form, judge)
		answer.Header.Del("Content-Length")
		answer.ContentLength = -1
		return answer, nil
	}
	return g.whole(answer, form, judge)
}

// kindOf is the type of an answer; "" is not told. What is packed, or in another script than UTF-8, is an error, and
// so is what is said twice.
func kindOf(h http.Header) (kind string, err error) {
	for _, packed := range h.Values("Content-Encoding") {
		if packed != "" && packed != "identity" {
			return "", fmt.Errorf("it is packed as %q", packed)
		}
	}
	told := h.Values("Content-Type")
	if len(told) == 0 || len(told) == 1 && told[0] == "" {
		return "", nil
	}
	kind, parameters, err := mime.ParseMediaType(told[0])
	if err != nil || len(told) > 1 {
		return "", fmt.Errorf("its type is %.100q", told)
	}
	switch charset := strings.ToLower(parameters["charset"]); charset {
	case "", "utf-8", "utf8", "us-ascii":
		return kind, nil
	default:
		return "", fmt.Errorf("it is written in %.40q", charset)
	}
}

// maxErrorBytes bounds what is read of an error.
const maxErrorBytes = 1 << 20

// failed passes an error on. In the place of one that is none of an API, in which there may be anything, stands one
// with its status.
func failed(answer *http.Response, path string, clear bool) (*http.Response, error) {
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxErrorBytes+1))
	if err != nil {
		return nil, err
	}
	if !clear || len(body) > maxErrorBytes || !isError(body) {
		body = dialect.Of(path).Failure(answer.StatusCode, http.StatusText(answer.StatusCode)+
			": the server sent with it what a guard does not read")
		answer.Header.Set("Content-Type", "application/json")
		answer.Header.Del("Content-Encoding")
	}
	return with(answer, body), nil
}

// with is an answer with another body.
func with(answer *http.Response, body []byte) *http.Response {
	answer.Body = io.NopCloser(bytes.NewReader(body))
	answer.ContentLength = int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return answer
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
	case !valid(body):
		return nil, errUnread
	}
	if body, err = rewritten(body, f, judge); err != nil {
		return nil, err
	}
	return with(answer, body), nil
}

// judge says why a call must not be made; "" is that it may be.
type judge func(name, arguments string) (why string)
