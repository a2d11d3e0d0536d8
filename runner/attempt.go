package runner

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
)

// errUnjudged says that neither the agent nor a judge gave a trial an outcome.
var errUnjudged = errors.New("nothing says whether the trial passed")

// errNoTrial is the error of an attempt that has neither a trial nor an error.
var errNoTrial = errors.New("the agent returned nothing")

// attemptEnd is an attempt that is over. It is what a goroutine reports to the one that owns the run; only
// that one writes it down.
type attemptEnd struct {
	trial     *trialRun
	attempt   Attempt
	judgeErr  error         // why the judge reached no outcome
	duration  time.Duration // of the agent alone, without the delay and the judge
	cancelled bool          // by this runner; what it would have come to is not known
	begun     bool          // the agent was asked
}

// repeatable reports whether another attempt may take the place of this one: nothing that the agent
// does can have to do with how it ended.
func (e attemptEnd) repeatable() bool {
	var infrastructure *InfrastructureError
	return errors.As(e.attempt.Err, &infrastructure) && infrastructure.Unbegun
}

// after is how long another attempt is to wait at least.
func (e attemptEnd) after() time.Duration {
	if infrastructure, ok := errors.AsType[*InfrastructureError](e.attempt.Err); ok {
		return infrastructure.After
	}
	return 0
}

// cause names the type of the attempt's error, "agent" where it has none.
func (e attemptEnd) cause() string {
	var infrastructure *InfrastructureError
	if errors.As(e.attempt.Err, &infrastructure) && infrastructure.Type != "" {
		return infrastructure.Type
	}
	return "agent"
}

// recorded is the judge where there is none: the agent's own outcome counts, and a
// program that did not end by itself, or badly, has failed.
func recorded(_ context.Context, _ Request, a *Attempt) error {
	switch {
	case a.Broken, a.Process != nil && (a.Process.TimedOut || a.Process.ExitCode != 0):
		a.Trial.Outcome = trial.Fail
	case a.Trial.Outcome == trial.Unjudged:
		return errUnjudged
	}
	return nil
}

// perform makes one attempt and has it judged. It is the only part of a run that several
// goroutines are in at once, and changes nothing but what it returns.
func perform(ctx context.Context, o *Options, s *trialRun, request Request, delay time.Duration) attemptEnd {
	e := attemptEnd{trial: s}
	if !pause(ctx, delay) {
		e.cancelled = true
		e.attempt.Err = &InfrastructureError{
			Type: "stopped", Problem: "the run was stopped before the attempt began", Unbegun: true,
		}
		return e
	}
	e.begun = true
	agent := s.test.agentOf(s)
	folder := worksIn(agent)
	removeReports(o.reports, folder, request)
	start := time.Now()
	e.attempt = agent.Run(ctx, request)
	e.duration, e.attempt.folder = time.Since(start), folder
	if e.attempt.took.Known {
		e.duration = e.attempt.took.Value
	}
	e.judgeErr = e.attempt.judgeErr
	if !e.attempt.judged {
		e.judgeErr = e.attempt.judge(ctx, o, s.scenario.spec.expect, request, e.duration)
	}
	if e.attempt.cut {
		e.cancelled = true
		return e
	}
	// An attempt that had its outcome when the run was killed counts; one that the kill cut off is
	// lost, and a later session takes its trial for an error.
	killed := e.attempt.Process != nil && e.attempt.Process.Cancelled
	e.cancelled = ctx.Err() != nil && (e.attempt.Err != nil || e.judgeErr != nil || killed)
	return e
}

// judge completes what the agent recorded, and has it judged. The error says that no outcome was reached.
func (a *Attempt) judge(
	ctx context.Context, o *Options, expect oracle.Expectation, r Request, took time.Duration,
) (judgeErr error) {
	// What the agent recorded is completed first, so that a judge sees scenario, number and cost.
	if a.Err == nil {
		a.Err = complete(a.Trial, r, o)
	}
	if a.cut {
		return nil
	}
	a.expecting(expect, r, o, took)
	// An agent's own error is no question for a judge, unless it was to end so.
	if a.Err != nil || !a.declared && a.Trial.Outcome == trial.Error {
		return nil
	}
	judge := o.Judge
	if judge == nil {
		judge = recorded
	}
	if judgeErr = judge(ctx, r, a); judgeErr != nil {
		return judgeErr
	}
	if a.Broken && !a.expects {
		a.Trial.Outcome = trial.Fail
	}
	a.Err = usable(a.Trial)
	return nil
}

