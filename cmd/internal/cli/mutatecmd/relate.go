package mutatecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/probing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// RelateCommand tries relations between executions of an agent.
func RelateCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "relate [SUITE]",
		Short: "try whether an agent keeps the relations that a suite claims",
		Long: `Try the relations that a suite claims, such as that the order of documents does not
change the answer, or that a little noise does not change the verdict. For each the
agent is asked twice, with a source input and with a follow-up made of it, until it
is decided whether the relation is violated.

An agent that varies disagrees with itself. So pairs of equal inputs run beside, and
a relation is violated where follow-ups violate it more often than those do. Pass
says that an excess of delta is ruled out. Exit code 0 is Pass, 1 Fail, 2
Inconclusive; 69 if the agent cannot be run.

--record runs a number of pairs of each relation and decides nothing; --baseline
tests whether another version violates them more often than in such a result.
--recorded judges pairs that were recorded elsewhere, and runs nothing: trials with
tags relation and source.`,
		Example: `  tribunal run relations
  tribunal run relations --relation "*-order" --only "rag-*"
  tribunal run relations --delta 0.1 --max-cost 5
  tribunal run relations --resume
  tribunal run relations --record 100 --output main.relations.json
  tribunal run relations --baseline main.relations.json
  tribunal run relations tribunal.yaml --recorded pairs.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := probing.RelationsRequest{Alpha: 0.05, Beta: 0.1}
	flags := command.Flags()
	o := option.Of(flags)
	o.List("relation", &r.Relations)
	base.RegisterChoice(flags, &r.Choice)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	option.Bind(o, "beta", &r.Beta, option.Risk)
	option.BindOptional(o, "delta", &r.Delta, option.Threshold)
	base.NotOfSuite(flags, "alpha", "beta", "delta") // there they are of the tests of scenarios
	o.Text("baseline", &r.Tests.Baseline)
	option.Bind(o, "record", &r.Tests.Record, option.Count(1, value.MaxDesign))
	o.List("recorded", &r.Recorded)
	bind.Parts(flags, &r.Request)
	o.Text("output", &r.Output)
	bind.Reports(flags, &r.Result)
	o.Switch("json", &r.Result.JSON)
	bind.Verdict(flags, &r.Result)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) (err error) {
		if r.Suite, err = bind.Suite(args); err != nil {
			return err
		}
		r.Given = base.GivenOf(flags)
		return probing.Relations(ctx, a, r)
	})
	return command
}
