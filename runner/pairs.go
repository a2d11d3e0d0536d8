package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/relation"
)

// PreparePairs makes options of the relations of a suite: each pair of [suite.Suite.Pairs] is a scenario, and a trial
// of it asks the suite's agent twice. It passes where the relation holds. The suite of the pairs, of
// [suite.Suite.OfPairs], says how they are tested.
//
// The side of the baseline has pairs of equal inputs: both executions have the source's. What may differ between the
// two sides is the input of the second execution alone, or who runs it. Every execution has a seed and a number of its
// own, four of each in a round: with one seed for both executions of a pair, an agent that follows its seed would agree
// with itself on equal inputs however much it varies, and every transformation that makes it draw otherwise would look
// like a violation. An agent that the transformation changes nothing for has pairs that are alike on both sides then.
//
// An error of either execution is one of the pair, and what a pair took is what both did.
func PreparePairs(
	ctx context.Context, s, pairSuite *suite.Suite, pairs []suite.Pair, prepare PrepareOptions,
) (Options, error) {
	o, err := Prepare(ctx, pairSuite, pairSuite.Scenarios, prepare)
	if err != nil {
		return o, err
	}
	expanded, err := pairSuite.Expanded(pairSuite.Scenarios)
	if err != nil {
		return o, err
	}
	expanded.Scenarios = s.Scenarios // whose names agents and judges see
	a := &pairAgent{pairs: map[string]pairing{}, second: map[string]Agent{}, options: o}
	if a.agent, err = commandAgent(expanded, expanded.Agent, "agent"); err != nil {
		return o, err
	}
	for _, p := range pairs {
		a.pairs[p.Name] = pairingOf(p)
		name := p.Relation.Name
		if a.second[name] != nil {
			continue
		}
		i := slices.IndexFunc(expanded.Relations, func(r suite.Relation) bool { return r.Name == name })
		other := expanded.Relations[i].Agent
		if order := expanded.Relations[i].Tools; order != "" {
			reordered, err := a.reordered(expanded, order)
			if err != nil {
				return o, err
			}
			other = &reordered
		}
		if other == nil {
			continue
		}
		if a.second[name], err = commandAgent(expanded, *other, fmt.Sprintf("relations[%d].with", i)); err != nil {
			return o, err
		}
	}
	(&agents{agent: a.agent, variants: a.second}).priced(o.Prices)
	o.Agent, o.Judge = a, nil
	o.BaselineAgent = nil
	if pairSuite.BaselineAgent != nil {
		o.BaselineAgent = a
	}
	o.Budget.PricePerTrial *= 2 // a pair is two of the suite's trials
	return o, nil
}

// pairing is a pair of a suite with what judges its executions; nil: nothing asks for their outcome.
type pairing struct {
	suite.Pair
	source, followUp Judge
}

// pairingOf finds what judges the executions.
func pairingOf(p suite.Pair) pairing {
	if !p.Relation.AsksOutcome {
		return pairing{Pair: p}
	}
	second := p.Scenario
	if p.Relation.Evaluate != nil {
		second.Evaluate, second.Expect = p.Relation.Evaluate, oracle.Expectation{}
	}
	return pairing{p, judges(nil, []suite.Scenario{p.Scenario}), judges(nil, []suite.Scenario{second})}
}

// pairAgent asks an agent twice, and says whether a relation holds between both executions.
type pairAgent struct {
	pairs   map[string]pairing // by name
	agent   Agent
	second  map[string]Agent // by the relations that ask another agent for the follow-up
	folders []string         // of what these are configured with
	options Options          // of the run, for prices; of one execution
}

// Close closes the agents.
func (a *pairAgent) Close() {
	all := []Agent{a.agent}
	for _, other := range a.second {
		all = append(all, other)
	}
	closeAll(all...)
	for _, folder := range a.folders {
		_ = os.RemoveAll(folder) // copies of what the suite names
	}
}

// reordered is the agent of a suite with its tools in another order.
func (a *pairAgent) reordered(s *suite.Suite, order suite.ToolsOrder) (suite.Agent, error) {
	folder, err := os.MkdirTemp("", "tribunal-tools-")
	if err != nil {
		return suite.Agent{}, err
	}
	a.folders = append(a.folders, folder)
	return s.Agent.WithTools(order, s.Seed, folder)
}

// executions is how many there are in a round.
const executions = 4

