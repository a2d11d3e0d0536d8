package mutatecmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/relations"
)

// The errors of relations, unless they are given.
const (
	defaultRelateAlpha = 0.05
	defaultRelateBeta  = 0.1
)

// relateFlags are those of the command relate.
type relateFlags struct {
	run       running.Request // of the pairs
	relations []string        // globs, any of which may match the name
	alpha     value.Level
	beta      value.Level
	delta     value.BelowOne // counts only where it is given
	baseline  string
	record    value.Count
	recorded  []string
	result    deliver.Target
}

// RelateCommand tries relations between executions of an agent.
func RelateCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "relate [SUITE]",
		Short: "try whether an agent keeps the relations between its answers that a suite claims",
		Long: `Try the relations that a suite claims, such as that the order of documents does not
change the answer, or that a little noise does not change the verdict. For each the
agent is asked twice, with a source input and with a follow-up made of it, until it
is decided whether the relation is violated.

An agent that varies disagrees with itself. So pairs of equal inputs run beside, and
a relation is violated where follow-ups violate it more often than those do. Pass
says that an excess of delta is ruled out. Exit code 0 is Pass, 1 Fail, 2
Inconclusive; 69 if the agent cannot be run.

--record runs a number of pairs of each relation and decides nothing; --baseline
tests whether another version violates them more often than in such a result.
--recorded judges pairs that were recorded elsewhere, and runs nothing: trials with
tags relation and source.`,
		Example: `  tribunal relate
  tribunal relate --relation "*-order" --only "rag-*"
  tribunal relate --delta 0.1 --max-cost 5
  tribunal relate --resume
  tribunal relate --record 100 --output main.relations.json
  tribunal relate --baseline main.relations.json
  tribunal relate tribunal.yaml --recorded pairs.jsonl`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f relateFlags
	f.register(command.Flags())
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *relateFlags) register(flags *pflag.FlagSet) {
	f.alpha, f.beta = defaultRelateAlpha, defaultRelateBeta
	f.record = value.Count{Least: 1, Most: value.MaxDesign}
	flags.StringSliceVar(&f.relations, "relation", nil, "only relations whose name matches the `GLOB`; may be given again")
	base.RegisterChoice(flags, &f.run.Choice)
	flags.Var(&f.alpha, "alpha", "chance, at most, that any relation is called violated of an agent that violates none")
	flags.Var(&f.beta, "beta", "chance, at most, that a relation passes although its excess is delta")
	flags.Var(&f.delta, "delta", "the smallest excess of violations that matters (default what each relation says)")
	flags.Lookup("delta").DefValue = ""
	base.NotOfSuite(flags, "alpha", "beta", "delta") // there they are of the tests of scenarios
	flags.StringVar(&f.baseline, "baseline", "", "test against the violations in this result `FILE` of relate --record")
	flags.Var(&f.record, "record", "run so many pairs of each relation, to be a baseline, and decide nothing")
	flags.Lookup("record").DefValue = ""
	flags.StringSliceVar(&f.recorded, "recorded", nil,
		"judge the pairs of this `FILE` of trials, and run nothing; may be given again")
	bind.Parts(flags, &f.run)
	flags.StringVarP(&f.run.Output, "output", "o", "",
		"`FILE` of the saved result (default .tribunal/NAME.relations.json beside the suite)")
	bind.Reports(flags, &f.result)
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	bind.Verdict(flags, &f.result)
}

// check refuses flags that do not go together.
func (f *relateFlags) check(flags *pflag.FlagSet) error {
	for _, glob := range f.relations {
		if _, err := path.Match(glob, ""); err != nil {
			return problem.Usage(`such as --relation "*-order"`, "--relation %q is no glob: %v", glob, err)
		}
	}
	f.run.Given = base.GivenOf(flags)
	if err := f.run.CheckParts("run"); err != nil {
		return err
	}
	switch {
	case f.record.Value > 0 && f.baseline != "":
		return problem.Usage("leave one of them out", "--record decides nothing, so it has no %s",
			base.Origin(flags, "baseline"))
	case len(f.recorded) == 0:
		return nil
	}
	for _, name := range []string{"baseline", "record", "resume", "fresh", "concurrency", "max-cost"} {
		if flags.Changed(name) && base.Origin(flags, name) == "--"+name {
			return problem.Usage("leave one of them out", "--recorded runs nothing, so it has no --%s", name)
		}
	}
	return nil
}

