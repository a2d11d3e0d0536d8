package running

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// check refuses options that do not go together.
func (f *run) check() error {
	// As of a variable that is not set: it would run the whole suite.
	if f.Given.Typed("trial") && f.Again.Trial == "" {
		return problem.Usage("such as --trial refund#2", "--trial names no trial")
	}
	switch {
	case f.Resume && f.Fresh:
		return problem.Usage("omit one of them", "--resume continues a run; --fresh starts a new one")
	case f.Extend.Known && f.Fresh:
		return problem.Usage("omit one of them", "--extend continues a run, and --fresh starts one")
	case f.MaxCost.Known && f.MaxCost.Value == 0:
		return problem.Usage("omit it for the suite's budget", "%s 0 ends a run before its first trial",
			f.Given.Origin("max-cost"))
	case f.Grace.Value < 0:
		return problem.Usage("", "--grace %v must not be negative", f.Grace.Value)
	}
	if err := f.checkShard(); err != nil {
		return err
	}
	if err := f.checkLive(); err != nil {
		return err
	}
	return f.checkTests()
}

// Override gives the suite what a request says in its place. The digest stays that of the file; a seed is noted beside
// it in the journal, and a run is continued under the same one.
func (r *Request) Override(s *suite.Suite) {
	if r.Concurrency.Known {
		s.Concurrency = r.Concurrency.Value
	}
	if r.Seed.Known {
		s.Seed, s.SeedGiven = r.Seed.Value, true
	}
	if r.MaxCost.Known {
		s.Budget.MaxCostUSD = r.MaxCost
	}
}

// Outcome is what came of a run.
type Outcome struct {
	// Nil where a saved result is decided on and no suite is known.
	Suite *suite.Suite
	// With all trials; nil for a saved result.
	Found  *runner.Result
	Result *runs.Result
	To     *outfile.File // where the result is saved

	Scenarios []suite.Scenario // that ran
	Journal   string           // its file
	Began     time.Time        // this session
}

// Run runs a suite, or a part of it, or repeats trials of a run that was recorded. The error is the verdict, a
// [problem.VerdictError], where nothing else went wrong.
func Run(ctx context.Context, a *world.World, r Request) (err error) {
	f := &run{Request: r}
	defer f.tellOfEarly(ctx, a, &err)
	if err := f.whole(); err != nil {
		return err
	}
	if f.Again.given() {
		return f.repeat(ctx, a, f.suiteArgs())
	}
	f.Brief, f.Kind = true, "run"
	if f.sharded() {
		return f.executeShard(ctx, a, f.suiteArgs())
	}
	return f.execute(ctx, a, f.suiteArgs())
}

// suiteArgs is the suite as the argument of a command.
func (r *Request) suiteArgs() []string {
	if r.Suite == "" {
		return nil
	}
	return []string{r.Suite}
}

// execute is carryOut, which gate uses as well, and what is printed.
func (f *run) execute(ctx context.Context, a *world.World, args []string) error {
	// Of a choice of scenarios it is said that it is one.
	var gone []string
	f.Compared = func(c runner.Comparison) { gone = append(gone, c.Removed...) }
	f.Found = func(e *runs.Evidence) {
		if slices.Sort(gone); len(gone) > 0 && e.Selection == nil {
			e.Gone, e.Missing = slices.Compact(gone), f.Missing.String()
		}
	}
	o, err := f.carryOut(ctx, a, args)
	if err != nil {
		return err
	}
	err = f.deliver(ctx, a, o.Result, o.To)
	if problem.Is[problem.VerdictError](err) {
		f.KeepRun(ctx, a, o, o.Result)
	}
	f.written()
	settle(o.To.Path)
	return err
}

// carryOut runs the suite and judges it.
func (f *run) carryOut(
	ctx context.Context, a *world.World, args []string,
) (*Outcome, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if _, err := f.askFleet(a); err != nil {
		return nil, err
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return nil, err
	}
	f.Result.Suite = strings.Join(args, "")
	return f.carry(ctx, a, s)
}

// Carry runs a suite that was read, and judges it.
func Carry(ctx context.Context, a *world.World, s *suite.Suite, r Request, h Hooks) (_ *Outcome, err error) {
	f := &run{Request: r, Hooks: h}
	defer f.tellOfEarly(ctx, a, &err)
	return f.carry(ctx, a, s)
}

