package endpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// worker takes a request at /runs, and is done at the third question. Other paths do as they are called.
func worker(t *testing.T) (address string, cancelled *atomic.Int32) {
	t.Helper()
	var asked, stopped atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "secret" {
			t.Errorf("%s %s without the header", r.Method, r.URL)
		}
		switch path := r.Method + " " + r.URL.Path; path {
		case "POST /runs":
			_, _ = io.WriteString(w, `{"id": "a b/7", "status": "queued", "n": {},
				"at": "/runs/7", "away": "http://elsewhere.test/7"}`)
		case "POST /quick":
			_, _ = io.WriteString(w, `{"status": "done", "text": "at once"}`)
		case "POST /brief":
			_, _ = io.WriteString(w, `{"id": 7}`)
		case "POST /prose":
			_, _ = io.WriteString(w, "I began.")
		case "GET /runs/a b/7", "GET /runs/7":
			switch asked.Add(1) {
			case 1:
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
			case 2:
				_, _ = io.WriteString(w, `{"status": "running"}`)
			default:
				fmt.Fprintf(w, `{"status": "done", "text": "at last", "path": %q}`, r.URL.EscapedPath())
			}
		case "GET /never":
			_, _ = io.WriteString(w, `{"status": "running"}`)
		case "GET /fails":
			_, _ = io.WriteString(w, `{"status": "failed", "why": "no key"}`)
		case "GET /mute":
			_, _ = io.WriteString(w, `{}`)
		case "POST /cancel/a b/7":
			stopped.Add(1)
		default:
			t.Error(path)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, &stopped
}

func TestAsync(t *testing.T) {
	for _, c := range []struct {
		name, start, poll string
		want              string // in the body, or in the problem
		kind              Kind   // "" is an answer
		cancelled         int32
	}{
		{name: "a part of the answer", start: "/runs", poll: "/runs/{answer.id}", want: `"path": "/runs/a%20b%2F7"`},
		{name: "a whole address", start: "/runs", poll: "{answer.at}", want: `"at last"`},
		{name: "no status at first", start: "/brief", poll: "/runs/{answer.id}", want: `"at last"`},
		{name: "done at once", start: "/quick", poll: "/never", want: `"at once"`},
		{name: "it failed", start: "/runs", poll: "/fails", kind: Status, want: `ended with the status "failed"`},
		{
			name: "it never ends", start: "/runs", poll: "/never", kind: Timeout, want: "was not done within 300ms",
			cancelled: 1,
		},
		{name: "no status", start: "/runs", poll: "/mute", kind: Unreadable, want: "nothing stands at status"},
		{name: "prose", start: "/prose", poll: "/runs/{answer.id}", kind: Unreadable, want: "not JSON"},
		{name: "another host", start: "/runs", poll: "{answer.away}", kind: Unreadable, want: "elsewhere.test, which is"},
		{name: "no such part", start: "/runs", poll: "/runs/{answer.number}", kind: Unreadable, want: "stands at number"},
		{name: "a part that is an object", start: "/runs", poll: "/runs/{answer.n}", kind: Unreadable, want: "stands at n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			address, cancelled := worker(t)
			caller := New(Call{
				URL: address + c.start, Headers: map[string]string{"X-Key": "secret"}, Timeout: 300 * time.Millisecond,
				Async: &Async{
					Poll: c.poll, Status: "status", Done: []string{"done"}, Failed: []string{"failed"},
					Every: time.Millisecond, Cancel: "/cancel/{answer.id}",
				},
			})
			if c.kind == "" {
				caller.call.Timeout = 0 // that a slow machine is in time too
			}
			defer caller.Close()
			answer, err := caller.Do(t.Context(), Values{Request: []byte("{}")})
			var why *Error
			switch {
			case c.kind == "" && (err != nil || !strings.Contains(string(answer.Body), c.want)):
				t.Errorf("%v, %+v", err, answer)
			case c.kind == "":
			case !errors.As(err, &why) || why.Kind != c.kind || why.Unbegun || !strings.Contains(why.Problem, c.want):
				t.Errorf("%+v", err)
			}
			if cancelled.Load() != c.cancelled {
				t.Errorf("cancelled %d times", cancelled.Load())
			}
		})
	}
}

// A run that is stopped tells the agent so.
func TestAsyncIsCancelled(t *testing.T) {
	address, cancelled := worker(t)
	caller := New(Call{
		URL: address + "/runs", Headers: map[string]string{"X-Key": "secret"},
		Async: &Async{
			Poll: "/never", Status: "status", Done: []string{"done"}, Every: time.Millisecond, Cancel: "/cancel/{answer.id}",
		},
	})
	defer caller.Close()
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	_, err := caller.Do(ctx, Values{Request: []byte("{}")})
	var why *Error
	if !errors.As(err, &why) || why.Kind != Cancelled || cancelled.Load() != 1 {
		t.Errorf("%v, cancelled %d times", err, cancelled.Load())
	}
}
