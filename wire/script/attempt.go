package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Missed is the reason for which an attempt is stopped that asks what the script does not answer. The event of this act
// says more.
const Missed = "script"

// Wire are options of a wire on which a script answers all: agents get a placeholder for every key, and no server can
// be reached. The servers say only by which providers' addresses the agent is told of the wire.
func Wire(o wire.Options) wire.Options {
	upstreams := wire.Upstreams{}
	for p := range o.Upstreams {
		upstreams[p] = &url.URL{Scheme: "http", Host: "script.invalid"}
	}
	o.Upstreams = upstreams
	o.Key = func(wire.Provider) string { return "script" }
	o.Transport = offlineTransport{}
	return o
}

// offlineTransport is a transport without a network.
type offlineTransport struct{}

// RoundTrip never reaches a server.
func (offlineTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the model is a script, and no server is asked")
}

// attempt answers the requests of one attempt.
type attempt struct {
	script *Script
	seed   uint64

	mu    sync.Mutex
	turns []answeredTurn // by their number
}

// answeredTurn is a turn that was answered.
type answeredTurn struct {
	request      int    // its number, of the last that got it
	conversation string // see [dialect.Conversation]
	nothing      bool   // the answer says nothing
}

// Attempt is the act of an attempt, in which variants follow from the seed. It stands nearest to the server.
func (s *Script) Attempt(seed uint64) wire.Act { return &attempt{script: s, seed: seed} }

// RoundTrip answers a request with the next turn.
func (a *attempt) RoundTrip(
	r *wire.Request, _ func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	if r.Number == 0 {
		return a.other(r)
	}
	body, err := bodyOf(r)
	if err != nil {
		return nil, err
	}
	d := dialect.Of(r.Path)
	asked, err := d.Asked(r.Path, body)
	if err != nil || r.Dialect == "" {
		return a.miss(r, "the request to the model cannot be read"), nil
	}
	q := &request{model: asked.Model, tools: dialect.Offered(body), told: dialect.New(body),
		system: dialect.Instructions(body)}
	id := fmt.Sprintf("script_aside_%d", r.Number)
	v := a.script.aside(q)
	var answer dialect.Answer
	why := ""
	if v != nil {
		answer, why = a.script.say(v, q, "anytime of the script", id)
	} else {
		turn := a.turn(r, dialect.Conversation(body))
		id = fmt.Sprintf("script_%d", turn)
		v, answer, why = a.answer(turn, q)
	}
	if why != "" {
		return a.miss(r, why), nil
	}
	if err := sleep(r.HTTP.Context(), v.Latency); err != nil {
		return nil, err
	}
	asked.List = r.HTTP.URL.Query().Get("alt") != "sse"
	kind, parts := d.Render(id, answer, asked)
	response := answered(r.HTTP, http.StatusOK, kind, bytes.Join(parts, nil))
	if asked.Stream { // whose length is not told
		response.ContentLength = -1
		response.Header.Del("Content-Length")
	}
	return response, nil
}

// bodyOf is the request as it comes here, which an act before may have changed.
func bodyOf(r *wire.Request) ([]byte, error) {
	if r.HTTP.Body == nil {
		return nil, nil
	}
	body, err := io.ReadAll(r.HTTP.Body)
	_ = r.HTTP.Body.Close() // all of it was read
	return body, err
}

// request is what conditions of a script look at.
type request struct {
	model, told, system string
	tools               []dialect.Tool
}

// turn is the number of the turn that a request gets, from 1: the next one, or again that of a request which has the
// same conversation and whose answer did not arrive, after which clients ask again.
func (a *attempt) turn(r *wire.Request, conversation string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range slices.Backward(a.turns) {
		if g := &a.turns[i]; g.conversation == conversation && g.lost(r) {
			g.request = r.Number
			return i + 1
		}
	}
	g := answeredTurn{request: r.Number, conversation: conversation}
	if n := len(a.turns); n < len(a.script.Turns) {
		g.nothing = a.script.Turns[n].nothing()
	}
	a.turns = append(a.turns, g)
	return len(a.turns)
}