// carry runs a suite that was read.
func (f *run) carry(ctx context.Context, a *world.World, s *suite.Suite) (*Outcome, error) {
	c, err := f.conduct(ctx, a, s)
	if err != nil {
		return nil, err
	}
	if err := f.conclude(ctx, a, s, c); err != nil {
		return nil, err
	}
	return c.done, nil
}

// unjudgedRun is a run whose trials have been made, and that was not judged yet.
type unjudgedRun struct {
	done      *Outcome // without a result
	options   runner.Options
	selection *runs.Selection // nil is all of the suite
	look      *looking.RunLook
}

// conduct makes the trials of a suite.
func (f *run) conduct(
	ctx context.Context, a *world.World, s *suite.Suite,
) (*unjudgedRun, error) {
	f.journal = cmp.Or(f.Journal, f.usual(s, f.Choice.Given()).Journal)
	if err := f.Looks.Reserve(a, looking.LookOfRun(s, f.Resume)); err != nil {
		return nil, err
	}
	f.Looks.Declare(s)
	scenarios, err := f.Choice.Selected(s)
	if err != nil {
		return nil, err
	}
	f.Override(s)
	if err := f.Looks.OutOfReach(s); err != nil {
		return nil, err
	}
	agent, err := f.identify(ctx, a, s)
	if err != nil {
		return nil, err
	}
	TellOfSources(a, s)
	TellOfKeysAbove(a, s)
	a.Guest.Bound(s)
	selection := f.Choice.Selection(s, scenarios)
	planned, ended, err := f.serveLive(ctx, a, cmp.Or(f.Journal, f.usual(s, selection != nil).Journal))
	if err != nil {
		return nil, err
	}
	defer ended()
	// The designs come before the files: what cannot be designed must not put an old
	// journal aside.
	options, err := f.prepare(ctx, a, s, scenarios)
	if err != nil {
		return nil, err
	}
	if err := f.divide(a, s, &options); err != nil {
		return nil, err
	}
	if err := f.startable(s, scenarios, &options); err != nil {
		return nil, err
	}
	to, err := f.files(ctx, a, s, selection != nil, &options)
	if err != nil {
		return nil, err
	}
	f.seedOfJournal(s, &options)
	planned()
	coordinated, err := f.openFleet(ctx, a, s, &options)
	if err != nil {
		return nil, err
	}
	progress := newRunProgress(a, &options, f.Tests.Record > 0)
	options.Progress = a.Guest.Watching(progress.update)
	interrupt, drained := session.Draining(ctx)
	options.Interrupt = interrupt
	options.Stopping = func(running int) {
		progress.end()
		if running > 0 {
			a.Notice("note", "interrupted: %s may end; a second interrupt kills what runs",
				prose.Count(running, "trial"))
		}
	}
	options.Brief = f.Brief
	options.Changed = func(files []string) { a.Notice("warning", "%s", runs.ChangedText(files)) }
	options.Failing = func(trials int, cause string) {
		progress.end()
		a.Notice("warning", "the first %s all ended in errors; the last: %s", prose.Count(trials, "trial"), cause)
	}
	options.Calibrated = func(c *plan.Calibration) {
		progress.end()
		a.Notice("note", "calibrated: %s of each scenario are recorded", prose.Count(c.Record, "trial"))
	}
	if f.Adapt != nil {
		f.Adapt(&options)
	}
	options.Identity = agent.Digest
	f.written = f.compareAgent(a, s, agent, &options)
	look := f.beginLook(ctx, a, s, scenarios, options, begunAs(agent, options))
	// From here on trials cost money, and every one is in the journal.
	tended := session.Of(ctx).Tend()
	f.begun = true
	began := a.Now().UTC()
	judged := evidence.Runs(a)
	found, err := runner.Run(ctx, options)
	judged()
	coordinated(found, err)
	tended()
	drained()
	progress.end()
	if err := outfile.Share(ctx, options.Journal); err != nil {
		return nil, err
	}
	tellOfBadEnds(a, s, found)
	tellOfUnreadRecord(a, s, found)
	if found != nil && f.Resume && !f.part && found.Resumed > 0 && found.Resumed == endedOf(found) {
		a.Notice("note", "no trial was run: %s of before are judged", prose.Count(found.Resumed, "trial"))
	}
	done := &Outcome{Suite: s, Found: found, To: to, Scenarios: scenarios, Journal: options.Journal, Began: began}
	if err := f.ended(ctx, a, s, found, err, options.Journal); err != nil {
		if list := f.Result.Reports.List; len(list) > 0 {
			a.Notice("note", "there is no result, so --report writes nothing to %s", prose.Form(len(list),
				prose.FileName(list[0].To.Path), fmt.Sprintf("any of its %d files", len(list))))
		}
		f.putAside(a, s, selection != nil, found)
		if interrupted := ctx.Err() != nil || problem.Is[*problem.SignalError](err); !looking.Seen(found, interrupted) {
			look.Void(found == nil)
		}
		if found != nil && !f.sharded() {
			f.KeepRun(ctx, a, done, nil)
		}
		f.written()
		return nil, err
	}
	return &unjudgedRun{done: done, options: options, selection: selection, look: look}, nil
}

