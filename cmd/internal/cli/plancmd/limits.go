package plancmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/planning"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
)

// LimitsCommand proposes limits from recordings.
func LimitsCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "limits RECORDINGS...",
		Short: "propose limits of turns, cost, tokens and time from recordings",
		Long: `Propose what a trial may take, from trials that did not fail: for turns, cost, tokens,
calls of tools and time the lowest recorded value that at least 95 % of such trials
keep, with 95 % confidence, whatever their distribution. That is an exact upper
tolerance limit, and takes 59 trials. What is printed is a part of a suite: paste it,
or let the suite include the file.`,
		Example: `  tribunal plan limits runs/ -o limits.yaml
  tribunal plan limits trials.jsonl --share 0.9 --confidence 0.9`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := planning.LimitsRequest{Share: 0.95, Confidence: 0.95}
	var to deliver.Target
	flags := command.Flags()
	o := option.Of(flags)
	option.Bind(o, "share", &r.Share, option.Level)
	option.Bind(o, "confidence", &r.Confidence, option.Level)
	o.Text("variant", &r.Variant)
	o.Text("output", &to.Output)
	o.Switch("json", &to.JSON)
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files = args
		return limits(ctx, a, flags, r, &to)
	})
	return command
}

func limits(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, r planning.LimitsRequest, result *deliver.Target,
) error {
	if len(r.Files) == 0 {
		return problem.Usage("such as tribunal plan limits runs/",
			"there are no trials to take limits from: no file is named")
	}
	if err := evidence.CheckNames(r.Files, r.Reading.Duplicates); err != nil {
		return err
	}
	to, err := result.File(ctx, a, r.Files)
	if err != nil {
		return err
	}
	if err := evidence.Spared(base.Origin(flags, "output"), to, r.Files, r.Reading.EveryFile()); err != nil {
		return err
	}
	found, err := planning.ProposeLimits(ctx, a, r)
	if err != nil {
		return evidence.Naming("variant", err)
	}
	if result.JSON {
		document, err := found.Document(found.Promise)
		if err != nil {
			return err
		}
		return a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, document) })
	}
	text, err := found.YAML(found.Promise)
	if err != nil {
		return err
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
