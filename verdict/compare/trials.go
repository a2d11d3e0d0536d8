package compare

import "github.com/tribunal-dev/tribunal/verdict/recording"

// Trials is what a comparison knows of its trials: all that it is computed
// from. Series and outcomes have one for each trial, in the order of the recording.
type Trials struct {
	Scenarios []string             `json:"scenarios"`
	Baseline  recording.SideTrials `json:"baseline"`
	Candidate recording.SideTrials `json:"candidate"`
	// NoMetrics says that the trials are too many for their metrics.
	NoMetrics bool `json:"metrics_omitted,omitempty"`
}

// TrialsOf is nil where the trials are too many, or are nothing but counts.
func TrialsOf(baseline, candidate *recording.Recording) *Trials {
	n := baseline.Len() + candidate.Len()
	if n > recording.MostTrials || baseline.Counted && candidate.Counted {
		return nil
	}
	t := &Trials{NoMetrics: n > recording.MostValues}
	known := &recording.Names{Scenarios: []string{}, At: map[string]int{}, Inputs: map[uint64]int{}}
	one, ok := baseline.SideTrials(known, !t.NoMetrics)
	other, okToo := candidate.SideTrials(known, !t.NoMetrics)
	if !ok || !okToo {
		return nil
	}
	t.Scenarios, t.Baseline, t.Candidate = known.Scenarios, one, other
	return t
}