// conclude judges what a run found.
func (f *run) conclude(ctx context.Context, a *world.World, s *suite.Suite, c *unjudgedRun) error {
	// The verdict is computed from the evidence alone, as verify does it again later.
	found := c.done.Found.Evidence(s.Name, s.Digest(), a.Version)
	runner.Describe(&found, s, c.done.Scenarios)
	found.Selection, found.Prices = c.selection, verdict.PricesOf(c.options.Prices)
	found.Correction = f.Tests.correction()
	found.Finished = a.Now().UTC().Format(time.RFC3339)
	found.Commit = app.Commit(filepath.Dir(s.File), a.Env.Get)
	found.Source = app.Source(s)
	if f.Found != nil {
		f.Found(&found)
	}
	result, err := runs.Judge(ctx, found)
	if err != nil {
		return err
	}
	c.look.EndRun(result, trialsOf(c.done.Found))
	if err := looking.Ran(a.Guest, s, result); err != nil {
		return err
	}
	// A recording that is complete is what was asked for.
	if !result.Recorded || result.ExitCode != verdict.Pass.ExitCode() {
		result.ExitCode = f.Result.Exit(a, result.Verdict, runReasons(result))
	}
	if err := f.signJournal(ctx, c.options.Journal); err != nil {
		return err
	}
	c.done.Result = result
	return nil
}

// signJournal signs the journal of a run that has ended, beside which the signature stands.
func (f *run) signJournal(ctx context.Context, file string) error {
	if f.signs == nil {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return &problem.WriteError{Target: file + signature.Extension, Err: err}
	}
	return outfile.Sign(ctx, f.signs, file, text)
}

// prepare designs the tests, with progress.
func (f *run) prepare(
	ctx context.Context, a *world.World, s *suite.Suite, scenarios []suite.Scenario,
) (o runner.Options, err error) {
	over, err := f.Pricing.Over()
	if err != nil {
		return o, err
	}
	progress := a.NewDesigning()
	defer progress.End()
	if f.named == nil {
		f.named = suitefile.NewBaselines(a, f.Store, s, nil)
	}
	prepared := f.Prepare
	if prepared == nil {
		prepared = func(ctx context.Context, s *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
			return runner.Prepare(ctx, s, scenarios, o)
		}
	}
	o, err = prepared(ctx, s, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) }, Floors: f.floors,
		Baseline: f.Tests.Baseline, Named: f.named.Find, NewAlone: f.NewAlone, Record: f.Tests.Record,
		ForBaseline: f.Tests.ForBaseline,
		Compared: func(c runner.Comparison) {
			if !f.Quiet {
				TellOfCompared(a, c)
			}
			f.changed = append(f.changed, c.Changed...)
			if f.Compared != nil {
				f.Compared(c)
			}
		},
		Together: f.Tests.together(s), Warn: a.Warn, Prices: over, Elsewhere: f.agent(),
	})
	o.Eager, o.Version, o.Extend = f.Eager, a.Version, f.Extend.Value
	if a.Guest == nil && !f.Anew && !f.merging {
		o.Command = Resumption(a.Args)
	}
	o.Grace = f.Grace
	return o, err
}

