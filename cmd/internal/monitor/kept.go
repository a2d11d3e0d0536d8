package monitor

import (
	"context"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// trialRing is the last trials of a stream, in a ring.
type trialRing struct {
	trials []*trial.Trial
	count  int // of all trials that ever were
}

// keep keeps a trial for its fingerprint.
func (s *stream) keep(t *trial.Trial) {
	if s.kept == nil {
		s.kept = &trialRing{}
	}
	k := s.kept
	if len(k.trials) < keptTrials {
		k.trials = append(k.trials, reduced(t))
	} else {
		k.trials[k.count%keptTrials] = reduced(t)
	}
	k.count++
}

// from returns the trials from the last n on that count, and those before them; ok is false where not so many are
// kept.
func (k *trialRing) from(n int, counts func(*trial.Trial) bool) (before, since []*trial.Trial, ok bool) {
	ordered := make([]*trial.Trial, 0, len(k.trials))
	for i := range k.trials {
		ordered = append(ordered, k.trials[(k.count-len(k.trials)+i)%len(k.trials)])
	}
	cut := len(ordered)
	for ; cut > 0 && n > 0; cut-- {
		if counts(ordered[cut-1]) {
			n--
		}
	}
	return ordered[:cut], ordered[cut:], n == 0
}

// FingerprintShift is how the fingerprints of the trials since the likely change differ from those before.
type FingerprintShift struct {
	Before  int      `json:"before"`            // trials, of the recorded baseline where there is one
	Since   int      `json:"since"`             // trials
	Changed bool     `json:"changed"`           // at the level of 5 %, as if the change had been looked for there beforehand
	P       float64  `json:"p"`                 // of the comparison
	Columns []string `json:"columns,omitempty"` // that moved, such as "steps 4.1 -> 6.2 (+51 %)"
	New     []string `json:"new_tools,omitempty"`
	Gone    []string `json:"uncalled_tools,omitempty"`
}

// movedLevel is that of comparisons of fingerprints.
const movedLevel = 0.05

// describe completes an alarm with what the last trials say. What cannot be compared is left out.
func (m *Monitor) describe(ctx context.Context, s *stream, w *watcher, a *Alarm) {
	before, since, whole := s.kept.from(a.Trial-a.Likely+1, func(t *trial.Trial) bool {
		_, known := m.value(s, w.Measure, t)
		return known
	})
	if w.Measure == PassRate && whole {
		a.Since = &Counts{}
		for _, t := range since {
			switch t.Outcome {
			case trial.Pass:
				a.Since.Passes++
				a.Since.Trials++
			case trial.Fail:
				a.Since.Trials++
			}
		}
	}
	earlier, later := &fingerprint.Sample{}, &fingerprint.Sample{}
	for _, t := range before {
		earlier.Add(t)
	}
	for _, t := range since {
		later.Add(t)
	}
	if b := m.baseline.Streams[s.Name]; b != nil && s.Accepted == 0 {
		earlier = b.Sample
	}
	c, err := fingerprint.Compare(ctx, earlier, later, fingerprint.Options{Alpha: movedLevel, Seed: m.options.Seed})
	if err != nil {
		return
	}
	a.Moved = &FingerprintShift{Before: c.BaselineTrials, Since: c.CandidateTrials, Changed: c.Changed, P: c.P,
		New: c.NewTools, Gone: c.UncalledTools}
	for _, change := range c.ChangedColumns() {
		a.Moved.Columns = append(a.Moved.Columns, change.String())
	}
}
