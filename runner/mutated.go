package runner

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/runner/internal/rewrite"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// mutating are the acts of a mutated agent: each of its mutants rewrites what it asks, and its faults need not happen.
func (w *wiring) mutating(r Request) (acts []wire.Act) {
	if w.learn != nil {
		acts = append(acts, w.learn)
	}
	for _, m := range w.asked.Mutants {
		acts = append(acts, rewrite.New(m, w.asked.Models))
	}
	if len(w.asked.Faults) > 0 {
		acts = append(acts, fault.New(w.asked.Faults, r.Seed).Incidental())
	}
	return acts
}

// Reached reports whether a trial of an agent that is mutated on the wire shows that the mutant changed something in
// it: a request, or the result of a tool. It is true of what is mutated in files or in a model that is asked, which
// always gets there.
func Reached(a suite.Agent, t *trial.Trial) bool {
	if a.Wire == nil || len(a.Wire.Mutants)+len(a.Wire.Faults) == 0 {
		return true
	}
	for _, step := range t.Steps {
		for _, event := range step.Events() {
			act, name, _ := strings.Cut(event, ": ")
			for _, m := range a.Wire.Mutants {
				if act == rewrite.Name && name == m.Operator {
					return true
				}
			}
			for _, f := range a.Wire.Faults {
				if act == fault.Name && name == string(f.Kind) {
					return true
				}
			}
		}
	}
	return false
}

// Learn finds out what the agent of a suite is made of, by what it asks of its model first: it makes one attempt at a
// scenario. What the suite says itself goes before, such as the models that could stand in. The error is that of the
// attempt, or a [suiteError] where the agent is not on a wire or asked nothing that is understood.
func Learn(ctx context.Context, s *suite.Suite, scenario suite.Scenario) (c mutation.Configuration, err error) {
	place := trial.Place{File: s.File}
	if s.Agent.Wire == nil {
		return c, &suiteError{
			Place: place, Problem: "does not say what the agent is configured with, and the agent is not on the wire",
			Advice: "name its prompt, tools and model in agent.config, or write wire: true",
		}
	}
	expanded, err := s.Expanded([]suite.Scenario{scenario})
	if err != nil {
		return c, err
	}
	agent, err := commandAgent(expanded, expanded.Agent, "agent")
	if err != nil {
		return c, err
	}
	defer closeAll(agent)
	learn := &rewrite.Learn{}
	switch agent := agent.(type) {
	case *CommandAgent:
		agent.wiring.learn = learn
	case *SessionAgent:
		agent.wiring.learn = learn
	}
	attempt := agent.Run(ctx, Request{Scenario: scenario.Name, Input: scenario.Input, Seed: trialSeed(s.Seed,
		scenario.Name, 0)})
	c, ok := learn.Learned()
	if ok {
		c.Models = modelsOf(s.Agent)
		return c, nil
	}
	if attempt.Err != nil {
		return c, attempt.Err
	}
	return c, &suiteError{
		Place: place, Problem: "the agent asked no model in a form that is known, in an attempt at " + scenario.Name,
		Advice: "name its prompt, tools and model in agent.config, such as config: {prompt: prompt.md, model: NAME}",
	}
}

// modelsOf are the models that could stand in for an agent's.
func modelsOf(a suite.Agent) mutation.Models {
	if a.Config == nil {
		return mutation.Models{}
	}
	return a.Config.Models
}