// files names the journal and the result, makes their folder, and sees to a journal
// that is there.
func (f *run) files(
	ctx context.Context, a *world.World, s *suite.Suite, partial bool, o *runner.Options,
) (*outfile.File, error) {
	usual := f.usual(s, partial)
	output := f.Output
	o.Journal = f.Journal
	// With both files named, no folder is made in the repository.
	if o.Journal == "" || output == "" {
		if err := outfile.WorkFolder(usual.Folder); err != nil {
			return nil, err
		}
	}
	if o.Journal == "" {
		o.Journal = usual.Journal
	}
	if output == "" {
		output = usual.Result
	}
	to, err := NewRunFile(f.Given.Origin("output"), output, s)
	if err != nil {
		return nil, err
	}
	// The journal is opened by the runner; here it is only looked at, for a better message.
	if _, err := NewRunFile(f.Given.Origin("journal"), o.Journal, s); err != nil {
		return nil, err
	}
	if evidence.SameFile(output, o.Journal) || output == o.Journal {
		return nil, problem.Usage("choose another name", "--output and --journal are the same file, %s", output)
	}
	for _, other := range f.others {
		if evidence.SameFile(other, o.Journal) || evidence.SameFile(other, output) || other == o.Journal || other == output {
			return nil, problem.Usage("choose another name", "--output %s is another file of the run", other)
		}
	}
	if err := f.Result.Reports.Open(append(f.others, output, o.Journal)...); err != nil {
		return nil, err
	}
	// It is opened for each use, and what was paid for is to be kept in it.
	if name, err := f.Store.Named(a, s); err != nil {
		return nil, err
	} else if name != "" && !store.IsURL(name) && filepath.Base(filepath.Dir(name)) != app.WorkFolder {
		if _, err := outfile.New(f.Given.Origin("store"), name); err != nil {
			return nil, err
		}
	}
	if f.signs, err = f.Result.Key(ctx, a); err != nil {
		return nil, err
	}
	to.Key = f.signs
	return to, f.continueOrBegin(ctx, a, o, f.Extend.Known)
}

// TellOfSources says which rows of files became scenarios, where not all of them did.
func TellOfSources(a *world.World, s *suite.Suite) {
	for _, source := range s.Sources {
		if source.Taken < source.Rows {
			a.Notice("note", "scenarios from %s", source)
		}
	}
}

// identify says what the agent is, and lets the seed follow from that where nobody gave one: another agent has draws of
// its own. Shards are of one run, and may be on machines that differ.
func (f *run) identify(
	ctx context.Context, a *world.World, s *suite.Suite,
) (agent keeping.Agent, err error) {
	if f.Looks.Ledger == looking.NoLedger {
		return agent, nil
	}
	if agent, err = keeping.Identify(ctx, a, s); err != nil || !f.drawsSeed(s) {
		return agent, err
	}
	if s.Seed = agent.Seed(); f.sharded() {
		s.Seed = agent.SeedOfShards(s)
	}
	return agent, nil
}

// DrawSeed gives a suite of which a command makes runs the seed that follows from its agent, unless one was asked for.
// Without a ledger, which may be off by its variable alone, nothing of earlier runs is known: each is like the first.
func (r Request) DrawSeed(ctx context.Context, a *world.World, s *suite.Suite, ledger string) error {
	r.Looks.Ledger = cmp.Or(ledger, a.Env.Get(world.EnvironmentName("ledger")))
	_, err := (&run{Request: r}).identify(ctx, a, s)
	return err
}

// drawsSeed reports whether nobody gave a seed.
func (f *run) drawsSeed(s *suite.Suite) bool {
	return !s.SeedGiven && !f.Seed.Known
}

// seedOfJournal takes the seed of a run that is continued, where nobody gave one.
func (f *run) seedOfJournal(s *suite.Suite, o *runner.Options) {
	if !o.Resume || !f.drawsSeed(s) {
		return
	}
	if header, err := journal.HeaderOf(o.Journal); err == nil { // else it is told where it is opened
		s.Seed, o.Seed = header.Seed, header.Seed
	}
}

// beginLook counts a run as a look from its beginning on, with what its designs may err by. A recording and a shard
// decide nothing, and what cannot pass is no try.
func (f *run) beginLook(
	ctx context.Context, a *world.World, s *suite.Suite, scenarios []suite.Scenario, o runner.Options, agent keeping.Agent,
) *looking.RunLook {
	if f.Tests.Record > 0 || f.sharded() {
		return nil
	}
	var tests []runs.TestEvidence
	for _, t := range o.Tests {
		tests = append(tests, t.Evidence())
	}
	if !looking.MayPass(ctx, tests) {
		return nil
	}
	return f.lookAt(ctx, a, s, scenarios, tests, agent, o.Resume)
}

