package running

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// GateRequest asks for a decision on a deployment: over a run of the suite, or over what was saved or recorded.
type GateRequest struct {
	Request
	Gate
}

// Gate is what a gate asks for, beside what the suite says under gate and coverage.
type Gate struct {
	Results        string // a saved result or a recording; "" runs the suite
	Baseline       string // "" leaves it to the suite, which may have none
	MinPassRate    trial.Optional[float64]
	MinCoverage    trial.Optional[float64]
	Point          bool // the observed rates are compared with all floors, without a test
	AllowUndecided bool // a drop that is neither shown nor excluded does not keep it from deploying
	NoSuite        bool // decide without the rules of a suite, on purpose
	// How old the result may be; not known is any age, or what the suite says.
	MaxAge  trial.Optional[time.Duration]
	Trusted deliver.TrustOptions
}

// gateRun is a gate that decides.
type gateRun struct {
	run
	Gate
	decision *outfile.File // that --output names; nil is the usual file
	saved    []string      // the usual files of result and decision, as far as this command wrote or took them
}

// RunGate decides. The error is the verdict, a [problem.VerdictError], where nothing else went wrong.
func RunGate(ctx context.Context, a *world.World, r GateRequest) error {
	r.Tests.OfGate = true
	return (&gateRun{run: run{Request: r.Request}, Gate: r.Gate}).execute(ctx, a, r.suiteArgs())
}

// check refuses options that do not go together, and those of a run where nothing is run.
func (f *gateRun) check(args []string) error {
	switch {
	case f.NoSuite && f.Results == "":
		return problem.Usage("add --results FILE", "%s decides over a saved result, and there is none",
			f.Given.Origin("no-suite"))
	case f.NoSuite && len(args) > 0:
		return problem.Usage("omit one of them", "%s takes no suite, and there is %s", f.Given.Origin("no-suite"),
			args[0])
	case f.MaxAge.Known && f.MaxAge.Value <= 0:
		return problem.Usage("such as 24h", "%s %v is no age", f.Given.Origin("max-age"), f.MaxAge.Value)
	}
	if f.Results == "" {
		return nil
	}
	names := []string{"resume", "fresh", "extend", "concurrency", "eager", "seed", "max-cost", "grace"}
	if _, err := journal.HeaderOf(f.Results); err != nil { // else a look at its trials
		names = append(names, "looks", "new-agent", "ledger")
	}
	for _, name := range names {
		if f.Given.Typed(name) {
			return problem.Usage("omit one of them", "--%s is about a run, and with --results nothing is run", name)
		}
	}
	return nil
}

// gateSubject is what a gate decides over.
type gateSubject struct {
	Outcome                // of a run; suite is nil where none is known
	over    verdict.Result // a run, or what another command saved
	trials  []*trial.Trial // that were judged, as far as they are known
}

// execute saves the result of the run although the gate may block: what was paid for is kept.
func (f *gateRun) execute(ctx context.Context, a *world.World, args []string) (err error) {
	f.begun = f.Results != ""
	defer f.tellOfEarly(ctx, a, &err)
	if err := f.check(args); err != nil {
		return err
	}
	if err := f.checkPoint(a, args); err != nil {
		return err
	}
	f.Result.Suite = strings.Join(args, "")
	f.takeFinished(ctx, a, args)
	if err := f.open(ctx, a, args); err != nil {
		return err
	}
	o, err := f.evidence(ctx, a, args)
	if err != nil {
		return err
	}
	if err := f.lookAtResult(a, o); err != nil {
		return err
	}
	options, err := f.options(ctx, a, o) // reads the baseline, which may be what is saved now
	if err != nil {
		return err
	}
	if o.To != nil {
		if err := Save(ctx, a, o.Result, o.To); err != nil {
			return err
		}
		f.saved = []string{o.To.Path}
	}
	if err := f.measure(ctx, a, o, &options); err != nil {
		return err
	}
	result, err := gate.Judge(ctx, o.over, options)
	if err != nil {
		return err
	}
	result.ExitCode = f.Result.Exit(a, result.Decision.Verdict(), result.Reasons)
	err = f.deliverDecision(ctx, a, result, o)
	// What is decided over again was kept when it ran.
	if problem.Is[problem.VerdictError](err) && f.Results == "" {
		f.KeepRun(ctx, a, &o.Outcome, result)
	}
	if f.run.written != nil {
		f.run.written()
	}
	settle(f.saved...)
	return err
}

