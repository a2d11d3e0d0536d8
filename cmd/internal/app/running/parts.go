package running

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Parts are the runs of a command that runs a suite several times, each with files of its own in a folder.
type Parts struct {
	Called string  // such as "campaign"
	Kind   string  // of what is kept of them in a store
	Whole  string  // the part that the result of them all is kept with
	Run    Request // of all of them
	Folder string
	Name   string // of the suite
	Spent  *Spending
}

// CheckParts refuses options of runs that a command makes of a suite that do not go together; called is such as
// "campaign".
func (f *Request) CheckParts(called string) error {
	switch {
	case f.Resume && f.Fresh:
		return problem.Usage("omit one of them", "--resume continues a %s; --fresh starts a new one", called)
	case f.MaxCost.Known && f.MaxCost.Value == 0:
		return problem.Usage("omit it for the suite's budget", "%s 0 ends a run before its first trial",
			f.Given.Origin("max-cost"))
	}
	return nil
}

// File is that of a part.
func (p Parts) File(part, end string) string { return filepath.Join(p.Folder, p.Name+"."+part+end) }

// Begun refuses to begin where the parts were interrupted, and to go on where none was.
func (p Parts) Begun(names ...string) error {
	there := false
	for _, part := range names {
		history, err := journal.ReadOutcomes(p.File(part, ".journal.jsonl"))
		if err != nil {
			continue // it is not there, or is told of when it is opened
		}
		there = true
		if !history.Decided() && !p.Run.Resume && !p.Run.Fresh {
			return problem.BadInput(fmt.Sprintf("the %s of %s ended early, after %d of %s that had begun (interrupted, or its "+
				"budget was used up)", p.Called, p.Folder, history.Ended(), prose.Count(len(history.Trials), "trial")),
				"--resume continues it, --fresh starts again; a budget that was used up has to be raised")
		}
	}
	if p.Run.Resume && !there {
		return problem.BadInput(fmt.Sprintf("there is no %s in %s to continue", p.Called, p.Folder),
			"omit --resume to begin one")
	}
	// What is there of earlier ones is no part of these, should these be interrupted before they come to that.
	for _, part := range names[1:] {
		if p.Run.Resume {
			break
		}
		file := p.File(part, ".journal.jsonl")
		if err := os.Rename(file, file+".previous"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return problem.BadInput(fmt.Sprintf("%s cannot be put aside: %v", file, problem.WithoutPath(err)), "")
		}
	}
	return nil
}

// Carry runs one part with what is left of the budget, and saves its result.
func (p Parts) Carry(
	ctx context.Context, a *world.World, name string, s suite.Suite, adapt func(*Request, *Hooks),
) (*Outcome, error) {
	f := run{Request: p.Run, part: true}
	f.Journal, f.Output = p.File(name, ".journal.jsonl"), p.File(name, ".result.json")
	f.Looks, f.Kind = looking.Looks{Ledger: looking.NoLedger}, p.Kind
	_, missing := os.Stat(f.Journal)
	f.Resume = f.Resume && missing == nil
	// Each test keeps its own alpha: it is a part of that of the whole already.
	f.Tests = Tests{Family: trial.Some(multiplicity.NoCorrection)}
	// The suite has what was given, and what is printed is the result of the whole.
	f.Result = deliver.Target{}
	f.Concurrency, f.Seed, f.MaxCost, f.Given = trial.Optional[int]{}, trial.Optional[uint64]{},
		trial.Optional[float64]{}, nil
	adapt(&f.Request, &f.Hooks)
	var err error
	if s.Budget, err = p.Spent.Left(s.Budget, name); err != nil {
		return nil, err
	}
	done, err := f.carry(ctx, a, &s)
	if err != nil {
		return nil, err
	}
	p.Spent.add(done.Result.Spent)
	err = a.Deliver(ctx, done.To, func(w io.Writer) error { return report.JSON(w, done.Result) })
	if err == nil && name != p.Whole {
		f.KeepRun(ctx, a, done, done.Result)
	}
	return done, err
}

// Spending is what the parts of a campaign took so far.
type Spending struct {
	cost     float64
	tokens   int64
	trials   int
	duration time.Duration
}

// add takes in what a part took, as far as it is known.
func (s *Spending) add(part runs.Expense) {
	if part.CostUSD != nil {
		s.cost += *part.CostUSD
	}
	for _, tokens := range []*int64{part.InputTokens, part.OutputTokens} {
		if tokens != nil {
			s.tokens += *tokens
		}
	}
	s.trials += part.Trials
	s.duration += time.Duration(part.Duration * float64(time.Second))
}

// Left is what is left of a budget for a part. One that is used up is an error: a budget of 0 would limit nothing.
func (s Spending) Left(b suite.Budget, part string) (suite.Budget, error) {
	usedUp := func(what, most string) error {
		return problem.BadInput(fmt.Sprintf("the %s budget of %s is used up before the %s part", what, most, part),
			"give a larger one, and --resume")
	}
	if most := b.MaxCostUSD.Value; b.MaxCostUSD.Known {
		if b.MaxCostUSD.Value -= s.cost; b.MaxCostUSD.Value <= 0 {
			return b, usedUp("cost", fmt.Sprintf("$%.4g", most))
		}
	}
	if most := b.MaxTokens.Value; b.MaxTokens.Known {
		if b.MaxTokens.Value -= s.tokens; b.MaxTokens.Value <= 0 {
			return b, usedUp("token", fmt.Sprint(most))
		}
	}
	if most := b.MaxTrials.Value; b.MaxTrials.Known {
		if b.MaxTrials.Value -= s.trials; b.MaxTrials.Value <= 0 {
			return b, usedUp("trial", fmt.Sprint(most))
		}
	}
	if most := b.MaxDuration; most > 0 {
		if b.MaxDuration -= s.duration; b.MaxDuration <= 0 {
			return b, usedUp("time", most.String())
		}
	}
	return b, nil
}