// pairs reads the suite, and returns what is tried.
func (f *relateFlags) pairs(a *world.World, flags *pflag.FlagSet, args []string) (*suite.Suite, []suite.Pair, error) {
	s, err := suitefile.Load(a, args)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Relations) == 0 {
		return nil, nil, problem.BadInput(fmt.Sprintf("the suite %s claims no relations", prose.FileName(s.File)),
			"such as relations: [{name: typing, kind: noise-robustness, on: input.question}]")
	}
	if len(s.Variants) > 0 {
		return nil, nil, problem.BadInput(fmt.Sprintf("the suite %s has variants of the agent, and relations are tried of "+
			"one agent", s.Name),
			"name a suite of one of them")
	}
	if flags.Changed("delta") {
		for i := range s.Relations {
			s.Relations[i].Delta = float64(f.delta)
		}
	}
	scenarios, err := f.run.Choice.Selected(s)
	if err != nil {
		return nil, nil, err
	}
	pairs := s.Pairs(f.relations, scenarios)
	if len(pairs) == 0 {
		var names []string
		for _, r := range s.Relations {
			names = append(names, r.Name)
		}
		return nil, nil, problem.Usage("the suite claims "+prose.Some(suitefile.QuotedAll(names), 8),
			"no relation matches in the scenarios that are chosen")
	}
	for _, p := range pairs {
		if most := p.Relation.MaxViolationRate; most.Known && most.Value+p.Relation.Delta >= 1 {
			return nil, nil, problem.Usage("give a smaller one",
				"%s %v and the max_violation_rate of %q must be less than 1 together",
				base.Origin(flags, "delta"), float64(f.delta), p.Relation.Name)
		}
	}
	return s, pairs, nil
}

func (f *relateFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags); err != nil {
		return err
	}
	s, pairs, err := f.pairs(a, flags, args)
	if err != nil {
		return err
	}
	files := app.FilesOf(s, f.run.Choice.Given() || len(f.relations) > 0)
	stem := filepath.Base(strings.TrimSuffix(files.Result, ".result.json"))
	if err := outfile.WorkFolder(files.Folder); err != nil {
		return err
	}
	to, err := running.NewRunFile(base.Origin(flags, "output"),
		cmp.Or(f.run.Output, filepath.Join(files.Folder, stem+".relations.json")), s)
	if err != nil {
		return err
	}
	if err := f.result.Reports.Open(to.Path); err != nil {
		return err
	}
	var result *relations.Result
	var done *running.Outcome
	if len(f.recorded) > 0 {
		result, err = f.judgeRecorded(ctx, a, s, pairs)
	} else {
		f.run.Journal = filepath.Join(files.Folder, stem+".relations.journal.jsonl")
		f.run.Kind = "relate"
		result, done, err = f.try(ctx, a, flags, s, pairs)
	}
	if err != nil {
		return err
	}
	if result.Header().Judged {
		result.ExitCode = f.result.Exit(a, result.Verdict, result.Reasons)
	}
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	err = f.result.Conclude(ctx, a, nil, result)
	if problem.Is[problem.Decided](err) && done != nil {
		f.run.KeepRun(ctx, a, done, result)
	}
	return err
}

// options are what the result is judged by.
func (f *relateFlags) options() relations.Options {
	return relations.Options{Alpha: float64(f.alpha), Beta: float64(f.beta), Baseline: f.baseline,
		Recorded: f.record.Value}
}

// try runs the pairs until each test decides. The tests are planned at equal parts of alpha, the first level of Holm's
// correction, so that a Fail of any is one beside all others.
func (f *relateFlags) try(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite, pairs []suite.Pair,
) (*relations.Result, *running.Outcome, error) {
	if err := f.run.DrawSeed(ctx, a, s, ""); err != nil {
		return nil, nil, err
	}
	of := s.OfPairs(pairs, float64(f.alpha), float64(f.beta))
	run := f.run
	// the result of the run is within that of the relations
	run.Output = filepath.Join(filepath.Dir(run.Journal), "none.json")
	run.Looks.Ledger, run.Quiet = looking.NoLedger, true
	run.Tests = running.Tests{Baseline: f.baseline, Record: f.record.Value, Family: trial.Some(multiplicity.Holm)}
	prepare := func(ctx context.Context, of *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
		return runner.PreparePairs(ctx, s, of, pairs, o)
	}
	done, err := running.Carry(ctx, a, of, run, running.Hooks{Prepare: prepare})
	if err != nil {
		return nil, nil, err
	}
	e := relations.Evidence{Suite: s.Name, Digest: of.Digest(), Claims: runner.ClaimsOf(pairs), Run: done.Result,
		Options: f.options()}
	for _, p := range pairs {
		e.Pairs = append(e.Pairs, relations.Pair{Test: p.Name, Relation: p.Relation.Name, Scenario: p.Scenario.Name})
	}
	e.Examples, e.Vacuous = done.Found.Examples()
	result, err := relations.Judge(ctx, e)
	return result, done, err
}

// judgeRecorded judges pairs of files.
func (f *relateFlags) judgeRecorded(
	ctx context.Context, a *world.World, s *suite.Suite, pairs []suite.Pair,
) (*relations.Result, error) {
	var trials []*trial.Trial
	if err := evidence.Read(ctx, a, f.recorded, ingest.Options{}, evidence.Kept,
		func(t *trial.Trial) { trials = append(trials, t.Clone()) }); err != nil {
		return nil, err
	}
	found, err := runner.RecordedPairs(ctx, pairs, trials)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, problem.BadInput("no trial is of a relation that is chosen",
			"a follow-up has tags: {relation: NAME, source: SCENARIO#TRIAL}")
	}
	return relations.JudgeRecorded(ctx, s.Name, s.OfPairs(pairs, float64(f.alpha), float64(f.beta)).Digest(),
		runner.ClaimsOf(pairs),
		found, f.options())
}
