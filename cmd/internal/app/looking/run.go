package looking

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// RunLook is a look at trials that are made for it, from before the first of them. The methods of nil, where looks are
// not counted, do nothing.
type RunLook struct {
	looks *Looks
	app   *world.World
	in    looks.Ledger
	name  string // of the ledger
	seal  looks.Seal
	agent keeping.Agent
	is    looks.Run
}

// Inquiry is what a run asks of an agent.
type Inquiry struct {
	Command   string // such as "run"
	Agent     keeping.Agent
	Questions []string // digests
	Risk      verdict.Risk
	Continues bool // it continues an earlier one
}

// Begin writes into the ledger that a run begins; nil where looks are not counted. The ledger is in the store, where
// there is one and no file is named.
func (f *Looks) Begin(
	ctx context.Context, a *world.World, s *suite.Suite, store app.StoreChoice, asked Inquiry,
) *RunLook {
	in, name, err := f.ledger(ctx, a, s, store)
	if err != nil || in == nil {
		f.uncounted(a, err)
		return nil
	}
	l := &RunLook{looks: f, app: a, in: in, name: name, agent: asked.Agent}
	l.is = looks.Run{
		Agent: asked.Agent.Digest, Files: asked.Agent.Worktree, Questions: slices.Clone(asked.Questions),
		NewAgent: f.NewAgent,
		Look: verdict.Look{
			At: a.Now().UTC().Format(time.RFC3339), Command: asked.Command, Declared: f.Planned,
			FalsePass: asked.Risk.FalsePass, FalseFail: asked.Risk.FalseFail,
		},
	}
	slices.Sort(l.is.Questions)
	l.is.Questions = slices.Compact(l.is.Questions)
	var first bool
	if l.is.ID, first, err = looks.Begin(in, l.is, asked.Continues); err == nil {
		l.seal, err = looks.SealOf(in)
	}
	if err != nil {
		f.uncounted(a, fmt.Errorf("%s: %w", name, problem.WithoutPath(err)))
		return nil
	}
	if first && asked.Command == "gate" && f.Ledger == "" && onServer(a) {
		a.Notice("note", "the file %s, which counts analyses, was missing: keep it between CI jobs, or repeated gates "+
			"are not counted", name)
	}
	return l
}

// onServer reports whether this runs on a build server.
func onServer(a *world.World) bool {
	switch a.Env.Get("CI") {
	case "", "0", "false":
		return false
	}
	return true
}

// ledger is where runs of a suite are counted, and its name; nil is nowhere.
func (f *Looks) ledger(
	ctx context.Context, a *world.World, s *suite.Suite, store app.StoreChoice,
) (looks.Ledger, string, error) {
	if f.Ledger == "" {
		name, err := store.Named(a, s)
		if err != nil {
			return nil, "", err
		}
		if name != "" {
			return inStore(ctx, a, s, store), prose.FileName(name), nil
		}
	}
	return f.file(s.Dir())
}

// inStore is the ledger in a store, which is opened for each use: trials take long.
func inStore(ctx context.Context, a *world.World, s *suite.Suite, store app.StoreChoice) looks.Ledger {
	return func(add func(text []byte) (line []byte, err error)) error {
		opened, err := store.Open(ctx, a, s, false)
		if err != nil {
			return err
		}
		defer opened.Close()
		return opened.Looks(ctx, add)
	}
}

// changed reports whether what the ledger had when the run began is not there any more: who is judged, or who else,
// took looks away. The end says why it cannot be read.
func (l *RunLook) changed() bool {
	broken, err := l.seal.Broken(l.in)
	return err == nil && broken
}

// OutOfReach refuses a ledger that an agent of the suite may write, though it is confined.
func (f *Looks) OutOfReach(s *suite.Suite) error {
	if f.Ledger == "" || f.Ledger == NoLedger || !s.Writes(f.Ledger) {
		return nil
	}
	return problem.BadInput(
		fmt.Sprintf("the agent may write %s, the file that counts its analyses", prose.FileName(f.Ledger)),
		"name a file for --ledger that is not below a path of agent.confine.write, or none for the usual one")
}

// Finished reports whether the ledger knows of a run of the command run with these trials, of this agent.
func (f *Looks) Finished(
	ctx context.Context, a *world.World, s *suite.Suite, store app.StoreChoice, agent keeping.Agent, r *runs.Result,
) bool {
	in, _, err := f.ledger(ctx, a, s, store)
	if err != nil || in == nil {
		return false
	}
	last, found, err := looks.Finished(in, OutcomesOf(r))
	return err == nil && found && last.Command == "run" && last.Agent == agent.Digest && last.Files == agent.Worktree
}

// Void says that no trial had an outcome: nothing was seen. A run that was refused began none.
func (l *RunLook) Void(refused bool) {
	if l == nil {
		return
	}
	l.is.Void, l.is.Refused = true, refused
	_, err := looks.End(l.in, l.is, "")
	l.looks.uncounted(l.app, err)
}

