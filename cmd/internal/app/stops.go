package app

import (
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Stops says how tests gathered the trials of files that were read, as far as the files say;
// variant is the one that was asked for, "" the only one.
func Stops(notes []ingest.Notes, variant string) (list []recording.Stop) {
	for _, n := range notes {
		for _, t := range n.Sampled {
			// A test side by side has no variant of its own: its trials are of both sides.
			if variant == "" || t.Variant == "" || t.Variant == variant {
				list = append(list, stopOf(n.File, t))
			}
		}
	}
	return list
}

// stopOf is what a file says of one test.
func stopOf(file string, t ingest.Sampling) recording.Stop {
	s := recording.Stop{Test: t.Test, Scenarios: t.Scenarios, Design: t.Design, Judged: t.Judged, Outcome: t.Outcome,
		Recording: file}
	switch {
	case t.Fixed > 0:
		s.Sample = &baseline.SampleRecord{Fixed: t.Fixed}
	case t.MaxTrials > 0:
		s.Sample = &baseline.SampleRecord{Sequential: &baseline.StopsRecord{
			MaxTrials: t.MaxTrials, Boundaries: t.Boundaries,
		}}
	default:
		// Journals of earlier versions hold the digest alone, which tells a number that was fixed.
		if d, err := sprt.Recording(t.Judged); err == nil && d.Digest() == t.Design {
			s.Sample = &baseline.SampleRecord{Fixed: t.Judged}
		}
	}
	return s
}
