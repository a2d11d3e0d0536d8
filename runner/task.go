package runner

import (
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// taskOf is what a run of some scenarios of a suite asks, in the form of a result.
func taskOf(s *suite.Suite, scenarios []suite.Scenario) *runs.Task {
	names := make([]string, len(scenarios))
	for i, c := range scenarios {
		names[i] = c.Name
	}
	task := s.Task().Select(names)
	t := &runs.Task{Digest: task.Digest, Scenarios: map[string]runs.TaskScenario{}}
	for _, c := range scenarios {
		digest, known := task.Scenarios[c.Name]
		if !known {
			continue
		}
		p := task.Parts[c.Name]
		t.Scenarios[c.Name] = runs.TaskScenario{
			Digest: digest, Input: p.Input, Evaluators: p.Evaluators, Contracts: p.Contracts, Limits: p.Limits,
			Kind: string(c.Kind), Capabilities: c.Capabilities,
		}
	}
	return t
}

// Describe adds to evidence what the suite asked of the scenarios that were run, and what it said
// of its agents and tests.
func Describe(e *runs.Evidence, s *suite.Suite, scenarios []suite.Scenario) {
	e.Task, e.Settings = taskOf(s, scenarios), s.AgentSettings()
	if s.BaselineAgent != nil {
		e.BaselineSettings = s.BaselineAgent.Settings()
	}
	for _, v := range s.Variants {
		if e.VariantSettings == nil {
			e.VariantSettings = map[string][]string{}
		}
		e.VariantSettings[v.Name] = v.Agent.Settings()
	}
}
