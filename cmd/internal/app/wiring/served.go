package wiring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// servedTrials are the trials of a wire that stays up, one after the other on one route. It answers who ends one.
type servedTrials struct {
	app      *world.World
	scenario string
	passage  *passage
	file     *os.File // nil is none
	route    *wire.Route
	broken   chan struct{} // closed with failed

	mu      sync.Mutex
	number  int            // of the trial, from 0
	over    chan struct{}  // closed when the trial has ended; nil then
	watched sync.WaitGroup // who tells when it is stopped
	stopped bool           // a trial reached a limit, or showed nothing
	failed  error          // of writing, the first
}

// openTrials opens a file that trials are appended to; nil where there is no name.
func openTrials(ctx context.Context, name string) (*os.File, error) {
	if name == "" {
		return nil, nil
	}
	mode, asked := outfile.ModeAsked(ctx)
	if !asked {
		mode = outfile.PrivateMode
	}
	_, err := os.Stat(name)
	isNew := errors.Is(err, fs.ErrNotExist)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, mode)
	if err != nil {
		return nil, problem.Usage("name a file that can be written", "--trials %q cannot be used: %v", name,
			problem.WithoutPath(err))
	}
	if isNew && asked { // which the process's mask may have kept from it
		if err := outfile.Share(ctx, name); err != nil {
			_ = file.Close()
			return nil, err
		}
	}
	return file, nil
}

// open opens the route, and begins the first trial.
func (s *servedTrials) open(w *wire.Wire) {
	s.route = w.Route(s.passage.limits, s.passage.acts(s.scenario, 0)...)
	s.begun()
}

// begun tells when the trial that has begun is stopped. The lock is held, or not needed yet.
func (s *servedTrials) begun() {
	s.over = make(chan struct{})
	stopped, over := s.route.Stopped(), s.over
	s.watched.Go(func() {
		select {
		case <-stopped:
			fmt.Fprintf(s.app.Stderr, "wire: %s: requests are refused until the next trial\n", s.route.Reason())
		case <-over:
		}
	})
}

// ServeHTTP ends a trial and begins the next. Its answer is the record.
func (s *servedTrials) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST ends the trial and begins the next", http.StatusMethodNotAllowed)
		return
	}
	outcome, known := trial.ParseOutcome(request.URL.Query().Get("outcome"))
	if !known && request.URL.Query().Has("outcome") {
		http.Error(w, "outcome is not pass, fail or error", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.route.Take()
	text, err := s.end(seen, outcome, true)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.number++
	s.route.Begin(s.passage.limits, s.passage.acts(s.scenario, s.number)...)
	s.begun()
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text) // to one who may have gone
}

// close ends the last trial, which is none if nothing was asked in it, and returns what could not be written.
func (s *servedTrials) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.route.Close()
	asked := seen.Calls() > 0 ||
		slices.ContainsFunc(seen.Events, func(e wire.Event) bool { return e.Act == wire.GuardAct })
	if s.failed == nil && (asked || s.number == 0) {
		_, err := s.end(seen, trial.Unjudged, asked)
		return err
	}
	s.unwatch()
	return s.failed
}

// unwatch ends who tells when the trial is stopped. The lock is held.
func (s *servedTrials) unwatch() {
	if s.over != nil {
		close(s.over)
		s.over = nil
	}
	s.watched.Wait()
}

// end tells of a trial, and appends it to the file where it is to be kept. The lock is held.
func (s *servedTrials) end(seen *wire.Traffic, outcome trial.Outcome, kept bool) (text []byte, err error) {
	s.unwatch()
	record := recordOf(s.scenario, ending{}, seen)
	if record.Outcome == trial.Unjudged {
		record.Outcome = outcome
	}
	timed(record, seen)
	s.stopped = s.stopped || beyond(seen)
	text, err = trial.Append(nil, record)
	text = append(text, '\n')
	if err == nil && s.file != nil && kept {
		if _, err = s.file.Write(text); err != nil { // one write, a line
			err = &problem.WriteError{Target: s.file.Name(), Err: err}
		}
	}
	if err != nil && s.failed == nil {
		s.failed = err
		close(s.broken)
	}
	if s.failed != nil {
		return nil, s.failed
	}
	sum := summaryOf(record, seen)
	sum.what = "the trial"
	_, err = fmt.Fprintf(s.app.Stderr, "wire: trial %d of %s: %s\n%s", s.number+1, prose.Excerpt(s.scenario),
		record.Outcome, sum.text())
	return text, err
}

// timed gives a trial the time from the first request to the end of the last: before and after nobody is known to have
// worked on it.
func timed(t *trial.Trial, seen *wire.Traffic) {
	var began, ended time.Time
	span := func(from time.Time, took time.Duration) {
		if began.IsZero() || from.Before(began) {
			began = from
		}
		if to := from.Add(took); to.After(ended) {
			ended = to
		}
	}
	for i := range seen.Exchanges {
		span(seen.Exchanges[i].Started, seen.Exchanges[i].Duration)
	}
	for i := range seen.Tools {
		span(seen.Tools[i].Started, seen.Tools[i].Duration)
	}
	if !began.IsZero() {
		t.StartedAt = trial.Timestamp(began.UTC().Format(time.RFC3339Nano))
		t.DurationSeconds = trial.Some(ended.Sub(began).Seconds())
	}
}
