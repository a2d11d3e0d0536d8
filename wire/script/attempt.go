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

// Wire are options of a wire on which a script answers all: agents get a placeholder for every key, and no server can be
// reached. The servers say only by which providers' addresses the agent is told of the wire.
func Wire(o wire.Options) wire.Options {
	upstreams := wire.Upstreams{}
	for p := range o.Upstreams {
		upstreams[p] = &url.URL{Scheme: "http", Host: "script.invalid"}
	}
	o.Upstreams = upstreams
	o.Key = func(wire.Provider) string { return "script" }
	o.Transport = nowhere{}
	return o
}

// nowhere is a transport without a network.
type nowhere struct{}

// RoundTrip never reaches a server.
func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("the model is a script, and no server is asked")
}

// attempt answers the requests of one attempt.
type attempt struct {
	script *Script
	seed   uint64

	mu    sync.Mutex
	asked int // requests that reached the script
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
	a.mu.Lock()
	a.asked++
	turn := a.asked
	a.mu.Unlock()
	v, answer, why := a.answer(turn, body)
	if why != "" {
		return a.miss(r, why), nil
	}
	if err := sleep(r.HTTP.Context(), v.Latency); err != nil {
		return nil, err
	}
	asked.List = r.HTTP.URL.Query().Get("alt") != "sse"
	kind, parts := d.Render(fmt.Sprintf("script_%d", turn), answer, asked)
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

// answer is that to the request of a turn, from 1, or why there is none.
func (a *attempt) answer(turn int, body []byte) (v *Variant, answer dialect.Answer, why string) {
	if turn > len(a.script.Turns) {
		return nil, answer, fmt.Sprintf("the script has no turn %d: it ends with turn %d", turn, len(a.script.Turns))
	}
	offered, told := dialect.Offered(body), dialect.New(body)
	if v, why = a.draw(turn, offered, told); v == nil {
		return nil, answer, why
	}
	answer = dialect.Answer{
		Model: a.script.Model, Text: v.Text, Finish: v.Finish,
		Usage: dialect.Usage{Input: v.Tokens.In, Output: v.Tokens.Out, Cached: v.Tokens.Cached},
	}
	for i, c := range v.Calls {
		name, why := tool(c.Tool, offered)
		if why != "" {
			return nil, answer, fmt.Sprintf("turn %d of the script calls %s, %s", turn, prose.Quote(c.Tool), why)
		}
		answer.Calls = append(answer.Calls, dialect.Call{
			ID: fmt.Sprintf("call_%d_%d", turn, i+1), Name: name, Arguments: string(c.Arguments),
		})
	}
	return v, answer, ""
}

// draw draws one of the variants whose conditions hold; nil and why where none is.
func (a *attempt) draw(turn int, offered []string, told string) (v *Variant, why string) {
	variants := a.script.Turns[turn-1]
	var open []*Variant
	total := 0.0
	for i := range variants {
		if problem := variants[i].When.fails(offered, told); problem != "" {
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
func (w When) fails(offered []string, told string) string {
	if w.Last != "" && !strings.Contains(told, w.Last) {
		return fmt.Sprintf("%s is not in what was told last, %s", prose.Quote(w.Last), prose.Quote(prose.Excerpt(told)))
	}
	if w.ToolOffered != "" {
		if _, why := tool(w.ToolOffered, offered); why != "" {
			return fmt.Sprintf("it wants the tool %s, %s", prose.Quote(w.ToolOffered), why)
		}
	}
	return ""
}

// tool is the offered tool that a script means: that of the name, or else the one whose name ends with it. Why says that
// there is none, or more than one.
func tool(name string, offered []string) (exact, why string) {
	if slices.Contains(offered, name) {
		return name, ""
	}
	var ending []string
	for _, o := range offered {
		if strings.HasSuffix(o, name) {
			ending = append(ending, o)
		}
	}
	switch {
	case len(ending) == 1:
		return ending[0], ""
	case len(ending) > 1:
		return "", "which may be any of the offered " + quoted(ending)
	case len(offered) == 0:
		return "", "and the agent offers no tools"
	}
	return "", "which the agent does not offer: it offers " + quoted(offered)
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

// other answers what is no request to a model: with nothing. A client that looks whether a server is there may; one that
// asks anything of it ends the attempt.
func (a *attempt) other(r *wire.Request) (*http.Response, error) {
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
