package plan

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict"
)

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

// DependenceOfBoth says what becomes of the errors of a test against a recorded baseline where the trials of neither
// side are independent: each answer is drawn once and served so many times in a row, as by a cache.
type DependenceOfBoth struct {
	Served    int     `json:"served"`     // times, on both sides alike
	FalseFail float64 `json:"false_fail"` // largest over a grid of the guarded rates, where nothing changed
	FailAt    float64 `json:"fail_at"`    // rate of the baseline at which FalseFail is reached
	FalsePass float64 `json:"false_pass"` // likewise, after a drop by delta
	PassAt    float64 `json:"pass_at"`    // rate of the baseline at which FalsePass is reached
	// BaselineTrials and MaxTrials keep the errors of the design: it counts one trial of each answer of both sides.
	BaselineTrials int `json:"baseline_trials"`
	MaxTrials      int `json:"max_trials"` // of the candidate
}

// dependenceOfBoth is what it makes of a family; nil where answers are served once.
func dependenceOfBoth(f *baseline.Family, served int, p *Against) (*DependenceOfBoth, error) {
	if served < 2 {
		return nil, nil
	}
	e, err := f.Served(served)
	if err != nil {
		return nil, err
	}
	return &DependenceOfBoth{Served: served, FalseFail: e.Alpha, FailAt: e.AlphaAt, FalsePass: e.Beta, PassAt: e.BetaAt,
		BaselineTrials: served * p.Baseline.Trials, MaxTrials: served * p.Design.MaxTrials}, nil
}

// checkServed refuses how often a saved plan says that answers are served.
func checkServed(served int) error {
	if served < 2 || served > MostServed {
		return &verdict.DifferenceError{Path: "dependence.served", Have: fmt.Sprint(served),
			Want: fmt.Sprintf("from 2 to %d", MostServed)}
	}
	return nil
}
