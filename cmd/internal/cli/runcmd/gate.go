package runcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/named"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// gateFlags are those of the command gate: those of run, and what the gate asks for.
type gateFlags struct {
	// All of them, as the gate runs the suite unless it is given results.
	RunFlags
	// "" runs the suite.
	results string
	// "" leaves it to the suite, which may have none.
	baseline string
	// These two count only where they are given.
	minPassRate value.BelowOne
	minCoverage value.Proportion
	// Of all floors, those of the suite too.
	point          bool
	allowUndecided bool
	// Decide without the rules of a suite, on purpose.
	noSuite bool
	// Of the result that is decided over; 0 is any, or what the suite says.
	maxAge  time.Duration
	trusted deliver.Trusted

	decision *outfile.File // that --output names; nil is the usual file
}

// GateCommand is run with more questions: a suite that asks for nothing under gate gets the
// verdict of run.
func GateCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "gate [SUITE]",
		Short: "decide on a deployment: deploy, block or ask a person",
		Long: `Decide on a deployment from everything that is known: the verdicts of the scenarios,
pass rates that must be reached, the regression against a baseline, behaviour and
coverage, as the suite asks for them under gate and coverage.

Deploy is exit code 0, block 1, review (by a person) 2. What is missing never deploys: a scenario
of the suite that was not run, a rule that is not known. Without --results the suite is run
as by tribunal run, with all its flags; with a baseline as a test against it, which stops
when it is known whether the pass rate dropped. With --results nothing is run, and a saved
result is judged again first: what does not follow from its own outcomes, or from the suite,
is refused with exit code 65. The decision is saved in .tribunal. After a finished tribunal run
of the same suite and agent, that run is decided over; --fresh runs again.`,
		Example: `  tribunal gate
  tribunal gate --results .tribunal/shop.result.json --baseline main.result.json
  tribunal gate --min-coverage 0.8 --explain`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f gateFlags
	f.register(command.Flags())
	f.Kind = "gate"
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register names the flags of the gate first, which stand so in the help.
func (f *gateFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.results, "results", "",
		"decide over this `FILE` and run nothing: a saved result of run, verdict or compare, or a recording")
	flags.StringVar(&f.baseline, "baseline", "",
		"test against this saved result `FILE` or name, or compare --results with it (default: that of the suite's gate)")
	flags.Var(&f.minPassRate, "min-pass-rate",
		"the pass rate that every scenario must reach, which is tested (default: that of the suite's gate)")
	flags.Lookup("min-pass-rate").DefValue = ""
	flags.BoolVar(&f.point, "point", false,
		"compare the observed rates with the floors, as they are: without a test nothing is promised of them")
	flags.BoolVar(&f.allowUndecided, "allow-undecided-regression", false,
		"deploy although a drop from the baseline is neither shown nor excluded")
	flags.Var(&f.minCoverage, "min-coverage",
		"the overall coverage that is needed, by its lower limit (default: the suite's)")
	flags.Lookup("min-coverage").DefValue = ""
	flags.BoolVar(&f.noSuite, "no-suite", false,
		"decide over --results by these flags alone, without the rules of a suite")
	flags.DurationVar(&f.maxAge, "max-age", 0,
		"how old the result may be that is decided over (default: that of the suite's gate)")
	flags.Lookup("max-age").DefValue = "0s" // which is not printed
	bind.Trusted(flags, &f.trusted)
	f.RunFlags.register(flags)
	base.RegisterProfile(flags)
	flags.Lookup("output").Usage =
		"`FILE` of the saved decision (default .tribunal/NAME.gate.json beside the suite)"
}

// check refuses flags that do not go together, and those of a run where nothing is run.
func (f *gateFlags) check(flags *pflag.FlagSet, args []string) error {
	switch {
	case f.noSuite && f.results == "":
		return problem.Usage("add --results FILE", "%s decides over a saved result, and there is none",
			base.Origin(flags, "no-suite"))
	case f.noSuite && len(args) > 0:
		return problem.Usage("leave one of them out", "%s takes no suite, and there is %s", base.Origin(flags, "no-suite"),
			args[0])
	case f.maxAge < 0 || f.maxAge == 0 && flags.Changed("max-age"):
		return problem.Usage("such as 24h", "%s %v is no age", base.Origin(flags, "max-age"), f.maxAge)
	}
	if f.results == "" {
		return nil
	}
	for _, name := range []string{"resume", "fresh", "extend", "concurrency", "eager", "seed", "max-cost", "grace",
		"looks",
		"new-agent", "ledger"} {
		if base.Typed(flags, name) {
			return problem.Usage("leave one of them out", "--%s is about a run, and with --results nothing is run", name)
		}
	}
	return nil
}

