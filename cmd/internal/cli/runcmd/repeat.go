package runcmd

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

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/runner/repeat"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// repeatFlags are those of the command repeat: of a run, and what a suite would say.
type repeatFlags struct {
	run       RunFlags
	threshold value.Level
	alpha     value.Level
	design    judging.DesignFlags
	only      []string
	from      string
	stdout    bool
	timeout   time.Duration
	name      string
	maxTime   time.Duration
	isolate   bool   // what is decided is left out
	aside     string // file of the tests that are set aside
}

// RepeatCommand runs the tests of another runner many times.
func RepeatCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "repeat [flags] -- COMMAND [ARG...]",
		Short: "run a test command again and again until each of its tests is decided",
		Long: `Run a test command again and again. One execution is one trial of every test case in
its report; each case has a sequential test of its own, which stops as soon as it decides.
Each execution runs the whole command, as a test may fail only behind others. With --isolate
what is decided is left out of later executions, where the test runner can be told so.

Known runners are pytest, go test, gotestsum, vitest, jest, mocha, playwright, ctest and dotnet
test: their report is asked for, and a test that failed is not tried again. Any other command
that writes a report that tribunal import reads (JUnit XML, CTRF, TAP and more) names its file
by {report}, or prints it: --stdout. With --isolate an argument {tests} is replaced by the
names of the cases that are to run.

Journal, result, --resume, --record, --baseline and exit codes are those of tribunal run.`,
		Example: `  tribunal repeat -- pytest -q
  tribunal repeat --threshold 0.95 --concurrency 2 -- go test ./...
  tribunal repeat -- npx vitest run
  tribunal repeat --isolate -- ./run-tests --junit {report} --only {tests}
  tribunal repeat --stdout -- prove --verbose --merge t/refund.t
  tribunal repeat --record 100 --output main.result.json -- pytest
  tribunal repeat --baseline main.result.json -- pytest`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f repeatFlags
	f.register(command.Flags())
	command.RunE = base.Judging(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *repeatFlags) register(flags *pflag.FlagSet) {
	f.threshold, f.alpha = 0.9, verdict.DefaultAlpha
	f.design.Delta, f.design.Beta = verdict.DefaultDelta, verdict.DefaultBeta
	f.design.MaxTrials = value.Count{Least: 1, Most: judging.MaxDesign}
	flags.Var(&f.threshold, "threshold", "share of executions in which a test has to pass")
	flags.Var(&f.design.Delta, "delta", "a test whose rate is lower than the threshold by so much has to fail")
	flags.Var(&f.alpha, "alpha", "bounds the chance of a false Fail, for each test")
	flags.Var(&f.design.Beta, "beta", "bounds the chance of a false Pass, for each test")
	flags.Var(&f.design.MaxTrials, "max-trials",
		"end after so many executions in any case (default 1.4 times the fixed sample)")
	flags.Lookup("max-trials").DefValue = ""
	flags.DurationVar(&f.maxTime, "max-duration", 0, "launch nothing more after this `DURATION`")
	flags.Lookup("max-duration").DefValue = "0s"
	flags.StringSliceVar(&f.only, "only", nil, "judge only tests whose name matches the `GLOB`; may be given again")
	flags.StringVar(&f.from, "from", "", "`FORMAT` of the report (default: seen from its content)")
	flags.BoolVar(&f.stdout, "stdout", false, "the report is what the command prints")
	flags.DurationVar(&f.timeout, "timeout", 0, "end an execution after this `DURATION`, which is an error of its tests")
	flags.Lookup("timeout").DefValue = "0s"
	flags.BoolVar(&f.isolate, "isolate", false, "leave decided tests out of later executions")
	flags.StringVar(&f.name, "name", "", "`NAME` of journal and result (default: the test runner's)")
	flags.StringVar(&f.aside, "quarantine", "",
		"tests in this `FILE` do not fail the command; those that pass and fail are added to it")
	f.run.Tests.register(flags)
	f.run.registerTrials(flags)
	flags.Lookup("concurrency").Usage = "executions at a time (default 1)"
}

// NotInNames is what a name of journal and result is not made of.
var NotInNames = lazy.Regexp(`[^A-Za-z0-9._-]+`)

func (f *repeatFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.run.check(flags); err != nil {
		return err
	}
	command, err := f.command(a, args)
	if err != nil {
		return err
	}
	aside, err := openQuarantine(ctx, f.aside)
	if err != nil {
		return err
	}
	found, cases, err := f.find(ctx, a, command)
	if err != nil {
		return err
	}
	s, err := f.suite(flags, command, cases)
	if err != nil {
		return err
	}
	var agent *repeat.Agent
	f.run.Looks.Ledger = looking.NoLedger
	f.run.Adapt = func(o *runner.Options) {
		agent = repeat.NewAgent(command, found, max(1, s.Concurrency))
		agent.Isolate = f.isolate
		agent.Attach(o)
		o.Programs = nil // a test runner is not what is tested
	}
	f.run.newAlone, f.run.Kind = true, "repeat"
	var against runner.Comparison
	f.run.compared = func(c runner.Comparison) { against = c }
	f.run.found = func(e *runs.Evidence) {
		aside.mark(e)
		e.Repeated = true
		e.Gone, e.Added = f.chosen(against.Removed), against.Added
	}
	f.run.advice = "run the command by hand: " + strings.Join(command.Argv, " ")
	done, err := f.run.Carry(ctx, a, flags, s)
	if err != nil {
		return err
	}
	a.Notice("note", "%s of the command, for %s of %s", prose.Count(agent.Executions(), "execution"),
		prose.Count(done.Result.Spent.Trials, "trial"), prose.Count(len(cases), "test"))
	if err := aside.update(ctx, a, done.Result); err != nil {
		return err
	}
	err = f.run.deliver(ctx, a, done.Result, done.To)
	if problem.Is[problem.Decided](err) {
		f.run.KeepRun(ctx, a, done, done.Result)
	}
	return err
}

