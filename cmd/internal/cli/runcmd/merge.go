package runcmd

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
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

// mergeFlags are those of the command merge: those of run that say what is judged, and where the result goes.
type mergeFlags struct {
	RunFlags
	file string // of the suite; "" is the one that is found
}

// MergeCommand judges what run --shard made.
func MergeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "merge [JOURNAL...]",
		Short: "judge the journals of all shards of a run",
		Long: `Judge the journals that tribunal run --shard wrote, of all shards of a run. Trials are
taken in the order in which one process would have launched them, until each test ends:
verdict, result and exit code are those of a run that was not divided, with the same
outcomes. What the tests have no use for is named and counts nowhere.

JOURNAL is a file, a folder or a pattern; without it the journals in .tribunal beside the
suite are taken. The flags that say what is tested, such as --baseline, are those that
the shards had. Nothing is run. The result and the merged journal are saved as by
tribunal run, and tribunal verify takes both. Journals that do not make up a run (one
that is missing, twice there, of another suite or not run to its end) end with 65.`,
		Example: `  tribunal run --shard 1/2
  tribunal run --shard 2/2
  tribunal merge
  tribunal merge shards/ --output merged.result.json --report junit=junit.xml
  tribunal merge "shards/*/*.journal.jsonl" --suite tests/agent`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f mergeFlags
	f.register(command.Flags())
	f.Kind, f.Brief, f.merging = "run", true, true
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register registers the flags of run that do not say how trials are made.
func (f *mergeFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.file, "suite", "", "the `SUITE` of the shards (default the one that is found from here upwards)")
	f.Tests.register(flags)
	flags.StringVar(&f.Journal, "journal", "",
		"`FILE` of the merged journal (default .tribunal/NAME.journal.jsonl beside the suite)")
	flags.StringVarP(&f.Output, "output", "o", "",
		"`FILE` of the saved result (default .tribunal/NAME.result.json beside the suite)")
	flags.BoolVar(&f.Fresh, "fresh", false, "put the journal of a run aside that has not ended")
	bind.Reports(flags, &f.result)
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	bind.Verdict(flags, &f.result)
	bind.Sign(flags, &f.result)
	option.Of(flags).Text(base.StoreFlag, &f.Store.Name)
	bind.Looks(flags, &f.Looks)
	base.RegisterChoice(flags, &f.suite)
	base.RegisterProfile(flags)
}

// execute judges the journals.
func (f *mergeFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags); err != nil {
		return err
	}
	var named []string
	if f.file != "" {
		named = append(named, f.file)
	}
	s, err := suitefile.Load(a, named)
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
	c, found, err := f.merge(ctx, a, flags, s, files, header)
	if err != nil {
		return err
	}
	tellOfBeyond(a, found)
	agent, err := f.identify(ctx, a, flags, s)
	if err != nil {
		return err
	}
	s.Seed = header.Seed
	c.look = f.beginLook(ctx, a, s, c.done.Scenarios, c.options, agent)
	if err := f.conclude(ctx, a, s, c); err != nil {
		return err
	}
	err = f.deliver(ctx, a, c.done.Result, c.done.To)
	if problem.Is[problem.Decided](err) {
		f.KeepRun(ctx, a, c.done, c.done.Result)
	}
	return err
}

// merge judges the journals of the shards of which one has a header.
func (f *mergeFlags) merge(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite, files []string, header journal.Header,
) (*conducted, *runner.Merged, error) {
	f.Looks.Declare(s)
	scenarios, err := f.scenarios(s, header)
	if err != nil {
		return nil, nil, err
	}
	s.Seed = header.Seed // which a flag of the shards may have set
	f.Prepared = func(ctx context.Context, s *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
		return runner.PrepareMerge(ctx, s, scenarios, o)
	}
	c := &conducted{selection: f.suite.Selection(s, scenarios)}
	if c.options, err = f.prepare(ctx, a, flags, s, scenarios); err != nil {
		return nil, nil, err
	}
	f.others = files
	to, err := f.files(ctx, a, s, c.selection != nil, &c.options, flags)
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
	if len(found.Changed) > 0 {
		a.Notice("warning", "the shards did not run the same files: %s", prose.Some(found.Changed, 4))
	}
	if err := f.ended(ctx, a, s, found.Result, err, c.options.Journal); err != nil {
		return nil, nil, err
	}
	return c, found, nil
}

// scenarios are those that the flags ask for, and without them those that the shards ran.
func (f *mergeFlags) scenarios(s *suite.Suite, header journal.Header) ([]suite.Scenario, error) {
	chosen, err := f.suite.Selected(s)
	if err != nil || len(f.suite.Only)+len(f.suite.Tags) > 0 {
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
					problem.WithoutPath(err)), "")
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
func tellOfBeyond(a *world.World, found *runner.Merged) {
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
