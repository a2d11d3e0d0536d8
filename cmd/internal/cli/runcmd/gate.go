package runcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// GateCommand is run with more questions: a suite that asks for nothing under gate gets the verdict of run.
func GateCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "gate [SUITE]",
		Short: "decide on a deployment: deploy, block or ask a person",
		Long: `Decide on a deployment from everything that is known: the verdicts of the scenarios,
pass rates that must be reached, the regression against a baseline, behaviour and
coverage, as the suite requires them under gate and coverage.

Deploy is exit code 0, block 1, review (by a person) 2. What is missing never deploys: a scenario
of the suite that was not run, a rule that is not known. Without --results the suite is run
as by tribunal run, with all its flags; with a baseline as a test against it, which stops
when it is known whether the pass rate dropped. With --results nothing is run, and a saved
result is judged again first: what does not follow from its own outcomes, or from the suite,
is refused with exit code 65. The decision is saved in .tribunal. After a finished tribunal run
of the same suite and agent, that run is decided over; --fresh runs again.`,
		Example: `  tribunal gate
  tribunal gate --results .tribunal/shop.result.json --baseline main.result.json
  tribunal gate --min-coverage 0.8 --explain`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r running.GateRequest
	r.Kind = "gate"
	flags := command.Flags()
	o := option.Of(flags)
	// Those of the gate stand first in the help.
	o.Text("results", &r.Results)
	o.Text("baseline", &r.Gate.Baseline)
	option.BindOptional(o, "min-pass-rate", &r.MinPassRate, option.Threshold)
	o.Switch("point", &r.Point)
	o.Switch("allow-undecided-regression", &r.AllowUndecided)
	option.BindOptional(o, "min-coverage", &r.MinCoverage, option.Proportion)
	o.Switch("no-suite", &r.NoSuite)
	option.BindOptional(o, "max-age", &r.MaxAge, option.Duration)
	bind.Trusted(flags, &r.Trusted)
	bindRun(flags, &r.Request)
	base.RegisterProfile(flags)
	command.RunE = judging(a, &r.Request, func(ctx context.Context, args []string) (err error) {
		if r.Suite, err = bind.Suite(args); err != nil {
			return err
		}
		return running.RunGate(ctx, a, r)
	})
	return command
}
