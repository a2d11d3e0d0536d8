package endpoint

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serverRequest is what a server saw.
type serverRequest struct {
	Method, Path, Query, Body, Key, Type string
}

// server answers with what it saw, or as its path says.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		t.Error("another host was asked")
	}))
	t.Cleanup(other.Close)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/echo", "/echo/a b%2Fc&d":
			_ = json.NewEncoder(w).Encode(serverRequest{
				r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Get("X-Key"), r.Header.Get("Content-Type"),
			})
		case "/events":
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			for _, part := range []string{": hello\n\n", "event: a\ndata: {\"t\":\ndata: 1}\n\n", "data:two\r\n\r\n",
				"data: [DONE]\n\ndata: no\n\n"} {
				_, _ = io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
		case "/slow":
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/away":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/get":
			http.Redirect(w, r, "/echo", http.StatusSeeOther)
		case "/moved":
			http.Redirect(w, r, "/echo", http.StatusPermanentRedirect)
		case "/busy":
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/later":
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/large":
			_, _ = w.Write(make([]byte, 3000))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 1000 {
				_, _ = z.Write(make([]byte, 1<<10))
			}
			_ = z.Close()
		case "/cut":
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half")
		case "/reset":
			c, _, _ := w.(http.Hijacker).Hijack()
			_ = c.(*net.TCPConn).SetLinger(0)
			c.Close()
		default:
			var status int
			_, _ = fmt.Sscanf(r.URL.Path, "/status/%d", &status)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "why")
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func values() Values {
	return Values{
		Request: []byte(`{"all":1}`), Input: []byte(`{"q":"a b/c&d","n":1.50,"list":[{"x":null}]}`),
		Scenario: "s", Trial: 2, Seed: 1 << 52, ID: "s-0",
	}
}

