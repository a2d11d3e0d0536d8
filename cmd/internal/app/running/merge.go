package running

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// mergeRun judges the journals of a run in parts.
type mergeRun struct{ run }

// Merge judges the journals of all shards of a run: files, folders or patterns, and those in .tribunal beside the suite
// where none is named. The error is the verdict, a [problem.VerdictError], where nothing else went wrong.
func Merge(ctx context.Context, a *world.World, r Request, journals []string) error {
	r.Kind, r.Brief = "run", true
	return (&mergeRun{run{Request: r, merging: true}}).execute(ctx, a, journals)
}

// execute judges the journals.
func (f *mergeRun) execute(ctx context.Context, a *world.World, args []string) (err error) {
	defer f.tellOfEarly(ctx, a, &err)
	if err := f.check(); err != nil {
		return err
	}
	s, err := suitefile.Load(a, f.suiteArgs())
	if err != nil {
		return err
	}
	files, err := journalsOf(ctx, s, args)
	if err != nil {
		return err
	}
	header, err := journal.HeaderOf(files[0])
	if err != nil {
		return problem.BadInput(err.Error(), "name the journals that tribunal run --shard wrote")
	}
	c, found, err := f.merge(ctx, a, s, files, header)
	if err != nil {
		return err
	}
	tellOfBeyond(a, found)
	agent, err := f.identify(ctx, a, s)
	if err != nil {
		return err
	}
	s.Seed = header.Seed
	c.look = f.beginLook(ctx, a, s, c.done.Scenarios, c.options, agent)
	if err := f.conclude(ctx, a, s, c); err != nil {
		return err
	}
	err = f.deliver(ctx, a, c.done.Result, c.done.To)
	if problem.Is[problem.VerdictError](err) {
		f.KeepRun(ctx, a, c.done, c.done.Result)
	}
	settle(c.done.To.Path)
	return err
}

// merge judges the journals of the shards of which one has a header.
func (f *mergeRun) merge(
	ctx context.Context, a *world.World, s *suite.Suite, files []string, header journal.Header,
) (*unjudgedRun, *runner.MergeResult, error) {
	f.Looks.Declare(s)
	scenarios, err := f.scenarios(s, header)
	if err != nil {
		return nil, nil, err
	}
	s.Seed = header.Seed // which a flag of the shards may have set
	f.Prepare = func(ctx context.Context, s *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
		return runner.PrepareMerge(ctx, s, scenarios, o)
	}
	c := &unjudgedRun{selection: f.Choice.Selection(s, scenarios)}
	if c.options, err = f.prepare(ctx, a, s, scenarios); err != nil {
		return nil, nil, err
	}
	f.others = files
	to, err := f.files(ctx, a, s, c.selection != nil, &c.options)
	if err != nil {
		return nil, nil, err
	}
	c.options.Brief = f.Brief
	began := a.Now().UTC()
	found, err := runner.Merge(ctx, c.options, files)
	if found == nil && err != nil {
		return nil, nil, mergeProblem(err)
	}
	if err := outfile.Share(ctx, c.options.Journal); err != nil {
		return nil, nil, err
	}
	c.done = &Outcome{
		Suite: s, Found: found.Result, To: to, Scenarios: scenarios, Journal: c.options.Journal, Began: began,
	}
	tellOfBadEnds(a, s, found.Result)
	tellOfUnreadRecord(a, s, found.Result)
	if len(found.Changed) > 0 {
		a.Notice("warning", "the shards did not run the same files: %s", prose.Some(found.Changed, 4))
	}
	if err := f.ended(ctx, a, s, found.Result, err, c.options.Journal); err != nil {
		return nil, nil, err
	}
	return c, found, nil
}

