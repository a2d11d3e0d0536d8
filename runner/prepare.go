package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// Formats reads what other tools write: the runner itself knows no format.
type Formats interface {
	// Known reports whether there is a format of the name.
	Known(format string) bool
	// Read reads the one trial that the text is in the format; auto is for the format
	// that it shows, and found is false where it shows none. The scenario is that of a
	// trial that names none.
	Read(format, scenario string, text []byte) (t *trial.Trial, found bool, err error)
	// History counts the passes among the trials of a recording that have an outcome.
	History(ctx context.Context, file string) (stats.Counts, error)
}

// SuiteError says what of a suite cannot be run, although it can be read.
type SuiteError struct {
	trial.Place
	Scenario string // "" is for the whole suite
	Problem  string
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
// else the options need is for the caller to set.
func Prepare(ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, formats Formats) (Options, error) {
	place := trial.Place{File: s.File}
	if len(scenarios) == 0 {
		return Options{}, &SuiteError{Place: place, Problem: "no scenario is left to run"}
	}
	agent, err := commandAgent(s, formats)
	if err != nil {
		return Options{}, err
	}
	tests, err := Tests(ctx, s, scenarios, formats, nil)
	if err != nil {
		return Options{}, err
	}
	o := Options{
		Tests: tests, Agent: agent, Judge: judges(scenarios),
		Seed: s.Seed, Concurrency: s.Concurrency, Listed: s.Order == suite.Listed,
		Retries: s.Agent.Retries.Infrastructure, Backoff: s.Agent.Retries.Backoff,
		Budget: Budget{
			MaxCostUSD: s.Budget.MaxCostUSD.Value, MaxTokens: s.Budget.MaxTokens.Value, MaxDuration: s.Budget.MaxDuration,
			MaxTrials: s.Budget.MaxTrials.Value, PricePerTrial: s.Budget.PricePerTrial.Value,
		},
		Suite: s.Digest(),
	}
	for _, c := range scenarios {
		o.Scenarios = append(o.Scenarios, Scenario{Name: c.Name, Input: c.Input})
	}
	return o, nil
}

// Tests designs the tests of the scenarios: one for each, or one for all where the
// suite pools them. Equal tests are designed once. Progress may be nil.
func Tests(ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, formats Formats, progress func(share float64)) ([]Test, error) {
	d := designer{suite: s, formats: formats, known: map[suite.Test]sprt.Design{}, progress: progress}
	if s.Test.By == suite.BySuite {
		design, err := d.design(ctx, s.Test, 0)
		if err != nil {
			return nil, &SuiteError{Place: trial.Place{File: s.File}, Problem: err.Error(), Err: err}
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
			return nil, &SuiteError{Place: c.Place, Scenario: c.Name, Problem: err.Error(), Err: err}
		}
		tests = append(tests, Test{Name: c.Name, Design: design, Scenarios: []string{c.Name}})
	}
	return tests, nil
}

// designer designs tests, equal ones once.
type designer struct {
	suite    *suite.Suite
	formats  Formats
	known    map[suite.Test]sprt.Design
	progress func(float64)
}

func (d *designer) design(ctx context.Context, t suite.Test, trials int) (sprt.Design, error) {
	if trials > 0 {
		return sprt.Fixed(t.Hypotheses, trials)
	}
	if design, ok := d.known[t]; ok {
		return design, nil
	}
	o, err := planOptions(ctx, d.suite, t, d.formats)
	if err != nil {
		return sprt.Design{}, err
	}
	o.Progress = d.progress
	design, err := plan.Design(ctx, o)
	if err == nil {
		d.known[t] = design
	}
	return design, err
}

// planOptions are those of a test of a suite.
func planOptions(ctx context.Context, s *suite.Suite, t suite.Test, formats Formats) (o plan.Options, err error) {
	o = plan.Options{Hypotheses: t.Hypotheses, MaxTrials: t.MaxTrials, Kind: t.Design}
	switch t.Prior.Kind {
	case suite.WorstPrior:
		o.Weighting, o.Prior = sprt.Worst(), "worst"
	case suite.BetaPrior:
		o.Weighting, err = sprt.Beta(t.Prior.A, t.Prior.B)
		o.Prior = fmt.Sprintf("beta:%v,%v", t.Prior.A, t.Prior.B)
	case suite.CountsPrior:
		o.Weighting, err = sprt.History(t.Prior.Counts)
		o.Prior = fmt.Sprintf("%d of %d", t.Prior.Counts.Passes, t.Prior.Counts.Trials)
	case suite.FilePrior:
		counts, readErr := formats.History(ctx, s.Resolve(t.Prior.File))
		if readErr != nil {
			return o, readErr
		}
		o.Weighting, err = sprt.History(counts)
		o.Prior = fmt.Sprintf("%d of %d of %s", counts.Passes, counts.Trials, t.Prior.File)
	default:
		o.Weighting, o.Prior = sprt.Stable(), "stable"
	}
	return o, err
}

// commandAgent is the suite's program.
func commandAgent(s *suite.Suite, formats Formats) (Agent, error) {
	a := s.Agent
	switch {
	case a.Output == suite.OutputAuto, a.Output == suite.OutputText, a.Output == suite.OutputTrial:
	case !formats.Known(a.Output):
		return nil, &SuiteError{Place: trial.Place{File: s.File}, Problem: fmt.Sprintf("agent.output: %q is no format", a.Output), Advice: "auto, text, trial or a format that is imported"}
	}
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
			Place: trial.Place{File: s.File}, Problem: fmt.Sprintf("agent.output_file: %d trials at a time would share %q", s.Concurrency, a.OutputFile),
			Advice: "write {id} into it and into the command, where it stands for a name of the attempt, or set concurrency: 1",
		}
	}
	parse := func(r Request, output []byte) (*trial.Trial, error) { return readOutput(a.Output, formats, r, output) }
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

// readOutput reads what an agent wrote, in the format that its suite says.
func readOutput(format string, formats Formats, r Request, output []byte) (*trial.Trial, error) {
	switch format {
	case suite.OutputText:
		return plainOutput(r, output)
	case suite.OutputTrial:
		return trial.Decode(bytes.TrimSpace(output), trial.Options{Scenario: r.Scenario, Unjudged: true})
	}
	t, found, err := formats.Read(format, r.Scenario, output)
	if format == suite.OutputAuto && !found {
		return plainOutput(r, output)
	}
	return t, err
}