// gated is what a gate decides over.
type gated struct {
	Outcome                // of a run; suite is nil where none is known
	over    verdict.Result // a run, or what another command saved
	trials  []*trial.Trial // that were judged, as far as they are known
}

// execute saves the result of the run although the gate may block: what was paid for is kept.
func (f *gateFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	if err := f.checkPoint(a, flags, args); err != nil {
		return err
	}
	f.takeFinished(ctx, a, flags, args)
	if err := f.open(ctx, a, flags, args); err != nil {
		return err
	}
	o, err := f.evidence(ctx, a, flags, args)
	if err != nil {
		return err
	}
	if err := f.lookAtResult(a, o); err != nil {
		return err
	}
	options, err := f.options(ctx, a, flags, o) // reads the baseline, which may be what is saved now
	if err != nil {
		return err
	}
	if o.To != nil {
		if err := f.Save(ctx, a, o.Result, o.To); err != nil {
			return err
		}
	}
	if err := f.measure(ctx, a, o, &options); err != nil {
		return err
	}
	result, err := gate.Judge(ctx, o.over, options)
	if err != nil {
		return err
	}
	result.ExitCode = f.result.Exit(a, result.Decision.Verdict(), result.Reasons)
	err = f.deliver(ctx, a, result, o)
	// What is decided over again was kept when it ran.
	if problem.Is[problem.Decided](err) && f.results == "" {
		f.KeepRun(ctx, a, &o.Outcome, result)
	}
	return err
}

// open looks at all files before anything is run: those that are written, and the baseline, which is
// refused where it does not follow from its own outcomes.
func (f *gateFlags) open(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) (err error) {
	if err := f.trusted.Read(); err != nil {
		return err
	}
	if f.signs, err = f.result.Key(ctx, a); err != nil {
		return err
	}
	var inputs []string
	for _, name := range append([]string{f.results, f.baseline}, args...) {
		if name != "" && name != "-" {
			inputs = append(inputs, name)
		}
	}
	switch f.Output {
	case "":
	case "-":
		return problem.Usage("--json prints the decision on standard output", "%s names a file, and - is none",
			base.Origin(flags, "output"))
	default:
		if f.decision, err = deliver.NewFileBeside(base.Origin(flags, "output"), f.Output, inputs); err != nil {
			return err
		}
		f.decision.Key = f.signs
		f.others = append(f.others, f.Output)
	}
	// The result of a run has its usual file: the decision holds all of it.
	f.Output = ""
	if f.results != "" {
		return f.result.Reports.Open(append(f.others, inputs...)...)
	}
	baseline := f.baseline
	if baseline == "" {
		baseline = baselineOf(a, args)
	}
	if baseline == "" || baseline == "-" {
		return nil
	}
	f.named = suitefile.NewBaselines(a, base.StoreOf(a, flags), quietSuite(a, args), f.trusted.Keys)
	if suitefile.IsBaselineName(baseline) {
		_, err = f.named.Find(ctx, baseline)
	} else {
		_, err = app.ReadVerified(ctx, baseline, nil, f.trusted.Keys)
	}
	if refused, ok := errors.AsType[*app.RefusedError](err); ok {
		return refused
	}
	return ctx.Err() // what else is wrong with it is told where it is used
}

// checkPoint refuses --point where there is no floor, before anything is run.
func (f *gateFlags) checkPoint(a *world.World, flags *pflag.FlagSet, args []string) error {
	if !f.point || flags.Changed("min-pass-rate") {
		return nil
	}
	// What cannot be read is told where the suite is needed.
	s := quietSuite(a, args)
	if s == nil && (f.results == "" || len(args) > 0) {
		return nil
	}
	if g := app.GateOptions(s); g.Floor.Rate == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(g.Floors)),
		func(floor gate.Floor) bool { return floor.Rate > 0 }) {
		return problem.Usage("add --min-pass-rate P", "--point compares the pass rates with floors, and there are none")
	}
	return nil
}

