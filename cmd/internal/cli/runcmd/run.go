package runcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// RunFlags are those of the command run.
type RunFlags struct {
	suite suitefile.Choice
	// "" is the usual file in .tribunal.
	Journal string
	// Of the saved result. Unlike that of other commands it is always written, and what is
	// printed goes to standard output all the same; so it is not that of result.
	Output string
	// At most one of resume and fresh; with neither, a journal that has not ended is an
	// error.
	Resume bool
	Fresh  bool
	// How many more trials; it counts only where it is given, and implies resume.
	extend value.Count
	// Concurrency, seed and MaxCost override the suite, only where they are given.
	Concurrency value.Count
	eager       bool
	Seed        value.Seed
	MaxCost     value.Amount
	// Counts only where it is given: else what runs comes to its end.
	grace time.Duration
	// Of run alone: the gate has a baseline and a correction of its own.
	Tests  TestFlags
	again  againFlags
	Looks  looking.Looks
	result deliver.Target
	// Of trials that do not tell their cost.
	pricing evidence.Pricing
	Store   app.StoreChoice
	live    liveFlags // of run alone
	shard   shardFlag // of run alone
	fleet   fleetFlags

	floors   runner.Floors           // that a gate asks for
	named    *suitefile.Baselines    // with names; nil until they are looked for
	gated    bool                    // the run is for a gate, which needs limits that are declared
	Quiet    bool                    // what the agents are compared with is told in another place
	Brief    bool                    // the result needs no more of trials than it lists; a gate may measure all of them
	others   []string                // files that a gate writes besides
	signs    *signature.Key          // what is saved; nil signs nothing
	Adapt    func(*runner.Options)   // to what runs the trials, if it is not the command of the suite; may be nil
	compared func(runner.Comparison) // is told of baselines; may be nil
	// Prepares what is run, in place of all scenarios of the suite; may be nil.
	Prepared func(context.Context, *suite.Suite, runner.PrepareOptions) (runner.Options, error)
	missing  value.Word[compare.Missing] // of run alone
	found    func(*runs.Evidence)        // adds what is known besides of what was found; may be nil
	// Scenarios that the baseline does not have are judged by the threshold alone.
	newAlone bool
	merging  bool     // nothing is run: the trials are those of shards
	advice   string   // what to do where the agent cannot be run; "" is that of a suite
	Kind     string   // of the runs in a store: the command
	changed  []string // of the agent, against the baseline, for a person
}

// RunCommand is the only command beside gate that starts other people's programs.
func RunCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "run [SUITE]",
		Short: "run trials of an agent until each test decides",
		Long: `Run trials of the agent that a suite names, in parallel, and stop each test as soon
as its sequential design decides. SUITE is a file or the folder of a tribunal.yaml;
without it the file is searched from here up to the root of the repository.

What is done is in a journal, flushed before a decision uses it: after a kill or an
interrupt --resume goes on where the run was. The result is saved beside it, as
JSON. Exit code 0 is Pass, 1 Fail, 2 Inconclusive; 69 if the agent cannot be run.

--record runs a number of trials of each scenario and decides nothing, with exit
code 0; the result is a baseline. --baseline tests whether the agent passes less
often than one, whatever changed of it.

To find out why trials failed, --failed repeats those of the last run, and --trial
refund#2 shows one of them as tribunal try does. They decide and save nothing; the
exit code of --failed is 1 where a trial did not pass again, else 0.`,
		Example: `  tribunal run
  tribunal run examples/ticket-routing --concurrency 16
  tribunal run --resume
  tribunal run --only "payment-*" --max-cost 2.50 --json
  tribunal run --record 300 --output main.result.json
  tribunal run --baseline main.result.json
  tribunal run --family holm
  tribunal run --live
  tribunal run --failed
  tribunal run --trial refund#2`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f RunFlags
	f.again.register(command.Flags())
	f.Tests.register(command.Flags())
	f.register(command.Flags())
	f.live.register(command.Flags())
	f.shard.register(command.Flags())
	f.missing = value.Word[compare.Missing]{Kind: "WAY", Words: []compare.Missing{compare.MissingOpen,
		compare.MissingIgnore}}
	command.Flags().Var(&f.missing, "missing",
		f.missing.Usage("scenarios of a saved baseline that were not run: no Pass, or leave them out"))
	base.RegisterProfile(command.Flags())
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if err := f.whole(flags); err != nil {
			return err
		}
		if f.again.given() {
			return f.repeat(ctx, a, flags, args)
		}
		f.Brief, f.Kind = true, "run"
		if f.shard.given() {
			return f.executeShard(ctx, a, flags, args)
		}
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register is called by gate too, which has all these flags.
func (f *RunFlags) register(flags *pflag.FlagSet) {
	f.registerTrials(flags)
	flags.Var(&f.Seed, "seed", "seed of the order and of every trial (default the suite's)")
	flags.Lookup("seed").DefValue = ""
	bind.Prices(flags, &f.pricing)
	flags.Var(&f.MaxCost, "max-cost", "spend at most so many USD (default the suite's budget)")
	flags.Lookup("max-cost").DefValue = ""
	bind.Looks(flags, &f.Looks)
	base.RegisterChoice(flags, &f.suite)
	f.fleet.register(flags)
}

