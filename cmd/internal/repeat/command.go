package repeat

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
)

// Placeholders of a command's arguments.
const (
	// reportPlaceholder stands for the file into which the command writes its report.
	reportPlaceholder = "{report}"
	// testsPlaceholder is an argument that is replaced by the names of the cases to run, an argument each, and
	// by none where all are to run.
	testsPlaceholder = "{tests}"
)

// Command is a test command.
type Command struct {
	Argv     []string            // program and arguments, with what makes it write a report
	Dir      string              // working directory; "" is that of this process
	Known    string              // the name of the test runner that was recognised; "" is none
	From     ingest.Format       // of the report; [ingest.Auto] looks at it
	Stdout   bool                // the report is what the command prints
	Exit     string              // the name of the one test that the exit code is the report of; "" is none
	Timeout  time.Duration       // of an execution; 0 is none
	Allowed  process.Environment // which variables the command sees; the zero value is those of process
	Dropped  []string            // options by which the runner would try again what failed, or stop there
	typed    []string            // Argv, as the person wrote it
	plugged  bool                // it is given a plugin of pytest
	narrowed func(c *Command, argv, cases []string) ([]string, bool)
}

// NewCommand recognises the test runner of a command, and adds what makes it write a report. That of
// a command of none that is known is named by [reportPlaceholder], or is what it prints: see Stdout.
func NewCommand(argv []string) (*Command, error) {
	if len(argv) == 0 {
		return nil, errors.New("there is no command")
	}
	c := &Command{Argv: slices.Clone(argv), typed: argv}
	if r := recognise(argv); r != nil {
		c.Known, c.narrowed = r.name, r.narrow
		c.Argv, c.Dropped = r.tries.without(c.Argv)
		if !c.writes(reportPlaceholder) {
			c.Argv = r.report(c.Argv)
			c.plugged = r.name == pytest
		}
	}
	if c.writes(testsPlaceholder) {
		c.narrowed = inPlace
	}
	c.Stdout = (c.Known == goTest || c.Known == playwright) && !c.writes(reportPlaceholder)
	return c, nil
}

// Validate returns an [UnknownRunnerError] where nothing says where the report is, and a [TriesAgainError] where
// failures would not be in it.
func (c *Command) Validate() error {
	if err := triesAgain(c.Argv); err != nil {
		return err
	}
	if !c.Stdout && c.Exit == "" && !c.writes(reportPlaceholder) {
		return &UnknownRunnerError{Program: c.Argv[0]}
	}
	return nil
}

// writes reports whether an argument holds a placeholder.
func (c *Command) writes(placeholder string) bool {
	return slices.ContainsFunc(c.Argv, func(arg string) bool { return strings.Contains(arg, placeholder) })
}

// UnknownRunnerError says that it is not known how a command is made to write a report.
type UnknownRunnerError struct{ Program string }

// Error is the message and the hint.
func (e *UnknownRunnerError) Error() string { return e.Message() + "; " + e.Hint() }

// Message says which program it is.
func (e *UnknownRunnerError) Message() string {
	return fmt.Sprintf("%s is no test runner that is known, so nothing says where its report is", e.Program)
}

// Hint says how to name the report, and what is known.
func (e *UnknownRunnerError) Hint() string {
	return "have it write JUnit XML, CTRF or another format of tribunal import, and put " + reportPlaceholder +
		" where the file's name belongs, as in --junitxml=" + reportPlaceholder + "; known are " +
		strings.Join(Known(), ", ")
}

// Narrows reports whether the command can be told which cases to run.
func (c *Command) Narrows() bool { return c.narrowed != nil }

// inPlace puts the cases where the placeholder is.
func inPlace(_ *Command, argv, cases []string) ([]string, bool) {
	var all []string
	for _, arg := range argv {
		if arg == testsPlaceholder {
			all = append(all, cases...)
		} else {
			all = append(all, strings.ReplaceAll(arg, testsPlaceholder, strings.Join(cases, ",")))
		}
	}
	return all, true
}