// pause waits, and reports whether the context lasted so long.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// complete gives a trial what the runner knows better than the agent: which one it is,
// and, where the agent does not tell, what it costs: the price of a trial, where the suite has one, or else that of its
// tokens. An agent may record by itself that the infrastructure failed; as it had begun by then, the trial is an error.
func complete(t *trial.Trial, r Request, o *Options) error {
	if t == nil {
		return &InfrastructureError{Type: outputProblem, Problem: errNoTrial.Error(), Err: errNoTrial}
	}
	t.Scenario = r.Scenario
	t.Index = trial.Some(r.Trial)
	if v := r.variant(); v != "" {
		t.Variant = v
	}
	if price := o.Budget.PricePerTrial; price > 0 && !oracle.UsageOf(t).CostUSD.Known {
		t.CostUSD = trial.Some(price)
	}
	o.Prices.Complete(t)
	// Only a repeat says which attempt it was.
	if r.Attempt > 0 {
		t.Attempt = trial.Some(r.Attempt)
	}
	if len(t.Input) == 0 && string(r.Input) != "null" { // which is read back as absent
		t.Input = r.Input
	}
	if t.Outcome == trial.Error && t.Error != nil && t.Error.Origin == trial.InfrastructureOrigin {
		return &InfrastructureError{Type: "agent", Problem: t.Error.Message}
	}
	return nil
}

// usable refuses what could not be read back from the journal: a run that is resumed
// must find there what this one judged. An agent that is a function may hand over what no reader would take.
func usable(t *trial.Trial) error {
	if t.Outcome == trial.Unjudged {
		return &InfrastructureError{Type: outputProblem, Problem: errUnjudged.Error(), Err: errUnjudged}
	}
	if err := t.Validate(); err != nil {
		problem := "the record of the trial cannot be used: " + err.Error()
		return &InfrastructureError{Type: outputProblem, Problem: problem, Err: err}
	}
	return nil
}

// record returns the trial of the attempt: as it is if it has an outcome, and as an
// error with its cause if not. What a trial came to that could not be judged is kept as
// far as it is valid, so that a person can see to it. What the attempt took is known in any case: a
// recording adds up to what the run spent.
func (e attemptEnd) record(price float64) *trial.Trial {
	t := e.attempt.Trial
	if e.attempt.Err == nil && e.judgeErr == nil {
		return t
	}
	failed := &trial.Trial{
		Scenario: e.trial.Scenario, Variant: e.trial.request().variant(), Index: trial.Some(e.trial.Number),
		Outcome: trial.Error,
	}
	if e.trial.attempt > 0 {
		failed.Attempt = trial.Some(e.trial.attempt)
	}
	if e.begun {
		failed.DurationSeconds = trial.Some(e.duration.Seconds())
	}
	cause := &trial.Cause{Origin: trial.InfrastructureOrigin, Type: e.cause()}
	switch {
	case e.attempt.Err == nil:
		cause.Origin, cause.Type, cause.Message = "judge", "judge", e.judgeErr.Error()
		if t.Validate() == nil || t.Outcome == trial.Unjudged {
			failed.Output, failed.Steps, failed.CostUSD, failed.CostBasis = t.Output, t.Steps, t.CostUSD, t.CostBasis
			failed.CostAtLeast, failed.TokensAtLeast = t.CostAtLeast, t.TokensAtLeast
			failed.InputTokens, failed.OutputTokens = t.InputTokens, t.OutputTokens
			failed.Turns, failed.ToolCalls = t.Turns, t.ToolCalls
		}
	default:
		cause.Message = e.attempt.Err.Error()
		if t != nil && e.begun {
			failed.CostUSD, failed.CostBasis = oracle.UsageOf(t).CostUSD, t.CostBasis
			failed.CostAtLeast, failed.TokensAtLeast = t.CostAtLeast, t.TokensAtLeast
			failed.InputTokens, failed.OutputTokens = t.TotalInputTokens(), t.TotalOutputTokens()
			failed.CachedTokens, failed.Steps = t.CachedTokens, t.Steps
			failed.Turns, failed.ToolCalls = t.Turns, t.ToolCalls
		}
	}
	if price > 0 && e.begun && !e.repeatable() && !failed.CostUSD.Known {
		failed.CostUSD = trial.Some(price)
	}
	// What a guard kept from being done it kept however the trial ended.
	if t != nil && e.begun {
		guardrails.Of(t).Record(failed)
	}
	// Messages of programs may hold any bytes; the journal holds JSON.
	cause.Message = strings.ToValidUTF8(cause.Message, "\uFFFD")
	failed.Error = cause
	if failed.Validate() != nil { // what the judge left of it cannot be kept
		failed = &trial.Trial{
			Scenario: failed.Scenario, Index: failed.Index, Outcome: trial.Error, Error: cause,
			CostUSD: failed.CostUSD, CostBasis: failed.CostBasis, DurationSeconds: failed.DurationSeconds,
		}
	}
	return failed
}