// registerTrials registers what does not need a suite.
func (f *RunFlags) registerTrials(flags *pflag.FlagSet) {
	f.extend = value.Count{Least: 1, Most: judging.MaxDesign}
	// The upper limit is chosen, far above the default of a suite.
	f.Concurrency = value.Count{Least: 1, Most: 1024}
	f.Seed = 1
	flags.StringVar(&f.Journal, "journal", "",
		"`FILE` of the journal (default .tribunal/NAME.journal.jsonl beside the suite)")
	flags.StringVarP(&f.Output, "output", "o", "",
		"`FILE` of the saved result (default .tribunal/NAME.result.json beside the suite)")
	flags.BoolVar(&f.Resume, "resume", false, "go on with the run of the journal")
	flags.BoolVar(&f.Fresh, "fresh", false,
		"begin anew although the run of the journal has not ended; its journal is kept aside")
	bind.Reports(flags, &f.result)
	flags.Var(&f.extend, "extend",
		"go on with tests that used up their trials, with so many more, where the design allows it")
	// Where the default is the suite's, none is printed.
	flags.Lookup("extend").DefValue = ""
	flags.Var(&f.Concurrency, "concurrency", "trials at a time (default the suite's)")
	flags.Lookup("concurrency").DefValue = ""
	flags.BoolVar(&f.eager, "eager", false, "keep all workers busy, with trials that the decision may not need")
	flags.DurationVar(&f.grace, "grace", 0,
		"once nothing more is launched, kill what still runs after this `DURATION`, 0s at once (default: let it end)")
	flags.Lookup("grace").DefValue = "0s" // which is not printed
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	bind.Verdict(flags, &f.result)
	bind.Sign(flags, &f.result)
	option.Of(flags).Text(base.StoreFlag, &f.Store.Name)
}

// check refuses flags that do not go together.
func (f *RunFlags) check(flags *pflag.FlagSet) error {
	switch {
	case f.Resume && f.Fresh:
		return problem.Usage("leave one of them out", "--resume goes on with a run, and --fresh begins one")
	case flags.Changed("extend") && f.Fresh:
		return problem.Usage("leave one of them out", "--extend goes on with a run, and --fresh begins one")
	case flags.Changed("max-cost") && f.MaxCost == 0:
		return problem.Usage("leave it out for the suite's budget", "%s 0 ends a run before its first trial",
			base.Origin(flags, "max-cost"))
	case f.grace < 0:
		return problem.Usage("", "--grace %v must not be negative", f.grace)
	}
	if err := f.shard.check(flags, f.Looks.Ledger); err != nil {
		return err
	}
	if err := f.live.check(); err != nil {
		return err
	}
	return f.Tests.check(flags)
}