func TestRequestIsFilled(t *testing.T) {
	s := server(t)
	for _, c := range []struct {
		name string
		call Call
		want serverRequest
	}{
		{"the request itself", Call{}, serverRequest{"POST", "/echo", "", `{"all":1}`, "", "application/json"}},
		{"a body", Call{Method: "PUT",
			Body: []byte(`{"a":"{input}","b":["{input.n}","n={input.n}","{seed}","{trial}x"],"c":"{other} {}","{id}":"{id}","d":"{input.list[0].x}"}`)},
			serverRequest{"PUT", "/echo", "",
				`{"a":{"list":[{"x":null}],"n":1.50,"q":"a b/c&d"},"b":[1.50,"n=1.50",4503599627370496,"2x"],"c":"{other} {}","d":null,"{id}":"s-0"}`, "", "application/json"}},
		{"headers", Call{Headers: map[string]string{"X-Key": "k {scenario}", "Content-Type": "text/json"}},
			serverRequest{"POST", "/echo", "", `{"all":1}`, "k s", "text/json"}},
		{"an address", Call{Method: "GET", URL: "/echo?q={input.q}&t={trial}"},
			serverRequest{"GET", "/echo", "q=a%20b%2Fc%26d&t=2", "", "", ""}},
		{"a redirect to itself", Call{URL: "/moved"}, serverRequest{"POST", "/echo", "", `{"all":1}`, "",
			"application/json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.call.URL == "" {
				c.call.URL = "/echo"
			}
			c.call.URL = s.URL + c.call.URL
			caller := New(c.call)
			defer caller.Close()
			a, err := caller.Do(context.Background(), values())
			if err != nil {
				t.Fatal(err)
			}
			var got serverRequest
			if err := json.Unmarshal(a.Body, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	s := server(t)
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = nil
	defer untrusted.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	type failure struct {
		Kind    Kind
		Unbegun bool
		After   time.Duration
	}
	for path, want := range map[string]failure{
		"/slow":       {Kind: Timeout},
		"/away":       {Kind: Redirect},
		"/get":        {Kind: Redirect},
		"/busy":       {Refused, true, 7 * time.Second},
		"/large":      {Kind: TooLong},
		"/bomb":       {Kind: TooLong},
		"/cut":        {Kind: Connection},
		"/reset":      {Kind: Connection},
		"/status/500": {Kind: Status},
		"/status/400": {Kind: Status},
		"/status/503": {Kind: unavailable},
		"/later":      {Refused, true, 0},
		"/status/401": {Kind: Denied},
		"/status/404": {Kind: Denied},
		"http://" + closed.Addr().String() + "/?key=swordfish": {Connection, true, 0},
		"http://no-such-host.invalid/?key=swordfish":           {Connection, true, 0},
		untrusted.URL + "/?key=swordfish":                      {Connection, true, 0},
		"/echo?x={input.nothing}":                              {Template, true, 0},
	} {
		t.Run(path, func(t *testing.T) {
			call := Call{URL: path, MaxBytes: 2000, Timeout: 20 * time.Second, Headers: map[string]string{"X-Key": "swordfish"}}
			if strings.HasPrefix(path, "/") {
				call.URL = s.URL + path
			}
			if path == "/slow" {
				call.Timeout = 300 * time.Millisecond
			}
			caller := New(call)
			defer caller.Close()
			_, err := caller.Do(context.Background(), values())
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("%v", err)
			}
			// A certificate is refused once there is a connection, and before anything is asked.
			if diff := cmp.Diff(want, failure{got.Kind, got.Unbegun, got.After}); diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
			if strings.Contains(err.Error(), "swordfish") {
				t.Errorf("a secret in %q", err)
			}
		})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var got *Error
	if _, err := New(Call{URL: s.URL + "/slow"}).Do(ctx, values()); !errors.As(err, &got) || got.Kind != Cancelled {
		t.Error(err)
	}
}

// An agent that dies in the middle of an answer is asked once, also over a connection that was kept, and whatever the
// transport takes for safe to ask again.
func TestAskedOnce(t *testing.T) {
	for _, call := range []Call{
		{Method: http.MethodGet}, {Method: http.MethodPost},
		{Method: http.MethodPost, Headers: map[string]string{"Idempotency-Key": "{id}"}},
	} {
		t.Run(fmt.Sprint(call.Method, len(call.Headers)), func(t *testing.T) {
			var asked atomic.Int32
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.Add(1) > 1 {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, "fine")
			}))
			defer s.Close()
			call.URL = s.URL
			caller := New(call)
			defer caller.Close()
			if _, err := caller.Do(t.Context(), values()); err != nil {
				t.Fatal(err)
			}
			_, err := caller.Do(t.Context(), values())
			var why *Error
			if !errors.As(err, &why) || why.Kind != Connection || why.Unbegun || asked.Load() != 2 {
				t.Errorf("asked %d times: %v", asked.Load(), err)
			}
		})
	}
}

func TestStreams(t *testing.T) {
	s := server(t)
	a, err := New(Call{URL: s.URL + "/events"}).Do(context.Background(), values())
	if err != nil || !a.IsEvents {
		t.Fatal(a, err)
	}
	if diff := cmp.Diff([]string{"{\"t\":\n1}", "two"}, a.Events); diff != "" {
		t.Error(diff)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "0": 0, "Fri, 02 Jan 2026 03:05:05 GMT": time.Minute,
		"Fri, 02 Jan 2026 03:03:05 GMT": 0, "9223372036854775807": 1 << 31 * time.Second,
	} {
		if got, isSaid := retryAfter(text, now); got != want || !isSaid {
			t.Errorf("%q: %v, %v, not %v", text, got, isSaid, want)
		}
	}
	for _, text := range []string{"", "-1", "soon", "18446744073709551615"} {
		if got, isSaid := retryAfter(text, now); got != 0 || isSaid {
			t.Errorf("%q: %v, %v", text, got, isSaid)
		}
	}
}

func TestProxyIsThatOfTheEnvironment(t *testing.T) {
	caller := New(Call{URL: "http://127.0.0.1/"})
	if caller.client.Transport.(*http.Transport).Proxy == nil {
		t.Error("none is looked for")
	}
}
