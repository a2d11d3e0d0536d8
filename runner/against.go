package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// baseline plans the test against the baseline that is asked for.
func (d *designer) baseline(ctx context.Context, spec testSpec) (*runs.Against, error) {
	if spec.test.Against.SideBySide {
		against, err := d.rounds(ctx, spec.test)
		if err != nil {
			return nil, err
		}
		// What changed is of the variant; the test is that of all.
		own := *against
		own.Changed = suite.Changed(d.suite.BaselineAgent.Settings(), d.withVariant(spec.variant).Agent.Settings())
		d.tell(Comparison{Variant: spec.variant, Changed: own.Changed, Rounds: own.Rounds})
		return &own, nil
	}
	return d.stored(ctx, spec)
}

// rounds plans a test side by side. Equal ones are planned once: nothing in them is of a scenario.
func (d *designer) rounds(ctx context.Context, t suite.Test) (*runs.Against, error) {
	test := t
	test.Prior, test.Design = suite.Prior{}, 0
	key := fmt.Sprintf("%+v", test)
	if known, ok := d.against[key]; ok {
		return known, nil
	}
	options := baseline.Options{MaxTrials: t.MaxTrials, Progress: d.prepare.Progress}
	var plan baseline.RoundsPlan
	var err error
	if t.Against.Matched {
		plan, err = baseline.Matched(ctx, baseline.MatchedHypotheses{
			Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta, MostDiscordant: discordant(t),
		}, options)
	} else {
		plan, err = baseline.SideBySide(ctx, baseline.Hypotheses{
			Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta, Guarded: guarded(t),
		}, options)
	}
	if err != nil {
		return nil, unplanned(t, err)
	}
	known := &runs.Against{Rounds: plan.Test}
	d.against[key] = known
	return known, nil
}

// discordant is the largest share of pairs that differ for which the errors are kept. The default holds for all sides
// that do not avoid each other's failures: independent ones differ in (1+delta²)/2 of their pairs at most, and the more
// they share the less.
func discordant(t suite.Test) float64 {
	if t.Against.Discordant != 0 {
		return t.Against.Discordant
	}
	return (1 + t.Delta*t.Delta) / 2
}

// guarded are the rates of the baseline for which the errors of a test side by side are kept: all of them, or those
// from the guard on that a suite gives.
func guarded(t suite.Test) stats.Interval {
	if t.Against.Guard != 0 {
		return stats.Interval{Low: t.Against.Guard, High: 1}
	}
	return baseline.EveryRate()
}

// stored plans a test against trials that were recorded before. Of a baseline whose trials did not all
// have an outcome it plans for the least that they may have come to, which guards the lowest rates.
func (d *designer) stored(ctx context.Context, spec testSpec) (*runs.Against, error) {
	t := spec.test
	saved, err := d.savedRun(ctx, t.Against.Baseline)
	if err != nil {
		return nil, err
	}
	d.tellOfRun(saved, spec.variant)
	recorded, err := recordedIn(saved, spec)
	if err != nil {
		return nil, err
	}
	family, err := d.family(ctx, question(spec), recorded, t.MaxTrials)
	if err != nil {
		return nil, inFile(t.Against.Baseline, unplanned(t, err))
	}
	source := saved.Source()
	source.Changed = d.changed(saved.First(), spec.variant)
	return recorded.Against(family, source), nil
}

// recordedIn finds the trials of saved runs that a test is against.
func recordedIn(saved *runs.Baseline, spec testSpec) (runs.RecordedTest, error) {
	recorded, err := saved.Each(func(r *runs.Result) (runs.RecordedTest, error) { return recordedFor(r, spec) })
	if err != nil {
		return recorded, inFile(spec.test.Against.Baseline, err)
	}
	return recorded, nil
}

// question is what a test asks against trials that were recorded before.
func question(spec testSpec) baseline.Question {
	t := spec.test
	q := baseline.Question{Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta, Guard: t.Against.Guard}
	if n := len(spec.scenarios); n > 1 {
		q.Scenarios = n
	}
	return q
}

