package probing

import (
	"context"
	"encoding/json"
	"os"
	"strconv"
	"time"

	"mvdan.cc/sh/v3/shell"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/suggest"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// mostGenerated is how much a program may print that makes scenarios, in bytes; chosen, as for programs that judge.
const mostGenerated = 1 << 20

// generated asks the program for scenarios. It is started without a shell, and sees of the variables what programs of
// the suite see that judge.
func (r *SuggestRequest) generated(
	ctx context.Context, a *world.World, x *suggestionState,
) (*suggest.Proposals, error) {
	words, err := shell.Fields(r.Generator, os.Getenv)
	if err != nil || len(words) == 0 {
		return nil, problem.Usage(`such as --generator "python3 scenarios.py"`, "--generator has no command: %s",
			prose.Quote(r.Generator))
	}
	gap := suggest.GapOf(x.furthest, x.found, x.material)
	told, err := json.Marshal(gap)
	if err != nil {
		return nil, err
	}
	command := process.Command{
		Argv: words, Timeout: r.GeneratorTimeout, Grace: time.Second, MaxOutputBytes: mostGenerated, EndOnOverflow: true,
		Environment: process.Environment{Allow: x.suite.Agent.EnvAllow}, Redact: x.suite.Redacted(),
	}
	done := session.Of(ctx).Tend()
	p, err := command.Run(ctx, append(told, '\n'))
	done()
	name := prose.Quote(words[0])
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, problem.Unavailable("the generator cannot be run: "+err.Error(),
			"it is started without a shell, from here")
	case p.Truncated:
		return nil, problem.BadInput("the generator "+name+" printed more than "+prose.ByteCount(mostGenerated), "")
	case p.TimedOut:
		return nil, problem.Unavailable(
			"the generator "+name+" was stopped: it took longer than "+r.GeneratorTimeout.String(),
			"--generator-timeout gives it longer")
	case p.Signal != "":
		return nil, problem.Unavailable("the generator "+name+" ended with signal "+p.Signal+complaint(p.Stderr), "")
	case p.ExitCode != 0:
		return nil, problem.Unavailable(
			"the generator "+name+" ended with exit status "+strconv.Itoa(p.ExitCode)+complaint(p.Stderr), "")
	}
	answered, err := suggest.Answered(p.Stdout, gap, x.material)
	if err != nil {
		return nil, err
	}
	answered.Missing = x.found.Missing
	return answered, nil
}

// complaint is the last line of what a program wrote to its standard error, behind a colon; "" where it wrote nothing.
func complaint(stderr string) string {
	if line := prose.LastLine(stderr); line != "" {
		return ": " + prose.Excerpt(line)
	}
	return ""
}

// tryAll tries the suggestions with the agent of the suite.
func (r *SuggestRequest) tryAll(
	ctx context.Context, a *world.World, x *suggestionState, parsed map[*suggest.Suggestion]*suite.Suite,
) error {
	warned := map[string]bool{}
	warn := func(text string) {
		if !warned[text] {
			a.Warn(text)
		}
		warned[text] = true
	}
	t := &x.spent
	*t = suggest.Tester{
		Collector: x.collector, Source: x.source, Confirm: r.Confirm, MostTrials: r.Shrink,
		MaxCostUSD: x.suite.Budget.MaxCostUSD,
		Attempt: func(ctx context.Context, s *suggest.Suggestion, number int) (*trial.Trial, string, error) {
			with, known := parsed[s]
			if !known { // an input that was made smaller
				var err error
				if with, err = x.suite.With("the suggestion", suggest.YAML(nil, []*suggest.Suggestion{s}, nil)); err != nil {
					return nil, "", err
				}
			}
			return attempt(ctx, a, with, s, number, x.material.Seed, warn)
		},
	}
	if r.MaxCost.Known {
		t.MaxCostUSD = r.MaxCost
	}
	x.tried = map[*suggest.Suggestion]*suggest.TestResult{}
	progress := a.NewMeasuring()
	defer progress.End()
	for i, s := range x.found.List {
		progress.Step(i, len(x.found.List), s.Name)
		tried, err := t.Try(ctx, s)
		if err != nil {
			return err
		}
		x.tried[s] = tried
	}
	return nil
}

// attempt makes one trial of a suggestion: of its scenario, or, where it is a variant, of the first one of the suite.
func attempt(
	ctx context.Context, a *world.World, with *suite.Suite, s *suggest.Suggestion, number int, seed uint64,
	warn func(string),
) (made *trial.Trial, why string, err error) {
	asked := runner.TrialChoice{Scenario: with.Scenarios[0], Number: number, Seed: seed}
	if s.Variant != nil {
		asked.Variant = s.Name
	}
	tried, err := running.TryWarning(ctx, a, with, asked, warn)
	if err != nil {
		return nil, "", err
	}
	if tried.Unavailable {
		return nil, "", problem.Unavailable("the agent could not be run: "+tried.Trial.Error.Message,
			running.TryHint(with, ""))
	}
	return tried.Trial, tried.Why, nil
}
