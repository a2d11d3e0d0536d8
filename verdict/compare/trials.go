package compare

import "github.com/tribunal-dev/tribunal/verdict/recording"

// Trials is what a comparison knows of its trials: all that it is computed
// from. Series and outcomes have one for each trial, in the order of the recording.
type Trials struct {
	Scenarios []string             `json:"scenarios"` // names, of both sides
	Baseline  recording.SideTrials `json:"baseline"`  // its trials, in the order of the recording
	Candidate recording.SideTrials `json:"candidate"` // its trials, in the order of the recording
	// NoMetrics says that the trials are too many for their metrics.
	NoMetrics bool `json:"metrics_omitted,omitempty"`
}

// trialsOf is nil where the trials are too many, or are nothing but counts.
func trialsOf(baseline, candidate *recording.Recording) *Trials {
	// With counts on both sides the scenarios already say all there is.
	n := baseline.Len() + candidate.Len()
	if n > recording.MostTrials || baseline.Counted() && candidate.Counted() {
		return nil
	}
	t := &Trials{NoMetrics: n > recording.MostValues}
	scenarios, sides, ok := recording.Sides(baseline, candidate, !t.NoMetrics)
	if !ok {
		return nil
	}
	t.Scenarios, t.Baseline, t.Candidate = scenarios, sides[0], sides[1]
	return t
}