// evidence runs the suite, or reads what was saved or recorded.
func (f *gateFlags) evidence(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) (*gated, error) {
	switch {
	case f.results == "":
		o, err := f.run(ctx, a, flags, args)
		if err != nil {
			return nil, err
		}
		g := &gated{Outcome: *o, over: o.Result}
		// An attempt that ended before there was a trial has none. Of a run side by side the candidate is
		// what coverage and behaviour are asked of.
		for _, record := range o.Found.Trials {
			if record.Trial != nil && !record.Baseline {
				g.trials = append(g.trials, record.Trial)
			}
		}
		return g, nil
	case isRecording(ctx, f.results):
		return f.recorded(ctx, a, flags, args)
	}
	saved, err := app.ReadVerified(ctx, f.results, a.Stdin, f.trusted.Keys)
	if err != nil {
		return nil, err
	}
	g := &gated{over: saved}
	switch r := saved.(type) {
	case *gate.Result:
		// What was decided over is decided over again, by what is asked now.
		g.over, _ = r.Over()
		if g.over == nil {
			return nil, problem.BadInput(f.results+" holds nothing to decide over", "tribunal run saves a result in .tribunal")
		}
	case *runs.Result, *verdict.ThresholdResult, *sequential.Result, *compare.Result:
	default:
		return nil, problem.BadInput(fmt.Sprintf("%s is a %s, which is no result that a gate decides over",
			f.results, saved.Header().Schema), "those of run, verdict and compare are, and recordings of a suite")
	}
	g.Result, _ = g.over.(*runs.Result)
	if f.suite.Given() {
		return nil, problem.Usage("leave it out: what was not run stays open",
			"--only and --tag choose among the scenarios of a run or a recording, and %s is a result", f.results)
	}
	if g.Suite, err = f.suiteOf(ctx, a, args, g.Result); err != nil {
		return nil, err
	}
	if g.Result != nil {
		g.trials, err = f.journalled(ctx, a, &g.Outcome)
	}
	return g, err
}

// run runs the suite as a test against the baseline that is named. Where that cannot be one,
// since it is not there, is no result or was asked something else, the suite's tests decide
// alone, and the gate says why nothing is compared: it may be the first run of all.
func (f *gateFlags) run(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) (*Outcome, error) {
	f.askFloors(flags)
	f.Tests.Baseline = f.baseline
	if f.baseline == "" {
		f.Tests.Baseline = baselineOf(a, args)
	}
	// Standard input is read once, by the comparison.
	if f.Tests.Baseline == "-" {
		f.Tests.Baseline = ""
	}
	f.gated = true
	o, err := f.carryOut(ctx, a, flags, args)
	// What a suite names may be there after its first run; what a person names is meant to be there.
	if err == nil || !f.notABaseline(err) || f.baseline != "" && errors.Is(err, fs.ErrNotExist) {
		return o, err
	}
	wrong, _ := problem.Explain(err)
	if file, ok := errors.AsType[*trial.FileError](err); ok {
		wrong, _ = problem.Explain(file)
	}
	a.Notice("note", "no test against the baseline: %s", wrong)
	f.Tests.Baseline = ""
	// The suite that was found has been named already.
	if found, err := app.FindSuite(); err == nil && found != "" && len(args) == 0 {
		args = []string{found}
	}
	return f.carryOut(ctx, a, flags, args)
}

// notABaseline reports whether a run was refused since its baseline is not there, is no result,
// or was asked something else. That it is too small is not among them: it is told before a
// trial is paid for, with the number that would do.
func (f *gateFlags) notABaseline(err error) bool {
	if f.Tests.Baseline == "" {
		return false
	}
	file, ok := errors.AsType[*trial.FileError](err)
	return ok && file.File == f.Tests.Baseline || problem.Is[*runner.NotComparableError](err) ||
		problem.Is[*verify.DecodeError](err) ||
		problem.Is[*named.Error](err)
}

// baselineOf is the baseline of a suite's gate, unless its tests have one of their own; "" is none.
// What cannot be read is told where the suite is run.
func baselineOf(a *world.World, args []string) string {
	s := quietSuite(a, args)
	if s == nil || s.Gate.Baseline == "" || s.Test.Against.Asked() {
		return ""
	}
	for _, c := range s.Scenarios {
		if c.Test.Against.Asked() {
			return ""
		}
	}
	return suitefile.BaselineFile(s, s.Gate.Baseline)
}