// begunAs is the agent that a run which goes on began with: the run stays a look at that, and where files of it or of
// its judges are others now, says nothing of the present one.
func begunAs(agent keeping.Agent, o runner.Options) keeping.Agent {
	if !o.Resume {
		return agent
	}
	header, err := journal.HeaderOf(o.Journal) // what is wrong with it is told where it is opened
	if err == nil && header.Agent != "" {
		agent.Digest = header.Agent
	}
	return agent
}

// lookAt counts a look at the tests of a suite from its beginning on.
func (f *run) lookAt(
	ctx context.Context, a *world.World, s *suite.Suite, scenarios []suite.Scenario, tests []runs.TestEvidence,
	agent keeping.Agent, continues bool,
) *looking.RunLook {
	return f.Looks.Begin(ctx, a, s, f.Store, looking.Inquiry{
		Command: cmp.Or(f.Kind, "run"), Agent: agent, Questions: looking.Questions(s, scenarios, tests),
		Risk: runs.DesignedRisk(tests, f.Tests.correction()), Continues: continues,
	})
}

// trialsOf are the trials of a run that ended, of the candidate where there is a baseline beside it.
func trialsOf(found *runner.Result) (list []*trial.Trial) {
	for _, record := range found.Trials {
		if record.Trial != nil && !record.Baseline {
			list = append(list, record.Trial)
		}
	}
	return list
}

// startable looks for the programs of a run before it begins: of what is not there no trial says anything. A run that
// is continued starts none where all of its tests are decided.
func (f *run) startable(
	s *suite.Suite, scenarios []suite.Scenario, o *runner.Options,
) error {
	if f.away != nil { // workers look for themselves
		return nil
	}
	if f.Resume && !f.Extend.Known {
		name := cmp.Or(f.Journal, f.usual(s, len(scenarios) < len(s.Scenarios)).Journal)
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil // which is told where it is opened
		}
		if history, err := journal.ReadOutcomes(name); err == nil && history.Decided() {
			return nil
		}
	}
	rounds := func(t runner.Test) bool { return t.Against != nil && t.Against.Rounds != nil || t.Joint.Paired() }
	if problems, ok := errors.AsType[suite.Errors](s.Startable(scenarios, slices.ContainsFunc(o.Tests, rounds))); ok {
		return &problem.StartErrors{Problems: problems}
	}
	return nil
}

// NewRunFile looks at a file that the run writes before the run begins.
func NewRunFile(flag, path string, s *suite.Suite) (*outfile.File, error) {
	switch {
	case path == "-":
		return nil, problem.Usage("--json prints the result on standard output", "%s names a file, and - is none", flag)
	case evidence.SameFile(path, s.File):
		return nil, problem.Usage("choose another name", "%s %s would overwrite the suite", flag, path)
	}
	return deliver.NewSaved(flag, path)
}

// continueOrBegin says that a journal that is there is continued, or what becomes of it.
func (f *run) continueOrBegin(ctx context.Context, a *world.World, o *runner.Options, extend bool) error {
	o.Resume = f.Resume || extend
	if _, err := os.Stat(o.Journal); errors.Is(err, os.ErrNotExist) && o.Resume {
		flag := "resume"
		if extend {
			flag = "extend"
		}
		return problem.BadInput(fmt.Sprintf("there is no journal %s to continue", o.Journal),
			"omit --"+flag+" to begin a run")
	}
	// Also what is continued is read whole.
	if err := app.CheckJournal(ctx, o.Journal); err != nil && !f.Fresh {
		return err
	}
	o.Replace = func(history *journal.History, unread error) (aside string, err error) {
		// One earlier journal is kept; the one before it is replaced.
		aside = o.Journal + ".previous"
		switch {
		case f.Fresh:
			return aside, nil
		case unread != nil:
			return "", problem.BadInput(unread.Error(), "--fresh puts the file aside and starts again")
		case history.Decided():
			return aside, nil
		// What an agent that could not be run left: nothing was learned of it, and nothing that runs is drawn again.
		case history.Outcomes() == 0 && history.Lost() == 0:
			a.Notice("note", "the run of the journal %s had no trial with an outcome; it starts again", o.Journal)
			return "", nil
		case f.Kind == "repeat" && history.Header.Suite != o.Suite:
			return "", problem.BadInput(fmt.Sprintf("the journal %s is of another command, or of other options, and has no "+
				"verdict", o.Journal), "--name NAME gives this one its own journal, --fresh begins it in place of the other")
		}
		resume, began := "--resume", history.Header.Command
		// Another command, such as gate, designs its tests otherwise.
		if began != "" && len(a.Args) > 0 && !strings.HasPrefix(began+" ", "tribunal "+a.Args[0]+" ") {
			resume = app.Continuation(o.Journal, history.Header)
		}
		hint := resume + " continues it, --fresh starts again; a budget that was used up has to be raised"
		if f.merging {
			hint = "--fresh puts it aside"
		}
		return "", problem.BadInput(
			fmt.Sprintf("the run of the journal %s ended before its verdict, after %d of %s that had begun (interrupted, or "+
				"its budget was used up)", o.Journal, history.Ended(), prose.Count(len(history.Trials), "trial")),
			hint,
		)
	}
	return nil
}

