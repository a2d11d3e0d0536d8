package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// PrepareOptions say how a suite is prepared. The zero value is ready to use.
type PrepareOptions struct {
	// Progress is told the share of the designing that is done, from 0 to 1; nil tells
	// nobody.
	Progress func(share float64)

	// Floors are what is asked of floors of the pass rate beside what the suite says.
	Floors Floors

	// Together plans the tests at equal parts of their alpha, so that all of them together keep it and a
	// Fail of one needs no correction for the others. A test that cannot be planned so, for want of trials
	// or of a baseline, has its whole alpha.
	Together bool

	// Designs are the digests of what stopped the trials of a recording, by the name of the test, where it
	// says so. [Recorded] judges by them where they are the suite's tests, planned together or each by itself.
	Designs map[string]string

	// Warn is told what of the suite will not do what it says; nil tells nobody.
	Warn func(warning string)

	// Read is told of every recording that was read for a prior; nil tells nobody.
	Read func(History)

	// Baseline is a saved result that every test is against, or the name of a baseline, in place of what the suite
	// says of baselines; a threshold of the suite must hold besides. "" leaves it to the suite.
	Baseline string
	// Named looks up a baseline by a name that is no file, and returns nil where there is nothing to look in; nil looks
	// nowhere. Its runs are believed: who looks them up judges them again.
	Named func(ctx context.Context, name string) (*runs.Baseline, error)
	// NewAlone tests scenarios that Baseline does not have against their threshold alone; without it they are an
	// error.
	NewAlone bool
	// Compared is told, once for each baseline and variant, what the agent is compared with; nil
	// tells nobody.
	Compared func(Comparison)

	// Prices are laid over those that are built in, and those of the suite over both; nil is none.
	Prices *prices.Table

	// Elsewhere runs the trials on other machines, which make the agents of the suite; nil makes them here. The variables
	// and programs of the agents are then those of these machines.
	Elsewhere Agent

	// Record is how many trials of each scenario are run in place of the tests, to be a baseline; 0
	// runs the tests.
	Record int
	// ForBaseline warns of a Record too small for the suite's tests also where no baseline is named by the suite.
	ForBaseline bool
}

// suiteError says what of a suite cannot be run, although it can be read. Place is that of the scenario in
// the suite's file, or the file alone.
type suiteError struct {
	trial.Place
	Scenario string // "" is for the whole suite
	Problem  string // what cannot be run, and why
	Advice   string // may be ""
	Err      error  // the cause; may be nil
}

// Error is the message and the hint.
func (e *suiteError) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message says what cannot be run, and where the suite asks for it.
func (e *suiteError) Message() string {
	text := e.Place.String() + ": "
	if e.Scenario != "" {
		text += fmt.Sprintf("scenario %q: ", prose.Excerpt(e.Scenario))
	}
	return text + e.Problem
}

// Hint returns the advice, or, where a test is given too few trials, how many it needs.
func (e *suiteError) Hint() string {
	if e.Advice != "" {
		return e.Advice
	}
	if infeasible, ok := errors.AsType[*sprt.InfeasibleError](e.Err); ok && infeasible.Nearest > 0 {
		return fmt.Sprintf("%s %s the least with which both verdicts can be reached",
			prose.Count(infeasible.Nearest, "trial"), prose.Form(infeasible.Nearest, "is", "are"))
	}
	return ""
}

// ExitCode is that of input that cannot be used.
func (e *suiteError) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *suiteError) Unwrap() error { return e.Err }

