package plancmd

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/proposal"
	"github.com/tribunal-dev/tribunal/trial"
)

// limitsFlags are those of the command limits.
type limitsFlags struct {
	share, confidence flagtype.Level
	variant, output   string
	json              bool
	evidence          evidence.Flags
}

// LimitsCommand proposes; what a trial may take is for a person to say, so that nothing is written into a suite.
func LimitsCommand(a *base.App) *cobra.Command {
	command := &cobra.Command{
		Use:   "limits RECORDINGS...",
		Short: "propose limits of turns, cost, tokens and time from recordings",
		Long: `Propose what a trial may take, from trials that did not fail: for turns, cost, tokens,
calls of tools and time the lowest recorded value that at least 95 % of such trials
keep, with 95 % confidence, whatever their distribution. That is an exact upper
tolerance limit, and takes 59 trials. What is printed is a part of a suite: paste it,
or let the suite include the file.`,
		Example: `  tribunal limits runs/ -o limits.yaml
  tribunal limits trials.jsonl --share 0.9 --confidence 0.9`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := limitsFlags{share: 0.95, confidence: 0.95}
	flags := command.Flags()
	flags.Var(&f.share, "share", "share of trials that are to keep each limit")
	flags.Var(&f.confidence, "confidence", "confidence with which they do")
	flags.StringVar(&f.variant, "variant", "", "take the trials of this `VARIANT` from the files")
	flags.StringVarP(&f.output, "output", "o", "",
		"write the limits to `FILE`, whole or not at all, instead of standard output")
	flags.BoolVar(&f.json, "json", false, "print one JSON document instead of a part of a suite")
	f.evidence.Register(flags)
	f.evidence.Pricing.Register(flags)
	command.RunE = a.With(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *limitsFlags) execute(ctx context.Context, a *base.App, flags *pflag.FlagSet, files []string) error {
	if len(files) == 0 {
		return problem.Usage("such as tribunal limits runs/", "there are no trials to take limits from: no file is named")
	}
	if err := evidence.CheckNames(files, f.evidence.Duplicates); err != nil {
		return err
	}
	to, err := (&deliver.Flags{Output: f.output}).File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := evidence.Spared(base.Origin(flags, "output"), to, files, f.evidence.EveryFile()); err != nil {
		return err
	}
	if err := f.evidence.Pricing.Load(nil); err != nil {
		return err
	}
	// A log that states no outcome still tells what a trial took.
	o := f.evidence.Options(flags, f.variant, trial.BasicFields|trial.StepFields)
	o.Unjudged, o.VariantEachFile = true, true
	var limits proposal.Limits
	var guessed evidence.Estimates
	if err := evidence.Read(ctx, a, files, o, evidence.Counted, func(t *trial.Trial) {
		limits.Add(t)
		guessed.Add(t)
	}); err != nil {
		return evidence.Naming("variant", err)
	}
	guessed.Warn(a)
	promised := proposal.Options{
		Share: float64(f.share), Confidence: float64(f.confidence), From: strings.Join(files, ", "),
	}
	if f.json {
		document, err := limits.Document(promised)
		if err != nil {
			return err
		}
		return a.Deliver(ctx, to, func(w io.Writer) error { return deliver.WriteJSON(w, document) })
	}
	text, err := limits.YAML(promised)
	if err != nil {
		return err
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