// ended says what became of a run that gives no verdict.
func (f *run) ended(
	ctx context.Context, a *world.World, s *suite.Suite, found *runner.Result, err error, file string,
) error {
	switch {
	case ctx.Err() != nil:
		f.tellOfInterrupted(a, found, file)
		return context.Cause(ctx)
	case found != nil && found.StoppedBy == runs.StoppedByInterrupt && (err == nil || errors.Is(err, runner.ErrAllErrors)):
		f.tellOfInterrupted(a, found, file)
		return &problem.SignalError{Signal: syscall.SIGINT}
	// Nothing was learned about the agent, so it is no verdict: 69 tells CI that the setup
	// is broken.
	case errors.Is(err, runner.ErrAllErrors):
		return problem.Unavailable(err.Error(), cmp.Or(f.Advice, whatToTry(s, found)))
	case errors.Is(err, journal.ErrLocked):
		return problem.BadInput(err.Error(), "is another run still going on?")
	case problem.Is[*journal.HeaderError](err):
		return problem.BadInput(err.Error(), "--fresh starts a new run")
	case err != nil:
		return err
	case found == nil:
		return errors.New("the run ended without a result")
	}
	return nil
}

// whatToTry says what a person might do about a run of errors: see to the agent, or,
// if it ran and could not be judged, to what it is judged by.
func whatToTry(s *suite.Suite, found *runner.Result) string {
	scenario := ""
	for _, record := range found.Trials {
		scenario = record.Scenario
		if t := record.Trial; t != nil && t.Error != nil && t.Error.Origin == "judge" {
			if strings.Contains(t.Error.Message, "there are no evaluators") {
				return "add evaluators to the scenario, such as evaluate: [{contains: done}], or have the agent print an outcome"
			}
			if judges := judgesOf(s, scenario); judges != "" && strings.Contains(t.Error.Message, "the judge ") {
				return "repair the judge, " + judges + "; " + TryHint(s, scenario)
			}
			return "the agent ran, but could not be judged: have it record what is missing, or do not ask for it"
		}
	}
	return TryHint(s, scenario)
}

// judgesOf are the commands that judge a scenario; "" is none.
func judgesOf(s *suite.Suite, scenario string) string {
	var judges []string
	for _, c := range s.Scenarios {
		if c.Name != scenario {
			continue
		}
		for _, argv := range s.JudgeCommands([]suite.Scenario{c}) {
			judges = append(judges, prose.Quote(strings.Join(argv, " ")))
		}
	}
	const most = 3 // chosen
	return prose.Some(judges, most)
}

// runReasons are all reasons of a result, those of its tests too. --on-inconclusive looks
// at them: a test that could never pass keeps the run from passing.
func runReasons(result *runs.Result) []verdict.Reason {
	reasons := append([]verdict.Reason(nil), result.Reasons...)
	for _, t := range result.Tests {
		if t.Verdict == verdict.Inconclusive {
			reasons = append(reasons, t.Reasons...)
		}
	}
	return reasons
}

// deliver saves the result and prints it. The file is written first: what was paid for is
// safe before anything is shown.
func (f *run) deliver(ctx context.Context, a *world.World, result *runs.Result, to *outfile.File) error {
	if err := Save(ctx, a, result, to); err != nil {
		return err
	}
	err := f.Result.Deliver(ctx, a, nil, result)
	if err != nil {
		return err
	}
	return problem.VerdictError(result.ExitCode)
}

// Save writes the result to its file. It is always JSON, whatever is printed: report, gate,
// verify and forecast read it.
func Save(ctx context.Context, a *world.World, result *runs.Result, to *outfile.File) error {
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	return nil
}
