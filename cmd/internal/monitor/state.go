package monitor

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
)

// snapshot is all that a monitor is, but for the last trials of its streams and the traces of its baseline.
type snapshot struct {
	Options     storedOptions `json:"options"`
	Baseline    Counts        `json:"baseline"`
	Streams     []*stream     `json:"streams"`
	Clock       clock         `json:"clock"`
	Unjudged    int           `json:"unjudged"`
	Errors      int           `json:"errors"`
	Acceptances []Acceptance  `json:"accepted"`
}

// storedOptions are [Options] as they are stored.
type storedOptions struct {
	Detector  Detector  `json:"detector"`
	RunLength float64   `json:"run_length"`
	Gamma     float64   `json:"gamma"`
	Drop      float64   `json:"drop"`
	Watch     []Measure `json:"watch"`
	By        string    `json:"by"`
	Seed      uint64    `json:"seed"`
}

func (m *Monitor) stored() snapshot {
	s := snapshot{
		Options: storedOptions(m.options), Baseline: Counts(m.baseline.Counts), Streams: []*stream{}, Clock: m.clock,
		Unjudged: m.unjudged, Errors: m.errors, Acceptances: m.acceptances,
	}
	for _, name := range m.names() {
		s.Streams = append(s.Streams, m.streams[name])
	}
	return s
}

// MarshalJSON writes all that [Restore] needs.
func (m *Monitor) MarshalJSON() ([]byte, error) { return json.Marshal(m.stored()) }

// ErrOptions says that a stored monitor has other options, or another baseline.
var ErrOptions = errors.New("it was stored with other options, or another baseline")

var errStored = errors.New("is no stored monitor")

// Restore returns the monitor that was stored. Its options and its baseline must be those that are given, or it is
// [ErrOptions]: evidence against one baseline says nothing about another.
func Restore(text []byte, o Options, b Baseline) (*Monitor, error) {
	m, s, err := restore(text)
	if err != nil {
		return nil, err
	}
	if o, err = o.withDefaults(); err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(o, m.options) || Counts(b.Counts) != s.Baseline {
		return nil, ErrOptions
	}
	m.baseline = b
	for _, stream := range s.Streams {
		before := b.Streams[stream.Name]
		w := stream.Watchers[0]
		if before != nil && stream.Accepted == 0 && w.Baseline != nil && stats.Counts(*w.Baseline) != before.Counts {
			return nil, ErrOptions
		}
	}
	return m, nil
}

// Stored returns the monitor that was stored without its baseline's traces, for [Monitor.Accept] and [Monitor.Status].
func Stored(text []byte) (*Monitor, error) {
	m, _, err := restore(text)
	return m, err
}

func restore(text []byte) (*Monitor, *snapshot, error) {
	var s snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errStored, err)
	}
	o, err := Options(s.Options).withDefaults()
	if err != nil || len(o.Watch) != len(s.Options.Watch) {
		return nil, nil, fmt.Errorf("%w: its options", errStored)
	}
	m, err := New(o, Baseline{Counts: stats.Counts(s.Baseline)})
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errStored, err)
	}
	m.clock, m.unjudged, m.errors, m.acceptances = s.Clock, s.Unjudged, s.Errors, s.Acceptances
	if (s.Clock.First == nil) != (s.Clock.Last == nil) || len(s.Streams) > MostStreams {
		return nil, nil, errStored
	}
	for _, stream := range s.Streams {
		if err := m.checkStored(stream); err != nil {
			return nil, nil, err
		}
		m.streams[stream.Name] = stream
	}
	return m, &s, nil
}

// checkStored refuses a stream that cannot have been stored.
func (m *Monitor) checkStored(s *stream) error {
	if s == nil || m.streams[s.Name] != nil || len(s.Watchers) != 1+len(m.options.Watch) || s.Trials < 0 ||
		s.Accepted < 0 {
		return fmt.Errorf("%w: a stream", errStored)
	}
	for i, w := range s.Watchers {
		measure := PassRate
		if i > 0 {
			measure = m.options.Watch[i-1]
		}
		if !w.stored(measure) {
			return fmt.Errorf("%w: the stream %q", errStored, s.Name)
		}
	}
	return nil
}

// stored reports whether a watcher can have been stored.
func (w *watcher) stored(measure Measure) bool {
	if w == nil || w.Measure != measure || w.Trials < 0 || stats.Counts(w.Counts).Validate() != nil {
		return false
	}
	detectors := 0
	if w.Rate != nil {
		detectors++
	}
	if w.Conformal != nil {
		detectors++
	}
	if c := w.CUSUM; c != nil {
		detectors++
		if !(c.Baseline > 0 && c.Baseline < 1) || c.Sum < 0 || c.Sum > 1<<30 || c.Since < 0 || c.Since > c.Trials {
			return false
		}
	}
	if w.Baseline != nil {
		if _, err := change.LowerLimit(stats.Counts(*w.Baseline), 0.05); err != nil {
			return false
		}
	}
	return detectors == 1 && (measure == PassRate || w.Conformal != nil) && (w.Alarm == nil || w.Next != nil) &&
		(w.Alarm == nil || w.Alarm.Measure == measure)
}