// lost reports whether the answer did not arrive at an agent that asks again: it was cut off, not waited for, turned
// into an error, or emptied on its way; or the client says that it asks again, and asked nothing between.
func (g *answeredTurn) lost(again *wire.Request) bool {
	count := again.HTTP.Header.Get("X-Stainless-Retry-Count")
	retried := count != "" && count != "0"
	e, done := again.Came(g.request)
	if !done {
		return retried
	}
	emptied := !g.nothing && e.Answer.Text == "" && len(e.Answer.Calls) == 0
	return e.Problem != "" || emptied || retried && again.Number == g.request+1
}

// nothing reports whether a turn may say nothing.
func (t Turn) nothing() bool {
	return slices.ContainsFunc(t, func(v Variant) bool { return v.Text == "" && v.Calls == nil })
}

// aside is the answer to what is asked beside the conversation; nil is none.
func (s *Script) aside(q *request) *Variant {
	for i := range s.Anytime {
		if v := &s.Anytime[i].Variant; s.Anytime[i].Path == "" && v.When.fails(q) == "" {
			return v
		}
	}
	return nil
}

// answer is that to the request of a turn, from 1, or why there is none.
func (a *attempt) answer(turn int, q *request) (v *Variant, answer dialect.Answer, why string) {
	if turn > len(a.script.Turns) {
		return nil, answer, fmt.Sprintf("the script has no turn %d: it ends with turn %d", turn, len(a.script.Turns))
	}
	if v, why = a.draw(turn, q); v == nil {
		return nil, answer, why
	}
	answer, why = a.script.say(v, q, fmt.Sprintf("turn %d of the script", turn), fmt.Sprintf("call_%d", turn))
	return v, answer, why
}

// say is a variant as an answer to a request, or why it cannot be one. The identity begins those of its calls.
func (s *Script) say(v *Variant, q *request, place, id string) (answer dialect.Answer, why string) {
	answer = dialect.Answer{
		Model: s.Model, Text: v.Text, Finish: v.Finish,
		Usage: dialect.Usage{
			Input: v.Tokens.In, Output: v.Tokens.Out,
			Cached: v.Tokens.Cached, Written: v.Tokens.Written, Reasoning: v.Tokens.Reasoning,
		},
	}
	for i, c := range v.Calls {
		t, why := tool(c.Tool, q.tools)
		switch {
		case why != "":
		case t.Custom && !c.Input.Known:
			why = "which is a custom tool: it takes a text, as its input"
		case !t.Custom && c.Input.Known:
			why = "which is no custom tool: it takes arguments, and no input"
		}
		if why != "" {
			return answer, fmt.Sprintf("%s calls %s, %s", place, prose.Quote(c.Tool), why)
		}
		answer.Calls = append(answer.Calls, dialect.Call{
			ID: fmt.Sprintf("%s_%d", id, i+1), Name: t.Name, Arguments: string(c.Arguments) + c.Input.Value, Custom: t.Custom,
		})
	}
	return answer, ""
}

// draw draws one of the variants whose conditions hold; nil and why where none is.
func (a *attempt) draw(turn int, q *request) (v *Variant, why string) {
	variants := a.script.Turns[turn-1]
	var open []*Variant
	total := 0.0
	for i := range variants {
		if problem := variants[i].When.fails(q); problem != "" {
			if why == "" {
				why = problem
			}
			continue
		}
		open = append(open, &variants[i])
		total += variants[i].Weight
	}
	if open == nil {
		more := ""
		if len(variants) > 1 {
			more = fmt.Sprintf(", nor does any other of its %d variants", len(variants))
		}
		return nil, fmt.Sprintf("turn %d of the script does not match: %s%s", turn, why, more)
	}
	at := seeded.Stream(a.seed, uint64(turn)).Float64() * total
	for _, v := range open {
		if at -= v.Weight; at < 0 {
			return v, ""
		}
	}
	return open[len(open)-1], "" // the sum was rounded
}

