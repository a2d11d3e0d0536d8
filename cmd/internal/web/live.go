package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/report/site"
)

// How often a journal is looked at for who follows it, and how long nothing is said. Chosen: a person sees no delay,
// and what stands between keeps the connection for a minute at the least.
const (
	lookEvery  = 300 * time.Millisecond
	quietEvery = 5 * time.Second
	writeTime  = 10 * time.Second // that a client may take for an event
)

// stateNow is where the run stands, for a page.
func (s *Server) stateNow() (site.LiveRun, int) {
	l := site.LiveRun{Name: journalName(s.follow.name), Events: "/live/events"}
	select {
	case <-s.options.Planned:
	default:
		if s.options.Planned != nil {
			l.Problem = "the tests are being designed; no trial has begun"
			return l, -1
		}
	}
	state, changes, err := s.follow.look(s.now())
	if err != nil {
		l.Problem = err.Error()
	}
	l.State = state
	return l, changes
}

// live shows the run in progress.
func (s *Server) live(context.Context, *http.Request) (site.Page, error) {
	l, _ := s.stateNow()
	return site.Page{Title: l.Name, Here: "/live", Refresh: true, Content: l}, nil
}

// events sends where the run stands whenever it changes, as server-sent events, until the client goes or the server
// ends.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	select {
	case s.watched <- struct{}{}:
		defer func() { <-s.watched }()
	default:
		http.Error(w, "too many follow the run already", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Method == http.MethodHead {
		return
	}
	out := http.NewResponseController(w)
	// What is waited for is that the client goes: the time for its request is over.
	if out.SetReadDeadline(time.Time{}) != nil {
		return
	}
	send := func(event string, l site.LiveRun) bool {
		var state, text bytes.Buffer
		if site.WriteState(&state, l) != nil {
			return false
		}
		fmt.Fprintf(&text, "event: %s\n", event)
		for line := range strings.Lines(state.String()) {
			fmt.Fprintf(&text, "data: %s\n", strings.TrimRight(line, "\r\n"))
		}
		text.WriteByte('\n')
		if out.SetWriteDeadline(time.Now().Add(writeTime)) != nil {
			return false
		}
		_, err := w.Write(text.Bytes())
		return err == nil && out.Flush() == nil
	}
	last, shown := time.Time{}, -1
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		l, changes := s.stateNow()
		if changes != shown || time.Since(last) > quietEvery {
			if !send("state", l) {
				return
			}
			last, shown = time.Now(), changes
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-s.over:
			l, _ := s.stateNow()
			_ = send("state", l) && send("over", l)
			return
		}
	}
}
