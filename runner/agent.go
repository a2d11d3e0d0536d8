package runner

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire"
)

// Request is what an agent is asked to do.
type Request struct {
	Scenario string    `json:"scenario"` // by its name
	Variant  string    `json:"-"`        // of the agent; empty where there are none
	Rounds   bool      `json:"-"`        // it is of a test in rounds, of two sides
	Baseline bool      `json:"-"`        // it is of the side that the agent is tested against
	Input    trial.Raw `json:"-"`        // of the scenario, JSON; nil is null
	Trial    int       `json:"trial"`    // its number within scenario, variant and side, from 0
	Seed     uint64    `json:"seed"`     // below 2^53, so that every language can read it
	Attempt  int       `json:"-"`        // from 0; more after attempts that never began

	pair   string       // that it is an execution of; "" where trials are no pairs
	spent  wire.Expense // by earlier attempts of the trial
	budget *wire.Budget // of the run, on the wire; nil is none

	recovered bool // an earlier session of the run asked it; see [Options.Recovers]
}

// variant is what a record has for the variant, where a scenario's trials of several variants and
// sides stand in one file; "" leaves it to the agent.
func (r Request) variant() string {
	switch {
	case r.pair != "":
		return r.pair
	case r.Baseline && r.Variant != "":
		return "baseline of " + r.Variant
	case r.Baseline:
		return "baseline"
	case r.Rounds && r.Variant == "":
		return "candidate"
	}
	return r.Variant
}

// JSON returns the request as an agent reads it: scenario, input, trial and seed, and the
// variant where there is one.
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
		Variant  string          `json:"variant,omitempty"`
	}{r.Scenario, input, r.Trial, r.Seed, r.Variant})
}

