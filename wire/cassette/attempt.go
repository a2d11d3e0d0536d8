package cassette

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Missed is the reason for which an attempt is stopped that asks what was not recorded. The event of this act says
// more.
const Missed = "replay"

// maxBody bounds what is kept of a request and of an answer, in bytes.
const maxBody = 32 << 20

// attempt records or replays one conversation.
type attempt struct {
	cassette *Cassette
	is       Conversation

	mu    sync.Mutex
	asked map[digest]int // how often
}

// Attempt is the act of a conversation.
func (c *Cassette) Attempt(conversation Conversation) wire.Act {
	return &attempt{cassette: c, is: conversation, asked: map[digest]int{}}
}

// RoundTrip answers from the file, or records what comes.
func (a *attempt) RoundTrip(
	r *wire.Request, next func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	e, secrets, whole, err := a.request(r)
	if err != nil {
		return nil, err
	}
	o := &a.cassette.options
	if o.Replay != Record && whole {
		if p, ok := a.find(e); ok {
			return a.replay(r.HTTP.Context(), r.HTTP, p)
		}
	}
	switch {
	case o.Replay == Strict:
		return a.miss(r, e, whole), nil
	case !whole:
		return next(r.HTTP)
	}
	return a.record(e, secrets, r.HTTP, next)
}

// request is what is kept of a request; whole is false where it is too long for that.
func (a *attempt) request(r *wire.Request) (e *exchange, secrets redactor, whole bool, err error) {
	var body []byte
	if r.HTTP.Body != nil {
		if body, err = io.ReadAll(io.LimitReader(r.HTTP.Body, maxBody+1)); err != nil {
			return nil, nil, false, err
		}
		rest := r.HTTP.Body
		r.HTTP.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(body), rest), rest}
	}
	secrets = a.cassette.secrets.with(r.HTTP)
	return &exchange{
		Conversation: a.is, At: time.Now().UTC(), Provider: string(r.Provider), Method: r.HTTP.Method,
		Path: secrets.path(r.Path, r.HTTP.URL.RawQuery), Body: secrets.bytes(body),
	}, secrets, len(body) <= maxBody, nil
}

// find finds the answer to the n-th of equal requests.
func (a *attempt) find(e *exchange) (place, bool) {
	key := digestOf(e, a.cassette.options.Ignore)
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.asked[key]
	a.asked[key]++
	for _, p := range a.cassette.conversations[a.is] {
		if p.key != key {
			continue
		}
		if n == 0 {
			return p, true
		}
		n--
	}
	return place{}, false
}

// record makes a request, and writes it when its answer has ended.
func (a *attempt) record(
	e *exchange, secrets redactor, request *http.Request, next func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	request.Header.Set("Accept-Encoding", "identity") // a secret is found in what can be read
	began := time.Now()
	answer, err := next(request)
	if err != nil {
		if request.Context().Err() == nil { // else the agent went away
			e.Error = secrets.text(err.Error())
			a.cassette.write(e)
		}
		return nil, err
	}
	e.Status, e.Header = answer.StatusCode, secrets.header(answer.Header)
	answer.Body = &recordedBody{ReadCloser: answer.Body, exchange: e, secrets: secrets, to: a.cassette, began: began}
	return answer, nil
}

// recordedBody is a body whose parts are kept.
type recordedBody struct {
	io.ReadCloser
	exchange *exchange
	secrets  redactor
	to       *Cassette
	began    time.Time
	size     int
	once     sync.Once
}

// Read reads, and keeps what was read.
func (r *recordedBody) Read(into []byte) (int, error) {
	n, err := r.ReadCloser.Read(into)
	const most = 1 << 16 // parts; those behind it are kept as one
	switch r.size += n; {
	case n == 0 || r.size > maxBody:
	case len(r.exchange.Chunks) < most:
		r.exchange.Chunks = append(r.exchange.Chunks,
			chunk{time.Since(r.began).Microseconds(), bytes.Clone(into[:n])})
	default:
		last := &r.exchange.Chunks[most-1]
		last.Data = append(last.Data, into[:n]...)
	}
	if err != nil {
		r.end(err)
	}
	return n, err
}

// Close writes what was read until then.
func (r *recordedBody) Close() error {
	r.end(errors.New("the agent did not wait for the rest"))
	return r.ReadCloser.Close()
}