// Seen reports whether a trial of a run that has no end had an outcome; passes count where somebody interrupted it.
// One that an error of the setup ended, such as an unknown cost, while all trials passed was as likely to pass as the
// next, or likelier: whoever begins another one gains nothing.
func Seen(found *runner.Result, interrupted bool) bool {
	return found != nil && slices.ContainsFunc(found.Trials, func(record runner.Record) bool {
		t := record.Trial
		return t != nil && (t.Outcome == trial.Pass && interrupted || t.Outcome == trial.Fail)
	})
}

// MayPass reports whether a run with these tests can pass: against a recorded baseline that is too small for it, not
// even passes of all trials do.
func MayPass(ctx context.Context, tests []runs.TestEvidence) bool {
	e := runs.Evidence{StoppedBy: runs.StoppedByMaxTrials}
	for _, t := range tests {
		if t.Joint == nil || t.Recorded == "" {
			return true // what cannot be shown is refused before
		}
		most := 0
		for _, d := range t.Joint.Designs {
			for scenario := range d.Question().Scenarios {
				most = max(most, d.MaxTrials(scenario))
			}
		}
		for number := range most {
			t.Trials = append(t.Trials, runs.TrialEvidence{
				Scenario: t.Name, Number: number, Trial: &trial.Trial{Scenario: t.Name, Outcome: trial.Pass},
			})
		}
		e.Tests = append(e.Tests, t)
	}
	best, err := runs.Judge(ctx, e)
	return err != nil || best.Verdict == verdict.Pass
}

// end says what a run came to, and returns the looks before it; false where they are not known. Task is as of
// [looks.End].
func (l *RunLook) end(v verdict.Verdict, risk verdict.Risk, trials int, evidence, task string) ([]verdict.Look, bool) {
	if l == nil {
		return nil, false
	}
	l.is.Verdict, l.is.FalsePass, l.is.FalseFail = v, risk.FalsePass, risk.FalseFail
	l.is.Trials, l.is.Evidence = trials, evidence
	earlier, err := looks.End(l.in, l.is, task)
	if err != nil {
		l.looks.uncounted(l.app, err)
		return nil, false
	}
	return earlier, true
}

// EndRun counts a run of these trials that has ended.
func (l *RunLook) EndRun(r *runs.Result, made []*trial.Trial) {
	if l == nil {
		return
	}
	l.is.Sample = sampleOf(made)
	trials := 0
	for i := range r.Tests {
		trials += r.Tests[i].Trials
	}
	changed := l.changed()
	if earlier, counted := l.end(r.Verdict, r.Risk(), trials, OutcomesOf(r), l.taskBefore(r)); counted {
		r.Look(earlier, l.looks.Planned, l.agent.Compared)
	}
	if changed {
		r.LedgerChanged(l.name)
	}
}

// sampleOf is the digest of trials in whatever order they ended, as their journal has it too; "" where nothing tells
// them from others.
func sampleOf(trials []*trial.Trial) string {
	var list []string
	took := false
	for _, t := range trials {
		took = took || t.DurationSeconds.Value > 0
		list = append(list, fmt.Sprint(t.Scenario, " ", t.Index.Value, t.DurationSeconds.Value, t.Outcome))
	}
	if slices.Sort(list); !took {
		return ""
	}
	return looks.Digest(list...)
}

// EndOther counts what another command made of runs.
func (l *RunLook) EndOther(
	v verdict.Verdict, risk verdict.Risk, trials int, evidence, task string,
	look func(earlier []verdict.Look, declared int, compared string),
) {
	if earlier, counted := l.end(v, risk, trials, evidence, task); counted {
		look(earlier, l.looks.Planned, l.agent.Compared)
	}
}

// taskBefore is the question of a run as earlier versions had it in the ledger: one for all scenarios.
func (l *RunLook) taskBefore(r *runs.Result) string {
	if r.Task == nil {
		return ""
	}
	parts := []string{"run", r.Task.Digest, l.agent.Contents}
	for i := range r.Tests {
		t := &r.Tests[i]
		parts = append(parts, t.Name, t.Variant, fmt.Sprint(t.Threshold, t.Regression != nil))
	}
	return looks.Digest(parts...)
}

// Questions are what the tests of a run ask, by scenario: what the agent is given and how it is judged, whatever the
// scenario is called, and not how often it must pass.
func Questions(s *suite.Suite, scenarios []suite.Scenario, tests []runs.TestEvidence) (list []string) {
	parts := s.Task().Parts
	given := map[string]string{}
	for _, c := range scenarios {
		p := parts[c.Name]
		given[c.Name] = looks.Digest(p.Input, p.Evaluators, p.Contracts, p.Limits)
		if input := string(c.Input); input == "" || input == "null" {
			// The name is all that the agent is given.
			given[c.Name] = looks.Digest(given[c.Name], c.Name)
		}
	}
	for _, t := range tests {
		for _, name := range t.Scenarios {
			list = append(list, looks.Digest("run", given[name], t.Variant, fmt.Sprint(t.Against != nil)))
		}
	}
	return list
}
