package probing

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// configuration is what the agent is made of: what the suite says, or, with --learn, what it asks of its model first.
func (r *MutateRequest) configuration(
	ctx context.Context, a *world.World, s *suite.Suite,
) (c mutation.Configuration, err error) {
	c, err = s.Agent.Configuration()
	switch {
	case err != nil:
		return c, err
	case r.Learn && !c.Empty():
		return c, problem.Usage("omit it",
			"--learn is for an agent of which the suite does not say what it is configured with")
	case r.Learn && r.Since != "":
		return c, problem.Usage("omit one of them", "--since compares files, and --learn is for an agent without any")
	case r.Learn:
		a.Notice("note", "one attempt at %s is made, to learn what the agent is made of", s.Scenarios[0].Name)
		return runner.Learn(ctx, s, s.Scenarios[0])
	case !c.Empty():
		return c, nil
	case s.Agent.Wire != nil:
		return c, problem.Usage("--learn finds it out by one attempt, or name its prompt, tools and model in agent.config",
			"%s does not say what the agent is configured with", prose.FileName(s.File))
	}
	return c, problem.BadInput(prose.FileName(s.File)+" does not say what the agent is configured with",
		"name its prompt, tools and model in agent.config, such as config: {prompt: prompt.md, model: NAME}")
}
