package monitor

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/trial"
)

// Detector says how pass rates are watched. The zero value is ShiryaevRoberts.
type Detector uint8

// The detectors.
const (
	ShiryaevRoberts Detector = iota // below a baseline, by any drop: [change.ShiryaevRoberts]
	CUSUM                           // below a baseline, by one drop: [change.CUSUM]
	Conformal                       // against the trials before, without a baseline: [change.Conformal]
)

var detectors = enum.Of[Detector]("detector", "sr", "cusum", "conformal")

// String returns "sr", "cusum" or "conformal".
func (d Detector) String() string { return detectors.String(d) }

// MarshalText writes the name.
func (d Detector) MarshalText() ([]byte, error) { return detectors.MarshalText(d) }

// UnmarshalText reads the name.
func (d *Detector) UnmarshalText(text []byte) error { return detectors.UnmarshalText(text, d) }

// Measure is what is watched of a stream. The zero value is PassRate.
type Measure uint8

// The measures. All but the pass rate are watched for a rise, by [change.Conformal].
const (
	PassRate Measure = iota // of the trials that passed or failed
	Cost                    // of a trial, in US dollars
	Turns                   // of a trial
	Steps                   // of a trial
	Duration                // of a trial, in seconds
	Distance                // of a trial's fingerprint from the baseline's mean, in standard deviations
)

var measures = enum.Of[Measure]("measure", "pass-rate", "cost", "turns", "steps", "duration", "distance")

// String returns the name, such as "pass-rate".
func (m Measure) String() string { return measures.String(m) }

// MarshalText writes the name.
func (m Measure) MarshalText() ([]byte, error) { return measures.MarshalText(m) }

// UnmarshalText reads the name.
func (m *Measure) UnmarshalText(text []byte) error { return measures.UnmarshalText(text, m) }

// Options says how trials are watched. The zero value has the defaults.
type Options struct {
	Detector Detector
	// RunLength is the average run length to a false alarm that is promised, in trials of each stream; 0 is
	// [change.DefaultRunLength]. Over m detectors each has m times as many, so that the sum over all streams keeps it.
	RunLength float64
	// Gamma is the probability that a baseline was so lucky that its run length is shorter; 0 is 0.05.
	Gamma float64
	Drop  float64   // of the pass rate, that [CUSUM] looks for; 0 is 0.1
	Watch []Measure // besides the pass rate
	By    string    // "" is a stream for each scenario, "suite" one for all, "tag:NAME" one for each value of a tag
	Seed  uint64    // of the order of ties, and of the comparison of fingerprints
}

// The limits of the options.
const (
	leastRunLength = 2
	mostRunLength  = 1e9
)

// withDefaults completes and checks the options.
func (o Options) withDefaults() (Options, error) {
	if o.RunLength == 0 {
		o.RunLength = change.DefaultRunLength
	}
	if o.Gamma == 0 {
		o.Gamma = 0.05
	}
	if o.Drop == 0 {
		o.Drop = 0.1
	}
	switch {
	case !detectors.Has(o.Detector):
		return o, fmt.Errorf("%v is no detector", o.Detector)
	case !(o.RunLength >= leastRunLength && o.RunLength <= mostRunLength):
		return o, fmt.Errorf("run length %v must be from %v to %v", o.RunLength, leastRunLength, mostRunLength)
	case !(o.Gamma > 0 && o.Gamma < 0.5):
		return o, fmt.Errorf("gamma %v must lie strictly between 0 and 0.5", o.Gamma)
	case !(o.Drop > 0 && o.Drop < 1):
		return o, fmt.Errorf("drop %v must lie strictly between 0 and 1", o.Drop)
	}
	o.Watch = append([]Measure{}, o.Watch...) // never nil, so that options compare
	slices.Sort(o.Watch)
	o.Watch = slices.Compact(o.Watch)
	for _, m := range o.Watch {
		if m == PassRate || !measures.Has(m) {
			return o, fmt.Errorf("%v cannot be watched besides the pass rate", m)
		}
	}
	return o, nil
}

// Baseline is what there was before. The zero value is none.
type Baseline struct {
	Counts  stats.Counts           // of any stream that Streams does not have; no trials where it is not known
	Streams map[string]*PastTrials // by the name of the stream
}

// PastTrials is the trials of a stream before.
type PastTrials struct {
	Counts stats.Counts
	Values map[Measure][]float64
	Sample *fingerprint.Sample

	// Of the trials with steps, every second one is in the sample first, and the others in second until the
	// distances are made.
	first   *fingerprint.Sample
	second  []*trial.Trial
	odd     bool
	centre  *centre   // of the first
	learned []float64 // distances of the second
}
