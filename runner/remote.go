package runner

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/redact"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire"
)

// An attempt may run on another machine: a [Request] goes there as an [Errand], a [Workplace] there does it, and what
// came of it is a [Report], of which the run makes an [Attempt] as if it had run here.

// Errand is a [Request] that travels.
type Errand struct {
	ID       string          `json:"id"` // of the attempt, of its own within the run
	Scenario string          `json:"scenario"`
	Variant  string          `json:"variant,omitempty"`
	Rounds   bool            `json:"rounds,omitempty"`
	Baseline bool            `json:"baseline,omitempty"`
	Input    json.RawMessage `json:"input,omitempty"`
	Trial    int             `json:"trial"`
	Seed     uint64          `json:"seed"`
	Attempt  int             `json:"attempt,omitempty"`
	Pair     string          `json:"pair,omitempty"`
	Spent    wire.Expense    `json:"spent"`               // by earlier attempts of the trial
	CostUSD  *float64        `json:"cost_usd,omitempty"`  // that is left of the budget of the run; nil is not bounded
	Tokens   *int64          `json:"tokens,omitempty"`    // likewise
	Again    bool            `json:"recovered,omitempty"` // an earlier session of the run launched it
}

// Errand returns the request as it travels.
func (r Request) Errand() Errand {
	e := Errand{
		ID: r.id(), Scenario: r.Scenario, Variant: r.Variant, Rounds: r.Rounds, Baseline: r.Baseline,
		Input: json.RawMessage(r.Input), Trial: r.Trial, Seed: r.Seed, Attempt: r.Attempt, Pair: r.pair, Spent: r.spent,
		Again: r.recovered,
	}
	cost, tokens := r.budget.Left()
	if cost.Known {
		e.CostUSD = &cost.Value
	}
	if tokens.Known {
		e.Tokens = &tokens.Value
	}
	return e
}

// Request returns the request that travelled. What is left of the budget of the run is a budget of its own.
func (e Errand) Request() Request {
	r := Request{
		Scenario: e.Scenario, Variant: e.Variant, Rounds: e.Rounds, Baseline: e.Baseline, Input: trial.Raw(e.Input),
		Trial: e.Trial, Seed: e.Seed, Attempt: e.Attempt, pair: e.Pair, spent: e.Spent,
	}
	if e.CostUSD == nil && e.Tokens == nil {
		return r
	}
	var cost trial.Optional[float64]
	var tokens trial.Optional[int64]
	if e.CostUSD != nil {
		cost = trial.Some(*e.CostUSD)
	}
	if e.Tokens != nil {
		tokens = trial.Some(*e.Tokens)
	}
	r.budget = wire.NewBudget(cost, tokens, wire.BudgetUse{})
	return r
}

// Report is an [Attempt] that travels.
type Report struct {
	Record  json.RawMessage `json:"record,omitempty"` // of the trial, as a line of trials; none where nothing was recorded
	Process *process.Result `json:"process,omitempty"`
	Failure *Failure        `json:"failure,omitempty"` // nil where there is an outcome
	Broken  bool            `json:"broken,omitempty"`
	Taken   wire.BudgetUse  `json:"taken"` // on the wire
	Cut     bool            `json:"cut,omitempty"`
	Written []byte          `json:"written,omitempty"` // to its output file
	Came    []byte          `json:"came,omitempty"`    // from an address
	Took    time.Duration   `json:"took_ns"`
	// Judged says that it was judged where it ran; JudgeError is why no outcome was reached there.
	Judged     bool   `json:"judged,omitempty"`
	JudgeError string `json:"judge_error,omitempty"`
	Expects    bool   `json:"expects,omitempty"`
	Declared   bool   `json:"declared,omitempty"`
	Unbegun    bool   `json:"unbegun,omitempty"`
	// Again is how often the attempt was begun before, by workers that were lost.
	Again int `json:"again,omitempty"`
}

// Failure is why an attempt has no outcome.
type Failure struct {
	Type    string        `json:"type,omitempty"`
	Problem string        `json:"problem"`
	Stderr  string        `json:"stderr,omitempty"`
	Unbegun bool          `json:"unbegun,omitempty"`
	After   time.Duration `json:"after_ns,omitempty"`
	Plain   bool          `json:"plain,omitempty"` // it is no [InfrastructureError]
}

// Report returns the attempt as it travels. A record that no reader would take is the failure of the attempt, as it is
// where it runs beside the run.
func (a Attempt) Report(scenario string) Report {
	r := Report{
		Process: a.Process, Broken: a.Broken, Taken: a.taken, Cut: a.cut, Written: a.written, Came: a.came,
		Took: a.took.Value, Judged: a.judged, Expects: a.expects, Declared: a.declared, Unbegun: a.unbegun, Again: a.again,
	}
	if a.judgeErr != nil {
		r.JudgeError = a.judgeErr.Error()
	}
	err := a.Err
	if a.Trial != nil && a.Process != nil { // the record stands for what was printed
		p := *a.Process
		p.Stdout, r.Process = nil, &p
	}
	if a.Trial != nil {
		record := *a.Trial
		if record.Scenario == "" {
			record.Scenario = scenario
		}
		line, problem := trial.Append(nil, &record)
		switch {
		case problem == nil:
			r.Record = line
		case err == nil:
			err = &InfrastructureError{
				Type: outputProblem, Problem: "the record of the trial cannot be used: " + problem.Error(), Err: problem,
			}
		}
	}
	if err != nil {
		r.Failure = failureOf(err)
	}
	return r
}

