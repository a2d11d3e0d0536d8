package judges

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// JudgeRequest asks for recorded trials with what the evaluators, limits and judges of a suite say of them.
type JudgeRequest struct {
	Suite   string // file or folder
	Choice  suitefile.Choice
	Files   []string // of trials, at least one
	Reading evidence.ReadOptions
	Variant string // whose trials are judged; "" is all of them
	Output  string // file of the judged trials; "" is standard output
}

// Judge judges the trials, and writes them with what was found. It reads the suite first: a mistake in it should not
// cost the reading of the trials.
func Judge(ctx context.Context, a *world.World, r JudgeRequest) error {
	if err := evidence.CheckNames(r.Files, r.Reading.Duplicates); err != nil {
		return err
	}
	s, err := suitefile.Named(a, r.Suite)
	if err != nil {
		return err
	}
	scenarios, err := r.Choice.Selected(s)
	if err != nil {
		return err
	}
	if s, err = s.Expanded(scenarios); err != nil {
		return err
	}
	bench, err := runner.NewBench(s, scenarios)
	if err != nil {
		return err
	}
	to, err := (&deliver.Target{Output: r.Output}).File(ctx, a, append([]string{r.Suite}, r.Files...))
	if err != nil {
		return err
	}
	if err := evidence.Spared("--output", to, r.Files, r.Reading.EveryFile()); err != nil {
		return err
	}
	into, err := keeping.NewSpool(ctx, &r.Reading.Store, a, r.Files)
	if err != nil {
		return err
	}
	defer into.Remove(ctx)
	j := &judgement{a: a, suite: s, scenarios: scenarios, bench: bench, options: r.options(), files: r.Files,
		into: into}
	if to == nil {
		out := &outfile.StartedWriter{W: a.Out}
		if err := j.write(ctx, out); err != nil {
			if out.Started {
				io.WriteString(a.Out, outfile.CutMark) // so that nobody takes it for all
			}
			return evidence.Naming("variant", err)
		}
	} else if err := to.Fill(ctx, func(w io.Writer) error { return j.write(ctx, w) }); err != nil {
		return evidence.Naming("variant", err)
	}
	j.tell()
	into.Stopped(j.notes)
	// Whose trials they are, and of which commit, is not known.
	run := keeping.Run(a, "judge", s, scenarios)
	into.Keep(ctx, a, &r.Reading.Store, store.Run{Kind: run.Kind, Suite: run.Suite, Task: run.Task}, nil)
	return nil
}

// options say how the trials are read: whole, and also those that nobody judged.
func (r *JudgeRequest) options() ingest.Options {
	o := r.Reading.Options(r.Variant, 0)
	o.AllVariants, o.Unjudged, o.Numbered = r.Variant == "", true, true
	return o
}

// judgement is a recording that is judged by a suite.
type judgement struct {
	a         *world.World
	suite     *suite.Suite
	scenarios []suite.Scenario
	bench     *runner.Bench
	options   ingest.Options
	files     []string
	into      *keeping.Spool // keeps them for a store; nil keeps nothing

	notes    []ingest.Notes
	judged   [4]int         // trials that were judged, by what came of it
	changed  int            // of them that had another outcome before
	had      int            // of them that had one
	broken   int            // trials that ended in an error, which is no answer to judge
	unknown  map[string]int // trials by a scenario that the suite does not have
	open     map[string]int // by what could not be judged: trials
	openText map[string]string
}

