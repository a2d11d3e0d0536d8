package reportcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/results"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
)

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
from an agent. The result is judged again first, as tribunal report verify does: one that does not
follow from its own outcomes is refused with exit code 65. The exit code is 0 where the report
was written, whatever the verdict.`,
		Example: `  tribunal report .tribunal/shop.result.json --format html --output report.html
  tribunal report --format markdown
  tribunal report result.json --format summary >> "$GITHUB_STEP_SUMMARY"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r results.ReportRequest
	flags := command.Flags()
	o := option.Of(flags)
	form := option.Word("FORM", "", report.Formats()...)
	parse := form.Parse
	form.Parse = func(text string) (report.Format, error) {
		if text == "md" { // as files of it end
			text = "markdown"
		}
		return parse(text)
	}
	option.Bind(o, "format", &r.Format, form)
	o.Switch("inconclusive-fails", &r.InconclusiveFails)
	bind.Form(flags, &r.To)
	bind.Explain(flags, &r.To)
	_ = flags.MarkHidden("json")        // --format json says it
	o.Text(base.StoreFlag, new(string)) // which [base.With] opens
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		var err error
		if r.Result, err = oneResult(a, "report", args); err != nil {
			return err
		}
		switch usual, _ := deliver.FormatOf(r.To.Output); {
		case r.To.JSON:
			r.Format = report.JSONFormat
		case !flags.Changed("format"):
			r.Format = usual
		}
		return results.Report(ctx, a, r)
	})
	return command
}

// oneResult is the saved result that is named, or else the last one of the suite.
func oneResult(a *world.World, command string, args []string) (string, error) {
	args, err := evidence.LastResult(a, command, args, true)
	if err != nil {
		return "", err
	}
	return evidence.OneSaved(command, args)
}