// Override gives the suite what flags and variables say in its place. The digest stays that
// of the file; a seed is noted beside it in the journal, and a run is gone on with under
// the same one.
func (f *RunFlags) Override(flags *pflag.FlagSet, s *suite.Suite) {
	if flags.Changed("concurrency") {
		s.Concurrency = f.Concurrency.Value
	}
	if flags.Changed("seed") {
		s.Seed = uint64(f.Seed)
	}
	if flags.Changed("max-cost") {
		s.Budget.MaxCostUSD = trial.Some(float64(f.MaxCost))
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

// execute is carryOut, which gate uses as well, and what is printed.
func (f *RunFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	// Of a choice of scenarios it is said that it is one.
	var gone []string
	f.compared = func(c runner.Comparison) { gone = append(gone, c.Removed...) }
	f.found = func(e *runs.Evidence) {
		if slices.Sort(gone); len(gone) > 0 && e.Selection == nil {
			e.Gone, e.Missing = slices.Compact(gone), f.missing.String()
		}
	}
	o, err := f.carryOut(ctx, a, flags, args)
	if err != nil {
		return err
	}
	err = f.deliver(ctx, a, o.Result, o.To)
	if problem.Is[problem.Decided](err) {
		f.KeepRun(ctx, a, o, o.Result)
	}
	return err
}

// carryOut runs the suite and judges it.
func (f *RunFlags) carryOut(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string,
) (*Outcome, error) {
	if err := f.check(flags); err != nil {
		return nil, err
	}
	if _, err := f.fleet.asked(a, flags); err != nil {
		return nil, err
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return nil, err
	}
	return f.Carry(ctx, a, flags, s)
}

// Carry runs a suite that was read.
func (f *RunFlags) Carry(ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite) (*Outcome, error) {
	c, err := f.conduct(ctx, a, flags, s)
	if err != nil {
		return nil, err
	}
	if err := f.conclude(ctx, a, s, c); err != nil {
		return nil, err
	}
	return c.done, nil
}

// conducted is a run whose trials have been made, and that was not judged yet.
type conducted struct {
	done      *Outcome // without a result
	options   runner.Options
	selection *runs.Selection // nil is all of the suite
	look      *looking.RunLook
}

// conduct makes the trials of a suite.
func (f *RunFlags) conduct(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite,
) (*conducted, error) {
	if err := f.Looks.Reserve(a, looking.LookOfRun(s, f.Resume)); err != nil {
		return nil, err
	}
	f.Looks.Declare(s)
	scenarios, err := f.suite.Selected(s)
	if err != nil {
		return nil, err
	}
	f.Override(flags, s)
	if err := f.Looks.OutOfReach(s); err != nil {
		return nil, err
	}
	agent, err := f.identify(ctx, a, flags, s)
	if err != nil {
		return nil, err
	}
	TellOfSources(a, s)
	TellOfKeysAbove(a, s)
	a.Guest.Bound(s)
	if err := f.limited(a, scenarios); err != nil {
		return nil, err
	}
	// The designs come before the files: what cannot be designed must not put an old
	// journal aside.
	options, err := f.prepare(ctx, a, flags, s, scenarios)
	if err != nil {
		return nil, err
	}
	if err := f.divide(a, s, &options); err != nil {
		return nil, err
	}
	if err := f.startable(s, scenarios, &options, flags); err != nil {
		return nil, err
	}
	selection := f.suite.Selection(s, scenarios)
	to, err := f.files(ctx, a, s, selection != nil, &options, flags)
	if err != nil {
		return nil, err
	}
	f.seedOfJournal(flags, s, &options)
	ended, err := f.live.open(ctx, a, options.Journal)
	if err != nil {
		return nil, err
	}
	defer ended()
	coordinated, err := f.fleet.open(ctx, a, flags, s, &options, f.pricing.File)
	if err != nil {
		return nil, err
	}
	progress := newRunProgress(a, &options)
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
	look := f.beginLook(ctx, a, s, scenarios, options, agent)
	// From here on trials cost money, and every one is in the journal.
	tended := session.Of(ctx).Tend()
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
	done := &Outcome{Suite: s, Found: found, To: to, Scenarios: scenarios, Journal: options.Journal, Began: began}
	if err := f.ended(ctx, a, s, found, err, options.Journal); err != nil {
		if !looking.Seen(found) {
			look.Void()
		}
		if found != nil && !f.shard.given() {
			f.KeepRun(ctx, a, done, nil)
		}
		return nil, err
	}
	return &conducted{done: done, options: options, selection: selection, look: look}, nil
}

// conclude judges what a run found.
func (f *RunFlags) conclude(ctx context.Context, a *world.World, s *suite.Suite, c *conducted) error {
	// The verdict is computed from the evidence alone, as verify does it again later.
	found := c.done.Found.Evidence(s.Name, s.Digest(), a.Version)
	runner.Describe(&found, s, c.done.Scenarios)
	found.Selection, found.Prices = c.selection, verdict.PricesOf(c.options.Prices)
	found.Correction = f.Tests.correction()
	found.Finished = a.Now().UTC().Format(time.RFC3339)
	found.Commit = app.Commit(filepath.Dir(s.File), a.Env.Get)
	found.Source = app.Source(s)
	if f.found != nil {
		f.found(&found)
	}
	result, err := runs.Judge(ctx, found)
	if err != nil {
		return err
	}
	c.look.EndRun(result)
	if err := looking.Ran(a.Guest, s, result); err != nil {
		return err
	}
	// A recording that is complete is what was asked for.
	if !result.Recorded || result.ExitCode != verdict.Pass.ExitCode() {
		result.ExitCode = f.result.Exit(a, result.Verdict, runReasons(result))
	}
	if err := f.signJournal(ctx, c.options.Journal); err != nil {
		return err
	}
	c.done.Result = result
	return nil
}

// signJournal signs the journal of a run that has ended, beside which the signature stands.
func (f *RunFlags) signJournal(ctx context.Context, file string) error {
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
func (f *RunFlags) prepare(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite, scenarios []suite.Scenario,
) (o runner.Options, err error) {
	over, err := f.pricing.Over()
	if err != nil {
		return o, err
	}
	progress := a.NewDesigning()
	defer progress.End()
	if f.named == nil {
		f.named = suitefile.NewBaselines(a, base.StoreOf(a, flags), s, nil)
	}
	prepared := f.Prepared
	if prepared == nil {
		prepared = func(ctx context.Context, s *suite.Suite, o runner.PrepareOptions) (runner.Options, error) {
			return runner.Prepare(ctx, s, scenarios, o)
		}
	}
	o, err = prepared(ctx, s, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) }, Floors: f.floors,
		Baseline: f.Tests.Baseline, Named: f.named.Find, NewAlone: f.newAlone, Record: f.Tests.Record.Value,
		Compared: func(c runner.Comparison) {
			if !f.Quiet {
				TellOfCompared(a, c)
			}
			f.changed = append(f.changed, c.Changed...)
			if f.compared != nil {
				f.compared(c)
			}
		},
		Together: f.Tests.together(s), Warn: a.Warn, Prices: over, Elsewhere: f.fleet.agent(),
	})
	o.Eager, o.Version, o.Extend = f.eager, a.Version, f.extend.Value
	if flags.Changed("grace") {
		o.Grace = trial.Some(f.grace)
	}
	return o, err
}