// scenarios are those that the flags ask for, and without them those that the shards ran.
func (f *mergeRun) scenarios(s *suite.Suite, header journal.Header) ([]suite.Scenario, error) {
	chosen, err := f.Choice.Selected(s)
	if err != nil || len(f.Choice.Only)+len(f.Choice.Tags) > 0 {
		return chosen, err
	}
	ran := map[string]bool{}
	for _, t := range header.Tests {
		for _, name := range t.Scenarios {
			ran[name] = true
		}
	}
	some := slices.DeleteFunc(slices.Clone(chosen), func(c suite.Scenario) bool { return !ran[c.Name] })
	if len(some) == 0 {
		return chosen, nil // which is told where the headers are compared
	}
	return some, nil
}

// journalsOf are the journals that arguments name: of folders those of shards.
func journalsOf(ctx context.Context, s *suite.Suite, args []string) (files []string, err error) {
	if len(args) == 0 {
		args = []string{filepath.Join(s.Dir(), app.WorkFolder)}
		if _, err := os.Stat(args[0]); err != nil {
			return nil, problem.BadInput("there is no journal of a shard in "+prose.FileName(args[0]),
				"tribunal run --shard 1/2 writes one; or name the journals, or their folder")
		}
	}
	for _, arg := range args {
		names := []string{arg}
		if glob.IsPattern(arg) {
			if names, err = glob.Match(ctx, arg); err != nil {
				return nil, err
			}
		}
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				return nil, problem.BadInput(fmt.Sprintf("the journal %s cannot be read: %v", prose.FileName(name),
					problem.WithoutPath(err)), "tribunal run --shard 1/2 writes one; name the journals, or their folder")
			}
			if !info.IsDir() {
				files = append(files, name)
				continue
			}
			within, err := shardsIn(ctx, name)
			if err != nil {
				return nil, err
			}
			files = append(files, within...)
		}
	}
	for _, file := range files {
		if err := app.CheckJournal(ctx, file); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// mostInFolder bounds how many files of a folder are looked at.
const mostInFolder = 100_000

// shardsIn are the journals of shards in a folder and those below it: what carries artifacts gives each its own.
func shardsIn(ctx context.Context, folder string) (files []string, err error) {
	seen := 0
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if seen++; err != nil || ctx.Err() != nil || seen > mostInFolder {
			if err == nil && ctx.Err() == nil {
				err = fmt.Errorf("has more than %d files", mostInFolder)
			}
			if err == nil {
				err = context.Cause(ctx)
			}
			return err
		}
		if !entry.Type().IsRegular() || !strings.HasSuffix(path, journalEnd) {
			return nil
		}
		// A file that is no journal, or of a whole run, is none of those that are meant by the folder.
		if header, err := journal.HeaderOf(path); err == nil && header.Shard != nil {
			files = append(files, path)
		}
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, problem.BadInput(fmt.Sprintf("the folder %s cannot be read: %v", prose.FileName(folder),
			problem.WithoutPath(err)),
			"name the journals")
	case len(files) == 0:
		return nil, problem.BadInput("there is no journal of a shard in "+prose.FileName(folder),
			"tribunal run --shard 1/2 writes one, whose name ends with "+journalEnd)
	}
	return files, nil
}

// tellOfBeyond says what was merged, and which trials the tests had no use for.
func tellOfBeyond(a *world.World, found *runner.MergeResult) {
	text := fmt.Sprintf("%s of %s", prose.Count(len(found.Trials), "trial"), prose.Count(found.Shards, "shard"))
	if found.Beyond > 0 {
		text += fmt.Sprintf("; %d more %s beyond the stop of %s and %s nowhere", found.Beyond,
			prose.Form(found.Beyond, "is", "are"), prose.Form(found.Beyond, "its test", "their tests"),
			prose.Form(found.Beyond, "counts", "count"))
		if spent := found.BeyondSpent; spent.Attempts > spent.CostUnknown && spent.CostUSD > 0 {
			text += ", for $" + usd(spent.CostUSD)
		}
	}
	a.Notice("note", "%s", text)
}
