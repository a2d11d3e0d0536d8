package running

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/repeat"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// RepeatRequest asks to run a test command many times.
type RepeatRequest struct {
	Request
	Command                       []string
	Threshold, Alpha, Delta, Beta float64
	MaxTrials                     trial.Optional[int]
	Only                          []string      // globs of tests; nil is all of them
	From                          string        // format of the report; "" tells it from its content
	Stdout                        bool          // the report is what the command prints
	Timeout                       time.Duration // of an execution; 0 is none
	Name                          string        // of journal and result; "" is that of the test runner
	MaxTime                       time.Duration // of all; 0 is not bounded
	Isolate                       bool          // what is decided is left out of later executions
	Quarantine                    string        // file of the tests that are set aside; "" is none
}

// repeatRun runs a test command.
type repeatRun struct {
	run
	RepeatRequest
}

// Repeat runs the tests of another runner many times. The error is the verdict, a [problem.VerdictError], where nothing
// else went wrong.
func Repeat(ctx context.Context, a *world.World, r RepeatRequest) error {
	return (&repeatRun{run: run{Request: r.Request}, RepeatRequest: r}).execute(ctx, a, r.Command)
}

// NotInNames is what a name of journal and result is not made of.
var NotInNames = lazy.Regexp(`[^A-Za-z0-9._-]+`)

func (f *repeatRun) execute(ctx context.Context, a *world.World, args []string) (err error) {
	defer f.tellOfEarly(ctx, a, &err)
	if err := f.check(); err != nil {
		return err
	}
	command, err := f.command(a, args)
	if err != nil {
		return err
	}
	aside, err := openQuarantine(ctx, f.Quarantine)
	if err != nil {
		return err
	}
	found, cases, err := f.find(ctx, a, command)
	if err != nil {
		return err
	}
	s, err := f.suite(command, cases)
	if err != nil {
		return err
	}
	var agent *repeat.Agent
	f.run.Looks.Ledger = looking.NoLedger
	f.run.Adapt = func(o *runner.Options) {
		agent = repeat.NewAgent(command, found, max(1, s.Concurrency))
		agent.Isolate = f.Isolate
		agent.Attach(o)
		o.Programs = nil // a test runner is not what is tested
	}
	f.run.NewAlone, f.run.Kind = true, "repeat"
	var against runner.Comparison
	f.run.Compared = func(c runner.Comparison) { against = c }
	f.run.Found = func(e *runs.Evidence) {
		aside.mark(e)
		e.Repeated = true
		e.Gone, e.Added = f.chosen(against.Removed), against.Added
	}
	f.run.Advice = command.ByHand()
	done, err := f.carry(ctx, a, s)
	if wrong, is := errors.AsType[*problem.StartErrors](err); is && len(wrong.Problems) > 0 {
		return problem.Unavailable("the command "+wrong.Problems[0].Problem, command.ByHand())
	}
	if err != nil {
		return err
	}
	a.Notice("note", "%s of the command, for %s of %s", prose.Count(agent.Executions(), "execution"),
		prose.Count(done.Result.Spent.Trials, "trial"), prose.Count(len(cases), "test"))
	if err := aside.update(ctx, a, done.Result); err != nil {
		return err
	}
	err = f.run.deliver(ctx, a, done.Result, done.To)
	if problem.Is[problem.VerdictError](err) {
		f.run.KeepRun(ctx, a, done, done.Result)
	}
	return err
}

// command is the test command, with what makes it write a report.
func (f *repeatRun) command(a *world.World, args []string) (*repeat.Command, error) {
	if len(args) == 0 {
		return nil, problem.Usage("such as tribunal repeat -- pytest -q", "there is no test command")
	}
	for _, glob := range f.Only {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, problem.Usage(`such as --only "test_pay*"`, "--only %q is no glob: %v", glob, err)
		}
	}
	c, err := repeat.NewCommand(args)
	if err != nil {
		return nil, err
	}
	if f.From != "" {
		if c.From, err = ingest.ParseFormat(f.From); err != nil {
			return nil, problem.Usage("tribunal help import lists the formats", "--from: %v", err)
		}
	}
	c.Stdout = c.Stdout || f.Stdout
	c.Timeout = f.Timeout
	if f.Isolate && !c.Narrows() {
		a.Notice("note", "--isolate changes nothing: %s cannot be told which tests to run",
			cmp.Or(c.Known, "a command without {tests}"))
	}
	if len(c.Dropped) > 0 {
		a.Notice("note", "left out, so that each execution runs every test once: %s", strings.Join(c.Dropped, ", "))
	}
	// The command is the person's own, who would run it with all of these.
	c.Allowed = process.Environment{Allow: []string{"*"}}
	if err := c.Validate(); err != nil {
		unknown := new(repeat.UnknownRunnerError)
		if errors.As(err, &unknown) {
			if f.From != "" {
				return nil, problem.Usage(unknown.Hint()+", or --stdout", "%s", unknown.Message())
			}
			c.Exit = f.nameOf(c)
			a.Notice("note",
				"%s is one test, which passes with exit code 0; where the command writes a report, {report} names it", c.Exit)
			return c, nil
		}
		if again, is := errors.AsType[*repeat.TriesAgainError](err); is {
			return nil, problem.Usage(again.Hint(), "%s", again.Message())
		}
		return nil, err
	}
	return c, nil
}

