package monitor

import (
	"fmt"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
)

// Acceptance says that a person took what a stream has become for its new baseline.
type Acceptance struct {
	Stream   string    `json:"stream"`
	At       time.Time `json:"at"`
	By       string    `json:"by"` // who; "" where nobody knows
	Reason   string    `json:"reason"`
	Measures []Measure `json:"measures"`           // that were in alarm
	Baseline *Counts   `json:"baseline,omitempty"` // of the pass rate; nil where only other measures were in alarm, or without one
}

// StreamsError says that there are too many streams.
type StreamsError struct{ Name string }

// Error is the message and the hint.
func (e *StreamsError) Error() string { return e.Message() + "; " + e.Hint() }

// Message names the stream that has no place.
func (e *StreamsError) Message() string {
	return fmt.Sprintf("there are more than %d streams: %s is one more", MostStreams, prose.Excerpt(e.Name))
}

// Hint says what to do about it.
func (e *StreamsError) Hint() string { return "divide the trials by what has few values, with By" }

// ExitCode is that of input that cannot be used.
func (e *StreamsError) ExitCode() int { return exit.Input }

// Accept takes what a stream has become since its alarms for its new baseline: of the pass rate the counts that are
// given, or the trials since the alarm, which were not chosen by how they ended. What is not in alarm stays.
func (m *Monitor) Accept(a Acceptance) error {
	s := m.streams[a.Stream]
	switch {
	case s == nil:
		advice := "it has none"
		if names := m.names(); len(names) > 0 {
			advice = "its streams are " + prose.Some(names, 8)
		}
		return &fault.Error{Problem: "there is no stream " + prose.Excerpt(a.Stream), Advice: advice}
	case strings.TrimSpace(a.Reason) == "":
		return &fault.Error{Problem: "there is no reason", Advice: "say why the new behaviour is as it should be"}
	}
	a.Measures = nil
	fresh := map[*watcher]*watcher{}
	for _, w := range s.Watchers {
		if w.Alarm == nil {
			continue
		}
		next := &watcher{Measure: w.Measure, Conformal: w.Next}
		if w.Measure == PassRate && w.lower() > 0 {
			counts := w.Counts
			if a.Baseline != nil {
				counts = *a.Baseline
			}
			if counts.Trials < fewestAccepted || counts.Passes == 0 {
				return &fault.Error{Problem: fmt.Sprintf("%s since the alarm, of which %d passed, are no baseline",
					prose.Count(counts.Trials, "trial"), counts.Passes),
					Advice: fmt.Sprintf("wait until there are %d, or give the baseline", fewestAccepted)}
			}
			next.Conformal = nil
			if err := m.against(next, stats.Counts(counts)); err != nil {
				return err
			}
			a.Baseline = &counts
		}
		fresh[w] = next
		a.Measures = append(a.Measures, w.Measure)
	}
	if len(fresh) == 0 {
		return &fault.Error{Problem: "the stream " + prose.Excerpt(a.Stream) + " is not in alarm",
			Advice: "there is nothing to accept"}
	}
	for i, w := range s.Watchers {
		if next := fresh[w]; next != nil {
			s.Watchers[i] = next
		}
	}
	s.Accepted++
	m.acceptances = append(m.acceptances, a)
	return nil
}

// fewestAccepted is how many trials a new baseline has at the least. It is chosen: of twenty that all passed the limit
// is 86 %.
const fewestAccepted = 20