// Run makes a pair: of equal inputs on the side of the baseline, and else of source and follow-up.
func (a *pairAgent) Run(ctx context.Context, r Request) Attempt {
	p := a.pairs[r.Scenario]
	r.Input = p.Scenario.Input
	source := a.execute(ctx, r, 0, execution{a.agent, p.source, p.Scenario.Expect})
	if source.Err != nil {
		return pairMade(source, nil)
	}
	next := execution{a.agent, p.source, p.Scenario.Expect}
	follows := r
	if !r.Baseline {
		var err error
		seed := derive(r.Seed, "relation", r.Scenario, 0)
		if follows.Input, err = p.Relation.FollowUp(ctx, r.Input, source.Trial.Output, seed); err != nil {
			return pairMade(source, &InfrastructureError{Type: relationProblem, Problem: err.Error(), Err: err})
		}
		next.judge = p.followUp
		if other := a.second[p.Relation.Name]; other != nil {
			next.agent = other
		}
		if p.Relation.Evaluate != nil {
			next.expect = oracle.Expectation{}
		}
	}
	followUp := a.execute(ctx, follows, 1, next)
	if followUp.Err != nil {
		return pairMade(source, nil, followUp)
	}
	made := pairMade(source, nil, followUp)
	first := relation.Execution{Input: r.Input, Trial: source.Trial}
	second := relation.Execution{Input: follows.Input, Trial: followUp.Trial}
	found, err := p.Relation.Holds.Check(ctx, first, second)
	if err != nil {
		made.Err = &InfrastructureError{Type: relationProblem, Problem: err.Error(), Err: err}
		return made
	}
	made.Trial.Outcome = trial.Pass
	if !found.Held {
		made.Trial.Outcome = trial.Fail
		made.Trial.Error = &trial.Cause{Type: violatedCause, Message: found.Why}
	}
	if found.Vacuous {
		made.Trial.Tags = append(made.Trial.Tags, trial.Member{Name: vacuousTag, Value: trial.Raw("true")})
	}
	made.Trial.Output = recordOf(first, second)
	return made
}

// What trials of pairs are marked with.
const (
	vacuousTag      = "vacuous"  // the relation held because there was nothing to compare
	violatedCause   = "violated" // it did not hold
	relationProblem = "relation" // whether it holds cannot be said
)

// execution is who is asked, and by what the answer is judged; without a judge it is not.
type execution struct {
	agent  Agent
	judge  Judge
	expect oracle.Expectation
}

// execute asks once. The part is 0 of the source and 1 of the follow-up.
func (a *pairAgent) execute(ctx context.Context, r Request, part int, e execution) Attempt {
	number := part
	if !r.Baseline {
		number += executions / 2
	}
	one := Request{
		Scenario: a.pairs[r.Scenario].Scenario.Name, Input: r.Input, Trial: executions*r.Trial + number,
		Seed: derive(r.Seed, "execution", r.Scenario, number) >> 11, Attempt: r.Attempt, pair: r.Scenario, budget: r.budget,
	}
	start := time.Now()
	attempt := e.agent.Run(ctx, one)
	if attempt.Err == nil {
		attempt.Err = complete(attempt.Trial, one, &a.options)
	}
	if attempt.cut {
		return attempt
	}
	if e.judge != nil {
		attempt.expecting(e.expect, one, &a.options, time.Since(start))
	}
	switch {
	case attempt.Err != nil:
	case attempt.Trial.Outcome == trial.Error && !attempt.declared:
		attempt.Err = &InfrastructureError{Type: "agent", Problem: "the agent ended in an error" +
			ofCause(attempt.Trial.Error)}
	case e.judge == nil && attempt.Broken:
		attempt.Trial.Outcome = trial.Fail
	case e.judge != nil:
		if err := e.judge(ctx, one, &attempt); err != nil {
			attempt.Err = &InfrastructureError{Type: "judge", Problem: err.Error(), Err: err}
			break
		}
		if attempt.Broken && !attempt.expects {
			attempt.Trial.Outcome = trial.Fail
		}
		attempt.Err = usable(attempt.Trial)
	}
	return attempt
}

// ofCause is what an agent says of its error.
func ofCause(c *trial.Cause) string {
	if c == nil || c.Message == "" {
		return ""
	}
	return ": " + c.Message
}

