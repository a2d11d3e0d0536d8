package reportcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/results"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// VerifyCommand lets somebody who did not run the command check its result: nothing is read
// but the saved file, and what the flags name.
func VerifyCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "verify [RESULT]",
		Short: "recompute a saved result from its raw outcomes",
		Long: `Recompute every figure of a saved result from the raw outcomes and counts that it holds:
designs are rebuilt from their boundaries and compared with their digests, gates are
judged again from what they asked for, pairs, metrics and behaviour compared again from
the trials. What has no raw values in the result is named. The exit code is that of the verdict, 0, 1 or 2;
it is 65 where a figure differs, and the first one is named. Without RESULT it is the
last one of the suite that is found from here upwards.

--suite compares the result of a run, and what a gate asked for, with a suite; --journal
compares every trial with the journal of the run; --recording reads the trials of a comparison
or of a verdict again, as their commands do, and compares counts, sums and the trials that the
result holds or has digests of; --quarantine wants each test that
decides nothing to be in that file; --trusted wants their signatures.`,
		Example: `  tribunal report verify .tribunal/shop.result.json
  tribunal report verify shop.result.json --suite tribunal.yaml --journal shop.journal.jsonl --trusted ci.pub
  tribunal report verify compared.json --recording baseline=main.jsonl --recording candidate=candidate.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r results.VerifyRequest
	flags := command.Flags()
	o := option.Of(flags)
	o.Text("suite", &r.Suite)
	o.Text("journal", &r.Journal)
	o.Text("quarantine", &r.Quarantine)
	bind.Trusted(flags, &r.Trusted)
	bind.Reports(flags, &r.To)
	o.Texts("recording", &r.Recordings)
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	command.RunE = base.Judging(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		var err error
		if r.Result, err = oneResult(a, "verify", args); err != nil {
			return err
		}
		return results.Verify(ctx, a, r)
	})
	return command
}
