package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// PrepareOptions say how a suite is prepared. The zero value is ready to use.
type PrepareOptions struct {
	// Progress is told the share of the designing that is done, from 0 to 1; nil tells
	// nobody.
	Progress func(share float64)

	// Read is told of every recording that was read for a prior; nil tells nobody.
	Read func(History)
}

// SuiteError says what of a suite cannot be run, although it can be read. Place is that of the scenario in
// the suite's file, or the file alone.
type SuiteError struct {
	trial.Place
	Scenario string // "" is for the whole suite
	Problem  string // what cannot be run, and why
	Advice   string // may be ""
	Err      error  // the cause; may be nil
}

// Error is the message and the hint.
func (e *SuiteError) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Message says what cannot be run, and where the suite asks for it.
func (e *SuiteError) Message() string {
	text := e.Place.String() + ": "
	if e.Scenario != "" {
		text += fmt.Sprintf("scenario %q: ", prose.Excerpt(e.Scenario))
	}
	return text + e.Problem
}

// Hint returns the advice, or, where a test is given too few trials, how many it needs.
func (e *SuiteError) Hint() string {
	if e.Advice != "" {
		return e.Advice
	}
	if infeasible, ok := errors.AsType[*sprt.InfeasibleError](e.Err); ok && infeasible.Nearest > 0 {
		return fmt.Sprintf("%d trials are the least with which both verdicts can be reached", infeasible.Nearest)
	}
	return ""
}

// ExitCode is that of input that cannot be used.
func (e *SuiteError) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *SuiteError) Unwrap() error { return e.Err }

// Prepare makes options of a suite and those of its scenarios that are to be run, in
// its order: the tests with their designs, the agent, the judges, the budget. What
// else the options need, such as a journal, is for the caller to set. What the agent
// writes, and recordings that a prior names, may be in any format that package ingest
// reads. What cannot be run is a [SuiteError].
func Prepare(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) (Options, error) {
	place := trial.Place{File: s.File}
	if len(scenarios) == 0 { // a choice by name or tag may leave none
		return Options{}, &SuiteError{Place: place, Problem: "no scenario is left to run"}
	}
	agent, err := commandAgent(s)
	if err != nil {
		return Options{}, err
	}
	tests, err := Tests(ctx, s, scenarios, prepare)
	if err != nil {
		return Options{}, err
	}
	o := Options{
		Tests: tests, Agent: agent, Judge: judges(scenarios),
		Seed: s.Seed, Concurrency: s.Concurrency, Listed: s.Order == suite.Listed,
		Retries: s.Agent.Retries.Infrastructure, Backoff: s.Agent.Retries.Backoff,
		Budget: Budget{
			MaxCostUSD: s.Budget.MaxCostUSD.Value, MaxTokens: s.Budget.MaxTokens.Value,
			MaxDuration: s.Budget.MaxDuration,
			MaxTrials:   s.Budget.MaxTrials.Value, PricePerTrial: s.Budget.PricePerTrial.Value,
		},
		Suite: s.Digest(),
	}
	for _, c := range scenarios {
		o.Scenarios = append(o.Scenarios, Scenario{Name: c.Name, Input: c.Input})
	}
	return o, nil
}

// Tests designs the tests of the scenarios: one for each, or one for all where the
// suite pools them. Equal tests are designed once.
func Tests(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) ([]Test, error) {
	for _, c := range scenarios {
		if c.Test.Against.Asked() {
			return nil, &SuiteError{Place: c.Place, Scenario: c.Name, Problem: "a test against a baseline is not run yet"}
		}
	}
	if len(s.Variants) > 0 {
		return nil, &SuiteError{Place: trial.Place{File: s.File}, Problem: "variants are not run yet"}
	}
	d := designer{suite: s, prepare: prepare, known: map[suite.Test]sprt.Design{}}
	// One test for all: its trials are drawn from the scenarios in turn.
	if s.Test.By == suite.BySuite {
		design, err := d.design(ctx, s.Test, 0)
		if err != nil {
			return nil, undesigned(trial.Place{File: s.File}, "", err)
		}
		pooled := Test{Name: s.Name, Design: design}
		for _, c := range scenarios {
			pooled.Scenarios = append(pooled.Scenarios, c.Name)
		}
		return []Test{pooled}, nil
	}
	var tests []Test
	for _, c := range scenarios {
		design, err := d.design(ctx, c.Test, c.Trials)
		if err != nil {
			return nil, undesigned(c.Place, c.Name, err)
		}
		tests = append(tests, Test{Name: c.Name, Design: design, Scenarios: []string{c.Name}})
	}
	return tests, nil
}