// find returns the tests of the command: those of the journal, where a run is continued, or of a first
// execution, which is their first trial.
func (f *repeatRun) find(
	ctx context.Context, a *world.World, command *repeat.Command,
) (*repeat.Execution, []string, error) {
	if f.run.Resume {
		file := cmp.Or(f.run.Journal, f.usual(&suite.Suite{File: "x", Name: f.nameOf(command)}, false).Journal)
		history, err := app.ReadJournal(ctx, file)
		if err != nil {
			return nil, nil, problem.BadInput(fmt.Sprintf("the journal %s cannot be continued: %v", file, err),
				"omit --resume to begin a run")
		}
		var cases []string
		for _, t := range history.Header.Tests {
			cases = append(cases, t.Scenarios...)
		}
		return nil, cases, nil
	}
	if command.Exit == "" {
		a.Notice("note", "the first execution finds the tests: %s", strings.Join(command.Argv, " "))
	}
	found, err := command.Execute(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			if f.Timeout == 0 {
				a.Notice("note", "the first execution had not ended; --timeout ends one that hangs")
			}
			return nil, nil, context.Cause(ctx)
		}
		infrastructure := new(runner.InfrastructureError)
		if errors.As(err, &infrastructure) {
			return nil, nil, problem.Unavailable(infrastructure.Error(),
				command.Advice(err))
		}
		return nil, nil, err
	}
	cases := f.chosen(found.Order)
	switch {
	case len(found.Order) == 0:
		return nil, nil, problem.BadInput("the report of the command has no test that was run", command.ByHand())
	case found.Unlike() != "":
		return nil, nil, problem.Unavailable(found.Unlike()+": what failed is not judged", command.ByHand())
	case len(cases) == 0:
		return nil, nil, problem.Usage(fmt.Sprintf("the report has %s, such as %q", prose.Count(len(found.Order), "test"),
			found.Order[0]), "no test matches --only %s", strings.Join(f.Only, ", "))
	}
	if len(found.Several) > 0 {
		a.Notice("note", "a test listed several times passes only if it passed each time: %s", prose.Some(found.Several, 3))
	}
	return found, cases, nil
}

// chosen are the tests of these that --only leaves.
func (f *repeatRun) chosen(names []string) []string {
	if len(f.Only) == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(f.Only, func(glob string) bool {
			matches, _ := path.Match(glob, name)
			return matches
		})
	})
}

// nameOf is the name of journal and result. What is no test runner is named with its first argument, as in sh-test.sh.
func (f *repeatRun) nameOf(c *repeat.Command) string {
	program := path.Base(c.Argv[0])
	if len(c.Argv) > 1 && !strings.HasPrefix(c.Argv[1], "-") && !strings.Contains(c.Argv[1], "{") {
		program += "-" + path.Base(c.Argv[1])
	}
	name := cmp.Or(f.Name, c.Known, program)
	return cmp.Or(strings.Trim(NotInNames().ReplaceAllString(name, "-"), "-."), "tests")
}

// suite is what a file would say: a scenario for each test, all with the same design.
func (f *repeatRun) suite(c *repeat.Command, cases []string) (*suite.Suite, error) {
	type scenario struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	}
	test := map[string]any{
		"threshold": f.Threshold, "delta": f.Delta, "alpha": f.Alpha, "beta": f.Beta,
	}
	if f.MaxTrials.Known {
		test["max_trials"] = f.MaxTrials.Value
	}
	var scenarios []scenario
	for _, name := range cases {
		scenarios = append(scenarios, scenario{name, name})
	}
	agent := map[string]any{"command": c.Argv}
	if f.Isolate { // trials of another question
		agent["env"] = map[string]string{"TRIBUNAL_REPEAT": "isolate"}
	}
	form := map[string]any{
		"version": 1, "name": f.nameOf(c), "limits": "none", "concurrency": 1, "test": test, "scenarios": scenarios,
		"agent": agent,
	}
	text, err := json.Marshal(form) // which is YAML
	if err != nil {
		return nil, err
	}
	s, err := suite.Parse("the tests of the command", text)
	if err != nil {
		return nil, err
	}
	if f.MaxTime > 0 {
		s.Budget.MaxDuration = f.MaxTime
	}
	return s, nil
}
