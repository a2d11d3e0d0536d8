package oracle

import (
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// All passes if all evaluators pass, and fails if one fails, also where another
// could not judge. The score is the smallest. All evaluators are asked, so that
// the evidence is complete.
func All(evaluators ...Evaluator) (Evaluator, error) {
	return combination("all", evaluators, all)
}

// Any passes if one of the evaluators passes, also where another could not judge,
// and fails if all fail. The score is the largest.
func Any(evaluators ...Evaluator) (Evaluator, error) {
	return combination("any", evaluators, anyOf)
}

// Not passes if the evaluator fails and fails if it passes; the score is 1 less
// its score. What cannot be judged stays so.
func Not(inner Evaluator) (Evaluator, error) {
	negation, err := combination("not", []Evaluator{inner}, func(parts []Result) Result {
		switch part := parts[0]; part.Outcome {
		case trial.Pass:
			return failed(1-part.Score.Value, part.Text)
		case trial.Fail:
			return Result{Outcome: trial.Pass, Score: trial.Some(1 - part.Score.Value), Text: part.Text}
		default:
			return unjudged("%s", part.Text)
		}
	})
	if err != nil {
		return nil, err
	}
	return combinedEvaluator{evaluator{"not", sureOfAll, func(ctx context.Context, e Evidence) Result {
		e.negated = !e.negated
		return negation.Evaluate(ctx, e)
	}}, []Evaluator{inner}}, nil
}

// Weight is an evaluator and its weight among others.
type Weight struct {
	Evaluator Evaluator // whose score counts
	Weight    float64   // positive, at most 1e9; only the ratios matter
}

// Weighted passes if the mean of the scores, weighted, is at least the threshold,
// which lies above 0 and is at most 1. It cannot judge where one of the evaluators
// cannot.
func Weighted(threshold float64, parts ...Weight) (Evaluator, error) {
	if !(threshold > 0 && threshold <= 1) {
		return nil, &OptionError{
			Option: "threshold", Value: number(threshold), Problem: "must lie above 0 and be at most 1",
		}
	}
	total := 0.0
	var evaluators []Evaluator
	for _, p := range parts {
		if !(p.Weight > 0) || p.Weight > maxWeight {
			return nil, &OptionError{Option: "weight", Value: number(p.Weight), Problem: "must be a positive number"}
		}
		total += p.Weight
		evaluators = append(evaluators, p.Evaluator)
	}
	parts = slices.Clone(parts)
	return combination("weighted", evaluators, func(results []Result) Result {
		score := 0.0
		for i, r := range results {
			if !r.Score.Known {
				return unjudged("%s: %s", r.Evaluator, r.Text)
			}
			score += r.Score.Value * parts[i].Weight
		}
		// A sum of rounded numbers may be a little above 1, and a little below the threshold.
		score = min(score/total, 1)
		text := fmt.Sprintf("weighted score %.4g, threshold %s", score, number(threshold))
		if score >= threshold-summationSlack {
			return Result{Outcome: trial.Pass, Score: trial.Some(score), Text: text}
		}
		return failed(score, text)
	})
}

// maxWeight is chosen: sums stay finite, and smaller weights are not lost beside larger ones.
const maxWeight = 1e9

// combinedEvaluator is an evaluator of others.
type combinedEvaluator struct {
	evaluator
	parts []Evaluator
}

// combination makes an evaluator of others. All of them are asked, whatever the first
// ones say: every part is in the result.
func combination(name string, evaluators []Evaluator, judge func([]Result) Result) (Evaluator, error) {
	if len(evaluators) == 0 {
		return nil, &OptionError{Option: name, Problem: "has no evaluators"}
	}
	if slices.Contains(evaluators, nil) {
		return nil, &OptionError{Option: name, Problem: "has an evaluator that is nil"}
	}
	// The caller may change the list that it gave.
	evaluators = slices.Clone(evaluators)
	return combinedEvaluator{evaluator{name, sureOfAll, func(ctx context.Context, e Evidence) Result {
		parts := evaluate(ctx, evaluators, e)
		r := judge(parts)
		r.Parts = parts
		return r
	}}, evaluators}, nil
}

// evaluate asks every evaluator.
func evaluate(ctx context.Context, evaluators []Evaluator, e Evidence) []Result {
	results := make([]Result, len(evaluators))
	for i, v := range evaluators {
		results[i] = sound(v.Evaluate(ctx, e))
		results[i].Judge = DigestOf(v)
	}
	return results
}

// sound keeps a result of a foreign evaluator within what results may be.
//
// Evaluators of other packages may answer anything. A pass without a score in [0,1] is an error, so
// that it decides nothing.
func sound(r Result) Result {
	decides := r.Outcome == trial.Pass || r.Outcome == trial.Fail
	if decides && r.Score.Known && r.Score.Value >= 0 && r.Score.Value <= 1 {
		return r
	}
	if decides {
		r.Text = fmt.Sprintf("score %v is not in [0,1]", r.Score.Value)
	}
	r.Outcome, r.Score = trial.Error, trial.Optional[float64]{}
	return r
}

// all is the conjunction of results.
//
// By Kleene's logic a fail decides, whatever the others would say; an error decides only where all
// others pass.
func all(parts []Result) Result {
	least := 1.0
	for _, p := range parts {
		if p.Score.Known {
			least = min(least, p.Score.Value)
		}
	}
	switch n := tally(parts); {
	case n.fails > 0:
		return failed(least, n.String())
	case n.errors > 0:
		return unjudged("%s", n)
	default:
		return Result{Outcome: trial.Pass, Score: trial.Some(least), Text: n.String()}
	}
}

// anyOf is the disjunction of results: a pass decides, an error only where no other passes.
func anyOf(parts []Result) Result {
	// Errors have no score, whose value is then 0.
	best := 0.0
	for _, p := range parts {
		best = max(best, p.Score.Value)
	}
	switch n := tally(parts); {
	case n.passes > 0:
		return Result{Outcome: trial.Pass, Score: trial.Some(best), Text: n.String()}
	case n.errors > 0:
		return unjudged("%s", n)
	default:
		return failed(best, n.String())
	}
}

// outcomes counts results, and keeps the first that did not pass.
type outcomes struct {
	passes, fails, errors int
	// its evaluator and text; "" where all passed
	first string
}

// tally counts results by their outcome.
func tally(parts []Result) (n outcomes) {
	for _, p := range parts {
		switch p.Outcome {
		case trial.Pass:
			n.passes++
		case trial.Fail:
			n.fails++
		default:
			n.errors++
		}
		if n.first == "" && p.Outcome != trial.Pass {
			n.first = p.Evaluator + ": " + p.Text
		}
	}
	return n
}

// String writes "2 of 3 pass", and the first that did not.
func (n outcomes) String() string {
	text := fmt.Sprintf("%d of %d pass", n.passes, n.passes+n.fails+n.errors)
	if n.first != "" {
		text += "; " + n.first
	}
	return text
}