// Prepare makes options of a suite and those of its scenarios that are to be run, in
// its order: the tests with their designs, the agent, the judges, the budget. What
// else the options need, such as a journal, is for the caller to set. What the agent
// writes, and recordings that a prior names, may be in any format that package ingest
// reads. What cannot be run is a [suiteError].
func Prepare(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) (Options, error) {
	place := trial.Place{File: s.File}
	if len(scenarios) == 0 { // a choice by name or tag may leave none
		return Options{}, &suiteError{Place: place, Problem: "no scenario is left to run"}
	}
	expanded, agents, err := agentsOf(s, scenarios, prepare.Elsewhere)
	if err != nil {
		return Options{}, err
	}
	secrets, err := secretsOf(expanded, prepare.Warn)
	if err != nil {
		return Options{}, err
	}
	tests, err := Tests(ctx, s, scenarios, prepare)
	if err != nil {
		return Options{}, err
	}
	if err := checkCalibration(s, tests); err != nil {
		return Options{}, err
	}
	builtIn, err := prices.Embedded()
	if err != nil {
		return Options{}, err
	}
	s.HoldJudges(scenarios)
	o := Options{
		Tests: tests, Agent: agents.agent, BaselineAgent: agents.baseline, Variants: agents.variants,
		Judge: judges(s.Score, scenarios), reports: reportsOf(s),
		Seed: s.Seed, Concurrency: s.Concurrency, Listed: s.Order == suite.Listed,
		Retries: s.Agent.Retries.Infrastructure, Backoff: s.Agent.Retries.Backoff,
		Budget: Budget{
			MaxCostUSD: s.Budget.MaxCostUSD.Value, MaxTokens: s.Budget.MaxTokens.Value,
			MaxDuration: s.Budget.MaxDuration,
			MaxTrials:   s.Budget.MaxTrials.Value, PricePerTrial: s.Budget.PricePerTrial.Value,
		},
		Window: s.Test.Window, Jitter: s.LaunchJitter, Profile: s.Profile,
		Prices: builtIn.With(prepare.Prices).With(s.Prices),
		Suite:  s.Digest(), Describes: secrets.Texts(s.Description()),
		Programs: programsOf(expanded, scenarios), Unconfined: agents.unconfined, secrets: secrets,
	}
	tellUnconfined(agents.unconfined, prepare.Warn)
	agents.priced(o.Prices)
	if prepare.Record == 0 { // which says how many itself
		o.Calibrate = calibrationOf(s)
	}
	for _, c := range scenarios {
		o.Scenarios = append(o.Scenarios, Scenario{Name: c.Name, Input: c.Input, expect: c.Expect})
	}
	return o, nil
}

// PrepareMerge is [Prepare] for [Merge]: the tests, and what a result says of the suite. No agent is asked there, so
// nothing that only agents need is read, such as the variables of their environment.
func PrepareMerge(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) (Options, error) {
	if len(scenarios) == 0 {
		return Options{}, &suiteError{Place: trial.Place{File: s.File}, Problem: "no scenario is left to merge"}
	}
	tests, err := Tests(ctx, s, scenarios, prepare)
	if err != nil {
		return Options{}, err
	}
	builtIn, err := prices.Embedded()
	if err != nil {
		return Options{}, err
	}
	none := AgentFunc(func(context.Context, Request) Attempt { return Attempt{Err: errMerging} })
	o := Options{
		Tests: tests, Agent: none, BaselineAgent: none, Variants: map[string]Agent{},
		Seed: s.Seed, Listed: s.Order == suite.Listed,
		Budget: Budget{PricePerTrial: s.Budget.PricePerTrial.Value},
		Window: s.Test.Window, Profile: s.Profile,
		Prices: builtIn.With(prepare.Prices).With(s.Prices),
		Suite:  s.Digest(), Describes: s.Description(),
	}
	for _, v := range s.Variants {
		o.Variants[v.Name] = none
	}
	if prepare.Record == 0 {
		o.Calibrate = calibrationOf(s)
	}
	for _, c := range scenarios {
		o.Scenarios = append(o.Scenarios, Scenario{Name: c.Name, Input: c.Input, expect: c.Expect})
	}
	return o, nil
}

// errMerging is the error of an agent that is asked although nothing is run.
var errMerging = errors.New("a merge asks no agent")

