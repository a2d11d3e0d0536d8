package oracle

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/trial"
)

// Combine says what several answers of one judge come to. The zero value is [Majority].
type Combine string

// The ways. In all of them an answer that is an error decides nothing, and never helps to pass.
const (
	Majority Combine = "majority" // more than half of all pass, or fail; the score is the share that pass
	AllPass  Combine = "all"      // as [All]
	AnyPass  Combine = "any"      // as [Any]
	Median   Combine = "median"   // the median of the scores is at least the threshold; no answer may be an error
)

// combines are all of the ways.
var combines = []Combine{Majority, AllPass, AnyPass, Median}

// maxRepeat is chosen: more answers of one judge cost much and add little.
const maxRepeat = 99

// Repeat asks a judge so many times, at most 99, and combines what it says; [Evidence].Repeat tells it which time it
// is.
// The threshold is that of a median, 0 is 0.5. Every answer is a part of the result. A majority of an even number is
// refused, as it may be none.
func Repeat(judge Evaluator, times int, combine Combine, threshold float64) (Evaluator, error) {
	if combine == "" {
		combine = Majority
	}
	switch {
	case judge == nil:
		return nil, &OptionError{Option: "repeat", Problem: "has no evaluator"}
	case times < 1 || times > maxRepeat:
		return nil, &OptionError{
			Option: "repeat", Value: strconv.Itoa(times), Problem: fmt.Sprintf("must lie from 1 to %d", maxRepeat),
		}
	case !slices.Contains(combines, combine):
		return nil, &OptionError{
			Option: "combine", Value: string(combine), Problem: "is none of majority, all, any and median",
		}
	case combine == Majority && times%2 == 0:
		return nil, &OptionError{
			Option: "repeat", Value: strconv.Itoa(times), Problem: "is even, and half of the answers are no majority",
			Advice: fmt.Sprintf("ask %d times, or combine: all", times+1),
		}
	case !(threshold >= 0 && threshold <= 1):
		return nil, &OptionError{
			Option: "threshold", Value: number(threshold), Problem: "must lie above 0 and be at most 1",
		}
	}
	if threshold == 0 {
		threshold = defaultPassingScore
	}
	answers := func(ctx context.Context, e Evidence) Result {
		parts := make([]Result, times)
		for i := range parts {
			e.Repeat = i
			parts[i] = sound(judge.Evaluate(ctx, e))
			parts[i].Judge = DigestOf(judge)
		}
		r := together(combine, parts, threshold)
		r.Parts = parts
		return r
	}
	digest := func() string {
		form := struct {
			Judge     string
			Repeat    int
			Combine   Combine
			Threshold float64
		}{DigestOf(judge), times, combine, 0}
		if combine == Median {
			form.Threshold = threshold
		}
		return JudgeDigest(form)
	}
	files := func() []string { return JudgeFiles(judge) }
	return programJudge{evaluator{judge.Name(), sureOfAll, answers}, digest, files}, nil
}

// together is what the answers come to.
func together(combine Combine, parts []Result, threshold float64) Result {
	switch combine {
	case AllPass:
		return all(parts)
	case AnyPass:
		return anyOf(parts)
	case Median:
		return median(parts, threshold)
	}
	return majority(parts)
}

// majority is what more than half of the answers say.
func majority(parts []Result) Result {
	n := tally(parts)
	share := float64(n.passes) / float64(len(parts))
	switch {
	case 2*n.passes > len(parts):
		return Result{Outcome: trial.Pass, Score: trial.Some(share), Text: n.String()}
	case 2*n.fails > len(parts):
		return failed(share, n.String())
	}
	return unjudged("%s", n)
}

// median compares that of the scores, of which all must be known, with the threshold.
func median(parts []Result, threshold float64) Result {
	scores := make([]float64, len(parts))
	for i, p := range parts {
		if !p.Score.Known {
			return unjudged("%s", tally(parts))
		}
		scores[i] = p.Score.Value
	}
	slices.Sort(scores)
	low, high := scores[(len(scores)-1)/2], scores[len(scores)/2]
	middle := low + (high-low)/2
	text := fmt.Sprintf("the median of %d scores is %.4g, threshold %s", len(scores), middle, number(threshold))
	if middle >= threshold {
		return Result{Outcome: trial.Pass, Score: trial.Some(middle), Text: text}
	}
	return failed(middle, text)
}