// open looks at all files before anything is run: those that are written, and the baseline, which is
// refused where it does not follow from its own outcomes.
func (f *gateRun) open(ctx context.Context, a *world.World, args []string) (err error) {
	if err := f.Trusted.Read(); err != nil {
		return err
	}
	if f.signs, err = f.Result.Key(ctx, a); err != nil {
		return err
	}
	var inputs []string
	for _, name := range append([]string{f.Results, f.Gate.Baseline}, args...) {
		if name != "" && name != "-" {
			inputs = append(inputs, name)
		}
	}
	switch f.Output {
	case "":
	case "-":
		return problem.Usage("--json prints the decision on standard output", "%s names a file, and - is none",
			f.Given.Origin("output"))
	default:
		if f.decision, err = deliver.NewSaved(f.Given.Origin("output"), f.Output, inputs...); err != nil {
			return err
		}
		f.decision.Key = f.signs
		f.others = append(f.others, f.Output)
	}
	// The result of a run has its usual file: the decision holds all of it.
	f.Output = ""
	if f.Results != "" {
		return f.Result.Reports.Open(append(f.others, inputs...)...)
	}
	baseline := f.Gate.Baseline
	if baseline == "" {
		baseline = baselineOf(a, args)
	}
	if baseline == "" || baseline == "-" {
		return nil
	}
	f.named = suitefile.NewBaselines(a, f.Store, quietSuite(a, args), f.Trusted.Keys)
	if suitefile.IsBaselineName(baseline) {
		_, err = f.named.Find(ctx, baseline)
	} else {
		_, err = app.ReadVerified(ctx, baseline, nil, f.Trusted.Keys)
	}
	if refused, ok := errors.AsType[*app.RefusedError](err); ok {
		return refused
	}
	return ctx.Err() // what else is wrong with it is told where it is used
}

// checkPoint refuses --point where there is no floor, before anything is run.
func (f *gateRun) checkPoint(a *world.World, args []string) error {
	if !f.Point || f.MinPassRate.Known {
		return nil
	}
	// What cannot be read is told where the suite is needed.
	s := quietSuite(a, args)
	if s == nil && (f.Results == "" || len(args) > 0) {
		return nil
	}
	if g := app.GateOptions(s); g.Floor.Rate == 0 && !slices.ContainsFunc(slices.Collect(maps.Values(g.Floors)),
		func(floor gate.Floor) bool { return floor.Rate > 0 }) {
		return problem.Usage("add --min-pass-rate P", "--point compares the pass rates with minimums, and there are none")
	}
	return nil
}

// evidence runs the suite, or reads what was saved or recorded.
func (f *gateRun) evidence(ctx context.Context, a *world.World, args []string) (*gateSubject, error) {
	switch {
	case f.Results == "":
		o, err := f.carryOutGate(ctx, a, args)
		if err != nil {
			return nil, err
		}
		if f.Resume && o.Found.Resumed == endedOf(o.Found) {
			f.tellOfOthers(a, o.Suite, o.Journal)
		}
		// An attempt that ended before there was a trial has none. Of a run side by side the candidate is
		// what coverage and behaviour are asked of.
		return &gateSubject{Outcome: *o, over: o.Result, trials: trialsOf(o.Found)}, nil
	case isRecording(ctx, f.Results):
		return f.recorded(ctx, a, args)
	}
	saved, err := app.ReadVerified(ctx, f.Results, a.Stdin, f.Trusted.Keys)
	if err != nil {
		return nil, err
	}
	g := &gateSubject{over: saved}
	if r, is := saved.(*gate.Result); is {
		// What was decided over is decided over again, by what is asked now.
		g.over, _ = r.Over()
		if g.over == nil {
			return nil, problem.BadInput(f.Results+" holds nothing to decide over", "tribunal run saves a result in .tribunal")
		}
	} else if !verify.KindOf(saved).Gate {
		return nil, problem.BadInput(fmt.Sprintf("%s is a %s, which is no result that a gate decides over",
			f.Results, saved.Header().Schema),
			"those of run, of verdict, and of compare without --anytime, --proxy and --behaviour-only are, and recordings "+
				"of a suite")
	}
	g.Result, _ = g.over.(*runs.Result)
	if f.Choice.Given() {
		return nil, problem.Usage("omit it: what was not run stays undecided",
			"--only and --tag choose among the scenarios of a run or a recording, and %s is a result", f.Results)
	}
	if g.Suite, err = f.suiteOf(ctx, a, args, g.Result); err != nil {
		return nil, err
	}
	if g.Result != nil {
		g.trials, err = f.journalled(ctx, a, &g.Outcome)
	}
	return g, err
}

