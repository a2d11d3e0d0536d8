package runner

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// TrialChoice says which trial of a suite [Try] makes: the one that a run with the seed makes under the number.
type TrialChoice struct {
	Scenario suite.Scenario // of the suite
	Variant  string         // of the agent; "" is the agent itself
	Number   int            // within scenario and variant, from 0
	Seed     uint64         // of the run, from which that of the trial follows
	// TrialSeed is that of the trial itself, where a journal tells it: then Seed is not looked at.
	TrialSeed trial.Optional[uint64]
	// Prices are laid over those that are built in, and those of the suite over both; nil is none.
	Prices *prices.Table
}

// TryResult is all that can be seen of one trial. Secrets are removed from it, as from what a run keeps.
type TryResult struct {
	Command []string // as it was started
	Dir     string   // where
	Session bool     // it stays up, and is asked trial by trial

	// Of an agent at an address: the method and the address, the body that it was sent, and what came.
	Address, Sent, Came string
	byPaths             bool   // the answer is read at the paths that the suite names
	OfModel             bool   // it is that of a model
	Request             string // what it was given on standard input: JSON
	Seed                uint64 // of the trial
	Scripted            bool   // a script answered in place of models: nothing was paid

	// What the program left and how it ended; nil where it could not be started.
	Process *process.Result
	// File is that of its output, with what was in it; "" where it writes to standard output.
	File, Written string

	// ReadAs is the form in which the output was read: "text", or the name of a format; "" where it was not read.
	ReadAs    string
	Trial     *trial.Trial      // the record, as a journal has it
	Judgement *oracle.Judgement // by the evaluators and limits; nil where nothing was judged

	Why string // what a report says of why it did not pass; "" for a pass

	// Unavailable says that the agent could not be run: its program, or one that it starts, is not there.
	Unavailable bool
}

// What [TryResult].ReadAs is beside.
const (
	ReadByPaths = "response" // the suite names paths into the answer
	ReadOfModel = "model"    // it is the answer of a model
)

// Try makes one trial of a suite, without a design, a budget or a journal. The warnings are those of
// [PrepareOptions].
//
// The error says that the suite or the variant cannot be used, or that the context ended. What becomes of the
// trial is none.
func Try(ctx context.Context, s *suite.Suite, asked TrialChoice, warn func(string)) (*TryResult, error) {
	s, err := s.Expanded([]suite.Scenario{asked.Scenario})
	if err != nil {
		return nil, err
	}
	agents, err := commandAgents(s)
	if err != nil {
		return nil, err
	}
	tellUnconfined(agents.unconfined, warn)
	secrets, err := secretsOf(s, warn)
	if err != nil {
		return nil, err
	}
	called, ok := agents.agent, true
	if asked.Variant != "" {
		called, ok = agents.variants[asked.Variant]
	}
	if !ok {
		return nil, argument.Wrong("variant", fmt.Sprintf("%q", asked.Variant), "is not one of the suite")
	}
	defer closeAll(called)
	one := trialOf(asked, called)
	request := one.request()
	tried := &TryResult{Seed: one.Seed}
	if err := tried.begin(called, request); err != nil {
		return nil, err
	}
	builtIn, err := prices.Embedded()
	if err != nil {
		return nil, err
	}
	o := &Options{
		Judge: judges(s.Score, []suite.Scenario{asked.Scenario}), reports: reportsOf(s),
		Prices: builtIn.With(asked.Prices).With(s.Prices),
		Budget: Budget{PricePerTrial: s.Budget.PricePerTrial.Value},
	}
	agents.priced(o.Prices)
	e := perform(ctx, o, one, request, 0)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	tried.end(e, outputOf(s, asked.Variant))
	e = e.redacted(secrets)
	tried.Trial = e.record(o.Budget.PricePerTrial)
	if judgement, judged := oracle.Recorded(tried.Trial); judged {
		tried.Judgement = &judgement
	}
	x := runs.TrialEvidence{Trial: tried.Trial, Process: e.process(tried.Trial)}
	if x.Process != nil {
		x.Process.Stderr = secrets.Text(x.Process.Stderr)
	}
	tried.Why = x.Why()
	tried.redact(secrets)
	return tried, nil
}

// outputOf is the form in which the output of a variant is read.
func outputOf(s *suite.Suite, variant string) string {
	for _, v := range s.Variants {
		if v.Name == variant {
			return v.Agent.Output
		}
	}
	return s.Agent.Output
}

