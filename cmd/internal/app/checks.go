package app

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
)

// ChangedChecks judges recorded trials by the evaluators of their scenarios, and by each of these changed in turn. An
// evaluator that is as it was is asked once about a trial, also where it is a program or a model. Untried are scenarios
// of which there is no trial.
func ChangedChecks(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, trials []*trial.Trial,
) (checks []mutants.Check, untried []string, err error) {
	byScenario := map[string][]*trial.Trial{}
	for _, t := range trials {
		byScenario[t.Scenario] = append(byScenario[t.Scenario], t)
	}
	for _, c := range scenarios {
		recorded := byScenario[c.Name]
		if len(recorded) == 0 {
			untried = append(untried, c.Name)
			continue
		}
		c.Evaluate = slices.Clone(c.Evaluate)
		for i := range c.Evaluate {
			c.Evaluate[i].Evaluator = &cachingEvaluator{Evaluator: c.Evaluate[i].Evaluator,
				said: map[*trial.Trial]oracle.Result{}}
		}
		before := outcomesOf(ctx, c, recorded)
		for _, change := range s.Changes(c) {
			with := c
			with.Evaluate = slices.Clone(c.Evaluate)
			was := c.Evaluate[change.Evaluator]
			if change.With == nil {
				with.Evaluate[change.Evaluator].Evaluator = passes{}
			} else {
				with.Evaluate[change.Evaluator].Evaluator = change.With
			}
			after := outcomesOf(ctx, with, recorded)
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			checks = append(checks, mutants.Check{Scenario: c.Name, Evaluator: was.Name, Place: was.Place.String(),
				Change: change.What,
				Before: before, After: after})
		}
	}
	return checks, untried, nil
}

// outcomesOf are the outcomes of trials of a scenario, a letter each.
func outcomesOf(ctx context.Context, c suite.Scenario, trials []*trial.Trial) string {
	letters := make([]byte, len(trials))
	for i, t := range trials {
		letters[i] = 'E'
		if t.Outcome == trial.Error {
			continue // which is no answer to judge
		}
		switch c.Judge(ctx, oracle.Evidence{Trial: t}).Outcome {
		case trial.Pass:
			letters[i] = 'P'
		case trial.Fail:
			letters[i] = 'F'
		}
	}
	return string(letters)
}

// cachingEvaluator is an evaluator that is asked once about each trial.
type cachingEvaluator struct {
	oracle.Evaluator
	said map[*trial.Trial]oracle.Result
}

// Evaluate returns what the evaluator said.
func (r *cachingEvaluator) Evaluate(ctx context.Context, e oracle.Evidence) oracle.Result {
	if known, ok := r.said[e.Trial]; ok {
		return known
	}
	said := r.Evaluator.Evaluate(ctx, e)
	r.said[e.Trial] = said
	return said
}

// passes is an evaluator that is gone: everything passes it.
type passes struct{}

// Name says what it is.
func (passes) Name() string { return "deleted" }

// Evaluate passes.
func (passes) Evaluate(context.Context, oracle.Evidence) oracle.Result {
	return oracle.Result{Outcome: trial.Pass, Score: trial.Some(1.0)}
}
