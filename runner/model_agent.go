package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
	"github.com/tribunal-dev/tribunal/wire/model"
)

// modelAgent is a model as an agent: one conversation an attempt.
type modelAgent struct {
	client *model.Client
	asked  *suite.Model
	limits map[string]oracle.Limits // by scenario: they hold while the conversation goes on
	prices *prices.Table            // of models whose price the suite does not say; nil is none
	unansweredRule
}

// newModelAgent returns the agent of a suite.
func newModelAgent(s *suite.Suite, a suite.Agent) *modelAgent {
	agent := &modelAgent{
		client: model.New(model.Settings{
			Provider: a.Model.Provider, Name: a.Model.Name, URL: a.Model.URL, Key: a.Model.Key,
			Temperature: a.Model.Temperature, MaxTokens: a.Model.MaxTokens,
			Timeout: a.Timeout, MaxBytes: a.MaxOutputBytes,
			Retries: a.Retries.Infrastructure, Backoff: a.Retries.Backoff,
		}),
		asked: systemOf(a), limits: map[string]oracle.Limits{}, unansweredRule: unansweredOf(a),
	}
	for _, c := range s.Scenarios {
		if !c.Limits.Warn { // which ends nothing
			agent.limits[c.Name] = c.Limits
		}
	}
	return agent
}

// systemOf is the model of an agent, with the prompt of its configuration as the system message, which has no markers.
func systemOf(a suite.Agent) *suite.Model {
	m := *a.Model
	if a.Config != nil && a.Config.Prompt.Asked() {
		m.System = a.Config.Prompt.Text
	}
	m.System = mutation.Unmarked(m.System)
	return &m
}

// priced gives what asks models, or sees how they are asked, the prices of a run.
func (all agents) priced(table *prices.Table) {
	list := append(slices.Collect(maps.Values(all.variants)), all.agent, all.baseline)
	for _, called := range list {
		switch asked := called.(type) {
		case *modelAgent:
			asked.prices = table
		case *CommandAgent:
			asked.wiring.priced(table)
		case *SessionAgent:
			asked.wiring.priced(table)
		}
	}
}

// Close closes its connections.
func (a *modelAgent) Close() { a.client.Close() }

// talk is the conversation of a request.
func (a *modelAgent) talk(r Request) (t model.Talk, err error) {
	v, err := valuesOf(r)
	if err != nil {
		return t, err
	}
	t = model.Talk{
		MaxTurns: a.asked.MaxTurns, Price: a.asked.Price, Limits: a.limits[r.Scenario], Estimate: a.estimate,
	}
	if t.System, err = v.Text(a.asked.System); err != nil {
		return t, err
	}
	if t.Prompt, err = v.Text(a.asked.Prompt); err != nil {
		return t, err
	}
	if a.asked.Seed != "" {
		text, err := v.Text(a.asked.Seed)
		if err != nil {
			return t, err
		}
		seed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return t, err
		}
		t.Seed = trial.Some(seed)
	}
	t.Mocks, err = filledMocks(a.asked.Tools, v)
	return t, err
}

// estimate is what an answer cost by the table, at most and at least.
func (a *modelAgent) estimate(name string, u model.Usage) (most, least float64) {
	if !u.Input.Known || !u.Output.Known {
		return 0, 0
	}
	bill, _ := a.prices.Request(prices.Use{
		Model: name, Input: u.Input.Value, Output: u.Output.Value, Cached: u.Cached, CacheWrites: u.Written,
	})
	return bill.USD(), bill.LeastUSD
}

// filledMocks are tools with the values of a trial in what they answer.
func filledMocks(list []model.Mock, v endpoint.Values) ([]model.Mock, error) {
	list = slices.Clone(list)
	for i := range list {
		list[i].Answers = slices.Clone(list[i].Answers)
		for j := range list[i].Answers {
			answer := &list[i].Answers[j]
			for _, part := range []*trial.Raw{&answer.When, &answer.Result} {
				if *part == nil {
					continue
				}
				filled, err := v.Document(*part)
				if err != nil {
					return nil, fmt.Errorf("tool %s: %w", list[i].Name, err)
				}
				*part = filled
			}
		}
	}
	return list, nil
}

// Run has one conversation.
func (a *modelAgent) Run(ctx context.Context, r Request) Attempt {
	talk, err := a.talk(r)
	if err != nil {
		return Attempt{Err: &InfrastructureError{
			Type: string(endpoint.Template), Problem: "the request cannot be made: " + err.Error(), Err: err,
			Unbegun: true,
		}}
	}
	start := time.Now()
	if a.timeout > 0 {
		talk.Until = start.Add(a.timeout)
	}
	said, err := a.client.Talk(ctx, talk)
	took := time.Since(start)
	attempt := a.ended(r, said, err, took)
	if attempt.Trial == nil {
		// What was paid for counts, also where nothing came of it.
		attempt.Trial = &trial.Trial{Scenario: r.Scenario}
	}
	a.record(attempt.Trial, said)
	if len(attempt.came) == 0 {
		attempt.came = said.Body
	}
	return attempt
}

// ended is an attempt at the end of its conversation.
func (a *modelAgent) ended(r Request, said *model.Conversation, err error, took time.Duration) Attempt {
	var why *endpoint.Error
	var limit *model.LimitError
	var unreadable *model.ReplyError
	answer := []byte(said.Text)
	switch {
	case err == nil:
		return Attempt{Trial: &trial.Trial{
			Scenario: r.Scenario, Output: trial.RawString(said.Text), DurationSeconds: trial.Some(took.Seconds()),
		}}
	case errors.As(err, &limit):
		return a.failed(r, limit.Limit, limit, answer, took, limit.Unsure)
	case errors.As(err, &unreadable):
		return a.failed(r, outputProblem, err, unreadable.Body, took, a.outputIsError)
	case errors.As(err, &why) && why.Kind == endpoint.Timeout:
		// What was left of it for the last request says nothing to anybody.
		late := &endpoint.Error{Kind: why.Kind, Problem: fmt.Sprintf("the model did not answer within %v", a.timeout)}
		if said.Turns > 0 {
			late.Problem += fmt.Sprintf(", in which it gave %d answers before", said.Turns)
		}
		return a.attempt(r, late, took)
	}
	return a.attempt(r, err, took)
}

// record adds to a trial what was said, and what it took.
func (a *modelAgent) record(t *trial.Trial, said *model.Conversation) {
	t.Steps, t.Model = said.Steps, said.Model
	t.Turns, t.ToolCalls = trial.Some(said.Turns), trial.Some(said.ToolCalls)
	t.InputTokens, t.OutputTokens, t.CachedTokens = said.Usage.Input, said.Usage.Output, said.Usage.Cached
	t.CacheWrites = said.Usage.Written
	if t.CostUSD = said.CostUSD; t.CostUSD.Known { // tokens at the price of the suite
		t.CostBasis = trial.EstimatedCost
		if a.asked.Price.Cached.Known && !t.CachedTokens.Known {
			t.CostBasis, t.CostAtLeast = trial.CostAtMost, trial.Some(said.LeastUSD)
		}
	}
}