// Attempt is what came of a request.
type Attempt struct {
	Trial   *trial.Trial    // what the agent recorded; nil where it recorded nothing
	Process *process.Result // nil where the agent is no program, or did not start
	// Err is why there is no outcome. The trial is an error then, unless it is an [InfrastructureError]
	// that says that the attempt never began: such a one may be repeated.
	Err error
	// Broken says that the program was cut off, crashed, or wrote what cannot be read. The trial has
	// failed then, whatever a judge makes of it.
	Broken bool
	// Kept is called once the journal has what became of the attempt, with the record of its trial, nil where another
	// attempt follows. It is not called where the run was stopped before; nil is nobody who waits for it.
	Kept func(*trial.Trial)

	took     trial.Optional[time.Duration] // where it ran; not known is as long as Run took
	again    int                           // how often it was begun before, where that was lost
	judged   bool                          // where it ran
	judgeErr error                         // of that

	taken wire.BudgetUse // on the wire
	cut   bool           // the budget of the run ended it

	folder string // where the agent worked; "" is not known

	written []byte // what a program wrote to its output file; nil where it has none
	came    []byte // from an address; nil where there was no answer

	// Of a scenario that expects an end: that the agent came to, and whether it is the one.
	end               oracle.End
	expects, declared bool
	unbegun           bool // it is the one although nothing began
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

// InfrastructureError says that an attempt has no outcome, for reasons that may not be
// the agent's own doing.
//
// An attempt that had begun is never replaced by another: whether it broke off may depend on the
// agent, and to draw again would count only the trials in which it did well. Its trial is an error,
// and the verdict must hold whether it would have passed or failed.
type InfrastructureError struct {
	Type    string // such as "start", "provider", "exit", "timeout" or "signal"
	Problem string // what went wrong
	Stderr  string // the end of what the agent wrote there
	Err     error  // the cause; may be nil
	// Unbegun says that nothing the agent does can have to do with it: its program could not be
	// started, or, of an agent behind an interface, the provider turned the attempt away by its own
	// account before any of it was answered. Only such an attempt is repeated.
	Unbegun bool
	// After is how long to wait at least before it is repeated, as who turned it away asked.
	After time.Duration
}

// Error returns the problem, with the last line of what the agent wrote to its standard
// error.
func (e *InfrastructureError) Error() string {
	if e.Stderr == "" {
		return e.Problem
	}
	return fmt.Sprintf("%s; its standard error ends with %q", e.Problem, prose.LastLine(e.Stderr))
}

// Unwrap returns the cause.
func (e *InfrastructureError) Unwrap() error { return e.Err }

// CommandAgent is a program as an agent: one process an attempt, the request as JSON
// on its standard input. In its arguments, in the values of its variables and in
// OutputFile, {id} stands for a name that no other attempt of the run has.
type CommandAgent struct {
	Command process.Command // what is started, and where

	// OutputFile is where the program writes its output, from its working directory; it
	// is removed before and after. "" is its standard output.
	// It must be a regular file: a link, a pipe or a device is output that cannot be read.
	OutputFile string

	// MetricsFile is where the program writes what the attempt took, as [Metrics]; "" is nowhere. It is removed before
	// and after, like OutputFile, and need not be written.
	MetricsFile string

	// Parse reads what the agent recorded from its output; nil takes it as the text of
	// the trial's output. An error is the agent's failure.
	Parse func(r Request, output []byte) (*trial.Trial, error)

	// What is the trial's error and not the agent's failure. No such attempt is repeated.
	TimeoutIsError    bool // a timeout
	SilentExitIsError bool // a non-zero exit code without any output, but in scenarios of ExitCodeAsked
	SignalIsError     bool // a signal of a crash, such as SIGSEGV; other signals always are
	OutputIsError     bool // output that cannot be read, of a program that ended by itself

	// ExitCodeAsked names the scenarios whose judge asks for the exit code.
	ExitCodeAsked map[string]bool

	fresh  bool          // it works in a folder of its own
	wiring *wiring       // over which it asks models; nil: as it likes
	config *configurator // what it is configured with; nil: nothing
}

// Close closes the wire, and removes what it was configured with.
func (a *CommandAgent) Close() {
	a.wiring.close()
	a.config.close()
}

// Run runs the program once, over a way of its own where there is a wire.
func (a *CommandAgent) Run(ctx context.Context, r Request) Attempt {
	if a.wiring == nil {
		return a.once(ctx, r, nil)
	}
	route, err := a.wiring.route(r)
	if err != nil {
		return Attempt{Err: err}
	}
	attempt := a.wiring.on(ctx, route, func(ctx context.Context) Attempt { return a.once(ctx, r, route) })
	return a.overWire(ctx, r, attempt, route.Close())
}

// once runs the program; a route is its way over the wire, and nil where there is none.
func (a *CommandAgent) once(ctx context.Context, r Request, route *wire.Route) Attempt {
	input, err := r.JSON()
	if err != nil {
		return notJSON(err)
	}
	command, _, err := a.named(r)
	if err != nil {
		return Attempt{Err: err}
	}
	command, tidy, err := a.placed(command)
	if err != nil {
		return Attempt{Err: notBegun(err)}
	}
	defer tidy()
	file := a.within(command, a.OutputFile, r)
	metrics := a.within(command, a.MetricsFile, r)
	for _, file := range []string{file, metrics} {
		if file != "" {
			os.Remove(file) // what an earlier attempt left is not this one's
			defer os.Remove(file)
		}
	}
	if route != nil {
		command = a.wiring.confined(wired(command, route))
	}
	p, err := command.Run(ctx, append(input, '\n'))
	if err != nil {
		return Attempt{Err: notBegun(err)}
	}
	attempt := a.attempt(ctx, r, p, command, file)
	if metrics == "" || attempt.Trial == nil {
		return attempt
	}
	// What an attempt took that was cut off is worth knowing too, as far as it wrote it.
	if err := readMetrics(command, metrics, attempt.Trial); err != nil && !attempt.Broken {
		err = fmt.Errorf("the agent's metrics file cannot be used: %w", err)
		return a.broken(r, p, p.Stdout, outputProblem, err, a.OutputIsError)
	}
	return attempt
}

// attempt is what the program left, in its output file or on its standard output.
func (a *CommandAgent) attempt(
	ctx context.Context, r Request, p *process.Result, command process.Command, file string,
) Attempt {
	if file == "" {
		return a.read(ctx, r, p, p.Stdout)
	}
	output, truncated, err := command.ReadOutput(file)
	ended := !p.Cancelled && !p.TimedOut && !p.Overflowed && p.Signal == "" // by itself
	// One that ended badly need not have written any.
	if ended && err != nil && !(p.ExitCode != 0 && errors.Is(err, fs.ErrNotExist)) {
		err = fmt.Errorf("the agent's output file cannot be read: %w", err)
		return a.broken(r, p, p.Stdout, outputProblem, err, a.OutputIsError)
	}
	if !p.Overflowed {
		p.Truncated = truncated
	}
	attempt := a.read(ctx, r, p, output)
	attempt.written = output
	return attempt
}

// notJSON is an attempt that cannot be made, as an agent is asked in JSON.
func notJSON(err error) Attempt {
	return Attempt{Err: &InfrastructureError{
		Type: inputProblem, Problem: "the input is not JSON: " + err.Error(), Err: err, Unbegun: true,
	}}
}

// idHolder is what the name of an attempt stands for.
const idHolder = "{id}"

// named returns the command with its configuration and the attempt's name in it, and the file of its output.
func (a *CommandAgent) named(r Request) (process.Command, string, error) {
	c, err := a.config.command(a.Command)
	if err != nil {
		return c, "", err
	}
	id := r.id()
	fill := func(text string) string { return strings.ReplaceAll(text, idHolder, id) }
	c.Argv = slices.Clone(c.Argv)
	for i := range c.Argv {
		c.Argv[i] = fill(c.Argv[i])
	}
	c.Environment.Set = maps.Clone(c.Environment.Set)
	for name, value := range c.Environment.Set {
		c.Environment.Set[name] = fill(value)
	}
	return c, a.within(c, a.OutputFile, r), nil
}

// within is the path of a file that the program writes, from its working directory; "" is none.
func (a *CommandAgent) within(c process.Command, file string, r Request) string {
	file = strings.ReplaceAll(file, idHolder, r.id())
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(c.Dir, file)
	}
	return file
}