// recordedFor finds the trials of a saved run that a test is against: those of the test of its name. For a
// test of several scenarios that is the one of the same scenarios, or all of theirs together where each had
// as many trials, fixed before they ran.
func recordedFor(saved *runs.Result, spec testSpec) (runs.RecordedTest, error) {
	// A run of variants is a baseline for the same ones, and that of an agent for any.
	if name := suite.TestName(spec.name, spec.variant); slices.ContainsFunc(saved.Tests, func(t runs.Test) bool {
		return t.Name == name && (spec.scenario != "" || samePool(&t, spec.scenarios))
	}) {
		return runs.BaselineOf(saved, name)
	}
	if spec.scenario != "" {
		return runs.BaselineOf(saved, spec.scenario)
	}
	for i := range saved.Tests {
		if t := &saved.Tests[i]; samePool(t, spec.scenarios) {
			return runs.BaselineOf(saved, t.Name)
		}
	}
	var all runs.RecordedTest
	trials := 0
	for i, name := range spec.scenarios {
		r, err := runs.BaselineOf(saved, name)
		if err != nil {
			return r, err
		}
		fixed := r.Sample.Record().Fixed
		if fixed == 0 || i > 0 && fixed != trials {
			return r, &runs.BaselineError{Test: name, Problem: "its scenarios have different numbers of trials, and a " +
				"test of all of them needs the same of each", Advice: "record one with tribunal run --record N"}
		}
		trials = fixed
		all.Errors += r.Errors
		all.Outcome = together(all.Outcome, r.Outcome)
		all.Worst = together(all.Worst, r.Worst)
	}
	var err error
	all.Sample, err = baseline.Fixed(all.Outcome.Trials)
	return all, err
}

// samePool reports whether a saved test pools exactly these scenarios.
func samePool(t *runs.Test, scenarios []string) bool {
	if len(t.Members) != len(scenarios) || len(scenarios) == 0 {
		return false
	}
	for _, m := range t.Members {
		if !slices.Contains(scenarios, m.Name) {
			return false
		}
	}
	return true
}

// together adds up two outcomes.
func together(a, b baseline.Outcome) baseline.Outcome {
	return baseline.Outcome{Trials: a.Trials + b.Trials, Failures: a.Failures + b.Failures}
}

// mostResultBytes is the largest saved result that is read. Chosen, far above those of thousands of scenarios.
const mostResultBytes = 256 << 20

