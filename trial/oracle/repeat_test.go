package oracle

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// letters is a judge that answers one letter after the other: P and F with a score of their own, E with an error.
func letters(text string) Evaluator {
	return evaluator{"fixed", sureOfAll, func(_ context.Context, e Evidence) Result {
		switch text[e.Repeat] {
		case 'P':
			return Result{Outcome: trial.Pass, Score: trial.Some(0.8)}
		case 'F':
			return failed(0.3, "no")
		}
		return unjudged("down")
	}}
}

// What so many answers come to, worked out by hand: errors count against every majority and help nobody.
func TestRepeat(t *testing.T) {
	for _, c := range []struct {
		combine Combine
		answers string
		want    trial.Outcome
		score   float64
	}{
		{"", "P", trial.Pass, 1}, {"", "PPF", trial.Pass, 2. / 3}, {"", "PFF", trial.Fail, 1. / 3},
		{Majority, "PPE", trial.Pass, 2. / 3}, {Majority, "FEF", trial.Fail, 0}, {Majority, "PFE", trial.Error, 0},
		{Majority, "PEE", trial.Error, 0}, {Majority, "EEE", trial.Error, 0}, {Majority, "PPEEE", trial.Error, 0},
		{AllPass, "PP", trial.Pass, 0.8}, {AllPass, "PE", trial.Error, 0}, {AllPass, "FE", trial.Fail, 0.3},
		{AnyPass, "FP", trial.Pass, 0.8}, {AnyPass, "FE", trial.Error, 0}, {AnyPass, "FF", trial.Fail, 0.3},
		{Median, "PPF", trial.Pass, 0.8}, {Median, "PFF", trial.Fail, 0.3}, {Median, "PPE", trial.Error, 0},
		{Median, "PF", trial.Pass, 0.55},
	} {
		v := made(t)(Repeat(letters(c.answers), len(c.answers), c.combine, 0))
		r := v.Evaluate(t.Context(), Evidence{Trial: traced()})
		if r.Outcome != c.want || r.Score.Known != (c.want != trial.Error) || len(r.Parts) != len(c.answers) {
			t.Errorf("%s of %s: %+v", c.combine, c.answers, r)
		}
		if d := r.Score.Value - c.score; d > 1e-12 || d < -1e-12 {
			t.Errorf("%s of %s: score %v", c.combine, c.answers, r.Score.Value)
		}
		if r.Evaluator != "fixed" {
			t.Error(r.Evaluator)
		}
	}
	for _, c := range []struct {
		times     int
		combine   Combine
		threshold float64
		want      string
	}{
		{2, Majority, 0, "repeat 2 is even"}, {0, AllPass, 0, "from 1 to 99"}, {100, AllPass, 0, "from 1 to 99"},
		{3, "most", 0, "none of majority"}, {3, Median, 2, "threshold 2 must"},
	} {
		_, err := Repeat(letters("P"), c.times, c.combine, c.threshold)
		if refused, ok := errors.AsType[*OptionError](err); !ok || !strings.Contains(refused.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// One that is asked more often is another judge, and its answers name the one that gave them.
func TestRepeatedJudgeIsAnother(t *testing.T) {
	judge := made(t)(Command([]string{"true"}, CommandOptions{}))
	seen := map[string]bool{DigestOf(judge): true}
	for _, v := range []Evaluator{
		made(t)(Repeat(judge, 1, Majority, 0)), made(t)(Repeat(judge, 3, Majority, 0)),
		made(t)(Repeat(judge, 3, Median, 0)), made(t)(Repeat(judge, 3, Median, 0.7)),
	} {
		if d := DigestOf(v); d == "" || seen[d] {
			t.Errorf("%s again", d)
		}
		seen[DigestOf(v)] = true
		r := v.Evaluate(t.Context(), Evidence{Trial: traced()})
		if len(Judges(v)) != 1 || r.Parts[0].Judge != DigestOf(judge) || r.Outcome != trial.Pass {
			t.Errorf("%+v", r)
		}
	}
	// As it is with another threshold, a majority is the same.
	if DigestOf(made(t)(Repeat(judge, 3, Majority, 0.7))) != DigestOf(made(t)(Repeat(judge, 3, Majority, 0))) {
		t.Error("the threshold of a median tells majorities apart")
	}
}
