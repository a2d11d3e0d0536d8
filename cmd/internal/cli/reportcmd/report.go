package reportcmd

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/verdict"
)

// reportFlags are those of the command report.
type reportFlags struct {
	format value.Word[report.Format]
	// In JUnit XML alone.
	fails  bool
	result deliver.Target
	store  app.StoreChoice
}

// ReportCommand writes what the result says, once it was judged again: package report computes nothing.
func ReportCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "report [RESULT] --format FORMAT",
		Short: "write a saved result as text, Markdown, JUnit XML, HTML and more",
		Long: `Write a saved result again: what run saved, or what --json or --output of verdict and
compare wrote. RESULT may be -, standard input, or store:QUERY, which means one run of a
store; without it, it is the last one of the suite that is found from here upwards.

text and json are what the command itself prints; markdown is for the comment of a pull
request, summary the same with more room; junit and gotest are for test reporters; html
is one file that needs no network; annotations and outputs are for GitHub Actions;
metrics is JSON with what the trials took, in the shape that metrics_file of a suite reads
from an agent. The result is judged again first, as tribunal verify does: one that does not
follow from its own outcomes is refused with exit code 65. The exit code is 0 where the report
was written, whatever the verdict.`,
		Example: `  tribunal report .tribunal/shop.result.json --format html --output report.html
  tribunal report --format markdown
  tribunal report result.json --format summary >> "$GITHUB_STEP_SUMMARY"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f reportFlags
	f.format = value.Word[report.Format]{Kind: "FORM", Words: report.Formats()}
	command.Flags().Var(&f.format, "format", f.format.Usage("what to write"))
	command.Flags().BoolVar(&f.fails, "inconclusive-fails", false,
		"let Inconclusive be a failure in JUnit XML, not a skipped test")
	bind.Form(command.Flags(), &f.result)
	bind.Explain(command.Flags(), &f.result)
	_ = command.Flags().MarkHidden("json") // --format json says it
	option.Of(command.Flags()).Text(base.StoreFlag, &f.store.Name)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, args)
	})
	return command
}

// execute lets --json, which other commands have, stand for --format json.
func (f *reportFlags) execute(ctx context.Context, a *world.World, args []string) error {
	args, err := evidence.LastResult(a, "report", args, true)
	if err != nil {
		return err
	}
	result, err := evidence.ReadSaved(ctx, a, "report", args)
	if err != nil {
		return err
	}
	if err := verified(ctx, a, args[0], result); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, args)
	if err != nil {
		return err
	}
	format := f.format.Value
	if f.result.JSON {
		format = report.JSONFormat
	}
	o := f.result.TextOptions(a, to)
	o.InconclusiveFails = f.fails
	return a.Deliver(ctx, to, func(w io.Writer) error { return report.Write(w, result, format, o) })
}

// verified refuses a result that does not follow from its own outcomes. Of one that holds none it says so.
func verified(ctx context.Context, a *world.World, name string, result verdict.Result) error {
	_, err := app.Verify(ctx, name, result)
	if err != nil && ctx.Err() == nil && errors.Is(err, verdict.ErrNoOutcomes) {
		wrong, _ := problem.Explain(err)
		a.Notice("note", "not verified: %s", wrong)
		return nil
	}
	return err
}
