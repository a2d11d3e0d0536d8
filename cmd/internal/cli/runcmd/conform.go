package runcmd

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// ConformCommand is a run whose suite is a folder.
func ConformCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "conform DIR [-- COMMAND...]",
		Short: "test work, fault tolerance and resistance to attacks, by capability",
		Long: `Run a corpus: a folder in which conformance, faults and security are folders of scenarios.
A file that is dropped in is a scenario, named after it. The agent is the COMMAND, that of
another suite with --agent, or that of a tribunal.yaml in the folder, which is not needed.

Each scenario has a test of its own. An attack, a scenario of security, passes where it
is ruled out that it succeeds in 5% of trials: 59 that are all resisted show that. What
ends in an error was not resisted.

Below the tests stands the matrix of capabilities and kinds, with pass^k, an interval
and the cost of a success for each cell, and the backlog: what did not pass, attacks
first. Journal, result and exit code are those of tribunal run.`,
		Example: `  tribunal run conformance corpus -- python3 agent.py
  tribunal run conformance corpus --agent examples/support-agent/tribunal.yaml
  tribunal run conformance corpus --only "security/*" --attack-success 0.01 -- ./agent
  tribunal run conformance corpus --record 250 --save-baseline good.result.json -- ./agent
  tribunal run conformance corpus --baseline good.result.json -- ./agent --model small
  tribunal run conformance corpus --forecast-runs-per-day 500 -- ./agent`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r running.ConformRequest
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("agent", &r.Agent)
	option.BindOptional(o, "threshold", &r.Threshold, option.Threshold)
	option.BindOptional(o, "min-pass-rate", &r.MinPassRate, option.Threshold)
	option.BindOptional(o, "attack-success", &r.AttackSuccess, option.Level)
	o.Text("save-baseline", &r.Keep)
	option.BindOptional(o, "forecast-runs-per-day", &r.RunsPerDay, option.Amount)
	option.BindOptional(o, "price-per-mtok", &r.PricePerMTok, option.Amount)
	bindTests(flags, &r.Tests)
	bindRun(flags, &r.Request)
	command.RunE = judging(a, &r.Request, func(ctx context.Context, args []string) error {
		r.Folder = args
		if at := flags.ArgsLenAtDash(); at >= 0 {
			r.Folder, r.Command = args[:at], args[at:]
		}
		return running.Conform(ctx, a, r)
	})
	return command
}
