package inspectcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/inspecting"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// FingerprintCommand is for people who want to see what the test of behaviour sees: compare
// decides, this prints what it decides on. So it has no verdict.
func FingerprintCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "fingerprint BASELINE [CANDIDATE...]",
		Short: "print how each trial behaved, as numbers, and draw a map of them",
		Long: `Print how recorded trials behaved on average: calls of each tool and action, the number
of steps, tokens, cost and more, each in its own unit. With --csv or --output there is a
line for each trial. Unknown values are empty (null in JSON). Trials need no outcome.

With --chart the trials are drawn on the first two principal axes: those of one file
with the columns that spread them, those of two with the columns that separate the
sides, and with what the test of both says.

With --nearest the first file is a recording, and the others are versions: it says which
one the recording behaves most like, how often that errs, and whether it is like none.`,
		Example: `  tribunal compare fingerprint main.jsonl candidate.jsonl --csv > vectors.csv
  tribunal compare fingerprint main.jsonl candidate.jsonl --chart behaviour.svg -o vectors.csv
  tribunal compare fingerprint traces.jsonl --json
  tribunal compare fingerprint new.jsonl v1.jsonl v2.jsonl --nearest`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := inspecting.FingerprintRequest{Seed: 1}
	flags := command.Flags()
	o := option.Of(flags)
	o.Switch("csv", &r.CSV)
	o.Switch("json", &r.Result.JSON)
	o.Text("chart", &r.Chart)
	o.Switch("pooled", &r.Pooled)
	o.Switch("nearest", &r.Nearest)
	option.Bind(o, "seed", &r.Seed, option.Seed)
	o.Text("baseline-variant", &r.Variants[0])
	o.Text("candidate-variant", &r.Variants[1])
	bind.Reading(flags, &r.Reading)
	o.Text("output", &r.Result.Output)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files, r.Given = args, base.GivenOf(flags)
		return inspecting.Fingerprint(ctx, a, r)
	})
	return command
}
