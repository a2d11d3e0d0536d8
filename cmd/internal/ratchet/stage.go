package ratchet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"sync"

	"github.com/tribunal-dev/tribunal/internal/confine"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
)

// reply is what came of a program.
type reply struct {
	Text     string           `json:"text"`
	Problem  string           `json:"problem,omitempty"` // why it is no answer
	Files    Files            `json:"files"`             // as they are in the copy then; nil where it was not looked
	Changed  []string         `json:"changed,omitempty"` // what is protected and was changed
	Stop     improvement.Stop `json:"stop,omitempty"`    // a guard or a cap ended it
	StopText string           `json:"stop_text,omitempty"`
	Call     improvement.Call `json:"call"`
}

// answerForm is an answer that tells what it took, as a program may print it in place of the text alone.
type answerForm struct {
	Text         *string  `json:"text"`
	Model        string   `json:"model"`
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd"`
}

// read takes in what a program printed: a JSON object with a text, or the text alone.
func (r *reply) read(stdout []byte) {
	r.Text = string(stdout)
	var form answerForm
	if text := bytes.TrimSpace(stdout); !bytes.HasPrefix(text, []byte("{")) || json.Unmarshal(text, &form) != nil ||
		form.Text == nil {
		return
	}
	r.Text = *form.Text
	r.Call.Model = cmp.Or(form.Model, r.Call.Model)
	for _, part := range []struct{ from, to **int64 }{
		{&form.InputTokens, &r.Call.InputTokens}, {&form.OutputTokens, &r.Call.OutputTokens},
	} {
		if tokens := *part.from; tokens != nil && *tokens >= 0 && *tokens <= trial.MaxTokens {
			*part.to = tokens
		}
	}
	if cost := form.CostUSD; cost != nil && *cost >= 0 && *cost <= trial.MaxAmount {
		r.Call.CostUSD, r.Call.CostBasis = cost, trial.RecordedCost
	}
}

// price gives a call the estimate of its tokens, where it does not tell its cost.
func (r *reply) price(table *prices.Table) {
	c := &r.Call
	if c.CostUSD != nil || c.InputTokens == nil || c.OutputTokens == nil || c.Model == "" {
		return
	}
	if bill, known := table.Request(prices.Use{Model: c.Model, Input: *c.InputTokens, Output: *c.OutputTokens}); known {
		c.CostUSD, c.CostBasis = new(bill.USD()), bill.Basis()
	}
}

// programs starts the programs of a loop.
type programs struct {
	config *Config
	prices *prices.Table
	guards *contract.Guards // nil is none
	wire   *wire.Wire       // nil is none
}

// newPrograms opens what they need.
func newPrograms(ctx context.Context, c *Config) (*programs, error) {
	table, err := prices.Embedded()
	if err != nil {
		return nil, err
	}
	p := &programs{config: c, prices: table.With(c.Prices)}
	if c.Guard != "" {
		terms, err := contract.LoadContext(ctx, c.Path(c.Guard))
		if err != nil {
			return nil, err
		}
		home, _ := os.UserHomeDir() // unknown, it resolves nothing
		p.guards = contract.Before(contract.Resolver(c.Dir(), home), terms)
	}
	if !c.Wire {
		return p, nil
	}
	upstreams, err := wire.UpstreamsOf(nil, os.LookupEnv)
	if err != nil {
		return p, err
	}
	p.wire, err = wire.Open(wire.Options{Prices: p.prices, Upstreams: upstreams})
	if err != nil || !c.Confine {
		return p, err
	}
	if lacks := p.rules("").Lacks(); len(lacks) > 0 {
		return p, errors.Join(&fault.Error{
			Problem: "programs cannot be confined on this machine: " + confine.Told(lacks),
			Advice:  "leave confine out of the loop to go on without", Code: exit.Unavailable,
		}, p.close())
	}
	return p, nil
}

// rules confine a program to a folder and the wire.
func (p *programs) rules(folder string) *confine.Rules {
	rules := &confine.Rules{Network: confine.Wire, Port: p.wire.Port(), Serve: p.wire.Serve}
	if folder != "" {
		rules.Write = []string{folder}
	}
	return rules
}