// fails says why a condition does not hold; "" is that it does.
func (w Condition) fails(q *request) string {
	for _, c := range []struct{ text, in, what string }{
		{w.Last, q.told, "what was told last"}, {w.System, q.system, "its instructions"},
		{w.Model, q.model, "the name of the model"},
	} {
		if c.text != "" && !strings.Contains(c.in, c.text) {
			return fmt.Sprintf("%s is not in %s, %s", prose.Quote(c.text), c.what, prose.Quote(prose.Excerpt(c.in)))
		}
	}
	if w.ToolOffered != "" {
		if _, why := tool(w.ToolOffered, q.tools); why != "" {
			return fmt.Sprintf("it wants the tool %s, %s", prose.Quote(w.ToolOffered), why)
		}
	}
	return ""
}

// tool is the offered tool that a script means: that of the name, or else the one whose name ends with it. Why says
// that there is none, or more than one.
func tool(name string, offered []dialect.Tool) (found dialect.Tool, why string) {
	var ending, all []string
	for _, o := range offered {
		if o.Name == name {
			return o, ""
		}
		if all = append(all, o.Name); strings.HasSuffix(o.Name, name) {
			ending, found = append(ending, o.Name), o
		}
	}
	switch {
	case len(ending) == 1:
		return found, ""
	case len(ending) > 1:
		return found, "which may be any of the offered " + quoted(ending)
	case len(offered) == 0:
		return found, "and the agent offers no tools"
	}
	return found, "which the agent does not offer: it offers " + quoted(all)
}

// quoted are names for a person.
func quoted(names []string) string {
	const most = 50
	more := ""
	if len(names) > most {
		names, more = names[:most], fmt.Sprintf(" and %d more", len(names)-most)
	}
	var all []string
	for _, n := range names {
		all = append(all, prose.Quote(n))
	}
	return strings.Join(all, ", ") + more
}

// other answers what is no request to a model: as the script says, or else with nothing. A client that looks whether a
// server is there may; one that asks anything of it ends the attempt.
func (a *attempt) other(r *wire.Request) (*http.Response, error) {
	for _, s := range a.script.Anytime {
		if s.Path != "" && strings.HasSuffix(r.Path, s.Path) {
			return answered(r.HTTP, http.StatusOK, "application/json", []byte(s.JSON)), nil
		}
	}
	const why = "the model is a script, which answers requests to models alone"
	if r.HTTP.Method != http.MethodPost || strings.HasSuffix(r.Path, "/count_tokens") ||
		strings.HasSuffix(r.Path, ":countTokens") {
		return answered(r.HTTP, http.StatusNotFound, "application/json",
			[]byte(`{"error":{"message":"`+why+`","type":"not_found_error"}}`)), nil
	}
	return a.miss(r, fmt.Sprintf("%s, and not %s", why, prose.Quote(prose.Excerpt(r.Path)))), nil
}

// miss ends an attempt. The answer is one that no client asks for again.
func (a *attempt) miss(r *wire.Request, why string) *http.Response {
	r.Tell(wire.Event{Act: Missed, Name: "miss", Detail: why})
	r.Stop(Missed)
	body, kind := []byte(why), "text/plain; charset=utf-8"
	if d := dialect.Of(r.Path); d != nil {
		body, kind = d.Failure(http.StatusBadRequest, why), "application/json"
	}
	answer := answered(r.HTTP, http.StatusBadRequest, kind, body)
	answer.Header.Set("X-Should-Retry", "false")
	return answer
}

// answered is an answer with a body that is known.
func answered(r *http.Request, status int, kind string, body []byte) *http.Response {
	return &http.Response{
		StatusCode: status, Status: strconv.Itoa(status) + " " + http.StatusText(status),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {kind}, "Content-Length": {strconv.Itoa(len(body))}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: r,
	}
}

// sleep waits, unless the agent goes away before.
func sleep(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