// quietSuite reads the suite that is named or found, without a word; nil where that cannot be.
func quietSuite(a *world.World, args []string) *suite.Suite {
	var file string
	if len(args) > 0 {
		file = args[0]
	} else if found, err := app.FindSuite(); err == nil {
		file = found
	}
	if file == "" {
		return nil
	}
	s, err := app.LoadSuite(a.Opening, file)
	if err != nil {
		return nil
	}
	return s
}

// askFloors tells the run what floors are asked for, as it refuses those that no end of its tests
// shows.
func (f *gateFlags) askFloors(flags *pflag.FlagSet) {
	if flags.Changed("min-pass-rate") {
		f.floors.Rate = float64(f.minPassRate)
	}
	f.floors.Point = f.point
}

// isRecording reports whether a file is there and is no saved result. One that begins as a
// result does is to be told what is wrong with it as such.
func isRecording(ctx context.Context, name string) bool {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.Mode().IsRegular() || evidence.IsResult(ctx, name) {
		return false
	}
	_, err = app.ReadResult(ctx, name, nil)
	return err != nil
}

// recorded judges a recording by the suite, which says what it is to be judged by.
func (f *gateFlags) recorded(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string,
) (*gated, error) {
	file, err := app.FindSuite()
	if err == nil && file == "" && len(args) == 0 {
		return nil, problem.BadInput(f.results+" is no saved result", "a recording is judged by a suite: name it")
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return nil, err
	}
	scenarios, err := f.suite.Selected(s)
	if err != nil {
		return nil, err
	}
	if err := suite.LimitsDeclared(scenarios); err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for _, c := range s.Scenarios {
		chosen[c.Name] = false
	}
	for _, c := range scenarios {
		chosen[c.Name] = true
	}
	g := &gated{Outcome: Outcome{Suite: s}}
	if err := f.trusted.Check(ctx, a, f.results); err != nil {
		return nil, err
	}
	if err := f.pricing.Load(s); err != nil {
		return nil, err
	}
	o := recordedFields()
	o.Prices = f.pricing.Table
	stops, err := evidence.ReadStops(ctx, a, []string{f.results}, o, evidence.Kept, func(t *trial.Trial) {
		// What --only and --tag leave out is passed over; what the suite does not know is refused.
		if wanted, known := chosen[t.Scenario]; wanted || !known {
			g.trials = append(g.trials, t)
		}
	})
	if err != nil {
		return nil, err
	}
	f.askFloors(flags)
	progress := a.NewDesigning()
	evidence, err := runner.Recorded(ctx, s, scenarios, g.trials, a.Version, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) }, Floors: f.floors,
		Together: f.Tests.together(s), Designs: designsOf(stops),
	})
	progress.End()
	if err != nil {
		return nil, err
	}
	evidence.Selection, evidence.Prices = f.suite.Selection(s, scenarios), f.pricing.Used()
	evidence.Commit = app.Commit(filepath.Dir(s.File), a.Env.Get)
	g.Result, err = runs.Judge(ctx, evidence)
	g.over = g.Result
	return g, err
}

// designsOf are the digests of what stopped a recording's trials, by the name of the test.
func designsOf(stops []recording.Stop) map[string]string {
	designs := map[string]string{}
	for _, s := range stops {
		designs[s.Test] = s.Design
	}
	return designs
}

// recordedFields are what evaluators, coverage and behaviour look at.
func recordedFields() (o ingest.Options) {
	o.Fields, o.Unjudged = trial.BasicFields|trial.StepFields|trial.InputField|trial.ContentFields, true
	return o
}