// Tests designs the tests of the scenarios: one for each, or one for all where the
// suite pools them, and where it has variants one of these for each variant. Equal tests are designed once.
func Tests(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) ([]Test, error) {
	d := newDesigner(s, scenarios, prepare)
	if err := d.findNew(ctx); d.missing(err) != nil {
		return nil, d.missing(err)
	} else if err != nil {
		return nil, undesigned(trial.Place{File: s.File}, "", err)
	}
	variants := []string{""}
	if len(s.Variants) > 0 {
		variants = nil
		for _, v := range s.Variants {
			variants = append(variants, v.Name)
		}
	}
	if s.Test.Joint() && prepare.Record == 0 {
		tests, err := d.joint(ctx, variants)
		if missing := d.missing(err); missing != nil {
			return nil, missing
		}
		if err != nil {
			return nil, undesigned(trial.Place{File: s.File}, "", err)
		}
		return tests, checkFloors(s, scenarios, tests, prepare.Floors)
	}
	list := d.questions()
	if prepare.Together {
		d.share(list, len(variants))
	}
	d.warnSmall(list, len(variants))
	var all []testSpec
	for _, spec := range list {
		for _, spec.variant = range variants {
			all = append(all, spec)
		}
	}
	d.planAhead(ctx, all)
	var tests []Test
	for _, spec := range all {
		test, err := d.test(ctx, spec)
		if missing := d.missing(err); missing != nil {
			return nil, missing // nothing is wrong with the suite
		}
		if err != nil {
			return nil, undesigned(spec.place, spec.scenario, err)
		}
		tests = append(tests, test)
	}
	if err := checkFloors(s, scenarios, tests, prepare.Floors); err != nil {
		return nil, err
	}
	return tests, nil
}

// missing is the error of a baseline of the options that is not there; nil for any other.
func (d *designer) missing(err error) error {
	file, ok := errors.AsType[*trial.FileError](err)
	if !ok || d.prepare.Baseline == "" || file.File != d.prepare.Baseline || !errors.Is(file, fs.ErrNotExist) {
		return nil
	}
	return file
}

// questions are the tests that the suite asks for of the scenarios, without variants: one of each, or
// one of all, whose trials are drawn from the scenarios in turn.
func (d *designer) questions() []testSpec {
	s := d.suite
	if s.Test.By != suite.BySuite || s.Test.Joint() {
		return each(d.scenarios)
	}
	pooled := testSpec{test: s.Test, name: s.Name, place: trial.Place{File: s.File}}
	for _, c := range d.scenarios {
		pooled.scenarios = append(pooled.scenarios, c.Name)
	}
	return []testSpec{pooled}
}

// each asks for a test of every scenario.
func each(scenarios []suite.Scenario) (list []testSpec) {
	for _, c := range scenarios {
		list = append(list, testSpec{test: c.Test, trials: c.Trials, name: c.Name, scenarios: []string{c.Name},
			place:    c.Place,
			scenario: c.Name})
	}
	return list
}

// share counts the questions that are asked of so many variants: they share the alpha.
func (d *designer) share(list []testSpec, variants int) {
	for _, spec := range list {
		t := d.tested(spec.test, spec.scenario)
		if t.Threshold != 0 {
			d.shared += variants
		}
		if t.Against.Asked() {
			d.shared += variants
		}
	}
}

// undesigned says that a test cannot be designed, with the hint of the cause apart. One
// that names an option of a reader is for other places than a suite, which has no such
// option. What is wrong with a saved result is no matter of one scenario.
func undesigned(place trial.Place, scenario string, err error) error {
	if _, ok := errors.AsType[*NotComparableError](err); ok {
		place, scenario = trial.Place{File: place.File}, ""
	}
	e := &suiteError{Place: place, Scenario: scenario, Problem: err.Error(), Err: err}
	cause, ok := errors.AsType[interface {
		error
		Message() string
		Hint() string
	}](err)
	if !ok {
		return e
	}
	e.Problem = cause.Message()
	if about, ok := cause.(interface{ Option() string }); !ok || about.Option() == "" {
		e.Advice = cause.Hint()
	}
	return e
}

// testSpec is a test that a suite asks for.
type testSpec struct {
	test      suite.Test
	trials    int      // exactly so many; 0 is sequential
	name      string   // of the test, without the variant
	variant   string   // of the agent; empty where there are none
	scenarios []string // their names
	place     trial.Place
	scenario  string // for messages; "" is the suite
}