// id is a name that no other attempt of a run has, fit for a file: the digest of the
// names of scenario and variant tells apart those that look alike without the characters that a file's
// name may not have.
func (r Request) id() string {
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, r.Scenario)
	name := r.Scenario
	if v := r.variant(); v != "" {
		name += "\n" + v // no name of a scenario has two lines
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%.40s-%x-%d-%d", plain, sum[:4], r.Trial, r.Attempt)
}

// read makes an attempt of what the program left: the trial that the output records, the agent's failure
// where it crashed, was too slow or wrote what cannot be read, and an error where something else may have
// ended it.
func (a *CommandAgent) read(ctx context.Context, r Request, p *process.Result, output []byte) Attempt {
	failed := func(kind, problem string, err error) Attempt {
		return Attempt{Process: p, Err: &InfrastructureError{Type: kind, Problem: problem, Stderr: p.Stderr, Err: err}}
	}
	switch {
	case p.Cancelled:
		return failed("cancelled", "the run was stopped", context.Cause(ctx))
	case p.TimedOut:
		tooLong := fmt.Errorf("the agent did not end within %v", a.Command.Timeout)
		return a.broken(r, p, output, timeoutProblem, tooLong, a.TimeoutIsError)
	case p.Overflowed:
		return a.broken(r, p, output, outputProblem, a.tooMuch(p), a.OutputIsError)
	case p.Signal != "": // a crash, or somebody else: the system was short of memory, or worse
		ended := errors.New("the agent was ended by a signal: " + p.Signal)
		return a.broken(r, p, output, "signal", ended, a.SignalIsError || !p.Crashed)
	case process.NotFound(p.ExitCode) && len(output) == 0:
		return failed(notFoundProblem, "a program that the agent starts cannot be run", nil)
	case a.SilentExitIsError && p.ExitCode != 0 && len(output) == 0 && !a.ExitCodeAsked[r.Scenario]:
		return failed("exit", "the agent printed nothing and ended with "+endOf(p), nil)
	}
	parse := a.Parse
	if parse == nil {
		parse = plainOutput
	}
	t, err := parse(r, output)
	if err != nil {
		err = fmt.Errorf("the agent's output cannot be used: %w", err)
		return a.broken(r, p, output, outputProblem, err, a.OutputIsError)
	}
	if !t.DurationSeconds.Known {
		t.DurationSeconds = trial.Some(p.Duration.Seconds())
	}
	return Attempt{Trial: t, Process: p}
}

// tooMuch says what a program printed too much of.
func (a *CommandAgent) tooMuch(p *process.Result) error {
	if !p.Truncated {
		return fmt.Errorf("the agent printed more than %d bytes to its standard error, and was ended", process.MaxStderr)
	}
	kept := cmp.Or(a.Command.MaxOutputBytes, process.DefaultMaxOutputBytes)
	return fmt.Errorf("the agent printed more than max_output_bytes, which is %d, and %d bytes beyond, and was ended",
		kept, process.Excess)
}

// broken is an attempt that was cut off, crashed or left what cannot be read: the agent's failure with
// what it wrote as a text, or an error of the trial.
func (a *CommandAgent) broken(
	r Request, p *process.Result, output []byte, kind string, why error, isError bool,
) Attempt {
	e := &InfrastructureError{Type: kind, Problem: why.Error(), Stderr: p.Stderr, Err: errors.Unwrap(why)}
	if isError {
		return Attempt{Process: p, Err: e}
	}
	t, _ := plainOutput(r, output) // which reads everything
	t.Outcome = trial.Fail
	message := e.Problem
	if kind != timeoutProblem && !errors.Is(why, errStopped) { // what it wrote says nothing of why it was ended
		message = e.Error()
	}
	t.Error = &trial.Cause{Type: kind, Message: strings.ToValidUTF8(message, "\uFFFD")}
	t.DurationSeconds = trial.Some(p.Duration.Seconds())
	return Attempt{Trial: t, Process: p, Broken: true}
}

// plainOutput takes the output as a text, without the end of its last line. Bytes that
// are no text are replaced.
func plainOutput(r Request, output []byte) (*trial.Trial, error) {
	output = bytes.TrimSuffix(bytes.TrimSuffix(output, []byte{'\n'}), []byte{'\r'})
	return &trial.Trial{Scenario: r.Scenario, Output: trial.RawString(string(output))}, nil
}

// endOf says how a program ended, for a message.
func endOf(p *process.Result) string {
	if p.Signal != "" {
		return "signal " + p.Signal
	}
	return fmt.Sprintf("exit code %d", p.ExitCode)
}

// Types of errors that are given in several places.
const (
	startProblem    = "start"   // the program cannot be run; it never began
	inputProblem    = "input"   // what it would be given is no JSON; it never began
	outputProblem   = "output"  // what it wrote cannot be read
	notFoundProblem = "command" // a program that it starts cannot be run
	timeoutProblem  = "timeout" // it took longer than it may
)
