package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner/internal/rewrite"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
	wireguard "github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/mcp"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// wiring lets a program's requests to models go over a wire, which is opened with the first attempt.
type wiring struct {
	asked  *suite.Wire
	faults map[string][]fault.Fault    // by the name of the scenario
	limits map[string]oracle.Limits    // by the name of the scenario
	prices *prices.Table               // nil is none
	guards map[string]*contract.Guards // by the name of the scenario; nil where nothing is held back
	taping tape
	learn  *rewrite.Learn // what is asked is to be learned from; nil: it is not
	// scripts answer in place of models, by the name of the scenario; nil where servers are asked.
	scripts map[string]*script.Script

	mutex  sync.Mutex
	opened *wire.Wire // nil until an attempt needs it
}

// wiringOf is the wiring of an agent of a suite; nil is none.
func wiringOf(s *suite.Suite, a suite.Agent) *wiring {
	if a.Wire == nil {
		return nil
	}
	w := &wiring{
		asked: a.Wire, limits: map[string]oracle.Limits{}, faults: map[string][]fault.Fault{}, taping: tapingOf(s, a),
	}
	for _, c := range s.Scenarios {
		w.faults[c.Name] = c.Faults
		if !c.Limits.Warn { // which ends nothing
			w.limits[c.Name] = c.Limits
		}
	}
	w.guards = guardsOf(s, a)
	w.scripts = scriptsOf(s, a)
	return w
}

// open returns the wire, which the first attempt opens.
func (w *wiring) open() (opened *wire.Wire, err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.opened != nil {
		return w.opened, nil
	}
	if err := w.taping.open(w.asked); err != nil {
		return nil, err
	}
	options := wire.Options{
		Upstreams: w.asked.Upstreams,
		Key:       func(p wire.Provider) string { return w.asked.Keys[p] },
		Prices:    w.prices,
	}
	if w.scripts != nil {
		options = script.Wire(options)
	}
	w.opened, err = wire.Open(options)
	return w.opened, err
}

// priced gives it the prices of a run.
func (w *wiring) priced(table *prices.Table) {
	if w != nil {
		w.prices = table
	}
}

// close closes the wire, if it was opened.
func (w *wiring) close() {
	if w == nil {
		return
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.opened != nil {
		_ = w.opened.Close() // nothing is asked any more
	}
	w.taping.close()
}

// bounds are the limits of an attempt on the wire: those of its trial, less what earlier attempts took.
func (w *wiring) bounds(r Request) wire.Limits {
	limits := w.limits[r.Scenario]
	return wire.Limits{
		MaxTurns: limits.MaxTurns, MaxTokens: limits.MaxTokens, MaxCostUSD: limits.MaxCostUSD,
		Spent: r.spent, Budget: r.budget,
	}
}

// route opens a way over the wire.
func (w *wiring) route(r Request) (*wire.Route, error) {
	opened, err := w.open()
	if err != nil {
		return nil, &InfrastructureError{Type: wireProblem, Problem: err.Error(), Err: err, Unbegun: true}
	}
	route := opened.Route(w.bounds(r), w.acts(r)...)
	if err := w.install(route); err != nil {
		route.Close()
		return nil, &InfrastructureError{Type: wireProblem, Problem: err.Error(), Err: err, Unbegun: true}
	}
	return route, nil
}

// wireProblem is the type of an error that has to do with the wire.
const wireProblem = "wire"

// voidProblem is the type of an error of an attempt that shows nothing, however it ended.
const voidProblem = "void"

// errStopped ends an attempt that reached a limit on the wire.
var errStopped = errors.New("a limit was reached on the wire")

// stoppedError says of an attempt which limit it reached.
type stoppedError struct{ seen *wire.Traffic }

// Error says what was taken until then.
func (e *stoppedError) Error() string {
	if ended := wireguard.Ended(e.seen); ended != nil {
		return ended.Error()
	}
	return fmt.Sprintf("stopped by %s, after %s", e.seen.Stopped, spent(e.seen))
}

// Unwrap returns the cause.
func (e *stoppedError) Unwrap() error { return errStopped }

// on runs an attempt, and ends it when it reaches a limit.
func (w *wiring) on(ctx context.Context, route *wire.Route, run func(context.Context) Attempt) Attempt {
	bounded, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-route.Stopped():
			if reason := route.Reason(); reason == wire.Guardrail || reason == wire.RunBudget {
				end(process.ErrAtOnce)
			}
			end(errStopped)
		case <-bounded.Done():
		}
	})
	attempt := run(bounded)
	end(nil)
	watching.Wait()
	return attempt
}

