package running

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// TryRequest asks for one trial of a suite, and all that there is to see of it.
type TryRequest struct {
	Suite   string                 // file or folder; "" is the one that is found
	Trial   []string               // one name such as refund or refund#2; none is the first scenario
	Variant string                 // "" is the first, where there are any
	Seed    trial.Optional[uint64] // of the run whose trial it is; not known is the suite's
	Pricing evidence.Pricing
	JSON    bool
}

// RunTry makes the trial and shows it.
func RunTry(ctx context.Context, a *world.World, r TryRequest) error {
	return r.execute(ctx, a, r.Trial)
}

func (f *TryRequest) execute(ctx context.Context, a *world.World, args []string) (err error) {
	defer func() {
		if err != nil && problem.Is[*problem.SignalError](context.Cause(ctx)) {
			a.Notice("note", "the trial did not end, and nothing of it is kept")
		}
	}()
	if len(args) > 1 {
		return problem.Usage("quote a name with blanks in it", "try takes one scenario, but there are %d", len(args))
	}
	s, err := f.load(a, args)
	if err != nil {
		return err
	}
	asked := runner.TrialChoice{Scenario: s.Scenarios[0], Seed: s.Seed}
	switch {
	case f.Seed.Known:
		asked.Seed = f.Seed.Value
	case !s.SeedGiven && a.Env.Get(world.EnvironmentName("ledger")) != looking.NoLedger:
		// That of a run, as it begins now.
		agent, err := keeping.Identify(ctx, a, s)
		if err != nil {
			return err
		}
		asked.Seed = agent.Seed()
	}
	if len(args) == 1 {
		if asked.Scenario, asked.Number, err = namedTrial(s, args[0]); err != nil {
			return err
		}
	}
	if asked.Variant, err = variantOf(s, f.Variant); err != nil {
		return err
	}
	if asked.Prices, err = f.Pricing.Over(); err != nil {
		return err
	}
	tried, err := try(ctx, a, s, asked)
	if err != nil {
		return err
	}
	return showTried(a, tried, s.Budget, f.JSON)
}

// load reads the suite. A folder or a file in place of the scenario is a slip of who knows run.
func (f *TryRequest) load(a *world.World, args []string) (*suite.Suite, error) {
	var named []string
	if f.Suite != "" {
		named = []string{f.Suite}
	}
	s, err := suitefile.Load(a, named)
	if err == nil || f.Suite != "" || len(args) == 0 || !errors.Is(err, os.ErrNotExist) {
		return s, err
	}
	if evidence.IsSuite(args[0]) {
		return nil, problem.Usage("tribunal try --suite "+args[0], "%s is a suite, and try takes a scenario", args[0])
	}
	return nil, err
}

// namedTrial returns the scenario that a name such as refund or refund#2 means, and the number of the trial.
func namedTrial(s *suite.Suite, name string) (suite.Scenario, int, error) {
	scenario, number := name, 0
	// The name of a scenario may itself have such a sign in it.
	if _, ok := scenarioNamed(s, name); !ok {
		if i := strings.LastIndexByte(name, '#'); i >= 0 {
			n, err := strconv.ParseUint(name[i+1:], 10, 31)
			if err != nil {
				return suite.Scenario{}, 0, problem.Usage("such as refund#2, the third trial of refund",
					"%s has no number of a trial behind its #", prose.Quote(name))
			}
			scenario, number = name[:i], int(n)
		}
	}
	if c, ok := scenarioNamed(s, scenario); ok {
		return c, number, nil
	}
	hint := suitefile.SomeScenario(s)
	var names []string
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	switch near := suitefile.NearestScenario(scenario, names); {
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case evidence.IsSuite(scenario):
		hint = "a suite is named by --suite: tribunal try --suite " + scenario
	}
	return suite.Scenario{}, 0, problem.Usage(hint, "the suite has no scenario %s", prose.Quote(scenario))
}

// scenarioNamed returns the scenario of a name.
func scenarioNamed(s *suite.Suite, name string) (suite.Scenario, bool) {
	for _, c := range s.Scenarios {
		if c.Name == name {
			return c, true
		}
	}
	return suite.Scenario{}, false
}

// variantOf returns the variant that is asked for, or the first where there are any.
func variantOf(s *suite.Suite, name string) (string, error) {
	var names []string
	for _, v := range s.Variants {
		if v.Name == name {
			return name, nil
		}
		names = append(names, v.Name)
	}
	switch {
	case name == "" && len(names) > 0:
		return names[0], nil
	case name == "":
		return "", nil
	case len(names) == 0:
		return "", problem.Usage("omit --variant", "the suite has no variants")
	}
	hint := problem.DidYouMean("", name, names)
	if hint == "" {
		hint = "the suite has " + prose.Some(suitefile.QuotedAll(names), 5)
	}
	return "", problem.Usage(hint, "the suite has no variant %s", prose.Quote(name))
}

// try makes the trial, while the command tends its program.
func try(ctx context.Context, a *world.World, s *suite.Suite, asked runner.TrialChoice) (*runner.TryResult, error) {
	return TryWarning(ctx, a, s, asked, a.Warn)
}

