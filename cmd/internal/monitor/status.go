package monitor

import "time"

// Status is all that is known of the streams.
type Status struct {
	Detector  Detector       `json:"detector"`
	RunLength float64        `json:"run_length"` // that is promised, in trials of each stream
	Detectors int            `json:"detectors"`  // over all streams
	Gamma     float64        `json:"gamma"`
	Seed      uint64         `json:"seed"`
	Streams   []StreamStatus `json:"streams"`  // in the order of their names
	Unjudged  int            `json:"unjudged"` // trials that nobody judged
	Errors    int            `json:"errors"`   // trials that ended in an error, and count for nothing
	// PerMonth is how many false alarms there are a month on average, at most, at the rate at which the trials came; nil
	// where the trials do not say when they began, or span less than an hour.
	PerMonth *float64 `json:"false_alarms_per_month,omitempty"`
	PerDay   *float64 `json:"trials_per_day,omitempty"` // of all streams together; nil likewise

	Accepted []Acceptance `json:"accepted,omitempty"` // new baselines, the oldest first
}

// StreamStatus is what is known of a stream.
type StreamStatus struct {
	Name     string          `json:"stream"`
	Trials   int             `json:"trials"`
	Measures []MeasureStatus `json:"measures"`
}

// MeasureStatus is what is known of a measure of a stream.
type MeasureStatus struct {
	Measure  Measure  `json:"measure"`
	Detector Detector `json:"detector"`
	Trials   int      `json:"trials"` // watched, since the last baseline
	Evidence float64  `json:"evidence"`
	Limit    float64  `json:"limit"` // of the evidence, that is an alarm
	Lower    float64  `json:"baseline_limit,omitempty"`
	// Counts and Rate are of the pass rate since the detector began, and after an alarm since that; Rate holds at all
	// times at once with an error of 5 %. Both are nil where there are none.
	Counts *Counts   `json:"counts,omitempty"`
	Rate   *Interval `json:"interval,omitempty"`
	Alarm  *Alarm    `json:"alarm,omitempty"` // nil while it is quiet
}

// Counts is [stats.Counts] as JSON.
type Counts struct {
	Passes int `json:"passes"`
	Trials int `json:"trials"`
}

// Interval is [stats.Interval] as JSON.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// The month has this many days on average.
const daysPerMonth = 365.25 / 12

// leastSpan is the time that trials must span for a rate of them to be told. It is chosen.
const leastSpan = time.Hour

// Status returns what is known so far.
func (m *Monitor) Status() Status {
	s := Status{
		Detector: m.options.Detector, RunLength: m.options.RunLength, Detectors: m.detectors(), Gamma: m.options.Gamma,
		Seed: m.options.Seed, Streams: []StreamStatus{}, Unjudged: m.unjudged, Errors: m.errors, Accepted: m.acceptances,
	}
	observed, trials := 0, 0
	for _, name := range m.names() {
		stream := m.streams[name]
		one := StreamStatus{Name: name, Trials: stream.Trials}
		for _, w := range stream.Watchers {
			one.Measures = append(one.Measures, m.measureStatus(w))
			observed += w.Trials
		}
		trials += stream.Trials
		s.Streams = append(s.Streams, one)
	}
	if c := m.clock; c.First != nil && c.Last.Sub(*c.First) >= leastSpan && trials > 0 {
		days := c.Last.Sub(*c.First).Hours() / 24
		perDay := float64(c.Timed) / days
		perMonth := perDay * daysPerMonth * float64(observed) / float64(trials) / m.limit()
		s.PerDay, s.PerMonth = &perDay, &perMonth
	}
	return s
}

func (m *Monitor) measureStatus(w *watcher) MeasureStatus {
	s := MeasureStatus{Measure: w.Measure, Detector: Conformal, Trials: w.Trials, Lower: w.lower(), Alarm: w.Alarm,
		Rate: w.rate()}
	switch {
	case w.Rate != nil:
		s.Detector = ShiryaevRoberts
	case w.CUSUM != nil:
		s.Detector = CUSUM
	}
	s.Evidence, s.Limit = m.evidence(w)
	if w.Measure == PassRate {
		s.Counts = &w.Counts
	}
	return s
}

// Alarms returns the alarms that stand, by stream and measure.
func (m *Monitor) Alarms() (all []*Alarm) {
	for _, name := range m.names() {
		for _, w := range m.streams[name].Watchers {
			if w.Alarm != nil {
				all = append(all, w.Alarm)
			}
		}
	}
	return all
}

// FewestTrials is how many trials a stream must have for its silence to mean anything. It is chosen: a drop from 90 %
// to 50 % is found by then more often than not.
const FewestTrials = 30

// Enough reports whether any stream has enough trials for its silence to mean anything.
func (m *Monitor) Enough() bool {
	for _, s := range m.streams {
		for _, w := range s.Watchers {
			if w.watched() >= FewestTrials {
				return true
			}
		}
	}
	return false
}