// overWire is an attempt with what was seen of it on the wire.
func (a *CommandAgent) overWire(ctx context.Context, r Request, attempt Attempt, seen *wire.Traffic) Attempt {
	infrastructure, _ := errors.AsType[*InfrastructureError](attempt.Err)
	if infrastructure != nil && infrastructure.Unbegun && seen.Spent.Turns > 0 {
		begun := *infrastructure // what has asked a model has begun, and is not made again
		begun.Unbegun = false
		infrastructure, attempt.Err = &begun, &begun
	}
	switch {
	case infrastructure != nil && infrastructure.Unbegun:
		return attempt
	case seen.Stopped == wire.RunBudget:
		attempt.cut, attempt.Broken = true, false
		attempt.Err = &InfrastructureError{Type: wire.RunBudget, Problem: "the budget of the run was used up"}
	case seen.Stopped != "" && !wire.IsLimit(seen.Stopped) && seen.Stopped != wire.Guardrail && ctx.Err() == nil:
		attempt.Err = &InfrastructureError{Type: wireProblem, Problem: seen.Why()}
	case a.wiring.taping.failed() != nil:
		attempt.Err = &InfrastructureError{Type: wireProblem, Problem: a.wiring.taping.failed().Error()}
	case seen.Stopped != "" && seen.Stopped == seen.Unsure && ctx.Err() == nil:
		attempt.Broken = false
		attempt.Err = &InfrastructureError{Type: seen.Stopped, Problem: fmt.Sprintf("stopped by %s, after at most %s: "+
			"whether that is the limit is not known, as the server does not tell what tells it", seen.Stopped, spent(seen))}
	case seen.Stopped != "" && ctx.Err() == nil:
		p := *attempt.Process
		p.Cancelled = true // how it ended, and what it said then, has no further meaning
		why := &stoppedError{seen}
		attempt = a.broken(r, &p, p.Stdout, seen.Stopped, why, false)
	case seen.Calls() == 0 && attempt.Err == nil && !attempt.Broken:
		attempt.Err = &InfrastructureError{
			Type: wireProblem,
			Problem: "the agent asked no model over the wire: does its client read its address from " +
				"OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL, OLLAMA_HOST or TRIBUNAL_WIRE? An answer from a " +
				"cache of its own is no new draw",
		}
	}
	if seen.Void != "" && seen.Stopped == "" && seen.Calls() > 0 && ctx.Err() == nil {
		attempt.Broken = false
		attempt.Err = &InfrastructureError{Type: voidProblem, Problem: seen.Void}
	}
	if attempt.Trial == nil {
		// What was paid for counts, also where nothing came of it.
		attempt.Trial = &trial.Trial{Scenario: r.Scenario}
	}
	seen.Fill(attempt.Trial)
	attempt.taken = seen.Taken
	return attempt
}

// spent is what was taken, for a person.
func spent(seen *wire.Traffic) string {
	turns := prose.Count(seen.Spent.Turns, "turn")
	if seen.Stopped == wire.MaxTokens {
		return fmt.Sprintf("%s and %d tokens", turns, seen.Spent.Tokens)
	}
	if seen.Spent.CostUSD > 0 {
		return fmt.Sprintf("%s and %.4g USD", turns, seen.Spent.CostUSD)
	}
	return turns
}

// wired is a command whose environment has the addresses of a route.
func wired(c process.Command, route *wire.Route) process.Command {
	c.Environment.Set = maps.Clone(c.Environment.Set)
	if c.Environment.Set == nil {
		c.Environment.Set = map[string]string{}
	}
	maps.Copy(c.Environment.Set, route.Environment())
	if file := c.Environment.Set[mcp.ConfigVariable]; file != "" {
		c.Argv = mcp.Placed(c.Argv, file)
	}
	return c
}
