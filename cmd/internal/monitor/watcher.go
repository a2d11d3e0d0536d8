package monitor

import (
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/trial"
)

// watcher watches one measure of a stream. One of its three detectors is there.
type watcher struct {
	Measure   Measure                 `json:"measure"`
	Rate      *change.ShiryaevRoberts `json:"sr,omitempty"`
	CUSUM     *cusum                  `json:"cusum,omitempty"`
	Conformal *change.Conformal       `json:"conformal,omitempty"`

	Baseline *Counts `json:"baseline,omitempty"` // of Rate and CUSUM
	Trials   int     `json:"trials"`             // watched, and those after an alarm
	Counts   Counts  `json:"counts"`             // since the detector began, and after an alarm since that
	Alarm    *Alarm  `json:"alarm,omitempty"`    // nil while it is quiet
	// Next ranks values after an alarm, for the baseline that a person may accept.
	Next *change.Conformal `json:"next,omitempty"`
}

// cusum is a CUSUM and its state.
type cusum struct {
	Baseline float64 `json:"baseline"` // lower limit
	Sum      int     `json:"sum"`
	Since    int     `json:"since"` // trials since the sum was last 0
	Trials   int     `json:"trials"`
}

// Alarm is a change that was found.
type Alarm struct {
	Stream  string     `json:"stream"`
	Measure Measure    `json:"measure"`
	Trial   int        `json:"trial"`           // its number in the stream, from 1, since the detector began
	At      *time.Time `json:"at,omitempty"`    // when that trial began; nil where it does not say
	Place   string     `json:"place,omitempty"` // where it was read

	Evidence float64 `json:"evidence"` // of the detector: of [CUSUM] its sum
	Limit    float64 `json:"limit"`    // that it reached
	// Promised is the average number of trials of the stream to a false alarm, at the least.
	Promised float64 `json:"promised_run_length"`

	// Likely is the first trial after the change by the likelihood, and Latest the last trial that it can have come at,
	// with an error of 5 %. Both count from 1.
	Likely int `json:"likely_since"`
	Latest int `json:"at_the_latest"`

	Baseline *Counts `json:"baseline,omitempty"`       // recorded; nil for the trials before
	Lower    float64 `json:"baseline_limit,omitempty"` // of the baseline's rate, that the detector takes; 0 for none
	// Since is the trials since the likely change, of a pass rate; nil where not all of them are kept.
	Since *Counts `json:"since,omitempty"`

	Moved *FingerprintShift `json:"moved,omitempty"` // nil where there are no traces, or too few
	// Told says that somebody was told of it.
	Told bool `json:"told"`
}

// onsetError is that of Alarm.Latest, and of intervals of the rate now.
const onsetError = 0.05

