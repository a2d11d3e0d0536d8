package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tribunal-dev/tribunal/internal/sse"
	"github.com/tribunal-dev/tribunal/trial"
)

// Call says how an agent is asked. In URL, Headers and Body, {input}, {input.PATH}, {seed}, {trial}, {scenario},
// {variant} and {id} stand for the values of a trial.
type Call struct {
	Called  string // who is asked, in messages; "" is "the agent"
	URL     string
	Method  string // "" is POST
	Headers map[string]string
	Body    trial.Raw     // JSON; nil is the request itself. A GET has none
	Timeout time.Duration // from the start to the end of the answer; 0 is for ever
	// MaxBytes bounds the answer, unpacked; 0 is 16 MiB.
	MaxBytes int64
	Async    *Async // how the answer is fetched later; nil: it is what comes
}

// Caller asks. It may be used by several goroutines at once, and keeps connections until it is closed.
type Caller struct {
	call   Call
	client *http.Client
}

// New returns what asks as the call says. Proxies are those of the environment.
func New(call Call) *Caller {
	call.Called = cmp.Or(call.Called, "the agent")
	call.Method = cmp.Or(call.Method, http.MethodPost)
	if call.MaxBytes <= 0 {
		call.MaxBytes = 16 << 20
	}
	return &Caller{call, &http.Client{
		CheckRedirect: followed,
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 64,
			IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: 1 << 20,
		},
	}}
}

// Close closes the connections that are kept.
func (c *Caller) Close() { c.client.CloseIdleConnections() }

// Request is what is sent.
type Request struct {
	Method, URL string
	Body        []byte // nil is none
	headers     map[string]string
	isTrial     bool // it is drawn once: no connection that breaks lets it be sent again
}

// Request returns what is sent for a trial.
func (c *Caller) Request(v Values) (r Request, err error) {
	r = Request{Method: c.call.Method, headers: map[string]string{}, isTrial: true}
	if r.URL, err = v.fill(c.call.URL, escaped); err != nil {
		return r, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.call.Headers)) {
		if r.headers[name], err = v.Text(c.call.Headers[name]); err != nil {
			return r, err
		}
	}
	switch {
	case r.Method == http.MethodGet:
	case c.call.Body == nil:
		r.Body = v.Request
	default:
		r.Body, err = v.Document(c.call.Body)
	}
	return r, err
}

// Answer is what came.
type Answer struct {
	Status   int
	Body     []byte
	Events   []string // the data of a stream of events; nil where it is none
	IsEvents bool
	Duration time.Duration
}

// Do asks once. The error is an [Error].
func (c *Caller) Do(ctx context.Context, v Values) (*Answer, error) {
	return c.DoWithin(ctx, v, c.call.Timeout)
}

// DoWithin asks once, as [Caller.Do] does, with a timeout of its own; 0 is for ever.
func (c *Caller) DoWithin(ctx context.Context, v Values, timeout time.Duration) (*Answer, error) {
	r, err := c.Request(v)
	if err != nil {
		return nil, &Error{Kind: Template, Problem: "the request cannot be made: " + err.Error(), Unbegun: true, Err: err}
	}
	start := time.Now()
	answer, err := c.send(ctx, r, timeout)
	if err != nil || c.call.Async == nil {
		return answer, err
	}
	return c.await(ctx, v, r, answer, start, timeout)
}

// send sends a request, and reads what comes.
func (c *Caller) send(ctx context.Context, r Request, timeout time.Duration) (*Answer, error) {
	start := time.Now()
	attempt, cancel := ctx, context.CancelFunc(func() {})
	if timeout > 0 {
		attempt, cancel = context.WithTimeout(ctx, timeout)
	}
	defer cancel()
	var reached atomic.Bool
	traced := httptrace.WithClientTrace(attempt, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { reached.Store(true) },
	})
	request, err := http.NewRequestWithContext(traced, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, &Error{Kind: Template, Problem: "the request cannot be made: its address is none", Unbegun: true,
			Err: err}
	}
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	request.Header.Set("Accept", "application/json, text/event-stream, */*;q=0.5")
	for name, value := range r.headers {
		request.Header.Set(name, value)
	}
	// Where a connection that was kept breaks, the transport asks again by itself what it takes for idempotent: a GET,
	// or what has an Idempotency-Key. On a connection of its own it never does.
	request.Close = r.isTrial && isReplayed(request)
	response, err := c.client.Do(request)
	if err != nil {
		return nil, c.failed(ctx, attempt, err, reached.Load(), timeout)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, c.call.MaxBytes+1))
	switch {
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, c.ofStatus(response, body[:min(len(body), 2000)], time.Now())
	case int64(len(body)) > c.call.MaxBytes:
		return nil, &Error{Kind: TooLong, Problem: fmt.Sprintf(
			"%s answered with more than max_output_bytes, which is %d", c.call.Called, c.call.MaxBytes)}
	case err != nil:
		return nil, c.failed(ctx, attempt, err, true, timeout)
	}
	a := &Answer{Status: response.StatusCode, Body: body, Duration: time.Since(start)}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/event-stream" {
		a.IsEvents, a.Events = true, sse.Events(body)
	}
	return a, nil
}

// isReplayed reports whether the transport may send a request again on its own.
func isReplayed(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
		return true
	}
	return r.Header["Idempotency-Key"] != nil || r.Header["X-Idempotency-Key"] != nil
}
