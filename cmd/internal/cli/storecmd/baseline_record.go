package storecmd

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// recordFlags are those of baseline record.
type recordFlags struct {
	baselineFlags
	trials      value.Count
	expect      value.Level
	candidates  value.Count
	concurrency value.Count
	maxCost     value.Amount
}

func baselineRecordCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "record NAME [SUITE]",
		Short: "run a fixed number of trials of a suite to be the baseline",
		Long: `Run a fixed number of trials of each scenario of a suite, keep the run in the store, and
give it the name, as its next revision. Nothing stops it early, so the recording says as
much of every scenario.

Without --trials the number is planned as by tribunal plan --baseline-trials: that at
which the recording and the tests of later candidates take the fewest trials together.`,
		Example: `  tribunal baseline record main --trials 300 --store runs.db
  tribunal baseline record main shop/tribunal.yaml --expect 0.95 --candidates 20`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := recordFlags{
		trials: value.Count{Least: 1, Most: value.MaxDesign}, concurrency: value.Count{Least: 1, Most: 1024},
		expect: 0.95, candidates: value.Count{Value: 20, Least: 1, Most: 1_000_000},
	}
	flags := command.Flags()
	flags.Var(&f.trials, "trials",
		"run so many trials of each scenario (default: as many as --expect and --candidates plan)")
	flags.Lookup("trials").DefValue = ""
	flags.Var(&f.expect, "expect", "without --trials: the pass rate that is expected")
	flags.Var(&f.candidates, "candidates", "without --trials: so many candidates are tested against it later")
	flags.Var(&f.concurrency, "concurrency", "trials at a time (default the suite's)")
	flags.Lookup("concurrency").DefValue = ""
	flags.Var(&f.maxCost, "max-cost", "spend at most so many USD (default the suite's budget)")
	flags.Lookup("max-cost").DefValue = ""
	f.register(flags)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *recordFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return problem.Usage("such as tribunal baseline record main",
			"name the baseline, and a suite if it is not found from here")
	}
	if err := nameOf(args[0]); err != nil {
		return err
	}
	s, err := suitefile.Load(a, args[1:])
	if err != nil {
		return err
	}
	// Before any trial is paid for.
	to, err := f.store.Required(ctx, a, s, false)
	if err != nil {
		return err
	}
	defer to.Close()
	if f.trials.Value == 0 {
		if f.trials.Value, err = f.planned(ctx, a, s); err != nil {
			return err
		}
		a.Notice("note", "planned: %s of each scenario", prose.Count(f.trials.Value, "trial"))
	}
	o, err := f.run(ctx, a, flags, s)
	if err != nil {
		return err
	}
	r := keeping.Run(a, "baseline record", o.Suite, o.Scenarios)
	r.Started = o.Began
	if err := keeping.DecideOn(&r, o.Result); err != nil {
		return err
	}
	added, _, err := app.AddJournal(ctx, to, r, o.Journal)
	if err != nil {
		return err
	}
	keeping.TellOfKept(a, to, added)
	if !o.Result.Recorded || o.Result.ExitCode != verdict.Pass.ExitCode() {
		return problem.BadInput("the recording did not come to its end, so it is no baseline",
			"see why with tribunal report store:run="+added.ID[:keeping.IDDigits])
	}
	return f.set(ctx, a, flags, to, args[0], []string{added.ID})
}

// run runs the trials. Its files are beside those of a run of the suite, which stay.
func (f *recordFlags) run(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite,
) (*running.Outcome, error) {
	folder := app.FilesOf(s, false).Folder
	if err := outfile.WorkFolder(folder); err != nil {
		return nil, err
	}
	run := running.Request{
		Given: base.GivenOf(flags), Brief: true, Fresh: true, Store: app.StoreChoice{Name: app.NoStore},
		Journal: filepath.Join(folder, s.Name+".baseline.journal.jsonl"),
		Output:  filepath.Join(folder, s.Name+".baseline.result.json"),
		Tests:   running.Tests{Record: f.trials.Value},
	}
	if flags.Changed("concurrency") {
		run.Concurrency = trial.Some(f.concurrency.Value)
	}
	if flags.Changed("max-cost") {
		run.MaxCost = trial.Some(float64(f.maxCost))
	}
	run.Looks.Ledger = looking.NoLedger
	asked := s.Seed
	if err := run.DrawSeed(ctx, a, s, ""); err != nil {
		return nil, err
	}
	if s.Seed != asked {
		s.Seed++ // other trials than those of a run, which is compared with them
	}
	o, err := running.Carry(ctx, a, s, run, running.Hooks{})
	if err != nil {
		return nil, err
	}
	return o, running.Save(ctx, a, o.Result, o.To)
}

// planned is how many trials to record, by the levels of the suite's test.
func (f *recordFlags) planned(ctx context.Context, a *world.World, s *suite.Suite) (int, error) {
	progress := a.NewDesigning()
	q := baseline.Question{Delta: s.Test.Delta, Alpha: s.Test.Alpha, Beta: s.Test.Beta, Guard: s.Test.Against.Guard}
	need, err := baseline.Needed(ctx, q, float64(f.expect), f.candidates.Value, baseline.Options{Progress: progress.Share})
	progress.End()
	if _, wrong := errors.AsType[*baseline.HypothesesError](err); wrong {
		return 0, problem.Usage("such as --expect 0.95", "%v", err)
	}
	if _, small := errors.AsType[*baseline.TooSmallError](err); small {
		return 0, problem.BadInput(err.Error(), "give --trials, or the suite a larger delta")
	}
	return min(need.Trials, value.MaxDesign), err
}
