package suite

import "go.yaml.in/yaml/v4"

// answersFit refuses what does not go with agents that answer trial by trial without ending: a file for their output,
// and judges of an exit code.
func (d *decoder) answersFit(s *Suite, agent *yaml.Node) {
	if len(d.Problems) > 0 {
		return
	}
	agents := s.allAgents()
	for _, a := range agents {
		kind := a.kind()
		if a.Mode == SessionMode {
			kind = "mode: session"
		}
		if kind == "" {
			continue
		}
		if a.MetricsFile != "" && a.Mode == SessionMode {
			d.At("agent.metrics_file", func() {
				d.Fail(agent, "cannot be used with mode: session", "its answers are lines, which tell what they took")
			})
			return
		}
		if a.OutputFile != "" && a.Mode == SessionMode {
			d.At("agent.output_file", func() {
				d.Fail(agent, "cannot be used with mode: session", "its answers are lines of its standard output")
			})
			return
		}
		for _, c := range s.Scenarios {
			if a.Model != nil && a.Model.asksInput() && string(c.Input) == "null" {
				e := d.Fail(agent, "has no input, and the model is asked with it",
					"give it one, or write a prompt without {input}")
				e.Place, e.Field = c.Place, "scenarios."+c.Name
				return
			}
			if c.AsksExitCode() {
				e := d.Fail(agent, "has an agent with "+kind+", which has no exit code for a trial",
					"leave the evaluator exit-code out")
				e.Place, e.Field = c.Place, "scenarios."+c.Name+".evaluate"
				return
			}
		}
	}
}

// allAgents are all that the suite may run.
func (s *Suite) allAgents() []Agent {
	agents := append([]Agent{s.Agent}, s.alternatives()...)
	if s.BaselineAgent != nil {
		agents = append(agents, *s.BaselineAgent)
	}
	for _, r := range s.Relations {
		if r.Agent != nil {
			agents = append(agents, *r.Agent)
		}
	}
	return agents
}