// designer designs tests, equal ones once: the boundaries of an optimal design take a
// second or more to find, and most scenarios of a suite are tested alike.
type designer struct {
	suite   *suite.Suite
	prepare PrepareOptions
	known   map[suite.Test]sprt.Design    // by all that the suite says of a test
	against map[string]*runs.Against      // side by side, by what they were planned for
	chains  map[string]*baseline.Chain    // of tests against stored baselines, by question and sample
	asked   map[string]*stratified.Design // of suites as one question, by what is asked
	saved   map[string]*runs.Baseline     // by file or name
	alone   map[string]bool               // scenarios that the baseline of the options does not have

	scenarios []suite.Scenario // those that are run
	told      map[string]bool  // what of baselines was told, by file and variant

	shared int  // how many questions share an alpha; below 2 none do
	open   bool // tests against stored baselines may end Inconclusive where these are too small
}

// newDesigner returns a designer that knows no design.
func newDesigner(s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions) *designer {
	if tell := prepare.Progress; tell != nil {
		var lock sync.Mutex // plans are made side by side
		prepare.Progress = func(share float64) {
			lock.Lock()
			defer lock.Unlock()
			tell(share)
		}
	}
	return &designer{
		suite: s, prepare: prepare, known: map[suite.Test]sprt.Design{}, against: map[string]*runs.Against{},
		chains: map[string]*baseline.Chain{}, asked: map[string]*stratified.Design{},
		saved: map[string]*runs.Baseline{}, alone: map[string]bool{},
		scenarios: scenarios, told: map[string]bool{},
	}
}

// test designs a test: at its part of the alpha where that is shared, and else, or where there are too few
// trials for that, at all of it. Beside a baseline that is too small for its part alone the test has that part all the
// same, and may end Inconclusive: with all of the alpha its Fail would not be one beside the others.
func (d *designer) test(ctx context.Context, spec testSpec) (Test, error) {
	if d.shared < 2 || d.prepare.Record > 0 {
		return d.designed(ctx, spec)
	}
	part := d.part(spec)
	t, err := d.designed(ctx, part)
	if err != nil {
		var whole Test
		if whole, err = d.designed(ctx, spec); err != nil || whole.Against == nil || whole.Against.Stored == nil {
			return whole, err
		}
		d.open = true
		t, err = d.designed(ctx, part)
		d.open = false
		if err != nil {
			return whole, ctx.Err()
		}
	}
	t.Shared = d.shared
	return t, nil
}

// part is a question with its part of the alpha that tests share.
func (d *designer) part(spec testSpec) testSpec {
	if d.shared > 1 {
		spec.test.Alpha /= float64(d.shared)
	}
	return spec
}

// designed designs a test: against its threshold, against its baseline, or both.
func (d *designer) designed(ctx context.Context, spec testSpec) (t Test, err error) {
	t = Test{Name: suite.TestName(spec.name, spec.variant), Variant: spec.variant, Scenarios: spec.scenarios}
	if d.prepare.Record > 0 {
		// A test of several scenarios draws from them in turn: so many of each.
		t.Design, err = sprt.Recording(d.prepare.Record * len(spec.scenarios))
		return t, err
	}
	spec.test = d.tested(spec.test, spec.scenario)
	if spec.test.Threshold != 0 {
		if t.Design, err = d.design(ctx, spec.test, spec.trials); err != nil {
			return Test{}, err
		}
	}
	if spec.test.Against.Asked() {
		if t.Against, err = d.baseline(ctx, spec); err != nil {
			return Test{}, err
		}
	}
	return t, nil
}

