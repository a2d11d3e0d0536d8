package probing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
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

// RelationsRequest asks whether an agent keeps the relations that its suite claims.
type RelationsRequest struct {
	running.Request          // of the pairs; Tests.Record is that of each relation
	Relations       []string // globs, any of which may match the name; none is all
	Alpha, Beta     float64
	Delta           trial.Optional[float64] // the smallest excess that matters; not known is what each relation says
	Recorded        []string                // files whose pairs are judged; none runs pairs
}

// check refuses what does not go together.
func (r *RelationsRequest) check() error {
	for _, glob := range r.Relations {
		if _, err := path.Match(glob, ""); err != nil {
			return problem.Usage(`such as --relation "*-order"`, "--relation %q is no glob: %v", glob, err)
		}
	}
	if err := r.CheckParts("run"); err != nil {
		return err
	}
	switch {
	case r.Tests.Record > 0 && r.Tests.Baseline != "":
		return problem.Usage("omit one of them", "--record decides nothing, so it has no %s",
			r.Given.Origin("baseline"))
	case len(r.Recorded) == 0:
		return nil
	}
	for _, name := range []string{"baseline", "record", "resume", "fresh", "concurrency", "max-cost"} {
		if r.Given.Typed(name) {
			return problem.Usage("omit one of them", "--recorded runs nothing, so it has no --%s", name)
		}
	}
	return nil
}

// someText is the path of a text in an input, the first by name, or else one that any input may have.
func someText(input []byte) string {
	var members map[string]any
	if json.Unmarshal(input, &members) == nil {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if _, is := members[name].(string); is {
				return "input." + name
			}
		}
	}
	return "input.question"
}

// pairs reads the suite, and returns what is tried.
func (r *RelationsRequest) pairs(a *world.World) (*suite.Suite, []suite.Pair, error) {
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return nil, nil, err
	}
	if len(s.Relations) == 0 {
		return nil, nil, problem.BadInput(fmt.Sprintf("the suite %s claims no relations", prose.FileName(s.File)),
			"such as relations: [{name: typing, kind: noise-robustness, on: "+someText(s.Scenarios[0].Input)+"}]")
	}
	if len(s.Variants) > 0 {
		return nil, nil, problem.BadInput(fmt.Sprintf("the suite %s has variants of the agent, and relations are tried of "+
			"one agent", s.Name),
			"name a suite of one of them")
	}
	if r.Delta.Known {
		for i := range s.Relations {
			s.Relations[i].Delta = r.Delta.Value
		}
	}
	scenarios, err := r.Choice.Selected(s)
	if err != nil {
		return nil, nil, err
	}
	pairs := s.Pairs(r.Relations, scenarios)
	if len(pairs) == 0 {
		var names []string
		for _, claimed := range s.Relations {
			names = append(names, claimed.Name)
		}
		return nil, nil, problem.Usage("the suite claims "+prose.Some(suitefile.QuotedAll(names), 8),
			"no relation matches in the scenarios that are chosen")
	}
	for _, p := range pairs {
		if most := p.Relation.MaxViolationRate; most.Known && most.Value+p.Relation.Delta >= 1 {
			return nil, nil, problem.Usage("give a smaller one",
				"%s %v and the max_violation_rate of %q must be less than 1 together",
				r.Given.Origin("delta"), r.Delta.Value, p.Relation.Name)
		}
	}
	return s, pairs, nil
}

// Relations tries the relations, and prints what came of it.
func Relations(ctx context.Context, a *world.World, r RelationsRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	s, pairs, err := r.pairs(a)
	if err != nil {
		return err
	}
	files := app.FilesOf(s, r.Choice.Given() || len(r.Relations) > 0)
	stem := filepath.Base(strings.TrimSuffix(files.Result, ".result.json"))
	if err := outfile.WorkFolder(files.Folder); err != nil {
		return err
	}
	to, err := running.NewRunFile(r.Given.Origin("output"),
		cmp.Or(r.Output, filepath.Join(files.Folder, stem+".relations.json")), s)
	if err != nil {
		return err
	}
	if err := r.Result.Reports.Open(to.Path); err != nil {
		return err
	}
	var result *relations.Result
	var done *running.Outcome
	if len(r.Recorded) > 0 {
		result, err = r.judgeRecorded(ctx, a, s, pairs)
	} else {
		r.Journal = filepath.Join(files.Folder, stem+".relations.journal.jsonl")
		r.Kind = "relate"
		result, done, err = r.try(ctx, a, s, pairs)
	}
	if err != nil {
		return err
	}
	if result.Header().Judged {
		result.ExitCode = r.Result.Exit(a, result.Verdict, result.Reasons)
	}
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	err = r.Result.Conclude(ctx, a, nil, result)
	if problem.Is[problem.VerdictError](err) && done != nil {
		r.KeepRun(ctx, a, done, result)
	}
	return err
}

// options are what the result is judged by.
func (r *RelationsRequest) options() relations.Options {
	return relations.Options{Alpha: r.Alpha, Beta: r.Beta, Baseline: r.Tests.Baseline,
		Recorded: r.Tests.Record}
}

// try runs the pairs until each test decides. The tests are planned at equal parts of alpha, the first level of Holm's
// correction, so that a Fail of any is one beside all others.
func (r *RelationsRequest) try(
	ctx context.Context, a *world.World, s *suite.Suite, pairs []suite.Pair,
) (*relations.Result, *running.Outcome, error) {
	if err := r.DrawSeed(ctx, a, s, ""); err != nil {
		return nil, nil, err
	}
	pairSuite := s.OfPairs(pairs, r.Alpha, r.Beta)
	run := r.Request
	// the result of the run is within that of the relations
	run.Output = filepath.Join(filepath.Dir(run.Journal), "none.json")
	run.Looks.Ledger, run.Quiet, run.Result = looking.NoLedger, true, deliver.Target{}
	run.Tests = running.Tests{Baseline: r.Tests.Baseline, Record: r.Tests.Record, Family: trial.Some(multiplicity.Holm)}
	prepare := func(ctx context.Context, pairSuite *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
		return runner.PreparePairs(ctx, s, pairSuite, pairs, o)
	}
	done, err := running.Carry(ctx, a, pairSuite, run, running.Hooks{Prepare: prepare})
	if err != nil {
		return nil, nil, err
	}
	e := relations.Evidence{Suite: s.Name, Digest: pairSuite.Digest(), Claims: runner.ClaimsOf(pairs), Run: done.Result,
		Options: r.options()}
	for _, p := range pairs {
		e.Pairs = append(e.Pairs, relations.Pair{Test: p.Name, Relation: p.Relation.Name, Scenario: p.Scenario.Name})
	}
	e.Examples, e.Vacuous = done.Found.Examples()
	result, err := relations.Judge(ctx, e)
	return result, done, err
}

// judgeRecorded judges pairs of files.
func (r *RelationsRequest) judgeRecorded(
	ctx context.Context, a *world.World, s *suite.Suite, pairs []suite.Pair,
) (*relations.Result, error) {
	var trials []*trial.Trial
	if err := evidence.Read(ctx, a, r.Recorded, ingest.Options{}, evidence.Kept,
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
	return relations.JudgeRecorded(ctx, s.Name, s.OfPairs(pairs, r.Alpha, r.Beta).Digest(),
		runner.ClaimsOf(pairs),
		found, r.options())
}
