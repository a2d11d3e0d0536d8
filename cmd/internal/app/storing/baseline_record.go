package storing

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// RecordRequest asks for runs of a suite that are to be a baseline.
type RecordRequest struct {
	Revision
	Suite  []string // file, one at most; none is the one that is found from the working directory upwards
	Trials int      // of each scenario; 0 plans them by Expect and Candidates
	// The pass rate that is expected, and how many candidates are tested against it later.
	Expect      float64
	Candidates  int
	Concurrency trial.Optional[int]
	MaxCost     trial.Optional[float64] // USD
	Given       value.GivenOptions      // the options that were given
}

// RecordBaseline runs the trials, keeps them and gives them the name.
func RecordBaseline(ctx context.Context, a *world.World, r RecordRequest) error {
	if err := checkName(r.Name); err != nil {
		return err
	}
	s, err := suitefile.Load(a, r.Suite)
	if err != nil {
		return err
	}
	// Before any trial is paid for.
	return use(ctx, a, r.Store, s, false, func(to *store.Store) error {
		planned := r.Trials == 0
		if planned {
			if r.Trials, err = r.planned(ctx, a, s); err != nil {
				return err
			}
			a.Notice("note", "planned: %s of each scenario", prose.Count(r.Trials, "trial"))
		}
		return r.record(ctx, a, s, to, planned)
	})
}

// record runs the trials into a store.
func (r *RecordRequest) record(
	ctx context.Context, a *world.World, s *suite.Suite, to *store.Store, planned bool,
) error {
	o, err := r.run(ctx, a, s, planned)
	if err != nil {
		return err
	}
	run := keeping.Run(a, "baseline record", o.Suite, o.Scenarios)
	run.Started = o.Began
	if err := keeping.DecideOn(&run, o.Result); err != nil {
		return err
	}
	added, _, err := app.AddJournal(ctx, to, run, o.Journal)
	if err != nil {
		return err
	}
	keeping.TellOfKept(a, to, added)
	if !o.Result.Recorded || o.Result.ExitCode != verdict.Pass.ExitCode() {
		return problem.BadInput("the recording did not come to its end, so it is no baseline",
			"see why with tribunal report store:run="+added.ID[:keeping.IDDigits])
	}
	r.sized = true // the run told
	return r.set(ctx, a, to, []string{added.ID})
}

// run runs the trials. Its files are beside those of a run of the suite, which stay.
func (r *RecordRequest) run(
	ctx context.Context, a *world.World, s *suite.Suite, planned bool,
) (*running.Outcome, error) {
	folder := app.FilesOf(s, false).Folder
	if err := outfile.WorkFolder(folder); err != nil {
		return nil, err
	}
	run := running.Request{
		Given: r.Given, Brief: true, Fresh: true, Store: app.StoreChoice{Name: app.NoStore},
		Journal:     filepath.Join(folder, s.Name+".baseline.journal.jsonl"),
		Output:      filepath.Join(folder, s.Name+".baseline.result.json"),
		Tests:       running.Tests{Record: r.Trials, ForBaseline: !planned},
		Concurrency: r.Concurrency, MaxCost: r.MaxCost,
	}
	run.Looks.Ledger = looking.NoLedger
	asked := s.Seed
	if err := run.DrawSeed(ctx, a, s, ""); err != nil {
		return nil, err
	}
	if s.Seed != asked {
		s.Seed++ // other trials than those of a run, which is compared with them
	}
	o, err := running.Carry(ctx, a, s, run, running.Hooks{Anew: true})
	if err != nil {
		return nil, err
	}
	return o, running.Save(ctx, a, o.Result, o.To)
}

// planned is how many trials to record, by the levels of the suite's test.
func (r *RecordRequest) planned(ctx context.Context, a *world.World, s *suite.Suite) (int, error) {
	progress := a.NewDesigning()
	q := baseline.Question{Delta: s.Test.Delta, Alpha: s.Test.Alpha, Beta: s.Test.Beta, Guard: s.Test.Against.Guard}
	need, err := baseline.Needed(ctx, q, r.Expect, r.Candidates, baseline.Options{Progress: progress.Share})
	progress.End()
	if _, wrong := errors.AsType[*baseline.HypothesesError](err); wrong {
		return 0, problem.Usage("such as --expect 0.95", "%v", err)
	}
	if _, small := errors.AsType[*baseline.TooSmallError](err); small {
		return 0, problem.BadInput(err.Error(), "give --trials, or the suite a larger delta")
	}
	trials := need.Trials
	if s.Test.Joint() { // one question about the mean of all
		trials = (trials + len(s.Scenarios) - 1) / len(s.Scenarios)
	}
	return min(trials, value.MaxDesign), err
}