// failureOf is an error that travels.
func failureOf(err error) *Failure {
	if why, ok := errors.AsType[*InfrastructureError](err); ok {
		return &Failure{Type: why.Type, Problem: why.Problem, Stderr: why.Stderr, Unbegun: why.Unbegun, After: why.After}
	}
	return &Failure{Problem: err.Error(), Plain: true}
}

// Attempt returns the attempt that travelled. The error says that its record cannot be read.
func (r Report) Attempt() (Attempt, error) {
	a := Attempt{
		Process: r.Process, Broken: r.Broken, taken: r.Taken, cut: r.Cut, written: r.Written, came: r.Came,
		took: trial.Some(max(0, r.Took)), judged: r.Judged, expects: r.Expects, declared: r.Declared, unbegun: r.Unbegun,
		again: max(0, r.Again),
	}
	if r.JudgeError != "" {
		a.judgeErr = errors.New(r.JudgeError)
	}
	if f := r.Failure; f != nil && f.Plain {
		a.Err = errors.New(f.Problem)
	} else if f != nil {
		a.Err = &InfrastructureError{
			Type: f.Type, Problem: f.Problem, Stderr: f.Stderr, Unbegun: f.Unbegun, After: max(0, f.After),
		}
	}
	if len(r.Record) > 0 {
		t, err := trial.Decode(r.Record, trial.Options{Unjudged: true})
		if err != nil {
			return Attempt{}, err
		}
		t.Place = trial.Place{}
		a.Trial = t
	}
	if a.Err == nil && a.Trial == nil {
		return Attempt{}, errNoTrial
	}
	return a, nil
}

// LostError is the failure of an attempt that workers were lost with, time and again.
func LostError(problem string) *InfrastructureError {
	return &InfrastructureError{Type: "lost", Problem: problem}
}

// Workplace does errands of a suite: it has its agents, as a run on this machine would have them.
type Workplace struct {
	options Options
	agents  agents
	expect  map[string]oracle.Expectation
	judges  bool
	secrets *redact.Secrets // of this machine, which do not leave it
}

// WorkplaceOptions say how a suite is worked on.
type WorkplaceOptions struct {
	Slots  int           // errands at once; 0 is 1
	Prices *prices.Table // of models; nil is none
	Judges bool          // trials are judged here, and not by the run
	// PricePerTrial in USD is that of the budget of the suite.
	PricePerTrial float64
}

// NewWorkplace makes the agents of a suite. The errors are those of [Prepare] where its programs or variables are not
// there.
func NewWorkplace(s *suite.Suite, o WorkplaceOptions) (*Workplace, error) {
	var judged []suite.Scenario // whose judges run here
	if o.Judges {
		judged = s.Scenarios
	}
	if err := s.Startable(judged, s.BaselineAgent != nil); err != nil {
		return nil, err
	}
	expanded, err := s.Expanded(s.Scenarios)
	if err != nil {
		return nil, err
	}
	expanded.Concurrency = max(1, o.Slots)
	all, err := commandAgents(expanded)
	if err != nil {
		return nil, err
	}
	secrets, err := secretsOf(expanded, nil)
	if err != nil {
		return nil, err
	}
	secrets.NamedOnly() // what merely looks like a key is judged, and removed by the run
	all.priced(o.Prices)
	w := &Workplace{agents: all, judges: o.Judges, expect: map[string]oracle.Expectation{}, secrets: secrets}
	w.options = Options{
		Judge: judges(s.Score, s.Scenarios), reports: reportsOf(s), Prices: o.Prices,
		Budget: Budget{PricePerTrial: o.PricePerTrial},
	}
	for _, c := range s.Scenarios {
		w.expect[c.Name] = c.Expect
	}
	return w, nil
}

// Do does an errand. It may be called by several goroutines at once, and returns soon after the context ended.
func (w *Workplace) Do(ctx context.Context, e Errand) Report {
	r := e.Request()
	agent := w.agents.agent
	switch {
	case r.Baseline:
		agent = w.agents.baseline
	case r.Variant != "":
		agent = w.agents.variants[r.Variant]
	}
	if agent == nil {
		return Report{Failure: &Failure{Type: startProblem, Problem: "the suite has no such agent", Unbegun: true}}
	}
	folder := worksIn(agent)
	removeReports(w.options.reports, folder, r)
	start := time.Now()
	attempt := agent.Run(ctx, r)
	attempt.took, attempt.folder = trial.Some(time.Since(start)), folder
	if w.judges && ctx.Err() == nil {
		attempt.judged = true
		attempt.judgeErr = attempt.judge(ctx, &w.options, w.expect[r.Scenario], r, attempt.took.Value)
	}
	return attempt.without(w.secrets).Report(r.Scenario)
}

// Unconfined says what of the agents the suite asks to be held and this machine cannot hold; see [Options].Unconfined.
func (w *Workplace) Unconfined() []string { return w.agents.unconfined }

// without returns the attempt without secrets.
func (a Attempt) without(secrets *redact.Secrets) Attempt {
	if a.Trial != nil {
		removeFrom(a.Trial, secrets)
	}
	a.Err = withoutSecrets(a.Err, secrets)
	clean := func(text []byte) []byte {
		if text == nil {
			return nil
		}
		return []byte(secrets.Text(string(text)))
	}
	a.written, a.came = clean(a.written), clean(a.came)
	if a.Process != nil {
		p := *a.Process
		p.Stdout, p.Stderr = clean(p.Stdout), secrets.Text(p.Stderr)
		a.Process = &p
	}
	return a
}

// Close ends what the agents keep between attempts.
func (w *Workplace) Close() {
	list := []Agent{w.agents.agent, w.agents.baseline}
	for _, a := range w.agents.variants {
		list = append(list, a)
	}
	closeAll(list...)
}
