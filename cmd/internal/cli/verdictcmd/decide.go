package verdictcmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/verdict"
)

// DecideCommand decides over trials that another program runs.
func DecideCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "decide",
		Short: "say after each trial whether another one is needed",
		Long: `Read trials as JSON lines from standard input while they are made, and say after each
whether another one is needed: the way for a test framework, or a script in any language,
to stop as soon as the verdict is known.

A line that comes in is a trial record, of which "outcome" alone is needed: pass, fail or
error. Trials are judged in the order in which they began: one that has "trial", its number
from 0, may come in before an earlier one. A line that goes out says how many trials more
are needed in any case, so many may run beside each other: {"need":15}. The last one has
the verdict, and its numbers: {"verdict":"pass","passes":15,"trials":15,"text":"…",
"summary":"…","rate":1,"interval":{…},"p_value":0.035}. The exit code is the verdict's;
where the input ends before that, it is Inconclusive.

With --baseline, a drop against a saved result of the same --name fails too; --record makes
such a result of a number of trials, and decides nothing.`,
		Example: `  tribunal verdict decide --threshold 0.9
  printf '{"outcome":"pass"}\n{"outcome":"fail"}\n' | tribunal verdict decide --threshold 0.5 --delta 0.4
  tribunal verdict decide --threshold 0.9 --name test_refund --output refund.result.json
  tribunal verdict decide --threshold 0.9 --name test_refund --baseline main/refund.result.json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := judging.DecideRequest{Threshold: 0.9, Alpha: verdict.DefaultAlpha, Name: "all"}
	flags := command.Flags()
	o := option.Of(flags)
	option.Bind(o, "threshold", &r.Threshold, option.Threshold)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	bind.Design(flags, &r.Design)
	o.Text("name", &r.Name)
	o.Text("baseline", &r.Baseline)
	option.Bind(o, "record", &r.Record, option.Count(1, value.MaxDesign))
	o.Text("output", &r.Output)
	command.RunE = base.Judging(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) > 0 {
			return problem.Usage("send the trials as JSON lines to standard input", "verdict decide reads no files")
		}
		return judging.Decide(ctx, a, r)
	})
	return command
}