// end writes the exchange.
func (r *recordedBody) end(err error) {
	r.once.Do(func() {
		switch {
		case r.size > maxBody:
			r.exchange.Error = fmt.Sprintf("the answer is longer than the %d bytes that are recorded", maxBody)
		case err != io.EOF:
			r.exchange.Error = r.secrets.text(err.Error())
		}
		r.exchange.Chunks = r.secrets.chunks(r.exchange.Chunks)
		if length := r.exchange.Header.Get("Content-Length"); length != "" {
			r.exchange.Header.Del("Content-Length") // a secret may have been of another length
		}
		r.to.write(r.exchange)
	})
}

// replay is a recorded answer.
func (a *attempt) replay(ctx context.Context, request *http.Request, p place) (*http.Response, error) {
	e, err := a.cassette.load(p)
	if err != nil {
		return nil, err
	}
	if e.Status == 0 {
		return nil, errors.New(cmp.Or(e.Error, "no answer was recorded"))
	}
	header := e.Header
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{
		StatusCode: e.Status, Status: fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Header: header, Request: request,
		Body: &replayedBody{ctx: ctx, exchange: e, timing: a.cassette.options.Timing, began: time.Now()},
	}, nil
}

// replayedBody is a body that comes in the recorded parts.
type replayedBody struct {
	ctx      context.Context
	exchange *exchange
	timing   bool
	began    time.Time
	rest     []byte
	next     int
}

// Read returns a part, or what is left of one.
func (r *replayedBody) Read(into []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.next == len(r.exchange.Chunks) {
			if r.exchange.Error != "" {
				return 0, io.ErrUnexpectedEOF
			}
			return 0, io.EOF
		}
		c := r.exchange.Chunks[r.next]
		r.next++
		if r.timing {
			select {
			case <-time.After(time.Until(r.began.Add(time.Duration(c.After) * time.Microsecond))):
			case <-r.ctx.Done():
				return 0, context.Cause(r.ctx)
			}
		}
		r.rest = c.Data
	}
	n := copy(into, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close does nothing.
func (r *replayedBody) Close() error { return nil }

// miss ends an attempt that asks what was not recorded. The answer is one that no client asks for again.
func (a *attempt) miss(r *wire.Request, e *exchange, whole bool) *http.Response {
	why := "the request is longer than what is recorded"
	if whole {
		why = a.nearest(e)
	}
	r.Tell(wire.Event{Act: Missed, Name: "miss", Detail: why})
	r.Stop(Missed)
	body, kind := []byte(why), "text/plain; charset=utf-8"
	if d := dialect.Of(r.Path); d != nil {
		body, kind = d.Failure(http.StatusForbidden, why), "application/json"
	}
	return &http.Response{
		StatusCode: http.StatusForbidden, Status: "403 Forbidden", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {kind}, "X-Should-Retry": {"false"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: r.HTTP,
	}
}

// nearest says why there is no answer, by the recorded request that is most alike.
func (a *attempt) nearest(e *exchange) string {
	const mostCompared, mostTold = 200, 5
	places := a.cassette.conversations[a.is]
	if len(places) == 0 {
		return fmt.Sprintf("%s has no recording of %s: record it, or replay no more trials than were recorded",
			a.cassette.name, a.is)
	}
	key, equal := digestOf(e, a.cassette.options.Ignore), 0
	best, request := []string(nil), 0
	for i, p := range places {
		if p.key == key {
			equal++
			continue
		}
		if i >= mostCompared {
			continue
		}
		other, err := a.cassette.load(p)
		if err != nil {
			continue
		}
		if d := differences(other, e, a.cassette.options.Ignore); best == nil || len(d) < len(best) {
			best, request = d, i+1
		}
	}
	if equal > 0 {
		return fmt.Sprintf("%s has this request of %s %d times, and it is asked once more", a.cassette.name, a.is, equal)
	}
	more := ""
	if len(best) > mostTold {
		best, more = best[:mostTold], fmt.Sprintf("\n  and %d more", len(best)-mostTold)
	}
	return fmt.Sprintf("%s has no such request of %s; the nearest is its request %d:\n  %s%s",
		a.cassette.name, a.is, request, strings.Join(best, "\n  "), more)
}

// String names a conversation for a person.
func (c Conversation) String() string {
	text := fmt.Sprintf("scenario %q, trial %d", c.Scenario, c.Trial)
	if c.Variant != "" {
		text += fmt.Sprintf(", %q", c.Variant)
	}
	if c.Attempt > 0 {
		text += fmt.Sprintf(", attempt %d", c.Attempt)
	}
	return text
}