// savedRun reads a baseline once, and refuses one that was asked something else.
func (d *designer) savedRun(ctx context.Context, file string) (*runs.Baseline, error) {
	if known, ok := d.saved[file]; ok {
		return known, nil
	}
	saved, err := d.readRun(ctx, file)
	if missing, ok := errors.AsType[*trial.FileError](err); ok && d.prepare.Named != nil &&
		errors.Is(missing, fs.ErrNotExist) {
		found, problem := d.prepare.Named(ctx, file)
		if problem != nil {
			return nil, problem
		}
		if found != nil {
			saved, err = found, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if d.prepare.NewAlone && file == d.prepare.Baseline {
		if err := d.setAlone(file, saved.First()); err != nil {
			return nil, err
		}
	}
	if err := d.compare(file, saved.First()); err != nil {
		return nil, err
	}
	d.saved[file] = saved
	return saved, nil
}

// readRun reads a saved result.
func (d *designer) readRun(ctx context.Context, file string) (*runs.Baseline, error) {
	text, err := input.Read(ctx, d.path(file), nil, mostResultBytes, "is it a saved result?")
	if refused, ok := errors.AsType[*trial.FileError](err); ok {
		return nil, refused
	}
	if err != nil && input.IsStored(file) {
		return nil, err // which says what to do
	}
	if err != nil {
		problem, advice := "cannot be read", ""
		if errors.Is(err, fs.ErrNotExist) {
			problem, advice = "does not exist", "tribunal run --record 100 --output "+file+" makes one"
			if filepath.Ext(file) == "" && !strings.ContainsAny(file, `/\`) {
				advice = "a name is looked up in a store: --store FILE; a file is made by tribunal run --record 100 --output " +
					file + ".json"
			}
		} else if path, ok := errors.AsType[*fs.PathError](err); ok {
			problem += ": " + path.Err.Error()
		}
		return nil, &trial.FileError{File: file, Problem: problem, Advice: advice, Err: err}
	}
	result, err := verify.Decode(text)
	if none, ok := errors.AsType[*verify.DecodeError](err); ok {
		advice := none.Advice
		if strings.HasPrefix(none.Problem, "is no saved result") {
			advice = "a baseline is the result of a run, which tribunal run saves in .tribunal"
		}
		return nil, &trial.FileError{File: file, Problem: none.Problem, Advice: advice, Err: err}
	}
	if err != nil {
		return nil, inFile(file, err)
	}
	saved, ok := result.(*runs.Result)
	if g, decided := result.(*gate.Result); decided && g.Run != nil {
		saved, ok = g.Run, true
	}
	if pairs, related := result.(*relations.Result); related && pairs.Run != nil {
		saved, ok = pairs.Run, true
	}
	if !ok {
		return nil, &trial.FileError{
			File: file, Problem: "is not the result of a run", Advice: "tribunal run saves one in .tribunal",
		}
	}
	return &runs.Baseline{Name: file, Runs: []runs.BaselineRun{{Result: saved}}}, nil
}

// fileProblem is what is wrong with a baseline's file.
type fileProblem struct {
	file   string
	advice string
	err    error
}

// inFile says which file an error is about, and keeps its hint.
func inFile(file string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	p := &fileProblem{file: file, err: err}
	if hinted, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		p.advice = hinted.Hint()
	}
	return p
}

func (e *fileProblem) Error() string   { return e.Message() }
func (e *fileProblem) Hint() string    { return e.advice }
func (e *fileProblem) Unwrap() error   { return e.err }
func (e *fileProblem) Message() string { return prose.FileName(e.file) + ": " + e.err.Error() }

// planError says that a test against a baseline cannot be planned, and what would help.
type planError struct {
	text   string
	advice string
	err    error
}

// unplanned adds to an error of planning what can be done about it in a suite.
func unplanned(t suite.Test, err error) error {
	text, advice := err.Error(), ""
	small, isSmall := errors.AsType[*baseline.TooSmallError](err)
	none, infeasible := errors.AsType[*baseline.InfeasibleError](err)
	_, outside := errors.AsType[*baseline.OutcomeError](err)
	switch {
	case isSmall:
		advice = fmt.Sprintf("record about %d trials of it, or give a larger delta", small.Needed)
	case infeasible && t.MaxTrials > 0:
		advice = "give a larger max_trials, or a larger delta"
	case infeasible && t.Against.Matched:
		advice = "give a smaller discordant, or a larger delta"
	case infeasible && t.Against.SideBySide && t.Against.Guard == 0:
		advice = "give a max_trials, with which it is the more often inconclusive, or a larger delta"
	case infeasible:
		advice = "give a higher guard, or a larger delta"
	case outside && t.Against.Guard != 0:
		advice = "give a lower guard, or omit it"
	default:
		return err
	}
	if infeasible && t.Against.SideBySide {
		text = fmt.Sprintf("no test side by side of at most %d rounds tells a drop of %v and keeps a false Fail to %v and "+
			"a false Pass to %v", none.MaxTrials, t.Delta, t.Alpha, t.Beta)
	}
	return &planError{text, advice, err}
}

func (e *planError) Error() string   { return e.text }
func (e *planError) Message() string { return e.text }
func (e *planError) Hint() string    { return e.advice }
func (e *planError) Unwrap() error   { return e.err }