// pairMade is the attempt of a pair as far as it went: what its executions took together, and the error of one of them,
// or else the error that is given. A pair whose source was asked has begun.
func pairMade(source Attempt, err error, followUp ...Attempt) Attempt {
	made := Attempt{Trial: source.Trial, Err: err, taken: source.taken, cut: source.cut}
	if source.Err != nil {
		made.Err = source.Err
		return made
	}
	made.Trial = source.Trial.Clone()
	made.Trial.Output = nil
	for _, other := range followUp {
		made.cut, made.taken = other.cut, made.taken.Plus(other.taken)
		switch why, ok := errors.AsType[*InfrastructureError](other.Err); {
		case ok && why.Unbegun: // it took nothing, but the pair has begun, and is not made again
			begun := *why
			begun.Unbegun = false
			made.Err = &begun
		case other.Trial == nil: // what it took is not known
			made.Err, made.Trial = other.Err, bothTrials(source.Trial, &trial.Trial{})
		default:
			made.Err, made.Trial = other.Err, bothTrials(source.Trial, other.Trial)
		}
	}
	return made
}

// bothTrials is what two executions took, in one trial: what one of them does not tell is not known. The steps of both
// are there where both recorded them.
func bothTrials(a, b *trial.Trial) *trial.Trial {
	usage := oracle.UsageOf(a).Add(oracle.UsageOf(b))
	t := &trial.Trial{
		StartedAt: a.StartedAt, DurationSeconds: bothKnown(a.DurationSeconds, b.DurationSeconds), CostUSD: usage.CostUSD,
		Turns: usage.Turns, InputTokens: bothKnown(a.TotalInputTokens(), b.TotalInputTokens()),
		OutputTokens: bothKnown(a.TotalOutputTokens(), b.TotalOutputTokens()),
		CachedTokens: bothKnown(a.CachedTokens, b.CachedTokens), CacheWrites: bothKnown(a.CacheWrites, b.CacheWrites),
		ToolCalls: bothKnown(a.ToolCalls, b.ToolCalls),
	}
	if a.Model == b.Model {
		t.Model = a.Model
	}
	if t.CostUSD.Known {
		t.CostBasis = weaker(a.CostBasis, b.CostBasis)
	}
	if !t.CostUSD.Known || t.CostBasis == trial.CostAtMost {
		t.CostAtLeast = trial.Some(min(usage.CostAtLeast.Value, trial.MaxAmount))
	}
	if !usage.Tokens.Known {
		t.TokensAtLeast = trial.Some(int64(min(usage.TokensAtLeast.Value, float64(trial.MaxTokens))))
	}
	if a.ModelUsage != nil && b.ModelUsage != nil {
		t.ModelUsage = slices.Concat(a.ModelUsage, b.ModelUsage)
	}
	if a.Steps == nil || b.Steps == nil {
		return t
	}
	t.Steps = slices.Concat(a.Steps, b.Steps)
	for i := range t.Steps {
		s := &t.Steps[i]
		if !t.CostUSD.Known { // the sum over steps would be that of one execution
			s.CostUSD = trial.Optional[float64]{}
		}
		if !t.InputTokens.Known {
			s.InputTokens = trial.Optional[int64]{}
		}
		if !t.OutputTokens.Known {
			s.OutputTokens = trial.Optional[int64]{}
		}
	}
	return t
}

// bothKnown adds two amounts; what is not known of one is not known of both.
func bothKnown[T int | int64 | float64](a, b trial.Optional[T]) trial.Optional[T] {
	if !a.Known || !b.Known {
		return trial.Optional[T]{}
	}
	return trial.Some(a.Value + b.Value)
}

// weaker is the basis of a sum: that of the part that is known worse.
func weaker(a, b trial.CostBasis) trial.CostBasis {
	for _, basis := range []trial.CostBasis{trial.CostAtMost, trial.EstimatedCost} {
		if a == basis || b == basis {
			return basis
		}
	}
	return trial.RecordedCost
}

// mostKept is how many bytes of an input or an output the record of a pair keeps: two of each fit into a line of a
// journal. It is chosen.
const mostKept = 1 << 20

// recordOf is the output of a pair's trial. What is too long is cut, and a text then.
func recordOf(source, followUp relation.Execution) trial.Raw {
	for _, e := range []*relation.Execution{&source, &followUp} {
		e.Input = kept(e.Input)
		brief := *e.Trial
		brief.Output = kept(brief.Output)
		e.Trial = &brief
	}
	text, err := json.Marshal(relation.PairOf(source, followUp))
	if err != nil {
		return nil // not reached: inputs and outputs are JSON
	}
	return text
}

// kept is what is kept of a value.
func kept(value trial.Raw) trial.Raw {
	if len(value) <= mostKept {
		return value
	}
	return trial.RawString(prose.CutBytes(value.Text(), mostKept/4))
}