// write judges while it reads, as many trials at once as the suite has trials at once, in the order of the recording.
func (j *judgement) write(ctx context.Context, w io.Writer) error {
	j.unknown, j.open, j.openText = map[string]int{}, map[string]int{}, map[string]string{}
	stream, all := evidence.Open(ctx, j.a, j.files, j.options, evidence.Counted)
	out := trial.NewWriter(w)
	var batch []*trial.Trial
	flush := func() error {
		err := j.batch(ctx, batch)
		for _, t := range batch {
			if err == nil {
				j.into.Take(t)
				err = out.Write(t)
			}
		}
		batch = batch[:0]
		return err
	}
	for t, err := range all {
		if err != nil {
			return err
		}
		if batch = append(batch, t.Clone()); len(batch) >= max(j.suite.Concurrency, 1) {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	j.notes = stream.Notes()
	return out.Flush()
}

// batch judges trials at once.
func (j *judgement) batch(ctx context.Context, trials []*trial.Trial) error {
	before := make([]trial.Outcome, len(trials))
	judged, failures := make([]bool, len(trials)), make([]error, len(trials))
	var running sync.WaitGroup
	for i, t := range trials {
		before[i] = t.Outcome
		running.Go(func() { judged[i], failures[i] = j.bench.Judge(ctx, t) })
	}
	running.Wait()
	// What a program said that was stopped with this one is no judgement.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, t := range trials {
		if failures[i] != nil {
			return failures[i]
		}
		if !judged[i] && !j.bench.Knows(t.Scenario) {
			if err := oracle.LeaveOut(t); err != nil {
				return err
			}
		}
		j.count(t, before[i], judged[i])
	}
	return nil
}

// count notes what came of a trial.
func (j *judgement) count(t *trial.Trial, before trial.Outcome, judged bool) {
	switch {
	case !judged && !j.bench.Knows(t.Scenario):
		j.unknown[t.Scenario]++
		return
	case !judged:
		j.broken++
		return
	}
	j.judged[t.Outcome]++
	if before == trial.Pass || before == trial.Fail {
		j.had++
		if before != t.Outcome {
			j.changed++
		}
	}
	judgement, _ := oracle.Recorded(t)
	note := func(name, text string) {
		if j.open[name]++; j.open[name] == 1 {
			j.openText[name] = text
		}
	}
	for _, r := range judgement.Results {
		if r.Outcome == trial.Error {
			note(r.Evaluator, r.Text)
		}
	}
	for _, l := range judgement.Limits {
		if l.Outcome == trial.Error {
			note(l.Name, strings.TrimPrefix(l.String(), l.Name+": "))
		}
	}
	if len(judgement.Results)+len(judgement.Limits) == 0 && t.Outcome == trial.Error {
		note("outcome", judgement.Text)
	}
}

// tell notes what was read, what was judged, and what was not.
func (j *judgement) tell() {
	evidence.NoteFiles(j.a, j.notes, j.options.From)
	if s := recording.StoppedOf(app.Stops(j.notes, j.options.Variant)); s != nil {
		j.a.Notice("warning", "%s; the records do not say so: judge the journal itself", s.Sentence())
	}
	for _, name := range slices.Sorted(maps.Keys(j.open)) {
		j.a.Notice("warning", "%s could not be judged in %s: %s", name, prose.Count(j.open[name], "trial"),
			j.openText[name])
	}
	if j.broken > 0 {
		j.a.Notice("note", "not judged, as they ended in an error: %s", prose.Count(j.broken, "trial"))
	}
	if len(j.unknown) > 0 {
		j.a.Notice("warning", "not judged, as %s has no such scenario: %s; they are written as they were",
			j.suite.Name, j.strangers())
	}
	if live := j.live(); live != "" {
		j.a.Notice("note", "only a live run can tell, and is not judged: %s", live)
	}
	j.a.Notice("note", "%s", j.closing())
}

// strangers are the scenarios that the suite does not have, with their trials.
func (j *judgement) strangers() string {
	const most = 10 // chosen: a line or two
	names := slices.Sorted(maps.Keys(j.unknown))
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("and %s more", prose.Count(len(names)-most, "scenario")))
			break
		}
		shown := prose.Excerpt(name)
		if name == "" {
			shown = "without a name"
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", shown, prose.Count(j.unknown[name], "trial")))
	}
	return strings.Join(parts, ", ")
}

// live are the rules of the suite that no recording answers.
func (j *judgement) live() string {
	rules, err := runner.Offline(context.Background(), j.suite, j.scenarios, nil)
	if err != nil {
		return ""
	}
	var names []string
	for _, r := range rules {
		if r.Answer == runner.AnswerYes {
			continue
		}
		name := r.Rule
		if r.Answer == runner.AnswerSome {
			name += " in part"
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// closing says how many trials were judged, and what came of them.
func (j *judgement) closing() string {
	all := 0
	var parts []string
	for _, part := range []struct {
		outcome trial.Outcome
		word    string
	}{{trial.Pass, "passed"}, {trial.Fail, "failed"}, {trial.Error, "could not be judged"}} {
		if n := j.judged[part.outcome]; n > 0 {
			all += n
			parts = append(parts, fmt.Sprintf("%d %s", n, part.word))
		}
	}
	text := fmt.Sprintf("judged by %s: %s", j.suite.Name, prose.Count(all, "trial"))
	if len(parts) > 0 {
		text += "; " + strings.Join(parts, ", ")
	}
	if j.had > 0 {
		text += fmt.Sprintf("; of %d that had an outcome, %d changed", j.had, j.changed)
	}
	return text
}
