package suitecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/runner"
)

// checkFlags are those of the command check.
type checkFlags struct {
	suite  suitefile.Choice
	result deliver.Target
	// A saved result that all tests are against; "" is what the suite says.
	baseline string
	offline  bool
}

// CheckCommand starts no agent: CI can run it on every change of the suite, without a key.
// It ends with no verdict, so its exit code is 0 or that of an error.
func CheckCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "check [SUITE] [--offline [TRACES...]]",
		Short: "validate a suite without running it, and print what a run will take",
		Long: `Validate a suite without running anything, and print the plan: each test with its
design and exact errors, the trials that it takes at least, on average and at most,
and what they cost; of several scenarios how often a gate blocks where one is too
low, and deploys where all are good. Tests are planned as run plans them. Exit code 0
says that the suite can be run here, 65 that it cannot: also where a program that it
starts is not there, nothing judges a scenario, or this machine cannot confine an agent.

With --offline it says instead which rules of the suite trials can answer that were
recorded, and why others cannot be: by what each rule asks of a record, or, where
recordings are named behind the suite, by asking the rules of their trials. Programs
that judge are not started.`,
		Example: `  tribunal check
  tribunal check examples/ticket-routing --json
  tribunal check tribunal.yaml --offline trials.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f checkFlags
	base.RegisterChoice(command.Flags(), &f.suite)
	base.RegisterProfile(command.Flags())
	bind.Form(command.Flags(), &f.result)
	bind.Reports(command.Flags(), &f.result)
	command.Flags().StringVar(&f.baseline, "baseline", "", "plan what run takes against this saved result `FILE`")
	command.Flags().BoolVar(&f.offline, "offline", false,
		"say which rules recorded trials can answer, those of the files behind SUITE or any")
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if f.offline {
			return f.executeOffline(ctx, a, flags, args)
		}
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// execute loads, designs and prints. Designing is most of the work: the trials that a run
// takes follow from the exact boundaries of each test.
func (f *checkFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	s, err := suitefile.Load(a, args)
	if err != nil {
		return err
	}
	scenarios, err := f.suite.Selected(s)
	if err != nil {
		return err
	}
	if err := s.Runnable(); err != nil {
		return err
	}
	if err := keeping.CheckFiles(ctx, s); err != nil {
		return err
	}
	running.TellOfKeys(a, s)
	running.TellOfKeysAbove(a, s)
	running.TellOfProposed(a, "warning", scenarios)
	running.TellOfSources(a, s)
	for _, line := range runner.Confinable(s) {
		a.Notice("note", "%s", line)
	}
	to, err := f.result.File(ctx, a, []string{s.File})
	if err != nil {
		return err
	}
	progress := a.NewDesigning()
	// Priors that are recordings, and baselines, are read here, as a run would.
	plan, err := runner.Plan(ctx, s, scenarios, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) },
		Compared: func(c runner.Comparison) { running.TellOfCompared(a, c) }, Baseline: f.baseline,
		Named:    suitefile.NewBaselines(a, base.StoreOf(a, flags), s, nil).Find,
		Together: s.Gated(), Warn: a.Warn,
	})
	// Before any message about the error, which must not share the line of the progress.
	progress.End()
	if err != nil {
		return err
	}
	return f.result.Deliver(ctx, a, to, plan)
}