// design returns the design of a test. One of a fixed number of trials needs no search;
// 0 trials are none that was fixed.
func (d *designer) design(ctx context.Context, t suite.Test, trials int) (sprt.Design, error) {
	if trials > 0 {
		return sprt.Fixed(t.Hypotheses, trials)
	}
	t.Against = suite.Against{} // which is no part of the design
	if design, ok := d.known[t]; ok {
		return design, nil
	}
	prior, err := t.Prior.Weighting(func(file string) (stats.Counts, error) { return d.count(ctx, file) })
	if err != nil {
		return sprt.Design{}, err
	}
	design, err := plan.Design(ctx, plan.Options{
		Hypotheses: t.Hypotheses, MaxTrials: t.MaxTrials, Kind: t.Design,
		Weighting: prior.Weighting, Prior: prior.Name, History: prior.History, Progress: d.prepare.Progress,
	})
	if err == nil {
		d.known[t] = design
	}
	return design, err
}

// count counts the passes of a recording that the suite names. The caller is told of it even though designs
// are shared: each recording is read once for each distinct test.
func (d *designer) count(ctx context.Context, file string) (stats.Counts, error) {
	h, err := readHistory(ctx, d.suite.Resolve(file))
	if err == nil && d.prepare.Read != nil {
		d.prepare.Read(h)
	}
	return h.Counts, err
}

// agents are the programs of a suite.
type agents struct {
	agent    Agent
	baseline Agent            // nil where there is none
	variants map[string]Agent // by name
	// What the suite asks to be held of them, and this machine cannot hold; see [Options].Unconfined.
	unconfined []string
}

// agentsOf are the agents of a suite, and the suite with the values of variables: those of this machine, or one that
// runs all trials elsewhere.
func agentsOf(s *suite.Suite, scenarios []suite.Scenario, elsewhere Agent) (*suite.Suite, agents, error) {
	if elsewhere == nil {
		expanded, err := s.Expanded(scenarios)
		if err != nil {
			return nil, agents{}, err
		}
		all, err := commandAgents(expanded)
		return expanded, all, err
	}
	all := agents{agent: elsewhere, variants: make(map[string]Agent, len(s.Variants))}
	if s.BaselineAgent != nil {
		all.baseline = elsewhere
	}
	for _, v := range s.Variants {
		all.variants[v.Name] = elsewhere
	}
	return s, all, nil
}

// commandAgents are the programs of a suite, all of them: what is wrong with one is told before any is run.
func commandAgents(s *suite.Suite) (all agents, err error) {
	if all.unconfined, err = unconfined(s); err != nil {
		return agents{}, err
	}
	for _, c := range s.Scenarios {
		for _, judge := range oracle.Judges(c.Evaluators()...) {
			oracle.DigestOf(judge) // so that another one is noticed, from the first trial on
		}
	}
	if all.agent, err = commandAgent(s, s.Agent, "agent"); err != nil {
		return agents{}, err
	}
	if s.BaselineAgent != nil {
		if all.baseline, err = commandAgent(s, *s.BaselineAgent, "baseline_agent"); err != nil {
			return agents{}, err
		}
	}
	all.variants = make(map[string]Agent, len(s.Variants))
	for _, v := range s.Variants {
		if all.variants[v.Name], err = commandAgent(s, v.Agent, "variant "+v.Name); err != nil {
			return agents{}, err
		}
	}
	return all, nil
}