// close closes the wire.
func (p *programs) close() error {
	if p.wire == nil {
		return nil
	}
	return p.wire.Close()
}

// ask starts the program of a stage in a folder, with at most so much money left; left below 0 is no bound. The error
// is that it could not be started, or that of the context.
func (p *programs) ask(ctx context.Context, stage *Stage, t *task, folder string, left float64) (*reply, error) {
	stdin, err := t.stdin(stage.JSON)
	if err != nil {
		return nil, err
	}
	r := &reply{Call: improvement.Call{Attempt: t.Attempt, Stage: t.Stage, Route: t.Route, Model: t.Model}}
	command := process.Command{
		Argv: stage.Command, Dir: folder, Timeout: stage.Timeout,
		Environment: process.Environment{Allow: []string{"*"}, Set: map[string]string{
			"RATCHET_STAGE": t.Stage, "RATCHET_ATTEMPT": strconv.Itoa(t.Attempt), "RATCHET_ROUTE": t.Route,
			"RATCHET_MODEL": t.Model,
			"RATCHET_SEED":  strconv.FormatUint(t.Seed, 10),
		}},
	}
	var result *process.Result
	if p.wire == nil {
		result, err = command.Run(ctx, stdin)
	} else {
		result, err = p.overWire(ctx, command, stdin, r, left)
	}
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if p.wire == nil || r.Call.InputTokens == nil {
		r.read(result.Stdout)
	} else {
		seen := r.Call
		r.read(result.Stdout)
		r.Call = seen // what passed on the wire is what was taken, whatever the program says
	}
	r.price(p.prices)
	switch {
	case r.Stop != "":
	case result.TimedOut:
		r.Problem = "the program of " + t.Stage + " did not end in time"
	case result.Signal != "":
		r.Problem = "the program of " + t.Stage + " was ended by signal " + result.Signal
	case result.ExitCode != 0:
		r.Problem = prose.Reason(fmt.Sprintf("the program of %s ended with exit code %d: %s", t.Stage, result.ExitCode,
			cmp.Or(prose.LastLine(result.Stderr), "it said nothing")))
	case result.Truncated:
		r.Problem = "the program of " + t.Stage + " printed more than is read"
	}
	return r, nil
}

// overWire runs a program whose requests go over the wire. A guard and the money that is left end it at once.
func (p *programs) overWire(
	ctx context.Context, command process.Command, stdin []byte, r *reply, left float64,
) (*process.Result, error) {
	limits := wire.Limits{}
	if left >= 0 {
		limits.Budget = wire.NewBudget(trial.Some(left), trial.Optional[int64]{}, wire.BudgetUse{})
	}
	var acts []wire.Act
	if p.guards != nil {
		acts = append(acts, guard.New(p.guards, guard.Kill))
	}
	route := p.wire.Route(limits, acts...)
	if p.config.Confine {
		command.Confine = p.rules(confine.Resolved(command.Dir))
	}
	maps.Copy(command.Environment.Set, route.Environment())
	bounded, end := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-route.Stopped():
			end(process.ErrAtOnce)
		case <-bounded.Done():
		}
	})
	result, err := command.Run(bounded, stdin)
	end(nil)
	watching.Wait()
	seen := route.Close()
	if err != nil {
		return nil, err
	}
	switch seen.Stopped {
	case "":
	case wire.Guardrail:
		r.Stop, r.StopText = improvement.Guarded, guard.Ended(seen).Error()
	default:
		r.Stop = improvement.CostCap
	}
	if seen.Calls() > 0 {
		var record trial.Trial
		seen.Fill(&record)
		c := &r.Call
		c.Model = cmp.Or(record.Model, c.Model)
		c.InputTokens, c.OutputTokens = pointer(record.InputTokens), pointer(record.OutputTokens)
		c.CostUSD, c.CostBasis = pointer(record.CostUSD), record.CostBasis
	}
	return result, nil
}

// pointer is a value as JSON has it: nil where it is unknown.
func pointer[T any](o trial.Optional[T]) *T {
	if !o.Known {
		return nil
	}
	return &o.Value
}