// newWatcher returns the watcher of a stream, with what its baseline knows.
func (m *Monitor) newWatcher(name string, measure Measure) (*watcher, error) {
	w := &watcher{Measure: measure}
	before := m.baseline.Streams[name]
	if measure == PassRate && m.options.Detector != Conformal {
		counts := m.baseline.Counts
		if before != nil {
			counts = before.Counts
		}
		if counts.Trials > 0 && counts.Passes > 0 {
			return w, m.against(w, counts)
		}
	}
	var err error
	if w.Conformal, err = change.NewConformal(change.Rise, m.seedOf(name, measure, 0)); err != nil {
		return nil, err
	}
	if before == nil {
		return w, nil
	}
	values := before.Values[measure]
	switch measure {
	case PassRate:
		values = outcomes(before.Counts)
	case Distance:
		_, values = before.distances()
	}
	for _, x := range values {
		if err := w.Conformal.Learn(x); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// outcomes are the failures of some trials as ones, whose order does not matter to those who come after them.
func outcomes(c stats.Counts) []float64 {
	values := make([]float64, c.Trials)
	for i := range c.Fails() {
		values[i] = 1
	}
	return values
}

// against lets a watcher of pass rates watch against a baseline.
func (m *Monitor) against(w *watcher, counts stats.Counts) error {
	lower, err := change.LowerLimit(counts, m.options.Gamma)
	if err != nil {
		return err
	}
	w.Baseline = &Counts{counts.Passes, counts.Trials}
	if m.options.Detector == CUSUM {
		if m.options.Drop >= lower {
			return fmt.Errorf("a drop of %v is none from a baseline that may be as low as %.4f", m.options.Drop, lower)
		}
		w.CUSUM = &cusum{Baseline: lower}
		return nil
	}
	w.Rate, err = change.NewShiryaevRoberts(lower)
	return err
}

// lower is the baseline's limit; 0 for none.
func (w *watcher) lower() float64 {
	switch {
	case w.Rate != nil:
		return w.Rate.Baseline()
	case w.CUSUM != nil:
		return w.CUSUM.Baseline
	}
	return 0
}

// observe takes a value in, of a pass rate 1 for a failure, and returns the evidence.
func (m *Monitor) observe(w *watcher, x float64) (evidence, limit float64, err error) {
	limit = m.limit()
	switch {
	case w.Rate != nil:
		evidence = w.Rate.Add(x == 0)
	case w.CUSUM != nil:
		design, err := m.design(w.CUSUM.Baseline)
		if err != nil {
			return 0, 0, err
		}
		w.CUSUM.add(design, x == 0)
		evidence, limit = float64(w.CUSUM.Sum), float64(design.Alarm)
	default:
		evidence, err = w.Conformal.Add(x)
	}
	return evidence, limit, err
}

func (c *cusum) add(design change.CUSUM, pass bool) {
	c.Sum, _ = design.Next(c.Sum, pass)
	c.Trials++
	c.Since++
	if c.Sum == 0 {
		c.Since = 0
	}
}

// evidence returns that of the trials so far, and the limit of an alarm.
func (m *Monitor) evidence(w *watcher) (evidence, limit float64) {
	switch {
	case w.Rate != nil:
		return w.Rate.Evidence(), m.limit()
	case w.CUSUM != nil:
		design, err := m.design(w.CUSUM.Baseline)
		if err != nil {
			return float64(w.CUSUM.Sum), m.limit()
		}
		return float64(w.CUSUM.Sum), float64(design.Alarm)
	}
	return w.Conformal.Evidence(), m.limit()
}

// onset says when the change came.
func (w *watcher) onset() (change.Onset, error) {
	switch {
	case w.Rate != nil:
		return w.Rate.Onset(onsetError)
	case w.CUSUM != nil:
		return change.Onset{Estimate: w.CUSUM.Trials - w.CUSUM.Since, Latest: w.CUSUM.Trials - 1}, nil
	}
	return w.Conformal.Onset(onsetError)
}

// watched is the number of trials of the detector.
func (w *watcher) watched() int {
	switch {
	case w.Rate != nil:
		return w.Rate.Trials()
	case w.CUSUM != nil:
		return w.CUSUM.Trials
	}
	return w.Conformal.Trials()
}

// add takes a value in, and returns the alarm that it raises, or nil.
func (m *Monitor) add(s *stream, w *watcher, x float64, t *trial.Trial) (*Alarm, error) {
	w.Trials++
	if w.Measure == PassRate {
		w.Counts.Trials++
		w.Counts.Passes += 1 - int(x)
	}
	if w.Alarm != nil {
		return nil, w.Next.Learn(x)
	}
	evidence, limit, err := m.observe(w, x)
	if err != nil || evidence < limit {
		return nil, err
	}
	onset, err := w.onset()
	if err != nil {
		return nil, err
	}
	w.Alarm = &Alarm{
		Stream: s.Name, Measure: w.Measure, Trial: w.watched(), Evidence: evidence, Limit: limit, Promised: m.limit(),
		Likely: onset.Estimate + 1, Latest: onset.Latest + 1, Baseline: w.Baseline, Lower: w.lower(), Place: t.Place.String(),
	}
	if at, err := t.StartedAt.Time(); err == nil {
		w.Alarm.At = &at
	}
	w.Counts = Counts{}
	w.Next, err = change.NewConformal(change.Rise, m.seedOf(s.Name, w.Measure, uint64(s.Accepted)+1))
	return w.Alarm, err
}

// rate returns the interval of the pass rate now, which holds at all times at once: since the detector began, and after
// an alarm since that.
func (w *watcher) rate() *Interval {
	if w.Measure != PassRate || w.Counts.Trials == 0 {
		return nil
	}
	interval, err := sprt.ConfidenceSequence(stats.Counts(w.Counts), onsetError, 1, 1)
	if err != nil {
		return nil
	}
	return &Interval{interval.Low, interval.High}
}
