package runs

import (
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// StoppedOf says how the tests of a saved run gathered its trials; nil where all numbers of
// trials were fixed before they ran.
func StoppedOf(saved *Result) *recording.StoppedTests {
	var list []recording.Stop
	for _, t := range saved.Tests {
		s := recording.Stop{Test: t.Name, Design: t.Design.Digest, Outcome: t.Verdict.String()}
		for _, m := range t.Members {
			s.Scenarios = append(s.Scenarios, m.Name)
		}
		if s.Scenarios == nil {
			s.Scenarios = []string{t.Name}
		}
		s.Sample = t.sampledAs()
		// One that has not ended, or that two designs decided, has no end of its own.
		if found, err := BaselineOf(saved, t.Name); err == nil {
			r := found.Sample.Record()
			s.Sample, s.Judged = &r, t.Trials
		} else {
			s.Outcome = ""
		}
		list = append(list, s)
	}
	return recording.StoppedOf(list)
}

// sampledAs is where a test without a baseline could stop; nil of others.
func (t *Test) sampledAs() *baseline.SampleRecord {
	if t.Regression != nil {
		return nil
	}
	s, err := baseline.Stopping(t.Design.Boundaries.Test())
	if err != nil {
		return nil
	}
	r := s.Record()
	return &r
}
