package suitecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/authoring"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// CheckCommand starts no agent: CI can run it on every change of the suite, without a key.
// It ends with no verdict, so its exit code is 0 or that of an error.
func CheckCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "check [SUITE] [--offline [TRACES...]]",
		Short: "validate a suite without running it, and print what it takes",
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
	var r authoring.CheckRequest
	offline := false
	flags := command.Flags()
	o := option.Of(flags)
	base.RegisterChoice(flags, &r.Choice)
	base.RegisterProfile(flags)
	bind.Form(flags, &r.To)
	bind.Reports(flags, &r.To)
	o.Text("baseline", &r.Baseline)
	o.Text(base.StoreFlag, &r.Store.Name)
	o.Switch("offline", &offline)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) (err error) {
		if !offline {
			if r.Suite, err = bind.Suite(args); err != nil {
				return err
			}
			return authoring.Check(ctx, a, r)
		}
		for _, name := range []string{"baseline", "report", "scenarios", "sign", base.StoreFlag} {
			if base.Typed(flags, name) {
				return problem.Usage("omit it", "--%s says nothing of which rules recorded trials can answer", name)
			}
		}
		if len(args) > 0 {
			r.Suite, r.Files = args[0], args[1:]
		}
		return authoring.CheckOffline(ctx, a, r)
	})
	return command
}
