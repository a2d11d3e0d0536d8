package coverage

// capabilities returns which capabilities are covered: those that at least one
// passing scenario exercises. Nil where none are declared.
func (c *Collector) capabilities(r *Result) *CapabilityCoverage {
	if len(c.declared.Capabilities) == 0 {
		return nil
	}
	covered := make(names)
	failing := make(map[string][]FailingScenario)
	for _, s := range c.declared.Scenarios {
		counts := c.scenarios[s.Name]
		for _, capability := range s.Capabilities {
			if s.passes(*counts) {
				covered.add(capability)
			} else {
				failing[capability] = append(failing[capability], FailingScenario{s.Name, counts.passes, counts.judged})
			}
		}
	}
	result := &CapabilityCoverage{Declared: len(c.declared.Capabilities)}
	for _, name := range c.declared.Capabilities {
		if _, ok := covered[name]; ok {
			result.Covered = append(result.Covered, name)
		} else {
			result.Uncovered = append(result.Uncovered, UncoveredCapability{name, failing[name]})
		}
	}
	result.Value = float64(len(result.Covered)) / float64(result.Declared)
	if c.unjudged > 0 {
		r.warn(UnjudgedTrials, "%s not judged: they cover no capability", counted(c.unjudged, "trial"))
	}
	return result
}

// passes reports whether a scenario passes: by its verdict if there is one, and else
// if the rate of its trials reaches the threshold. Without a trial that passes, it
// does not.
func (s Scenario) passes(counts tally) bool {
	if s.Passed.Known {
		return s.Passed.Value
	}
	return counts.passes > 0 && float64(counts.passes) >= s.Threshold*float64(counts.judged)
}
