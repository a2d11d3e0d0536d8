package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
)

// parts are the runs of a command that runs a suite several times, each with files of its own in a folder.
type parts struct {
	called string    // such as "campaign"
	kind   string    // of what is kept of them in a store: the command
	whole  string    // the part that the result of them all is kept with
	run    *runFlags // of all of them
	suite  suiteFlags
	folder string
	name   string // of the suite
	spent  *spending
}

// registerParts registers the flags of runs that a command makes of a suite: called is such as "campaign", and units
// are what runs at a time.
func (f *runFlags) registerParts(flags *pflag.FlagSet, called, units string) {
	f.concurrency = count{least: 1, most: 1024}
	f.seed = 1
	flags.BoolVar(&f.resume, "resume", false, "go on with the "+called+" that was interrupted")
	flags.BoolVar(&f.fresh, "fresh", false, "begin anew although the "+called+" has not ended; its journals are kept aside")
	flags.Var(&f.concurrency, "concurrency", units+" at a time (default the suite's)")
	flags.Lookup("concurrency").DefValue = ""
	flags.Var(&f.maxCost, "max-cost", "spend at most so many USD in all (default the suite's budget)")
	flags.Lookup("max-cost").DefValue = ""
	f.pricing.register(flags)
	f.store.register(flags, "keep the "+called+" in this store")
}

// checkParts refuses flags of registerParts that do not go together.
func (f *runFlags) checkParts(flags *pflag.FlagSet, called string) error {
	switch {
	case f.resume && f.fresh:
		return usage("leave one of them out", "--resume goes on with a %s, and --fresh begins one", called)
	case flags.Changed("max-cost") && f.maxCost == 0:
		return usage("leave it out for the suite's budget", "%s 0 ends a run before its first trial", origin(flags, "max-cost"))
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
			return badInput(fmt.Sprintf("the %s of %s was interrupted after %d of %s that had begun", p.called, p.folder, history.Ended(),
				prose.Count(len(history.Trials), "trial")), "--resume goes on with it, --fresh begins anew")
		}
	}
	if p.run.resume && !there {
		return badInput(fmt.Sprintf("there is no %s in %s to go on with", p.called, p.folder), "leave --resume out to begin one")
	}
	// What is there of earlier ones is no part of these, should these be interrupted before they come to that.
	for _, part := range names[1:] {
		if p.run.resume {
			break
		}
		file := p.file(part, ".journal.jsonl")
		if err := os.Rename(file, file+".previous"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return badInput(fmt.Sprintf("%s cannot be put aside: %v", file, withoutPath(err)), "")
		}
	}
	return nil
}

// carry runs one part with what is left of the budget, and saves its result.
func (p parts) carry(ctx context.Context, a *App, name string, s suite.Suite, adapt func(*runFlags)) (*outcome, error) {
	f := *p.run // a copy: parts differ in their files
	f.journal, f.output = p.file(name, ".journal.jsonl"), p.file(name, ".result.json")
	f.suite, f.looks.ledger, f.kind = p.suite, noLedger, p.kind
	_, missing := os.Stat(f.journal)
	f.resume = f.resume && missing == nil
	// Each test keeps its own alpha: it is a part of that of the whole already.
	f.tests.family = word[multiplicity.Correction]{value: multiplicity.NoCorrection, words: []multiplicity.Correction{multiplicity.NoCorrection}}
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
	err = a.deliver(ctx, done.to, func(w io.Writer) error { return report.JSON(w, done.result) })
	if err == nil && name != p.whole {
		f.keepRun(ctx, a, done, done.result)
	}
	return done, err
}