// undesigned says that a test cannot be designed, with the hint of the cause apart. One
// that names an option of a reader is for other places than a suite, which has no such
// option.
func undesigned(place trial.Place, scenario string, err error) error {
	e := &SuiteError{Place: place, Scenario: scenario, Problem: err.Error(), Err: err}
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

// designer designs tests, equal ones once: the boundaries of an optimal design take a
// second or more to find, and most scenarios of a suite are tested alike.
type designer struct {
	suite   *suite.Suite
	prepare PrepareOptions
	known   map[suite.Test]sprt.Design // by all that the suite says of a test
}

// design returns the design of a test. One of a fixed number of trials needs no search;
// 0 trials are none that was fixed.
func (d *designer) design(ctx context.Context, t suite.Test, trials int) (sprt.Design, error) {
	if trials > 0 {
		return sprt.Fixed(t.Hypotheses, trials)
	}
	if design, ok := d.known[t]; ok {
		return design, nil
	}
	prior, err := t.Prior.Weighting(func(file string) (stats.Counts, error) { return d.count(ctx, file) })
	if err != nil {
		return sprt.Design{}, err
	}
	design, err := plan.Design(ctx, plan.Options{
		Hypotheses: t.Hypotheses, MaxTrials: t.MaxTrials, Kind: t.Design,
		Weighting: prior.Weighting, Prior: prior.Name, Progress: d.prepare.Progress,
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

// commandAgent is the suite's program. Trials that run at once need files of their own to
// write to: without a name in the file's they would read each other's output.
func commandAgent(s *suite.Suite) (Agent, error) {
	a := s.Agent
	parse, err := reader(s)
	if err != nil {
		return nil, err
	}
	// Without a limit the program has all variables of this process, and those of the suite.
	environment := process.Environment{Allow: []string{"*"}, Set: a.Env}
	if a.EnvLimited {
		environment.Allow = a.EnvAllow
	}
	dir := s.Dir()
	if a.WorkingDir != "" {
		dir = s.Resolve(a.WorkingDir)
	}
	if a.OutputFile != "" && s.Concurrency > 1 && !strings.Contains(a.OutputFile, idHolder) {
		return nil, &SuiteError{
			Place:   trial.Place{File: s.File},
			Problem: fmt.Sprintf("agent.output_file: %d trials at a time would share %q", s.Concurrency, a.OutputFile),
			Advice: "write {id} into it and into the command, where it stands for a name of the attempt, " +
				"or set concurrency: 1",
		}
	}
	return &CommandAgent{
		Command: process.Command{
			Argv: s.Argv(), Dir: dir, Environment: environment, Timeout: a.Timeout, Grace: a.Grace,
			MaxOutputBytes: int(a.MaxOutputBytes), Redact: a.Redact,
		},
		OutputFile:        a.OutputFile,
		Parse:             parse,
		TimeoutIsError:    slices.Contains(a.Infrastructure, suite.TimeoutCause),
		SilentExitIsError: slices.Contains(a.Infrastructure, suite.NoOutputCause),
	}, nil
}

// reader returns what reads an agent's output, in the format that its suite says. What is
// to be recognised, and is no recording in a format that is known, is taken as a text.
func reader(s *suite.Suite) (func(Request, []byte) (*trial.Trial, error), error) {
	switch s.Agent.Output {
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
	format, err := ingest.ParseFormat(s.Agent.Output)
	if err != nil {
		return nil, &SuiteError{
			Place: trial.Place{File: s.File}, Problem: fmt.Sprintf("agent.output: %q is no format", s.Agent.Output),
			Advice: "auto, text, trial or a format that is imported", Err: err,
		}
	}
	return func(r Request, output []byte) (*trial.Trial, error) {
		t, _, err := ingest.ReadOne(output, format, r.Scenario)
		return t, err
	}, nil
}
