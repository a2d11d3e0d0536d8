package storecmd

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// BaselineCommand holds the commands on baselines with names.
func BaselineCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "baseline",
		Short: "give names to the runs that others are compared with",
		Long: `Give a name to runs of a store, so that gate --baseline main, run --baseline main and
a suite's baseline: main compare with them. Several runs are pooled: each keeps how it
was sampled, so that the errors of a test against all of them are exact.

A name has revisions, each with who set it, when and why; the last one holds.`,
		Example: `  tribunal store baseline record main --trials 300 --store runs.db
  tribunal store baseline show main
  tribunal gate --baseline main`,
	}
	return base.Holder(command, baselineSetCommand(a), baselineShowCommand(a), baselineListCommand(a),
		baselineRecordCommand(a), baselinePromoteCommand(a))
}

// age is how old something may be, such as 60d; 0 is any.
var age = option.Type[time.Duration]{
	Unit: "AGE",
	Text: func(d time.Duration) string {
		if d%(24*time.Hour) == 0 && d > 0 {
			return fmt.Sprintf("%dd", d/(24*time.Hour))
		}
		return d.String()
	},
	Parse: func(text string) (time.Duration, error) {
		if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			return d, nil
		}
		units := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
		if n := len(text); n > 1 && units[text[n-1]] > 0 {
			const most = 36_500 // days: a hundred years, far below where durations end
			if x, err := strconv.ParseUint(text[:n-1], 10, 32); err == nil &&
				time.Duration(x)*units[text[n-1]] <= most*24*time.Hour {
				return time.Duration(x) * units[text[n-1]], nil
			}
		}
		return 0, &value.Refusal{Problem: "must be an age", Hint: "such as 60d, 8w or 36h; 0 is any"}
	},
}

// bindRevision binds the options of a command that makes a revision of a name.
func bindRevision(o option.Set, r *storing.Revision) {
	o.Text("reason", &r.Reason)
	o.Text("who", &r.Who)
	option.BindOptional(o, "max-age", &r.MaxAge, age)
	o.Text(base.StoreFlag, &r.Store.Name)
}

func baselineSetCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "set NAME RUN...",
		Short: "give a name to runs of the store",
		Long: `Give a name to runs of the store, as its next revision. RUN is the beginning of a run's
ID, or a query such as suite=shop,last=3. Several runs must have been asked the same and
judged alike, and every test of theirs must have ended.`,
		Example: `  tribunal store baseline set main 4f0c2d1 --reason "release 2.4"
  tribunal store baseline set main suite=shop,branch=main,last=3 --max-age 60d`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r storing.SetRequest
	bindRevision(option.Of(command.Flags()).Below("baseline"), &r.Revision)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		if len(args) < 2 {
			return problem.Usage("such as tribunal store baseline set main 4f0c2d1", "name the baseline and its runs")
		}
		r.Name, r.Runs = args[0], args[1:]
		return storing.SetBaseline(ctx, a, r)
	})
	return command
}

func baselinePromoteCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "promote RUN NAME",
		Short: "let a run that passed its gate be the baseline",
		Long: `Let a run for which tribunal gate decided to deploy be the next revision of a baseline:
the decision, which the store keeps, is judged again. With --to in place of NAME, what is
promoted is another baseline: its runs become those of the name, such as candidate of
main. What did not pass a gate is refused, unless it is forced with a reason. A run that
a test of the whole suite stopped (test: by: suite) is always refused: record one with
tribunal store baseline record.`,
		Example: `  tribunal store baseline promote 4f0c2d1 main
  tribunal store baseline promote candidate --to main
  tribunal store baseline promote 4f0c2d1 main --force --reason "the first of all"`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var r storing.PromoteRequest
	o := option.Of(command.Flags()).Below("baseline")
	bindRevision(o, &r.Revision)
	to := ""
	o.Text("to", &to)
	o.Switch("force", &r.Force)
	command.RunE = base.With(a, func(ctx context.Context, _ *pflag.FlagSet, args []string) error {
		r.Name, r.Candidate = to, to != ""
		if to == "" && len(args) == 2 {
			r.Name = args[1]
			args = args[:1]
		}
		if len(args) != 1 || r.Name == "" {
			return problem.Usage("such as tribunal store baseline promote 4f0c2d1 main",
				"name a run and a baseline, or a baseline and --to")
		}
		r.From = args[0]
		return storing.PromoteBaseline(ctx, a, r)
	})
	return command
}
