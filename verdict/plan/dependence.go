package plan

import "github.com/tribunal-dev/tribunal/sprt"

// Dependence says what becomes of the errors of a design where its trials are not independent: each answer is drawn
// once and served so many times in a row, as by a cache.
type Dependence struct {
	Served    int     `json:"served"`     // times, the design effect
	FalseFail float64 `json:"false_fail"` // exact, at the threshold
	FalsePass float64 `json:"false_pass"` // exact, at the largest rate that is too low
	// MaxTrials and the expected trials at both rates keep the errors of the design: it counts one trial of each
	// answer.
	MaxTrials   int     `json:"max_trials"`
	AtThreshold float64 `json:"expected_trials_at_threshold"`  // see MaxTrials
	AtLower     float64 `json:"expected_trials_at_lower_rate"` // see MaxTrials
}

// MostServed bounds how often an answer may be served. It is chosen: beyond, a test is one answer.
const MostServed = 1000

// dependenceOf is what it makes of a design; nil where answers are served once.
func dependenceOf(d sprt.Design, served int) (*Dependence, error) {
	if served < 2 {
		return nil, nil
	}
	h := d.Hypotheses
	high, err := d.Boundaries.Served(served, h.Threshold)
	if err != nil {
		return nil, err
	}
	low, err := d.Boundaries.Served(served, h.Lower())
	if err != nil {
		return nil, err
	}
	x := &Dependence{
		Served: served, FalseFail: high.Fail, FalsePass: low.Pass, MaxTrials: served * d.Boundaries.MaxTrials(),
	}
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return nil, err
	}
	x.AtThreshold = float64(served) * lattice.At(h.Threshold).ExpectedTrials
	x.AtLower = float64(served) * lattice.At(h.Lower()).ExpectedTrials
	return x, nil
}