// TryWarning is try for who has warnings of the suite told elsewhere.
func TryWarning(
	ctx context.Context, a *world.World, s *suite.Suite, asked runner.TrialChoice, warn func(string),
) (*runner.TryResult, error) {
	done := session.Of(ctx).Tend()
	defer done()
	return runner.Try(ctx, s, asked, warn)
}

// showTried prints a trial. That the agent could not be run is an error, told after what there is to see.
func showTried(a *world.World, t *runner.TryResult, budget suite.Budget, asJSON bool) error {
	var err error
	if asJSON {
		var form *triedJSON
		if form, err = newTriedJSON(t); err == nil {
			err = report.JSON(a.Out, form)
		}
	} else {
		err = writeTried(a, t, budget)
	}
	if err != nil || !t.Unavailable {
		return err
	}
	hint := "the command is started without a shell, from " + t.Dir
	if t.Address != "" {
		hint = "it is called at the address of agent.http.url; does it listen there?"
	}
	if t.OfModel {
		hint = "it is called at the address of agent.model.url, or of its provider; does it listen there?"
	}
	return problem.Unavailable("the agent could not be run: "+t.Trial.Error.Message,
		hint)
}

// triedJSON is the JSON form of a trial that was tried.
type triedJSON struct {
	Schema      string          `json:"schema"`
	Scenario    string          `json:"scenario"`
	Variant     string          `json:"variant,omitempty"`
	Trial       int             `json:"trial"`
	Seed        uint64          `json:"seed"` // of the trial
	Outcome     string          `json:"outcome"`
	Unavailable bool            `json:"unavailable,omitempty"` // the agent could not be run
	Command     []string        `json:"command"`
	Dir         string          `json:"dir"`
	Address     string          `json:"address,omitempty"` // that was asked, behind the method
	Sent        string          `json:"sent,omitempty"`    // the body
	Came        string          `json:"came,omitempty"`    // the answer
	Session     bool            `json:"session,omitempty"` // it stays up, and answers line by line
	Request     json.RawMessage `json:"request"`           // what it was given on standard input
	Process     *processJSON    `json:"process,omitempty"`
	OutputFile  string          `json:"output_file,omitempty"`
	Written     string          `json:"written,omitempty"` // what was in that file
	ReadAs      string          `json:"read_as,omitempty"`
	Scripted    bool            `json:"scripted,omitempty"` // a script answered in place of models: nothing was paid
	Record      json.RawMessage `json:"record"`             // as a journal would have it, with the judgement
	Report      string          `json:"report"`
}

// processJSON is how a program ended.
type processJSON struct {
	ExitCode int     `json:"exit_code"` // -1 where a signal ended it
	Signal   string  `json:"signal,omitempty"`
	TimedOut bool    `json:"timed_out,omitempty"`
	Duration float64 `json:"duration_s"`
	Stdout   string  `json:"stdout"`
	Stderr   string  `json:"stderr"` // the end of it
}

func newTriedJSON(t *runner.TryResult) (*triedJSON, error) {
	record, err := trial.Append(nil, t.Trial)
	if err != nil {
		return nil, err
	}
	form := &triedJSON{
		Schema: "tribunal/try/v1", Scenario: t.Trial.Scenario, Variant: t.Trial.Variant, Trial: t.Trial.Index.Value,
		Seed: t.Seed, Outcome: t.Trial.Outcome.String(), Unavailable: t.Unavailable, Command: t.Command, Dir: t.Dir,
		Session: t.Session,
		Address: t.Address, Sent: validText(t.Sent), Came: validText(t.Came),
		Request: json.RawMessage(t.Request), OutputFile: t.File, Written: validText(t.Written),
		ReadAs: t.ReadAs, Scripted: t.Scripted, Record: json.RawMessage(record), Report: reportLine(t),
	}
	// What was redacted of it may have been a name or a number.
	if !json.Valid(form.Request) {
		form.Request = json.RawMessage(strconv.Quote(t.Request))
	}
	if p := t.Process; p != nil {
		form.Process = &processJSON{
			ExitCode: p.ExitCode, Signal: p.Signal, TimedOut: p.TimedOut, Duration: p.Duration.Seconds(),
			Stdout: validText(string(p.Stdout)), Stderr: validText(p.Stderr),
		}
	}
	return form, nil
}

// validText is a text as JSON can hold it.
func validText(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// Numbered is how a trial is named: refund#2, or refund [small]#2 of a variant.
func Numbered(scenario, variant string, number int) string {
	return fmt.Sprintf("%s#%d", suite.TestName(scenario, variant), number)
}

// TryHint says how to see what becomes of a trial of the scenario; "" is the first one of the suite.
func TryHint(s *suite.Suite, scenario string) string {
	command := "tribunal try"
	if file, err := app.FindSuite(); err != nil || file != s.File {
		command += " --suite " + problem.ShellWord(s.File)
	}
	if scenario != "" && scenario != s.Scenarios[0].Name {
		command += " " + problem.ShellWord(scenario)
	}
	return command + " shows all there is to see of one trial: its input, what the agent printed and how it ended"
}