// files names the journal and the result, makes their folder, and sees to a journal
// that is there.
func (f *RunFlags) files(
	ctx context.Context, a *world.World, s *suite.Suite, partial bool, o *runner.Options, flags *pflag.FlagSet,
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
	to, err := NewRunFile(base.Origin(flags, "output"), output, s)
	if err != nil {
		return nil, err
	}
	// The journal is opened by the runner; here it is only looked at, for a better message.
	if _, err := NewRunFile(base.Origin(flags, "journal"), o.Journal, s); err != nil {
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
	if err := f.result.Reports.Open(append(f.others, output, o.Journal)...); err != nil {
		return nil, err
	}
	if f.signs, err = f.result.Key(ctx, a); err != nil {
		return nil, err
	}
	to.Key = f.signs
	return to, f.continueOrBegin(ctx, a, o, flags.Changed("extend"))
}

// limited says which limits trials are held to that nobody declared, or refuses them for a gate.
func (f *RunFlags) limited(a *world.World, scenarios []suite.Scenario) error {
	if f.gated {
		return suite.LimitsDeclared(scenarios)
	}
	TellOfProposed(a, "note", scenarios)
	return nil
}

// TellOfSources says which rows of files became scenarios, where not all of them did.
func TellOfSources(a *world.World, s *suite.Suite) {
	for _, source := range s.Sources {
		if source.Taken < source.Rows {
			a.Notice("note", "scenarios from %s", source)
		}
	}
}

// TellOfProposed says which limits nobody declared.
func TellOfProposed(a *world.World, kind string, scenarios []suite.Scenario) {
	if limits := suite.Proposed(scenarios); len(limits) > 0 {
		a.Notice(kind, "%s", runs.ProposedText(limits))
	}
}

// identify says what the agent is, and lets the seed follow from that where nobody gave one: another agent has draws of
// its own. Shards are of one run, and may be on machines that differ.
func (f *RunFlags) identify(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite,
) (agent keeping.Agent, err error) {
	if f.Looks.Ledger == looking.NoLedger {
		return agent, nil
	}
	if agent, err = keeping.Identify(ctx, a, s); err != nil || !f.drawsSeed(flags, s) {
		return agent, err
	}
	if s.Seed = agent.Seed(); f.shard.given() {
		s.Seed = agent.SeedOfShards(s)
	}
	return agent, nil
}

// DrawSeed gives a suite of which a command makes runs the seed that follows from its agent, unless one was asked for.
// Without a ledger, which may be off by its variable alone, nothing of earlier runs is known: each is like the first.
func DrawSeed(ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite, ledger string) error {
	f := RunFlags{Looks: looking.Looks{Ledger: cmp.Or(ledger, a.Env.Get(world.EnvironmentName("ledger")))}}
	_, err := f.identify(ctx, a, flags, s)
	return err
}

// drawsSeed reports whether nobody gave a seed.
func (f *RunFlags) drawsSeed(flags *pflag.FlagSet, s *suite.Suite) bool {
	return !s.SeedGiven && !flags.Changed("seed")
}

// seedOfJournal takes the seed of a run that is gone on with, where nobody gave one.
func (f *RunFlags) seedOfJournal(flags *pflag.FlagSet, s *suite.Suite, o *runner.Options) {
	if !o.Resume || !f.drawsSeed(flags, s) {
		return
	}
	if header, err := journal.HeaderOf(o.Journal); err == nil { // else it is told where it is opened
		s.Seed, o.Seed = header.Seed, header.Seed
	}
}

// beginLook counts a run as a look from its beginning on, with what its designs may err by. A recording and a shard
// decide nothing.
func (f *RunFlags) beginLook(
	ctx context.Context, a *world.World, s *suite.Suite, scenarios []suite.Scenario, o runner.Options, agent keeping.Agent,
) *looking.RunLook {
	if f.Tests.Record.Value > 0 || f.shard.given() {
		return nil
	}
	var tests []runs.TestEvidence
	for _, t := range o.Tests {
		tests = append(tests, t.Evidence())
	}
	return f.Looks.Begin(ctx, a, s, f.Store, looking.Asked{
		Command: cmp.Or(f.Kind, "run"), Agent: agent, Questions: looking.Questions(s, scenarios, o.Tests),
		Risk: runs.DesignedRisk(tests, f.Tests.correction()), Continues: o.Resume,
	})
}

// startable looks for the programs of a run before it begins: of what is not there no trial says anything. A run that
// is gone on with starts none where all of its tests are decided.
func (f *RunFlags) startable(
	s *suite.Suite, scenarios []suite.Scenario, o *runner.Options, flags *pflag.FlagSet,
) error {
	if f.fleet.away != nil { // workers look for themselves
		return nil
	}
	if f.Resume && !flags.Changed("extend") {
		name := cmp.Or(f.Journal, f.usual(s, len(scenarios) < len(s.Scenarios)).Journal)
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			return nil // which is told where it is opened
		}
		if history, err := journal.Read(name); err == nil && history.Decided() {
			return nil
		}
	}
	rounds := func(t runner.Test) bool { return t.Against != nil && t.Against.Rounds != nil }
	if problems, ok := errors.AsType[suite.Errors](s.Startable(scenarios, slices.ContainsFunc(o.Tests, rounds))); ok {
		return &problem.Unstartable{Problems: problems}
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
	return outfile.New(flag, path)
}

// continueOrBegin says that a journal that is there is gone on with, or what becomes of it.
func (f *RunFlags) continueOrBegin(ctx context.Context, a *world.World, o *runner.Options, extend bool) error {
	o.Resume = f.Resume || extend
	if _, err := os.Stat(o.Journal); errors.Is(err, os.ErrNotExist) && o.Resume {
		return problem.BadInput(fmt.Sprintf("there is no journal %s to go on with", o.Journal),
			"leave --resume out to begin a run")
	}
	// Also what is gone on with is read whole.
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
			return "", problem.BadInput(unread.Error(), "--fresh puts the file aside and begins anew")
		case history.Decided():
			return aside, nil
		// What an agent that could not be run left: nothing was learned of it, and nothing that runs is drawn again.
		case history.Outcomes() == 0 && history.Lost() == 0:
			a.Notice("note", "the run of the journal %s had no trial with an outcome; it begins anew", o.Journal)
			return "", nil
		}
		hint := "--resume goes on with it, --fresh begins anew"
		if f.merging {
			hint = "--fresh puts it aside"
		}
		return "", problem.BadInput(
			fmt.Sprintf("the run of the journal %s was interrupted after %d of %s that had begun, before its verdict", o.Journal,
				history.Ended(), prose.Count(len(history.Trials), "trial")),
			hint,
		)
	}
	return nil
}

