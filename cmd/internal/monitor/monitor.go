package monitor

import (
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/trial"
)

// MostStreams is how many streams there may be. It is chosen: each takes some ten kilobytes, and its last trials.
const MostStreams = 1000

// Monitor watches trials. It is made by [New] or [Restore].
type Monitor struct {
	options  Options
	baseline Baseline
	streams  map[string]*stream
	designs  map[designKey]change.CUSUM
	clock    clock

	unjudged, errors int // trials without an outcome, and those that ended in an error
	acceptances      []Acceptance
}

// stream is the trials of one scenario, or of one value of a tag.
type stream struct {
	Name     string     `json:"name"`
	Trials   int        `json:"trials"` // errors left out
	Watchers []*watcher `json:"watchers"`
	Accepted int        `json:"accepted"` // how often a person set a new baseline

	kept *trialRing // the last trials, in memory alone
}

// clock tells how many trials come in a time.
type clock struct {
	First *time.Time `json:"first,omitempty"`
	Last  *time.Time `json:"last,omitempty"`
	Timed int        `json:"timed"` // trials that say when they began
}

// New returns a monitor without trials. The baseline is not changed, nor may it be by others.
func New(o Options, b Baseline) (*Monitor, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if b.Counts.Trials > 0 {
		if _, err := change.LowerLimit(b.Counts, o.Gamma); err != nil {
			return nil, err
		}
	}
	return &Monitor{options: o, baseline: b, streams: map[string]*stream{}, designs: map[designKey]change.CUSUM{}}, nil
}

// Options returns the options with their defaults.
func (m *Monitor) Options() Options { return m.options }

// limit is the evidence of an alarm: the run length times the number of detectors.
func (m *Monitor) limit() float64 { return m.options.RunLength * float64(max(1, m.detectors())) }

// detectors counts the detectors of all streams. Every stream has as many.
func (m *Monitor) detectors() int { return len(m.streams) * (1 + len(m.options.Watch)) }

// designKey is what a CUSUM is made for.
type designKey struct{ baseline, length float64 }

// design returns the CUSUM for a baseline, with the run length for all detectors there are.
func (m *Monitor) design(baseline float64) (change.CUSUM, error) {
	key := designKey{baseline, m.limit()}
	if made, ok := m.designs[key]; ok {
		return made, nil
	}
	design, err := change.NewCUSUM(baseline, m.options.Drop, key.length)
	if err == nil {
		m.designs[key] = design
	}
	return design, err
}

// seedOf returns the seed of the ties of a detector: others for each.
func (m *Monitor) seedOf(stream string, measure Measure, generation uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(stream)) // never fails
	return seeded.Scramble(m.options.Seed^seeded.Scramble(h.Sum64())) ^ seeded.Scramble(uint64(measure)<<32|generation)
}

// Add takes a trial in and returns the alarms that it raises. A trial that ended in an error counts for nothing, and
// one that nobody judged not for the pass rate. The end of the context ends the comparison of fingerprints of an alarm
// alone.
func (m *Monitor) Add(ctx context.Context, t *trial.Trial) ([]*Alarm, error) {
	if t.Outcome == trial.Error {
		m.errors++
		return nil, nil
	}
	s, err := m.stream(m.options.streamOf(t))
	if err != nil {
		return nil, err
	}
	s.Trials++
	m.clock.see(t)
	s.keep(t)
	var alarms []*Alarm
	for _, w := range s.Watchers {
		x, known := m.value(s, w.Measure, t)
		if !known {
			continue
		}
		alarm, err := m.add(s, w, x, t)
		if err != nil {
			return alarms, err
		}
		if alarm != nil {
			m.describe(ctx, s, w, alarm)
			alarms = append(alarms, alarm)
		}
	}
	if t.Outcome == trial.Unjudged {
		m.unjudged++
	}
	return alarms, nil
}

// Recall keeps a trial that was taken in before, for the fingerprints of those around an alarm: they are in memory
// alone, and so are read again where that can be done.
func (m *Monitor) Recall(t *trial.Trial) {
	if s := m.streams[m.options.streamOf(t)]; s != nil && t.Outcome != trial.Error {
		s.keep(t)
	}
}

// value returns what a detector watches of a trial.
func (m *Monitor) value(s *stream, measure Measure, t *trial.Trial) (float64, bool) {
	switch measure {
	case PassRate:
		if t.Outcome == trial.Fail {
			return 1, true
		}
		return 0, t.Outcome == trial.Pass
	case Distance:
		before := m.baseline.Streams[s.Name]
		if before == nil {
			return 0, false
		}
		centre, _ := before.distances()
		if centre == nil {
			return 0, false
		}
		return centre.distance(reduced(t))
	}
	return measure.value(t)
}

// stream returns the stream with the name, a new one for a new name.
func (m *Monitor) stream(name string) (*stream, error) {
	if s := m.streams[name]; s != nil {
		return s, nil
	}
	if len(m.streams) == MostStreams {
		return nil, &StreamsError{Name: name}
	}
	s := &stream{Name: name}
	for _, measure := range append([]Measure{PassRate}, m.options.Watch...) {
		w, err := m.newWatcher(name, measure)
		if err != nil {
			return nil, fmt.Errorf("stream %q: %w", name, err)
		}
		s.Watchers = append(s.Watchers, w)
	}
	m.streams[name] = s
	return s, nil
}

// see notes when a trial began.
func (c *clock) see(t *trial.Trial) {
	at, err := t.StartedAt.Time()
	if err != nil {
		return
	}
	c.Timed++
	if c.First == nil || at.Before(*c.First) {
		c.First = &at
	}
	if c.Last == nil || at.After(*c.Last) {
		c.Last = &at
	}
}

// names returns the streams in the order of their names.
func (m *Monitor) names() []string { return slices.Sorted(maps.Keys(m.streams)) }
