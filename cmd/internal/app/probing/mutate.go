package probing

import (
	"context"
	"fmt"
	"os"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// MutateRequest asks whether a suite notices that its agent was changed.
type MutateRequest struct {
	// Of the parts of the campaign. Tests.Record is of each scenario of the agent as it is; 0 is as many as take the
	// fewest trials together. Seed is also that of what operators draw, and of samples, or 1.
	running.Request
	List        bool     // lists the mutants, and runs nothing
	Show        string   // ID or key of a mutant that is shown, and nothing is run
	Operators   []string // names, classes or globs; none is all
	Own         []string // operators of the user's own, as NAME=COMMAND
	PerOperator int      // at most so many of each, drawn by the seed; 0 is all
	Sample      int      // at most so many in all; 0 is all
	Compose     int      // things that are changed at a time
	Since       string   // a revision of git, of whose changes mutants are made; "" is of everything
	Learn       bool     // what the agent is made of is asked of the agent itself
	Recorded    []string // files whose trials changed evaluators judge, in place of a campaign

	Levels    mutants.Levels // of the tests that kill
	Guard     float64        // the lowest pass rate of the original for which they hold; 0 is what fits its trials
	FailUnder float64        // a lower mutation score fails; 0 asks for none
	Suggest   bool           // what would catch those that survive
}

// Mutate finds the mutants, and prints or runs them.
func Mutate(ctx context.Context, a *world.World, r MutateRequest) error {
	switch {
	case r.List && r.Show != "":
		return problem.Usage("omit one of them", "--list lists mutants, and --show shows one")
	case len(r.Recorded) > 0 && (r.List || r.Show != ""):
		return problem.Usage("omit one of them", "--recorded changes evaluators, of which there is no list")
	}
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return err
	}
	if len(r.Recorded) > 0 {
		return r.checks(ctx, a, s, r.Recorded)
	}
	base, err := r.configuration(ctx, a, s)
	if err != nil {
		return err
	}
	options, err := r.options(ctx, s, base)
	if err != nil {
		return err
	}
	if r.Show != "" {
		return r.shown(ctx, a, base, options)
	}
	mutants, err := mutation.Mutants(ctx, base, options)
	if err != nil {
		return err
	}
	if r.List {
		return r.listed(ctx, a, s, mutants)
	}
	whole := options
	whole.PerOperator, whole.Sample = 0, 0
	all, err := mutation.Mutants(ctx, base, whole)
	if err != nil {
		return err
	}
	return r.runCampaign(ctx, a, s, base, mutants, len(all))
}

// drawn is the seed of what operators draw.
func (r *MutateRequest) drawn() uint64 {
	if r.Seed.Known {
		return r.Seed.Value
	}
	return 1
}

// ownPattern is the name of an operator of the user's own.
var ownPattern = lazy.Regexp(`^[a-z][a-z0-9-]{0,30}$`)

// options are those that the request asks for.
func (r *MutateRequest) options(
	ctx context.Context, s *suite.Suite, base mutation.Configuration,
) (o mutation.Options, err error) {
	o = mutation.Options{
		Seed: r.drawn(), Operators: r.Operators, PerOperator: r.PerOperator, Sample: r.Sample,
		Compose: r.Compose,
	}
	for _, text := range r.Own {
		const example = `such as --own paraphrase="python3 paraphrase.py"`
		name, value, ok := strings.Cut(text, "=")
		if !ok || !ownPattern().MatchString(name) {
			return o, problem.Usage(example, "--own %s is not NAME=COMMAND, with a name of small letters", prose.Quote(text))
		}
		words, err := shell.Fields(value, os.Getenv)
		if err != nil || len(words) == 0 {
			return o, problem.Usage(example, "--own %s has no command", prose.Quote(name))
		}
		o.Commands = append(o.Commands, mutation.Command{Name: name, Argv: words, Env: s.Agent.EnvAllow})
	}
	if r.Since != "" {
		since, err := r.earlier(ctx, s, base)
		if err != nil {
			return o, err
		}
		o.Since = &since
	}
	return o, nil
}

// find is the mutant that --show names: by its ID, whatever else is asked for, or by its key.
func (r *MutateRequest) find(
	ctx context.Context, base mutation.Configuration, o mutation.Options,
) (m mutation.Mutant, err error) {
	all, err := mutation.Mutants(ctx, base, mutation.Options{Seed: o.Seed, Commands: o.Commands})
	if err != nil {
		return m, err
	}
	var parts []mutation.Mutant
	for name := range strings.SplitSeq(r.Show, "+") {
		part, ok := mutation.Find(all, name)
		if !ok {
			hint := "tribunal run mutants --list lists them"
			if len(all) > 0 {
				hint += fmt.Sprintf(", from %s to %s", all[0].ID, all[len(all)-1].ID)
			}
			return m, problem.Usage(hint, "there is no mutant %s", prose.Quote(name))
		}
		parts = append(parts, part)
	}
	return mutation.Compose(parts...), nil
}