// ended says what became of a run that gives no verdict.
func (f *RunFlags) ended(
	ctx context.Context, a *world.World, s *suite.Suite, found *runner.Result, err error, file string,
) error {
	switch {
	case ctx.Err() != nil:
		f.tellOfInterrupted(a, s, found, file)
		return context.Cause(ctx)
	case err == nil && found != nil && found.StoppedBy == runs.StoppedByInterrupt:
		f.tellOfInterrupted(a, s, found, file)
		return &problem.Signalled{Signal: syscall.SIGINT}
	// Nothing was learned about the agent, so it is no verdict: 69 tells CI that the setup
	// is broken.
	case errors.Is(err, runner.ErrAllErrors):
		return problem.Unavailable(err.Error(), cmp.Or(f.advice, whatToTry(s, found)))
	case errors.Is(err, journal.ErrLocked):
		return problem.BadInput(err.Error(), "is another run still going on?")
	case problem.Is[*journal.HeaderError](err):
		return problem.BadInput(err.Error(), "--fresh begins a new run")
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
			return "the agent ran, but could not be judged: have it record what is missing, or do not ask for it"
		}
	}
	return TryHint(s, scenario)
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
func (f *RunFlags) deliver(ctx context.Context, a *world.World, result *runs.Result, to *outfile.File) error {
	if err := f.Save(ctx, a, result, to); err != nil {
		return err
	}
	err := f.result.Deliver(ctx, a, nil, result)
	if err != nil {
		return err
	}
	return problem.Decided(result.ExitCode)
}

// Save writes the result to its file. It is always JSON, whatever is printed: report, gate,
// verify and forecast read it.
func (f *RunFlags) Save(ctx context.Context, a *world.World, result *runs.Result, to *outfile.File) error {
	if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, result) }); err != nil {
		return err
	}
	a.Notice("note", "the result is in %s", to.Path)
	return nil
}