// suiteOf returns the suite of a saved result, which is named or found; nil is none, where that is
// asked for. The result of a run must follow from it.
func (f *gateFlags) suiteOf(
	ctx context.Context, a *world.World, args []string, result *runs.Result,
) (*suite.Suite, error) {
	if f.noSuite {
		return nil, nil
	}
	if len(args) == 0 {
		// An error of looking comes again in load, which reports it.
		if file, err := app.FindSuite(); err == nil && file == "" {
			return nil, problem.BadInput(
				f.results+": no suite is found, so it is not known which scenarios must be there, and what its "+
					"gate asks for: levels, floors, baseline, behaviour, coverage and the largest age",
				"name the suite, or decide by the flags alone with --no-suite")
		}
	}
	s, err := suitefile.Load(a, args)
	if err == nil {
		err = suite.LimitsDeclared(s.Scenarios)
	}
	if err != nil || result == nil {
		return s, err
	}
	progress := a.NewDesigning()
	err = runner.FollowsSuite(ctx, s, result, progress.Share)
	progress.End()
	if different, ok := errors.AsType[*runner.Difference](err); ok {
		wrong := fmt.Sprintf("%s does not follow from the suite %s", f.results, s.File)
		// Floors and baselines of one suite say nothing of the trials of another.
		if s.Digest() != result.Digest {
			wrong = f.results + " is the result of another suite, or of this one before it changed"
		}
		return nil, problem.BadInput(wrong+": "+different.Error(), "run it again, or name its suite")
	}
	return s, err
}

// journalled returns the trials of the journal beside a saved result, if it is that
// run's.
func (f *gateFlags) journalled(ctx context.Context, a *world.World, o *Outcome) ([]*trial.Trial, error) {
	file := f.Journal
	switch {
	// A journal that is named has to be there; the usual one may have been cleaned up.
	case file != "":
	case o.Suite != nil:
		file = app.FilesOf(o.Suite, o.Result.Selection != nil).Journal
	default:
		return nil, nil
	}
	trials, err := app.JournalTrials(ctx, file, f.Journal != "", o.Result)
	if err == nil && trials != nil {
		err = f.trusted.Check(ctx, a, file)
	}
	return trials, err
}

// options are what the suite and the flags ask for, at the levels of the result where there is
// no suite. A flag can raise the floor of the suite and never lower it.
func (f *gateFlags) options(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, o *gated,
) (g gate.Options, err error) {
	g = app.GateOptions(o.Suite)
	if o.Suite == nil {
		g = gate.LevelsOf(o.over, g)
	} else {
		// What was not run is missing, whoever left it out.
		for _, c := range o.Suite.Scenarios {
			g.Scenarios = append(g.Scenarios, c.Name)
		}
		// A run has been compared with the suite part by part.
		if o.Result == nil {
			g.Questions = app.Questions(o.Suite)
		}
	}
	if most := gate.Age(f.maxAge); most > 0 && (g.MaxResultAge == 0 || most < g.MaxResultAge) {
		g.MaxResultAge = most
	}
	// Ages are reckoned from here, and saved with the decision.
	g.Now = a.Now()
	baseline := f.baseline
	if baseline == "" && o.Suite != nil && o.Suite.Gate.Baseline != "" {
		baseline = suitefile.BaselineFile(o.Suite, o.Suite.Gate.Baseline)
	}
	if flags.Changed("min-pass-rate") && float64(f.minPassRate) > g.Floor.Rate {
		g.Floor.Rate, g.Floor.Point = float64(f.minPassRate), false
	}
	if f.point {
		comparePoints(&g)
	}
	if flags.Changed("min-coverage") {
		minimum := float64(f.minCoverage)
		g.Minimum = &minimum
	}
	if baseline != "" {
		if g.Baseline, err = f.readBaseline(ctx, a, flags, baseline, o.Suite); err != nil {
			return g, err
		}
	}
	g.AllowUndecided = g.AllowUndecided || f.allowUndecided
	return g, nil
}

// readBaseline reads what a gate compares with: a file, or the runs of a name. What is not there, or cannot be pooled,
// is no baseline, and for the gate to say.
func (f *gateFlags) readBaseline(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, text string, s *suite.Suite,
) (*gate.BaselineRun, error) {
	if f.named == nil {
		f.named = suitefile.NewBaselines(a, base.StoreOf(a, flags), s, f.trusted.Keys)
	}
	found, err := f.named.Find(ctx, text)
	switch {
	case problem.Is[*trial.FileError](err), problem.Is[*named.Error](err):
		wrong, _ := problem.Explain(err)
		return &gate.BaselineRun{File: text, Problem: wrong}, nil
	case err != nil:
		return nil, err
	case found == nil:
		return app.ReadBaseline(ctx, text, a.Stdin, s, f.trusted.Keys)
	}
	b := gate.BaselineOf(found)
	if s != nil {
		if most := gate.Age(s.Gate.OldestBaseline()); most > 0 && (b.MaxAge == 0 || most < b.MaxAge) {
			b.MaxAge = most
		}
	}
	return b, nil
}

