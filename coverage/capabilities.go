package coverage

import "github.com/tribunal-dev/tribunal/internal/prose"

// capabilities returns which capabilities are covered: those that at least one
// passing scenario exercises. One that only failing scenarios exercise is not covered,
// and they are named beside it: they are what to see to first. Nil where none are
// declared.
func (c *Counts) capabilities(r *Result) *CapabilityCoverage {
	if len(c.Capabilities) == 0 {
		return nil
	}
	covered := make(names)
	// failing are the scenarios that exercise a capability and do not pass.
	failing := make(map[string][]FailingScenario)
	for _, s := range c.Scenarios {
		for _, capability := range s.Capabilities {
			if s.passes() {
				covered.add(capability)
			} else {
				fails := FailingScenario{Name: s.Name, Passes: s.Passes, Judged: s.Judged}
				failing[capability] = append(failing[capability], fails)
			}
		}
	}
	result := &CapabilityCoverage{Declared: len(c.Capabilities)}
	for _, name := range c.Capabilities {
		if covered.has(name) {
			result.Covered = append(result.Covered, name)
		} else {
			result.Uncovered = append(result.Uncovered, UncoveredCapability{Name: name, Scenarios: failing[name]})
		}
	}
	result.Value = float64(len(result.Covered)) / float64(result.Declared)
	if c.Unjudged > 0 {
		r.warn(unjudgedTrials, "%s not judged: they cover no capability", prose.Count(c.Unjudged, "trial"))
	}
	return result
}

// passes reports whether a scenario passes: by its verdict if there is one, and else
// if the rate of its trials reaches the threshold. Without a trial that passes, it
// does not.
func (s CountedScenario) passes() bool {
	if s.Passed != nil {
		return *s.Passed
	}
	return s.Passes > 0 && float64(s.Passes) >= s.Threshold*float64(s.Judged)
}