// arguments are those of an execution of some cases, or of all.
func (c *Command) arguments(report string, cases []string) []string {
	argv := slices.Clone(c.Argv)
	switch {
	case c.narrowed == nil:
	case cases != nil || c.writes(testsPlaceholder):
		// What the runner cannot be told is run whole.
		if narrowed, can := c.narrowed(c, argv, cases); can {
			argv = narrowed
		}
	}
	for i, arg := range argv {
		argv[i] = strings.ReplaceAll(arg, reportPlaceholder, report)
	}
	return argv
}

// Execute runs the command and reads its report. The exit code of a test command says whether a test
// failed, which the report says too: it counts only where there is no report.
func (c *Command) Execute(ctx context.Context, cases []string) (*Execution, error) {
	folder, err := os.MkdirTemp("", "tribunal-repeat-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	report := filepath.Join(folder, "report")
	p := process.Command{
		Argv: c.arguments(report, cases), Dir: c.Dir, Environment: c.Allowed, Timeout: c.Timeout,
		MaxOutputBytes: ingest.DefaultMaxDocumentBytes,
	}
	p.Environment.Set = maps.Clone(p.Environment.Set)
	if p.Environment.Set == nil {
		p.Environment.Set = map[string]string{}
	}
	switch c.Known {
	case pytest:
		if c.plugged {
			const name = "PYTHONPATH"
			path, err := writePlugin(folder, cmp.Or(c.Allowed.Set[name], os.Getenv(name)))
			if err != nil {
				return nil, err
			}
			p.Environment.Set[name] = path
		}
	case "gotestsum": // or what passed is not run again
		p.Environment.Set["GOFLAGS"] = strings.TrimSpace(os.Getenv("GOFLAGS") + " -count=1")
	}
	result, err := p.Run(ctx, nil)
	if err != nil {
		start := new(process.StartError)
		if errors.As(err, &start) {
			return nil, &runner.InfrastructureError{Type: "start", Problem: err.Error(), Err: err, Unbegun: true}
		}
		return nil, err
	}
	done := &Execution{
		Trials: map[string]*trial.Trial{}, ExitCode: result.ExitCode, Stderr: result.Stderr, Stdout: result.Stdout,
	}
	if err := c.read(ctx, done, report, result); err != nil {
		return nil, c.broken(result, err)
	}
	return done, nil
}

// read takes in the report of an execution.
func (c *Command) read(ctx context.Context, into *Execution, report string, result *process.Result) error {
	if c.Exit != "" {
		return c.readExit(into, result)
	}
	o := ingest.Options{From: c.From, AllVariants: true, AllowDuplicates: true}
	var text io.Reader
	if c.Stdout {
		o.File = "its output"
		text = bytes.NewReader(result.Stdout)
	} else {
		file, err := os.Open(report)
		if err != nil {
			return errors.New("it wrote no report")
		}
		defer file.Close()
		o.File = "its report"
		text = file
	}
	stream := ingest.NewStream(text, o)
	var broken error
	for t, err := range stream.Trials(ctx) {
		if broken = err; err == nil {
			into.add(t)
		}
	}
	for _, n := range stream.Notes() {
		if slices.ContainsFunc(n.Skipped, func(s ingest.Skip) bool { return s.Reason == "cached results" }) {
			return errCached // what it repeats was not run, be it the whole report or a part
		}
	}
	return broken
}

// errCached is of an execution in which go test ran nothing of some package.
var errCached = errors.New("go test repeats results of its cache, which are no trials; set -count=1")

// goCached is what go test prints of a package that it did not run.
var goCached = lazy.Regexp(`(?m)^ok  \t\S+\t\(cached\)`)

// readExit takes in the exit code as a report of one test. A signal, the end of the time and the exit codes by which a
// shell says that it cannot start a program tell nothing of the test.
func (c *Command) readExit(into *Execution, r *process.Result) error {
	switch {
	case r.TimedOut || r.Signal != "" || r.Cancelled:
		return errors.New("that is no result")
	case process.NotFound(r.ExitCode):
		return errors.New("by that a shell says that a program cannot be started")
	case goCached().Match(r.Stdout), goCached().MatchString(r.Stderr):
		return errCached
	}
	t := &trial.Trial{Scenario: c.Exit, Outcome: trial.Pass}
	if r.ExitCode != 0 {
		why := fmt.Sprintf("exit code %d", r.ExitCode)
		if said := cmp.Or(prose.LastLine(r.Stderr), prose.LastLine(string(r.Stdout))); said != "" {
			why += ": " + said
		}
		t.Outcome, t.Error = trial.Fail, &trial.Cause{Type: "exit", Message: why}
	}
	into.add(t)
	return nil
}

// ByHand is the command as a person runs it to see what is wrong.
func (c *Command) ByHand() string {
	var words []string
	for _, arg := range c.typed {
		if arg != testsPlaceholder {
			words = append(words, problem.ShellWord(strings.ReplaceAll(arg, reportPlaceholder, "report")))
		}
	}
	return "run the command by hand: " + strings.Join(words, " ")
}

// Advice says what to do about a command that cannot be executed.
func (c *Command) Advice(why error) string {
	failed, _ := errors.AsType[*runner.InfrastructureError](why)
	switch {
	case errors.Is(why, errCached):
		return "set it in the command, or by the variable GOFLAGS=-count=1"
	case errors.Is(why, errTimedOut):
		return fmt.Sprintf("raise --timeout %s, if it takes longer by itself; %s", c.Timeout, c.ByHand())
	case c.Known == pytest && failed != nil && strings.Contains(failed.Stderr, "No module named pytest"):
		return fmt.Sprintf("install it: %s -m pip install pytest", problem.ShellWord(c.Argv[0]))
	case c.Known == pytest && errors.Is(why, exec.ErrNotFound):
		return "install it: python3 -m pip install pytest"
	case c.Known != "" && errors.Is(why, exec.ErrNotFound):
		return fmt.Sprintf("install %s, or write its path", c.Argv[0])
	case errors.Is(why, fs.ErrPermission):
		word := problem.ShellWord(c.Argv[0])
		return "chmod +x " + word + ", or begin with what runs it, such as sh " + word
	case len(c.Argv) == 1 && strings.Contains(c.Argv[0], " "):
		return "write its words without quotes: tribunal repeat -- " + c.Argv[0] + "; for a shell, sh -c " +
			problem.ShellWord(c.Argv[0])
	case errors.Is(why, exec.ErrNotFound):
		return "check its name, or write its path, such as ./" + problem.ShellWord(c.Argv[0]) + ": any program is one " +
			"test, which passes with exit code 0. Of " + prose.And(Known()) + " each test is judged. " +
			"An agent is run by tribunal run"
	}
	return c.ByHand()
}

// add takes in a trial of the report. A case that stands there more than once has passed where it passed
// each time: who repeats a failure until it passes has a failure.
func (e *Execution) add(t *trial.Trial) {
	before := e.Trials[t.Scenario]
	if before != nil && !t.Attempt.Known && !slices.Contains(e.Several, t.Scenario) {
		e.Several = append(e.Several, t.Scenario)
	}
	switch {
	case before == nil:
		e.Order = append(e.Order, t.Scenario)
		e.Trials[t.Scenario] = t
	case worse(t.Outcome, before.Outcome):
		e.Trials[t.Scenario] = t
	}
}

// worse orders outcomes: an error, which may be either, is worse than a pass, and a failure than both.
func worse(a, b trial.Outcome) bool {
	rank := map[trial.Outcome]int{trial.Pass: 0, trial.Error: 1, trial.Fail: 2}
	return rank[a] > rank[b]
}

// errTimedOut is of an execution that took longer than [Command].Timeout.
var errTimedOut = errors.New("timed out")

// broken is the error of an execution without a report that can be read.
func (c *Command) broken(r *process.Result, err error) error {
	how := fmt.Sprintf("it ended with exit code %d", r.ExitCode)
	what, hint := problem.Explain(err)
	switch {
	case r.TimedOut:
		how, err = "it did not end in time", errTimedOut
	case r.Signal != "":
		how = "it was ended by signal " + r.Signal
	}
	if hint != "" {
		what += "; " + hint
	}
	text := "the test command has no report that can be read: "
	if c.Exit != "" {
		text = "the command has no exit code that counts: "
	}
	return &runner.InfrastructureError{
		Type: "report", Stderr: r.Stderr, Err: err, Problem: fmt.Sprintf("%s%s, and %s", text, how, what),
	}
}
