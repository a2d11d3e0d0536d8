package design

import "github.com/tribunal-dev/tribunal/sprt/baseline"

// Sampled is a baseline that was recorded, and how its trials were sampled.
type Sampled struct {
	Passes int `json:"passes"` // among Trials
	Trials int `json:"trials"` // with an outcome
	// Of the sequential test that ended the run; absent where the number of trials was fixed.
	Boundaries *Boundaries `json:"boundaries,omitempty"`
}

// Rate is the share of passes.
func (s Sampled) Rate() float64 { return float64(s.Passes) / float64(s.Trials) }

// Outcome is what the baseline came to.
func (s Sampled) Outcome() baseline.Outcome {
	return baseline.Outcome{Trials: s.Trials, Failures: s.Trials - s.Passes}
}

// Sample is the distribution over what the baseline might have come to. An error is that of
// counts or boundaries that no baseline has.
func (s Sampled) Sample() (baseline.Sample, error) {
	if s.Boundaries != nil {
		return baseline.Sequential(s.Boundaries.Test())
	}
	return baseline.Fixed(s.Trials)
}
