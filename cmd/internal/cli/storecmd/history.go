package storecmd

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/stats/change"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/history"
)

// historyFlags are those of the command history.
type historyFlags struct {
	store    app.StoreChoice
	version  string
	branch   string
	kind     string
	scenario string
	// "" is all of the time.
	since, until string
	metric       value.Word[history.Metric]
	// "" is the first run.
	baseline string
	alpha    value.Level
	unit     value.Word[change.Unit]
	points   value.Count
	result   deliver.Target
}

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
		Example: `  tribunal history --store runs.db
  tribunal history shop --store runs.db --branch main --since 30d
  tribunal history shop --store runs.db --metric cost --report html=history.html
  tribunal history shop --store runs.db --scenario "refund-*" --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f historyFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *historyFlags) register(flags *pflag.FlagSet) {
	f.alpha = verdict.DefaultAlpha
	f.metric = value.Word[history.Metric]{Kind: "METRIC", Words: history.Metrics()}
	f.unit = value.Word[change.Unit]{Kind: "UNIT", Value: change.Runs, Words: []change.Unit{change.Runs, change.Trials}}
	f.points = value.Count{Value: 200, Least: 2, Most: history.MostPoints}
	option.Of(flags).Text(base.StoreFlag, &f.store.Name)
	flags.StringVar(&f.version, "version", "", "take the trials of this `VERSION`, where runs have several")
	flags.StringVar(&f.branch, "branch", "", "only runs on this `BRANCH`")
	flags.StringVar(&f.kind, "kind", "",
		"only runs of this `KIND`, such as gate, mutate or race (default all but mutate, race, relate and conform)")
	flags.StringVar(&f.scenario, "scenario", "", "only trials of scenarios whose name matches the `GLOB`")
	flags.StringVar(&f.since, "since", "", "only runs that started at this `TIME` or later: an age such as 30d, or a date")
	flags.StringVar(&f.until, "until", "", "only runs that started before this `TIME`")
	flags.Var(&f.metric, "metric", f.metric.Usage("what of the runs is shown"))
	flags.StringVar(&f.baseline, "baseline", "",
		"distances are from the behaviour of this baseline `NAME`, in place of the first run's")
	flags.Var(&f.alpha, "alpha", "chance, at most, of any change where there is none, and error of the intervals")
	base.NotOfSuite(flags, "alpha") // there it is of the tests of scenarios
	flags.Var(&f.unit, "unit", f.unit.Usage("what is exchanged to see what chance does"))
	flags.Var(&f.points, "points", "most points; more runs are taken together")
	bind.Target(flags, &f.result)
	bind.Reports(flags, &f.result)
}

// execute reads the store and judges what is in it.
func (f *historyFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	r, s, err := f.request(a, flags, args)
	if err != nil {
		return err
	}
	name, err := f.store.Named(a, s)
	if err != nil {
		return err
	}
	var inputs []string
	if name != "" && !store.IsURL(name) {
		inputs = []string{name}
	}
	to, err := f.result.File(ctx, a, inputs)
	if err != nil {
		return err
	}
	opened, err := f.store.Required(ctx, a, s, true)
	if err != nil {
		return err
	}
	defer opened.Close()
	found, err := app.History(ctx, opened, r)
	if err != nil {
		return meaning(err)
	}
	return f.result.Deliver(ctx, a, to, found)
}

// meaning says how one of several suites or versions is named.
func meaning(err error) error {
	e, ok := errors.AsType[*app.SeveralError](err)
	switch {
	case !ok:
		return err
	case e.Noun == "version":
		return problem.Usage("name one by --version", "%s", e.Message())
	}
	return problem.Usage("name one: history SUITE", "%s", e.Message())
}

// request is what the flags ask for, and the suite where a file of one is meant; nil is none.
func (f *historyFlags) request(a *world.World, flags *pflag.FlagSet, args []string) (r app.HistoryRequest,
	s *suite.Suite,
	err error) {
	r = app.HistoryRequest{
		Query:  store.Query{Version: f.version, Branch: f.branch, Kind: f.kind, Scenario: f.scenario},
		Points: f.points.Value,
		Options: history.Options{Metric: f.metric.Value, Baseline: f.baseline, Alpha: float64(f.alpha),
			ByTrials: f.unit.Value == change.Trials},
	}
	switch {
	case len(args) > 1:
		return r, nil, problem.Usage("name one suite", "history takes one suite, but there are %d arguments", len(args))
	case f.baseline != "" && f.metric.Value != history.Distance:
		return r, nil, problem.Usage("--metric distance shows it", "%s is for distances of behaviour",
			base.Origin(flags, "baseline"))
	case f.metric.Value != history.Rate && f.unit.Value == change.Trials:
		return r, nil, problem.Usage("leave it out",
			"%s is for pass rates: of other metrics, the means of runs are exchanged",
			base.Origin(flags, "unit"))
	}
	for _, at := range []struct {
		flag, text string
	}{{"since", f.since}, {"until", f.until}} {
		if at.text == "" {
			continue
		}
		moment, ok := store.ParseTime(at.text, a.Now())
		if !ok {
			return r, nil, problem.Usage("such as 30d, 12h, 2026-03-01 or 2026-03-01T10:00:00Z",
				"--%s %q is no age, date or time",
				at.flag, at.text)
		}
		if at.flag == "since" {
			r.Query.Since = moment
		} else {
			r.Query.Until = moment
		}
	}
	if s, err = f.suite(a, args); err != nil {
		return r, nil, err
	}
	switch {
	case s != nil:
		r.Query.Suite = s.Name
	case len(args) == 1:
		r.Query.Suite = args[0]
	}
	return r, s, nil
}

// suite is the one whose file is named or found; nil where a name is meant, or none.
func (f *historyFlags) suite(a *world.World, args []string) (*suite.Suite, error) {
	if len(args) == 0 {
		return suitefile.FindSuite(a)
	}
	// A corpus is a folder, and no suite; its runs are kept under its name.
	if _, err := os.Stat(args[0]); err != nil || f.kind == "conform" {
		return nil, nil
	}
	return app.LoadSuite(a.Opening, args[0])
}
