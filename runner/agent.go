package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/process"
	"github.com/tribunal-dev/tribunal/trial"
)

// Request is what an agent is asked to do.
type Request struct {
	Scenario string    `json:"scenario"`
	Input    trial.Raw `json:"-"`
	Trial    int       `json:"trial"` // its number within the scenario, from 0
	Seed     uint64    `json:"seed"`  // below 2^53, so that every language can read it
	Attempt  int       `json:"-"`     // from 0; more after infrastructure errors
	Before   Spent     `json:"-"`     // by earlier attempts at the same trial
}

// JSON returns the request as an agent reads it: scenario, input, trial and seed.
func (r Request) JSON() ([]byte, error) {
	input := json.RawMessage(r.Input)
	if len(input) == 0 {
		input = json.RawMessage("null")
	}
	return json.Marshal(struct {
		Scenario string          `json:"scenario"`
		Input    json.RawMessage `json:"input"`
		Trial    int             `json:"trial"`
		Seed     uint64          `json:"seed"`
	}{r.Scenario, input, r.Trial, r.Seed})
}

// Attempt is what came of a request.
type Attempt struct {
	Trial   *trial.Trial    // what the agent recorded; nil where it recorded nothing
	Process *process.Result // nil where the agent is no program, or did not start
	Err     error           // why there is no outcome, such as an [InfrastructureError]; the attempt may be repeated
}

// Agent does what it is asked. Run is called by several goroutines at once, and
// returns soon after the context ended.
type Agent interface {
	Run(context.Context, Request) Attempt
}

// AgentFunc is a function as an [Agent].
type AgentFunc func(context.Context, Request) Attempt

// Run calls the function.
func (f AgentFunc) Run(ctx context.Context, r Request) Attempt { return f(ctx, r) }

// Judge gives the trial of an attempt that has no error its outcome. It is called by
// several goroutines at once. An error says that no outcome was reached: the attempt
// is not repeated for it, and the trial is recorded as an error.
type Judge func(context.Context, Request, *Attempt) error

// InfrastructureError says that an attempt has no outcome, for reasons that are not
// the agent's own doing.
type InfrastructureError struct {
	Type    string // such as "start", "exit", "timeout" or "output"
	Problem string
	Stderr  string // the end of what the agent wrote there
	Err     error  // the cause; may be nil
}

func (e *InfrastructureError) Error() string {
	if e.Stderr == "" {
		return e.Problem
	}
	return fmt.Sprintf("%s; its standard error ends with %q", e.Problem, lastLine(e.Stderr))
}

// Unwrap returns the cause.
func (e *InfrastructureError) Unwrap() error { return e.Err }

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// CommandAgent is a program as an agent: one process an attempt, the request as JSON
// on its standard input.
type CommandAgent struct {
	Command process.Command

	// Parse reads what the agent recorded from its output; nil takes the standard
	// output as the text of the trial's output. An error is an infrastructure error.
	Parse func(Request, *process.Result) (*trial.Trial, error)

	TimeoutIsError    bool // a timeout is an infrastructure error, not the agent's failure
	SilentExitIsError bool // and so is a non-zero exit code without any output
}

// Run runs the program once.
func (a *CommandAgent) Run(ctx context.Context, r Request) Attempt {
	input, err := r.JSON()
	if err != nil {
		return Attempt{Err: &InfrastructureError{Type: "input", Problem: "the input is not JSON: " + err.Error(), Err: err}}
	}
	p, err := a.Command.Run(ctx, append(input, '\n'))
	if err != nil {
		return Attempt{Err: &InfrastructureError{Type: "start", Problem: err.Error(), Err: err}}
	}
	return a.read(ctx, r, p)
}

func (a *CommandAgent) read(ctx context.Context, r Request, p *process.Result) Attempt {
	failed := func(kind, problem string, err error) Attempt {
		return Attempt{Process: p, Err: &InfrastructureError{kind, problem, p.Stderr, err}}
	}
	switch {
	case p.Cancelled:
		return failed("cancelled", "the run was stopped", context.Cause(ctx))
	case p.TimedOut && a.TimeoutIsError:
		return failed("timeout", fmt.Sprintf("the agent did not end within %v", a.Command.Timeout), nil)
	case a.SilentExitIsError && !p.TimedOut && p.ExitCode != 0 && len(p.Stdout) == 0:
		return failed("exit", "the agent printed nothing and ended with "+ending(p), nil)
	}
	parse := a.Parse
	if parse == nil || p.TimedOut { // what was cut off need not parse
		parse = plainOutput
	}
	t, err := parse(r, p)
	if err != nil {
		return failed("output", "the agent's output cannot be used: "+err.Error(), err)
	}
	if p.TimedOut && t.Error == nil {
		t.Error = &trial.Cause{Type: "timeout", Message: fmt.Sprintf("the agent did not end within %v", a.Command.Timeout)}
	}
	if !t.DurationSeconds.Known {
		t.DurationSeconds = trial.Some(p.Duration.Seconds())
	}
	return Attempt{Trial: t, Process: p}
}

func plainOutput(r Request, p *process.Result) (*trial.Trial, error) {
	if !utf8.Valid(p.Stdout) && !p.Truncated && !p.TimedOut {
		return nil, errors.New("it is not UTF-8 text")
	}
	return &trial.Trial{Scenario: r.Scenario, Output: trial.RawString(string(p.Stdout))}, nil
}

func ending(p *process.Result) string {
	if p.Signal != "" {
		return "signal " + p.Signal
	}
	return fmt.Sprintf("exit code %d", p.ExitCode)
}