// trialOf is the trial that is asked for, of a test of its own.
func trialOf(asked TrialChoice, agent Agent) *trialRun {
	c := asked.Scenario
	one := &trialRun{
		test:     &testRun{spec: Test{Name: c.Name, Variant: asked.Variant, Scenarios: []string{c.Name}}, agent: agent},
		scenario: &scenarioRun{spec: Scenario{Name: c.Name, Input: c.Input, expect: c.Expect}},
	}
	one.Test, one.Scenario, one.Variant, one.Number = c.Name, c.Name, asked.Variant, asked.Number
	one.Seed = trialSeed(asked.Seed, c.Name, asked.Number)
	if asked.TrialSeed.Known {
		one.Seed = asked.TrialSeed.Value
	}
	return one
}

// begin notes what is started, with which input.
func (t *TryResult) begin(called Agent, r Request) error {
	input, err := r.JSON()
	if err != nil {
		return &InfrastructureError{Type: inputProblem, Problem: "the input is not JSON: " + err.Error(), Err: err}
	}
	t.Request = string(input)
	if asker, isHTTP := called.(*httpAgent); isHTTP {
		return t.asks(asker, r)
	}
	if asker, isModel := called.(*modelAgent); isModel {
		return t.asksModel(asker, r)
	}
	agent, ok := called.(*CommandAgent)
	if session, isSession := called.(*SessionAgent); isSession {
		agent, ok, t.Session = &session.CommandAgent, true, true
	}
	if !ok {
		return nil
	}
	command, file, err := agent.named(r)
	if err != nil {
		return err
	}
	t.Command, t.File = command.Argv, file
	t.Scripted = agent.wiring != nil && agent.wiring.scripts != nil
	if t.Dir, err = filepath.Abs(command.Dir); err != nil {
		t.Dir = command.Dir
	}
	if agent.fresh {
		t.Dir = "a folder of its own"
	}
	return nil
}

// asks notes what is asked of which address.
func (t *TryResult) asks(asker *httpAgent, r Request) error {
	values, err := valuesOf(r)
	if err != nil {
		return err
	}
	sent, err := asker.caller.Request(values)
	t.byPaths = asker.response.Asked()
	t.Address, t.Sent = sent.Method+" "+sent.URL, string(sent.Body)
	return err
}

// asksModel notes the first request of a conversation.
func (t *TryResult) asksModel(asker *modelAgent, r Request) error {
	talk, err := asker.talk(r)
	if err != nil {
		return err
	}
	sent, err := asker.client.Body(talk.First())
	t.OfModel, t.Address, t.Sent = true, "POST "+asker.client.Address(), string(sent)
	return err
}

// end notes what the program left, and as what it was read: in the form that the suite says, or that was told
// from it.
func (t *TryResult) end(e attemptEnd, form string) {
	t.Unavailable = e.repeatable() || e.cause() == notFoundProblem
	if e.attempt.Process != nil {
		p := *e.attempt.Process
		t.Process = &p
	}
	t.Written, t.Came = string(e.attempt.written), string(e.attempt.came)
	if e.attempt.Trial == nil {
		return
	}
	t.ReadAs = form
	switch {
	case t.byPaths:
		t.ReadAs = ReadByPaths
		return
	case t.OfModel:
		t.ReadAs = ReadOfModel
		return
	}
	if form != suite.OutputAuto || e.attempt.Broken {
		return
	}
	output := e.attempt.written
	switch {
	case t.Address != "":
		output = e.attempt.came
	case t.File == "":
		output = t.Process.Stdout
	}
	t.ReadAs = suite.OutputText
	if _, found, _ := ingest.ReadOne(output, ingest.Auto, e.trial.Scenario); found {
		t.ReadAs = ingest.Trials.String()
		if format, err := ingest.Detect(output); err == nil {
			t.ReadAs = format.String()
		}
	}
}

// redact removes secrets from what is in no record.
func (t *TryResult) redact(secrets *redact.Secrets) {
	words := append([]string{t.Request, t.Written, t.Address, t.Sent, t.Came}, t.Command...)
	words = secrets.Texts(words)
	t.Request, t.Written, t.Address, t.Sent, t.Came, t.Command = words[0], words[1], words[2], words[3], words[4],
		words[5:]
	if t.Process != nil {
		t.Process.Stdout = []byte(secrets.Text(string(t.Process.Stdout)))
		t.Process.Stderr = secrets.Text(t.Process.Stderr)
	}
}
