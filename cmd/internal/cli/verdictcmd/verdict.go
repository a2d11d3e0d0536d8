package verdictcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// VerdictCommand is the plainest of the judging commands; the others follow its pattern.
func VerdictCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "verdict [FILE...] --threshold P",
		Short: "judge a pass rate against a threshold",
		Long: `Judge the pass rate of recorded trials against a threshold.

Pass (exit code 0) if the whole confidence interval of the rate lies at or above
the threshold, Fail (1) if it lies below, Inconclusive (2) if the trials do not
tell. FILE is JSON lines, CSV, lines of outcomes, JUnit XML, the output of go test
-json, or the log of an agent or an evaluation tool (tribunal import --list-formats
names them), also compressed, or a folder of such files; - is standard input. With
--sequential the trials are judged one by one, as tribunal plan designs it, and with
--baseline against earlier trials in place of a threshold. With --labels the outcomes
are those of a judge, and what a person says of some trials decides: see tribunal judge label. With
--counts, or postgres://...?query=@rows.sql as FILE, rows that a database counted stand for the
trials: see tribunal import sql.`,
		Example: `  tribunal verdict trials.jsonl --threshold 0.85
  tribunal verdict trials.jsonl --threshold 0.90 --sequential
  tribunal verdict trials.jsonl --baseline main.jsonl --sequential
  tribunal verdict judged.jsonl --threshold 0.8 --labels sheet.csv
  tribunal verdict judged.jsonl --threshold 0.8 --score
  tribunal verdict --counts rows.csv --variant v7 --threshold 0.85
  tribunal verdict --passes 45 --trials 50 --threshold 0.85 --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r judging.VerdictRequest
	flags := command.Flags()
	o := option.Of(flags)
	// The question, how it is judged, what it is judged by.
	option.Bind(o, "threshold", &r.Threshold, option.Threshold)
	bind.Rules(flags, &r.Rules)
	option.Bind(o, "passes", &r.Passes, option.Count(0, value.MaxTrials))
	option.Bind(o, "trials", &r.Trials, option.Count(1, value.MaxTrials))
	o.Text("variant", &r.Variant)
	o.Switch("anytime", &r.Anytime)
	o.Switch("score", &r.Score)
	o.Text("labels", &r.Labels)
	o.Texts("counts", &r.Rows.Files)
	bind.Looks(flags, &r.Looks)
	bindSequential(flags, &r.Sequential)
	bind.Reading(flags, &r.Reading)
	bind.Prices(flags, &r.Reading.Pricing)
	bind.Result(flags, &r.Result)
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		r.Files, r.Given = r.Rows.Take(args), base.GivenOf(flags)
		return judging.Verdict(ctx, a, r)
	})
	return command
}

// bindSequential binds the options of a sequential test, in the order in which the help says "the flags down to
// --seed".
func bindSequential(flags *pflag.FlagSet, s *judging.Sequential) {
	o := option.Of(flags)
	o.Switch("sequential", &s.On)
	bind.Design(flags, &s.Design)
	bind.Prior(flags, &s.Design)
	bind.Against(flags, &s.Against)
	option.Bind(o, "order", &s.Order, option.Word("ORDER", "", sequential.FileOrder, sequential.ShuffleOrder))
	option.Bind(o, "seed", &s.Seed, option.Seed)
}