// process returns how the attempt's program ended, for a trial with this record; nil where it passed with exit code
// 0, or there is nothing to tell.
func (e attemptEnd) process(record *trial.Trial) *journal.Process {
	from := e.attempt.Process
	if from == nil || record.Outcome == trial.Pass && from.ExitCode == 0 {
		return nil
	}
	p := &journal.Process{Stderr: ending(from.Stderr)}
	if !from.TimedOut && !from.Cancelled && !from.Overflowed { // which ended it
		p.ExitCode, p.Signal = max(0, from.ExitCode), from.Signal
	}
	if *p == (journal.Process{}) {
		return nil
	}
	return p
}

// ending returns the end of a standard error that a journal keeps.
func ending(stderr string) string {
	const most = journal.MaxStderrBytes
	text := strings.ToValidUTF8(strings.TrimSpace(stderr), "\uFFFD")
	if len(text) > most {
		text = strings.ToValidUTF8(text[len(text)-most:], "") // half a character at its beginning
	}
	return text
}

// spent returns what the attempt took, with the price where it does not tell its cost.
// A program that did not start took nothing.
//
// An attempt that ended without a trial took time, and an unknown amount of money and tokens: unknown is
// not 0, so that a budget reckons with it.
func (e attemptEnd) spent(price float64) journal.Spend {
	s := journal.Spend{Attempts: 1, Duration: e.duration}
	if e.repeatable() || e.attempt.unbegun {
		s.Unstarted = 1
		return s
	}
	var t trial.Trial
	if e.attempt.Trial != nil {
		t = *e.attempt.Trial
	}
	usage := oracle.UsageOf(&t)
	s.Turns = usage.Turns.Value
	switch {
	case usage.CostUSD.Known:
		s.CostUSD = usage.CostUSD.Value
	case price > 0:
		s.CostUSD = price
	case e.attempt.taken.Turns > 0 && e.attempt.taken.Unpriced == 0: // what was seen of it, at most
		s.CostUSD = e.attempt.taken.CostUSD
	default:
		s.CostUnknown = 1
	}
	if input, output := t.TotalInputTokens(), t.TotalOutputTokens(); input.Known || output.Known {
		s.InputTokens, s.OutputTokens = max(0, input.Value), max(0, output.Value)
	} else {
		s.TokensUnknown = 1
	}
	// What was lost with a machine was paid for as well, as far as anybody knows.
	if again := e.attempt.again; again > 0 {
		s.Attempts += again
		s.TokensUnknown += again
		if price > 0 {
			s.CostUSD += price * float64(again)
		} else {
			s.CostUnknown += again
		}
	}
	return s
}
