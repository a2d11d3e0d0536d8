package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/cli/base"
	"github.com/tribunal-dev/tribunal/internal/cli/flagtype"
	"github.com/tribunal-dev/tribunal/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/internal/cli/problem"
	"github.com/tribunal-dev/tribunal/internal/cli/suitefile"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// parts are the runs of a command that runs a suite several times, each with files of its own in a folder.
type parts struct {
	called string    // such as "campaign"
	kind   string    // of what is kept of them in a store: the command
	whole  string    // the part that the result of them all is kept with
	run    *runFlags // of all of them
	suite  suitefile.Flags
	folder string
	name   string // of the suite
	spent  *spending
}

// registerParts registers the flags of runs that a command makes of a suite: called is such as "campaign", and units
// are what runs at a time.
func (f *runFlags) registerParts(flags *pflag.FlagSet, called, units string) {
	f.concurrency = flagtype.Count{Least: 1, Most: 1024}
	f.seed = 1
	flags.BoolVar(&f.resume, "resume", false, "go on with the "+called+" that was interrupted")
	flags.BoolVar(&f.fresh, "fresh", false, "begin anew although the "+called+" has not ended; its journals are kept aside")
	flags.Var(&f.concurrency, "concurrency", units+" at a time (default the suite's)")
	flags.Lookup("concurrency").DefValue = ""
	flags.Var(&f.maxCost, "max-cost", "spend at most so many USD in all (default the suite's budget)")
	flags.Lookup("max-cost").DefValue = ""
	f.pricing.Register(flags)
	f.store.Register(flags, "keep the "+called+" in this store")
}

// checkParts refuses flags of registerParts that do not go together.
func (f *runFlags) checkParts(flags *pflag.FlagSet, called string) error {
	switch {
	case f.resume && f.fresh:
		return problem.Usage("leave one of them out", "--resume goes on with a %s, and --fresh begins one", called)
	case flags.Changed("max-cost") && f.maxCost == 0:
		return problem.Usage("leave it out for the suite's budget", "%s 0 ends a run before its first trial", base.Origin(flags, "max-cost"))
	}
	return nil
}

// file is that of a part.
func (p parts) file(part, end string) string { return filepath.Join(p.folder, p.name+"."+part+end) }

// begun refuses to begin where the parts were interrupted, and to go on where none was.
func (p parts) begun(names ...string) error {
	there := false
	for _, part := range names {
		history, err := journal.Read(p.file(part, ".journal.jsonl"))
		if err != nil {
			continue // it is not there, or is told of when it is opened
		}
		there = true
		if !history.Decided() && !p.run.resume && !p.run.fresh {
			return problem.BadInput(fmt.Sprintf("the %s of %s was interrupted after %d of %s that had begun", p.called, p.folder, history.Ended(),
				prose.Count(len(history.Trials), "trial")), "--resume goes on with it, --fresh begins anew")
		}
	}
	if p.run.resume && !there {
		return problem.BadInput(fmt.Sprintf("there is no %s in %s to go on with", p.called, p.folder), "leave --resume out to begin one")
	}
	// What is there of earlier ones is no part of these, should these be interrupted before they come to that.
	for _, part := range names[1:] {
		if p.run.resume {
			break
		}
		file := p.file(part, ".journal.jsonl")
		if err := os.Rename(file, file+".previous"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return problem.BadInput(fmt.Sprintf("%s cannot be put aside: %v", file, problem.WithoutPath(err)), "")
		}
	}
	return nil
}

// carry runs one part with what is left of the budget, and saves its result.
func (p parts) carry(
	ctx context.Context, a *base.App, name string, s suite.Suite, adapt func(*runFlags),
) (*outcome, error) {
	f := *p.run // a copy: parts differ in their files
	f.journal, f.output = p.file(name, ".journal.jsonl"), p.file(name, ".result.json")
	f.suite, f.looks.Ledger, f.kind = p.suite, judging.NoLedger, p.kind
	_, missing := os.Stat(f.journal)
	f.resume = f.resume && missing == nil
	// Each test keeps its own alpha: it is a part of that of the whole already.
	f.tests.family = flagtype.Word[multiplicity.Correction]{Value: multiplicity.NoCorrection, Words: []multiplicity.Correction{multiplicity.NoCorrection}}
	f.tests.familyGiven = true
	adapt(&f)
	var err error
	if s.Budget, err = p.spent.left(s.Budget, name); err != nil {
		return nil, err
	}
	none := pflag.NewFlagSet("", pflag.ContinueOnError) // the suite has what was given
	done, err := f.carry(ctx, a, none, &s)
	if err != nil {
		return nil, err
	}
	p.spent.add(done.result.Spent)
	err = a.Deliver(ctx, done.to, func(w io.Writer) error { return report.JSON(w, done.result) })
	if err == nil && name != p.whole {
		f.keepRun(ctx, a, done, done.result)
	}
	return done, err
}

// spending is what the parts of a campaign took so far.
type spending struct {
	cost     float64
	tokens   int64
	trials   int
	duration time.Duration
}

// add takes in what a part took, as far as it is known.
func (s *spending) add(part runs.Spent) {
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

// left is what is left of a budget for a part. One that is used up is an error: a budget of 0 would limit nothing.
func (s spending) left(b suite.Budget, part string) (suite.Budget, error) {
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