// commandAgent is a program of the suite, which is called so in messages. Trials that run at once need
// files of their own to write to: without a name in the file's they would read each other's output.
func commandAgent(s *suite.Suite, a suite.Agent, called string) (Agent, error) {
	parse, err := reader(s, a.Output, called)
	if err != nil {
		return nil, err
	}
	switch {
	case a.HTTP != nil:
		return newHTTPAgent(a, parse), nil
	case a.Model != nil:
		return newModelAgent(s, a), nil
	}
	environment := process.Environment{Allow: a.EnvAllow, Set: a.Env}
	dir := s.Dir()
	if a.WorkingDir != "" {
		dir = s.Resolve(a.WorkingDir)
	}
	for _, file := range []struct{ key, name string }{
		{"output_file", a.OutputFile}, {"metrics_file", a.MetricsFile},
	} {
		if file.name != "" && !mayWrite(s, a, dir, file.name) {
			return nil, &suiteError{
				Place:   trial.Place{File: s.File},
				Problem: fmt.Sprintf("%s.%s: %q is where confine keeps it from writing", called, file.key, file.name),
				Advice:  "add its folder to confine.write",
			}
		}
		if file.name != "" && s.Concurrency > 1 && !strings.Contains(file.name, idHolder) {
			return nil, &suiteError{
				Place: trial.Place{File: s.File},
				Problem: fmt.Sprintf("%s.%s: %d trials at a time would share %q", called, file.key, s.Concurrency,
					file.name),
				Advice: "write {id} into it and into the command, where it stands for a name of the attempt, " +
					"or set concurrency: 1",
			}
		}
	}
	argv := s.Program(a)
	if a.Fresh() {
		argv = fromElsewhere(s, argv)
	}
	agent := CommandAgent{
		fresh: a.Fresh(),
		Command: process.Command{
			Argv: argv, Dir: dir, Environment: environment, Timeout: a.Timeout, Grace: a.Grace,
			MaxOutputBytes: int(a.MaxOutputBytes), Redact: a.Redact, Confine: rulesOf(s, a),
		},
		OutputFile:        a.OutputFile,
		MetricsFile:       a.MetricsFile,
		Parse:             parse,
		TimeoutIsError:    a.IsError(suite.TimeoutCause),
		SilentExitIsError: a.IsError(suite.NoOutputCause),
		SignalIsError:     a.IsError(suite.SignalCause),
		OutputIsError:     a.IsError(suite.OutputCause),
		ExitCodeAsked:     exitCodeAsked(s.Scenarios),
		wiring:            wiringOf(s, a),
		config:            configuredBy(s, a),
	}
	if a.Mode == suite.SessionMode {
		return &SessionAgent{CommandAgent: agent}, nil
	}
	return &agent, nil
}

// exitCodeAsked are the scenarios with an evaluator of the exit code, and those that expect another end than an error.
func exitCodeAsked(scenarios []suite.Scenario) map[string]bool {
	asked := map[string]bool{}
	for _, c := range scenarios {
		asked[c.Name] = c.AsksExitCode() || c.Expect.Asked() && c.Expect.Status != oracle.Errored
	}
	return asked
}

// reader returns what reads an agent's output, in the format that its suite says. What the output tells of a guard is
// dropped: the wire alone knows what one found; and so is what it tells of points, which a suite gives.
func reader(s *suite.Suite, output, called string) (func(Request, []byte) (*trial.Trial, error), error) {
	read, err := readerOf(s, output, called)
	if err != nil {
		return nil, err
	}
	return func(r Request, output []byte) (*trial.Trial, error) {
		t, err := read(r, output)
		if t != nil {
			var none *guardrails.Trial
			none.Record(t)
			var unscored *score.Trial
			unscored.Record(t)
		}
		return t, err
	}, nil
}

// readerOf returns what reads output in a format. What is to be recognised, and is no recording in a format that is
// known, is taken as a text.
func readerOf(s *suite.Suite, output, called string) (func(Request, []byte) (*trial.Trial, error), error) {
	switch output {
	case suite.OutputText:
		return plainOutput, nil
	case suite.OutputTrial:
		// A trial may leave its outcome open here: evaluators judge it.
		return func(r Request, output []byte) (*trial.Trial, error) {
			return trial.Decode(bytes.TrimSpace(output), trial.Options{Scenario: r.Scenario, Unjudged: true})
		}, nil
	case suite.OutputAuto:
		return func(r Request, output []byte) (*trial.Trial, error) {
			t, found, err := ingest.ReadOne(output, ingest.Auto, r.Scenario)
			if !found {
				return plainOutput(r, output)
			}
			return t, err
		}, nil
	}
	format, err := ingest.ParseFormat(output)
	if err != nil {
		return nil, &suiteError{
			Place: trial.Place{File: s.File}, Problem: fmt.Sprintf("%s.output: %q is no format", called, output),
			Advice: "auto, text, trial or a format that is imported", Err: err,
		}
	}
	return func(r Request, output []byte) (*trial.Trial, error) {
		t, _, err := ingest.ReadOne(output, format, r.Scenario)
		return t, err
	}, nil
}