// comparePoints takes the test from every floor.
func comparePoints(g *gate.Options) {
	g.Floor.Point = g.Floor.Rate > 0
	for name, floor := range g.Floors {
		floor.Point = floor.Rate > 0
		g.Floors[name] = floor
	}
}

// measure measures coverage and compares behaviour, where they are asked for. Without a
// suite nothing is declared to measure against, and without trials, where the journal is
// gone, nothing can be measured; the gate then says what is missing.
func (f *gateFlags) measure(ctx context.Context, a *world.World, o *gated, g *gate.Options) error {
	if o.Suite == nil || len(o.trials) == 0 {
		return nil
	}
	options := recordedFields()
	// It stays nil unless a recording is opened, which has notes of its own.
	var stream *ingest.Stream
	open := func(file string) (list iter.Seq2[*trial.Trial, error]) {
		stream, list = evidence.Open(ctx, a, []string{file}, options, evidence.Kept)
		return list
	}
	if err := app.Measure(ctx, g, o.Suite, o.Result.Seed, runs.StoppedOf(o.Result) != nil, o.trials, open); err != nil {
		return evidence.Naming("variant", err)
	}
	if stream != nil {
		evidence.NoteFiles(a, stream.Notes(), options.From)
	}
	return nil
}

// deliver saves the decision, writes the reports that are asked for, and prints it.
func (f *gateFlags) deliver(ctx context.Context, a *world.World, g *gate.Result, o *gated) error {
	// The files come before the text, so that a log which ends with the decision has all of them.
	if err := f.saveDecision(ctx, a, g, o); err != nil {
		return err
	}
	options := f.result.TextOptions(a, nil)
	if err := f.result.DeliverWith(ctx, a, nil, g, options); err != nil {
		return err
	}
	return problem.Decided(g.ExitCode)
}

// saveDecision saves the decision where --output says, or else beside the suite where one is known. That
// the usual file cannot be written is told and no error: nobody asked for it.
func (f *gateFlags) saveDecision(ctx context.Context, a *world.World, g *gate.Result, o *gated) error {
	to := f.decision
	if to == nil {
		if o.Suite == nil || a.Guest != nil {
			return nil
		}
		files := app.FilesOf(o.Suite, o.Result != nil && o.Result.Selection != nil)
		// What is decided over again is an input.
		if evidence.SameFile(files.Gate, f.results) {
			return nil
		}
		err := outfile.WorkFolder(files.Folder)
		if err == nil {
			to, err = outfile.New("--output", files.Gate)
		}
		if err == nil {
			to.Key = f.signs
			err = a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, g) })
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			wrong, _ := problem.Explain(err)
			a.Notice("note", "the decision is not saved: %s", wrong)
			return nil
		}
	} else if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, g) }); err != nil {
		return err
	}
	a.Notice("note", "the decision is in %s", to.Path)
	return nil
}

// lookAtResult is the look of a gate: its tests have the part of the errors that they were made with.
func (f *gateFlags) lookAtResult(a *world.World, o *gated) error {
	if a.Guest == nil {
		return nil
	}
	look := world.GuestLook{Of: 1, Evidence: keeping.ProgramDigest(f.results)}
	if o.Suite != nil {
		look.Scenarios = looking.NamesOf(o.Suite)
	}
	if o.Result != nil {
		look.Evidence = looking.OutcomesOf(o.Result)
		if o.Suite != nil {
			look.Of = partOf(o.Suite, o.Result)
		}
	}
	return f.Looks.Reserve(a, look)
}

// partOf is the part of the suite's levels that a run was tested at, which follows from the suite: one in so many.
func partOf(s *suite.Suite, r *runs.Result) int {
	at := slices.IndexFunc(r.Settings, func(line string) bool { return strings.HasPrefix(line, alphaSetting) })
	if at < 0 {
		return 1
	}
	alpha, err := strconv.ParseFloat(strings.TrimPrefix(r.Settings[at], alphaSetting), 64)
	if err != nil || !(alpha > 0) {
		return 1
	}
	return int(math.Max(1, math.Min(math.Round(s.Test.Alpha/alpha), suite.MostLooks)))
}

const alphaSetting = "test.alpha: "
