package storecmd

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/history"
)

// HistoryCommand judges nothing: that a rate changed is no failure of the latest run, and the exit code is 0.
func HistoryCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "history [SUITE] --store STORE",
		Short: "where the pass rate, the cost or the behaviour of a suite changed over its runs",
		Long: `Show the runs of a suite that a store holds, in the order of time: the pass rate, or
another metric, with intervals; where it changed and since which commit; which
scenarios changed there; and what more scenarios or more trials would tell of new
tasks. SUITE is its name in the store, or its file; without it, it is the suite that
is found from here upwards, or the only one in the store.

Changes are found by permutation tests: in a series that does not change, any is found
with the chance alpha at most. A change is no verdict: the exit code is 0. Of more
runs than points, those that follow each other are taken together.`,
		Example: `  tribunal store history --store runs.db
  tribunal store history shop --store runs.db --branch main --since 30d
  tribunal store history shop --store runs.db --metric cost --report html=history.html
  tribunal store history shop --store runs.db --scenario "refund-*" --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := storing.HistoryRequest{HistoryRequest: app.HistoryRequest{Points: 200}, Unit: change.Runs}
	r.Alpha = verdict.DefaultAlpha
	flags := command.Flags()
	o := option.Of(flags)
	o.Text(base.StoreFlag, &r.Store.Name)
	o.Text("version", &r.Query.Version)
	o.Text("branch", &r.Query.Branch)
	o.Text("kind", &r.Query.Kind)
	o.Text("scenario", &r.Query.Scenario)
	o.Text("since", &r.Since)
	o.Text("until", &r.Until)
	option.Bind(o, "metric", &r.Metric, option.Word("METRIC", "", history.Metrics()...))
	o.Text("baseline", &r.Baseline)
	option.Bind(o, "alpha", &r.Alpha, option.Risk)
	base.NotOfSuite(flags, "alpha") // there it is of the tests of scenarios
	option.Bind(o, "unit", &r.Unit, option.Word("UNIT", "", change.Runs, change.Trials))
	option.Bind(o, "points", &r.Points, option.Count(2, history.MostPoints))
	bind.Target(flags, &r.Result)
	bind.Reports(flags, &r.Result)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if len(args) > 1 {
			return problem.Usage("name one suite", "store history takes one suite, but there are %d arguments", len(args))
		}
		r.Name, r.Given = strings.Join(args, ""), base.GivenOf(flags)
		return storing.History(ctx, a, r)
	})
	return command
}