// command is the test command, with what makes it write a report.
func (f *repeatFlags) command(a *world.World, args []string) (*repeat.Command, error) {
	if len(args) == 0 {
		return nil, problem.Usage("such as tribunal repeat -- pytest -q", "there is no test command")
	}
	for _, glob := range f.only {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, problem.Usage(`such as --only "test_pay*"`, "--only %q is no glob: %v", glob, err)
		}
	}
	c, err := repeat.NewCommand(args)
	if err != nil {
		return nil, err
	}
	if f.from != "" {
		if c.From, err = ingest.ParseFormat(f.from); err != nil {
			return nil, problem.Usage("tribunal help import lists the formats", "--from: %v", err)
		}
	}
	c.Stdout = c.Stdout || f.stdout
	c.Timeout = f.timeout
	if f.isolate && !c.Narrows() {
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
			return nil, problem.Usage(unknown.Hint()+", or --stdout", "%s", unknown.Message())
		}
		if again, is := errors.AsType[*repeat.TriesAgainError](err); is {
			return nil, problem.Usage(again.Hint(), "%s", again.Message())
		}
		return nil, err
	}
	return c, nil
}

// find returns the tests of the command: those of the journal, where a run is gone on with, or of a first
// execution, which is their first trial.
func (f *repeatFlags) find(
	ctx context.Context, a *world.World, command *repeat.Command,
) (*repeat.Execution, []string, error) {
	if f.run.Resume {
		file := cmp.Or(f.run.Journal, app.FilesOf(&suite.Suite{File: "x", Name: f.nameOf(command)}, false).Journal)
		history, err := app.ReadJournal(ctx, file)
		if err != nil {
			return nil, nil, problem.BadInput(fmt.Sprintf("the journal %s cannot be gone on with: %v", file, err),
				"leave --resume out to begin a run")
		}
		var cases []string
		for _, t := range history.Header.Tests {
			cases = append(cases, t.Scenarios...)
		}
		return nil, cases, nil
	}
	a.Notice("note", "the first execution finds the tests: %s", strings.Join(command.Argv, " "))
	found, err := command.Execute(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		infrastructure := new(runner.InfrastructureError)
		if errors.As(err, &infrastructure) {
			return nil, nil, problem.Unavailable(infrastructure.Error(),
				"run the command by hand: "+strings.Join(command.Argv, " "))
		}
		return nil, nil, err
	}
	cases := f.chosen(found.Order)
	switch {
	case len(found.Order) == 0:
		return nil, nil, problem.BadInput("the report of the command has no test that was run", "run it by hand: "+
			strings.Join(command.Argv, " "))
	case len(cases) == 0:
		return nil, nil, problem.Usage(fmt.Sprintf("the report has %s, such as %q", prose.Count(len(found.Order), "test"),
			found.Order[0]), "no test matches --only %s", strings.Join(f.only, ", "))
	}
	return found, cases, nil
}

// chosen are the tests of these that --only leaves.
func (f *repeatFlags) chosen(names []string) []string {
	if len(f.only) == 0 {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !slices.ContainsFunc(f.only, func(glob string) bool {
			matches, _ := path.Match(glob, name)
			return matches
		})
	})
}

// nameOf is the name of journal and result.
func (f *repeatFlags) nameOf(c *repeat.Command) string {
	name := cmp.Or(f.name, c.Known, path.Base(c.Argv[0]))
	return cmp.Or(strings.Trim(NotInNames().ReplaceAllString(name, "-"), "-."), "tests")
}

// suite is what a file would say: a scenario for each test, all with the same design.
func (f *repeatFlags) suite(flags *pflag.FlagSet, c *repeat.Command, cases []string) (*suite.Suite, error) {
	type scenario struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	}
	test := map[string]any{
		"threshold": f.threshold, "delta": f.design.Delta, "alpha": f.alpha, "beta": f.design.Beta,
	}
	if flags.Changed("max-trials") {
		test["max_trials"] = f.design.MaxTrials.Value
	}
	var scenarios []scenario
	for _, name := range cases {
		scenarios = append(scenarios, scenario{name, name})
	}
	agent := map[string]any{"command": c.Argv}
	if f.isolate { // trials of another question
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
	if f.maxTime > 0 {
		s.Budget.MaxDuration = f.maxTime
	}
	return s, nil
}
