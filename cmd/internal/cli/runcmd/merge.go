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

// MergeCommand judges what run --shard made.
func MergeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "merge [JOURNAL...]",
		Short: "judge the journals of all shards of a run",
		Long: `Judge the journals that tribunal run --shard wrote, of all shards of a run. Trials are
taken in the order in which one process would have launched them, until each test ends:
verdict, result and exit code are those of a run that was not divided, with the same
outcomes. What the tests have no use for is named and counts nowhere.

JOURNAL is a file, a folder or a pattern; without it the journals in .tribunal beside the
suite are taken. The flags that say what is tested, such as --baseline, are those that
the shards had. Nothing is run. The result and the merged journal are saved as by
tribunal run, and tribunal report verify takes both. Journals that do not make up a run (one
that is missing, twice there, of another suite or not run to its end) end with 65.`,
		Example: `  tribunal run --shard 1/2
  tribunal run --shard 2/2
  tribunal run merge
  tribunal run merge shards/ --output merged.result.json --report junit=junit.xml
  tribunal run merge "shards/*/*.journal.jsonl" --suite tests/agent`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r running.Request
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("suite", &r.Suite)
	bindTests(flags, &r.Tests)
	o.Text("journal", &r.Journal)
	o.Text("output", &r.Output)
	o.Switch("fresh", &r.Fresh)
	bind.Reports(flags, &r.Result)
	o.Switch("json", &r.Result.JSON)
	bind.Verdict(flags, &r.Result)
	bind.Sign(flags, &r.Result)
	o.Text(base.StoreFlag, &r.Store.Name)
	bind.Looks(flags, &r.Looks)
	base.RegisterChoice(flags, &r.Choice)
	base.RegisterProfile(flags)
	command.RunE = judging(a, &r, func(ctx context.Context, args []string) error {
		return running.Merge(ctx, a, r, args)
	})
	return command
}