// carryOutGate runs the suite as a test against the baseline that is named. Where that cannot be one,
// since it is not there, is no result or was asked something else, the suite's tests decide
// alone, and the gate says why nothing is compared: it may be the first run of all.
func (f *gateRun) carryOutGate(ctx context.Context, a *world.World, args []string) (*Outcome, error) {
	f.askFloors()
	f.Tests.Baseline = f.Gate.Baseline
	if f.Gate.Baseline == "" {
		f.Tests.Baseline = baselineOf(a, args)
	}
	// Standard input is read once, by the comparison.
	if f.Tests.Baseline == "-" {
		f.Tests.Baseline = ""
	}
	f.gated = true
	o, err := f.carryOut(ctx, a, args)
	// What a suite names may be there after its first run; what a person names is meant to be there, and to be a result.
	otherwise := problem.Is[*runner.NotComparableError](err) || problem.Is[*runs.PoolError](err)
	if err == nil || !f.notABaseline(err) || f.Gate.Baseline != "" && !otherwise {
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
	return f.carryOut(ctx, a, args)
}

// notABaseline reports whether a run was refused since its baseline is not there, is no result,
// or was asked something else. That it is too small is not among them: it is told before a
// trial is paid for, with the number that would do.
func (f *gateRun) notABaseline(err error) bool {
	if f.Tests.Baseline == "" {
		return false
	}
	file, ok := errors.AsType[*trial.FileError](err)
	return ok && file.File == f.Tests.Baseline || problem.Is[*runner.NotComparableError](err) ||
		problem.Is[*verify.DecodeError](err) ||
		problem.Is[*runs.PoolError](err)
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
func (f *gateRun) askFloors() {
	if f.MinPassRate.Known {
		f.floors.Rate = f.MinPassRate.Value
	}
	f.floors.Point = f.Point
}

// isRecording reports whether a file is there and is no saved result. One that begins as a
// result does is to be told what is wrong with it as such.
func isRecording(ctx context.Context, name string) bool {
	info, err := os.Stat(name)
	if name == "-" || err != nil || !info.Mode().IsRegular() || app.IsResult(ctx, name) {
		return false
	}
	_, err = app.ReadResult(ctx, name, nil)
	return err != nil
}

// recorded judges a recording by the suite, which says what it is to be judged by.
func (f *gateRun) recorded(
	ctx context.Context, a *world.World, args []string,
) (*gateSubject, error) {
	file, err := app.FindSuite()
	if err == nil && file == "" && len(args) == 0 {
		return nil, problem.BadInput(f.Results+" is no saved result", "a recording is judged by a suite: name it; or gate "+
			"what tribunal verdict or compare -o FILE makes of it")
	}
	s, err := suitefile.Load(a, args)
	if err != nil {
		return nil, err
	}
	scenarios, err := f.Choice.Selected(s)
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for _, c := range s.Scenarios {
		chosen[c.Name] = false
	}
	for _, c := range scenarios {
		chosen[c.Name] = true
	}
	g := &gateSubject{Outcome: Outcome{Suite: s}}
	if err := f.Trusted.Check(ctx, a, f.Results); err != nil {
		return nil, err
	}
	if err := f.Pricing.Load(s); err != nil {
		return nil, err
	}
	o := recordedFields()
	o.Prices = f.Pricing.Table
	stops, err := evidence.ReadStops(ctx, a, []string{f.Results}, o, evidence.Kept, func(t *trial.Trial) {
		// What --only and --tag leave out is passed over; what the suite does not know is refused.
		if wanted, known := chosen[t.Scenario]; wanted || !known {
			g.trials = append(g.trials, t)
		}
	})
	if err != nil {
		return nil, err
	}
	f.Looks.Declare(s)
	told := slices.ContainsFunc(g.trials, func(t *trial.Trial) bool {
		return t.Outcome == trial.Pass || t.Outcome == trial.Fail
	})
	f.askFloors()
	progress := a.NewDesigning()
	evidence, err := runner.Recorded(ctx, s, scenarios, g.trials, a.Version, runner.PrepareOptions{
		Progress: progress.Share, Read: func(h runner.History) { evidence.Told(a, h) }, Floors: f.floors,
		Together: f.Tests.together(s), Designs: designsOf(stops),
	})
	progress.End()
	if err != nil {
		return nil, err
	}
	f.Result.Continue = func() string {
		_, command := app.JournalAdvice(ctx, f.Results)
		return command
	}
	evidence.Selection, evidence.Prices = f.Choice.Selection(s, scenarios), f.Pricing.Used()
	evidence.Commit = app.Commit(filepath.Dir(s.File), a.Env.Get)
	if g.Result, err = runs.Judge(ctx, evidence); err != nil {
		return nil, err
	}
	header, err := journal.HeaderOf(f.Results)
	f.Result.Foreign = err != nil
	judged := slices.ContainsFunc(g.Result.Tests, func(t runs.Test) bool { return t.Passes+t.Fails > 0 })
	// What other tools recorded is of an agent that nobody knows.
	if err == nil && f.Looks.Ledger != looking.NoLedger && judged {
		agent, err := keeping.Identify(ctx, a, s)
		if err != nil {
			return nil, err
		}
		if header.Agent != "" && header.Agent != agent.Digest {
			agent = keeping.Agent{Digest: header.Agent, Compared: "what its journal says of it"}
		}
		f.lookAt(ctx, a, s, scenarios, evidence.Tests, agent, false).EndRun(g.Result, g.trials)
	}
	if told && !judged {
		a.Notice("note", "no trial of %s holds what the evaluators of the suite look at; tribunal verdict judges by the "+
			"outcomes that it has", f.Results)
	}
	f.tellOfFailedJudges(a, g)
	f.tellOfOthers(a, s, f.Results)
	g.over = g.Result
	return g, nil
}

// tellOfFailedJudges says how trials are judged that have no judgement, since their judge failed.
func (f *gateRun) tellOfFailedJudges(a *world.World, g *gateSubject) {
	failed := 0
	for _, t := range g.trials {
		if t.Outcome == trial.Error && t.Error != nil && t.Error.Origin == oracle.JudgeOrigin && t.Output != nil {
			failed++
		}
	}
	to := "judged.jsonl"
	if filepath.Base(f.Results) == to {
		to = "judged-again.jsonl"
	}
	if failed > 0 {
		a.Notice("note", "%s of %s could not be judged when the agent ran: "+
			"tribunal judge %[3]s %[4]s -o %[5]s judges them, and tribunal gate %[3]s --results %[5]s decides then",
			prose.Count(failed, "trial"), prose.FileName(f.Results), problem.ShellWord(g.Suite.File),
			problem.ShellWord(f.Results), to)
	}
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
func (f *gateRun) suiteOf(
	ctx context.Context, a *world.World, args []string, result *runs.Result,
) (*suite.Suite, error) {
	if f.NoSuite {
		return nil, nil
	}
	if len(args) == 0 {
		// An error of looking comes again in load, which reports it.
		if file, err := app.FindSuite(); err == nil && file == "" {
			return nil, problem.BadInput(
				f.Results+": no suite is found, so it is not known which scenarios must be there, and what its "+
					"gate requires: levels, minimums, baseline, behaviour, coverage and the largest age",
				"name the suite, or decide by the flags alone with --no-suite")
		}
	}
	s, err := suitefile.Load(a, args)
	if err != nil || result == nil {
		return s, err
	}
	progress := a.NewDesigning()
	err = runner.FollowsSuite(ctx, s, result, progress.Share)
	progress.End()
	if different, ok := errors.AsType[*runner.Difference](err); ok {
		wrong := fmt.Sprintf("%s does not follow from the suite %s", f.Results, s.File)
		// Floors and baselines of one suite say nothing of the trials of another.
		if s.Digest() != result.Digest {
			wrong = f.Results + " is the result of another suite, or of this one before it changed"
		}
		return nil, problem.BadInput(wrong+": "+different.Error(), "run it again, or name its suite")
	}
	return s, err
}

// journalled returns the trials of the journal beside a saved result, if it is that
// run's.
func (f *gateRun) journalled(ctx context.Context, a *world.World, o *Outcome) ([]*trial.Trial, error) {
	file := f.Journal
	switch {
	// A journal that is named has to be there; the usual one may have been cleaned up.
	case file != "":
	case o.Suite != nil:
		file = app.FilesOf(o.Suite, o.Result.Selection != nil).Journal
		if beside := journal.Beside(f.Results); evidence.SameFile(beside, beside) { // it is there
			file = beside
		}
	default:
		return nil, nil
	}
	trials, err := app.JournalTrials(ctx, file, f.Journal != "", o.Result)
	if err == nil && trials != nil {
		f.tellOfOthers(a, o.Suite, file)
		err = f.Trusted.Check(ctx, a, file)
	}
	return trials, err
}

// options are what the suite and the flags ask for, at the levels of the result where there is
// no suite. A flag can raise the floor of the suite and never lower it.
func (f *gateRun) options(
	ctx context.Context, a *world.World, o *gateSubject,
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
	if most := gate.Age(f.MaxAge.Value); most > 0 && (g.MaxResultAge == 0 || most < g.MaxResultAge) {
		g.MaxResultAge = most
	}
	// Ages are reckoned from here, and saved with the decision.
	g.Now = a.Now()
	baseline := f.Gate.Baseline
	if baseline == "" && o.Suite != nil && o.Suite.Gate.Baseline != "" {
		baseline = suitefile.BaselineFile(o.Suite, o.Suite.Gate.Baseline)
	}
	if f.MinPassRate.Value > g.Floor.Rate {
		g.Floor.Rate, g.Floor.Point = f.MinPassRate.Value, false
	}
	if f.Point {
		comparePoints(&g)
	}
	if f.MinCoverage.Known {
		minimum := f.MinCoverage.Value
		g.Minimum = &minimum
	}
	if baseline != "" {
		if g.Baseline, err = f.readBaseline(ctx, a, baseline, o.Suite); err != nil {
			return g, err
		}
	}
	g.AllowUndecided = g.AllowUndecided || f.AllowUndecided
	return g, nil
}

// readBaseline reads what a gate compares with: a file, or the runs of a name. What is not there, or cannot be pooled,
// is no baseline, and for the gate to say.
func (f *gateRun) readBaseline(
	ctx context.Context, a *world.World, text string, s *suite.Suite,
) (*gate.BaselineRun, error) {
	if f.named == nil {
		f.named = suitefile.NewBaselines(a, f.Store, s, f.Trusted.Keys)
	}
	found, err := f.named.Find(ctx, text)
	switch {
	case problem.Is[*trial.FileError](err), problem.Is[*runs.PoolError](err):
		wrong, _ := problem.Explain(err)
		return &gate.BaselineRun{File: text, Problem: wrong}, nil
	case err != nil:
		return nil, err
	case found == nil:
		return app.ReadBaseline(ctx, text, a.Stdin, s, f.Trusted.Keys)
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
func (f *gateRun) measure(ctx context.Context, a *world.World, o *gateSubject, g *gate.Options) error {
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

// deliverDecision saves the decision, writes the reports that are asked for, and prints it.
func (f *gateRun) deliverDecision(ctx context.Context, a *world.World, g *gate.Result, o *gateSubject) error {
	// The files come before the text, so that a log which ends with the decision has all of them.
	if err := f.saveDecision(ctx, a, g, o); err != nil {
		return err
	}
	options := f.Result.TextOptions(a, nil)
	if err := f.Result.DeliverWith(ctx, a, nil, g, options); err != nil {
		return err
	}
	return problem.VerdictError(g.ExitCode)
}

// saveDecision saves the decision where --output says, or else beside the suite where one is known. That
// the usual file cannot be written is told and no error: nobody asked for it.
func (f *gateRun) saveDecision(ctx context.Context, a *world.World, g *gate.Result, o *gateSubject) error {
	to := f.decision
	if to == nil {
		if o.Suite == nil || a.Guest != nil {
			return nil
		}
		files := app.FilesOf(o.Suite, o.Result != nil && o.Result.Selection != nil)
		// What is decided over again is an input.
		if evidence.SameFile(files.Gate, f.Results) {
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
		if f.saved != nil {
			f.saved = append(f.saved, to.Path)
		}
	} else if err := a.Deliver(ctx, to, func(w io.Writer) error { return report.JSON(w, g) }); err != nil {
		return err
	}
	a.Notice("note", "the decision is in %s", to.Path)
	return nil
}

// lookAtResult is the look of a gate: its tests have the part of the errors that they were made with.
func (f *gateRun) lookAtResult(a *world.World, o *gateSubject) error {
	if a.Guest == nil {
		return nil
	}
	look := world.GuestLook{Of: 1, Evidence: keeping.ProgramDigest(f.Results)}
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
	alpha := app.TestSetting(r, "alpha")
	if !(alpha > 0) {
		return 1
	}
	return int(math.Max(1, math.Min(math.Round(s.Test.Alpha/alpha), suite.MostLooks)))
}
