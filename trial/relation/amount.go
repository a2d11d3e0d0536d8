package relation

import (
	"context"
	"encoding/json"
	"math"
	"strconv"

	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// ScoreNotHigher holds where the follow-up, whose input is harder, has no higher score than the source, up to a
// tolerance: score(A(x')) ≤ score(A(x)). Both scores are numbers at a path in the output, or, where that is the zero
// path, those that the trials were given. An execution without a score violates it.
//
// The paper asks for it in expectation. Of scores that only vary the source's is as often the higher one, so that pairs
// of equal inputs violate it in half of all cases: the excess over these is what shows that harder inputs score higher.
func ScoreNotHigher(at oracle.Path, tolerance float64) Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		a, ok := scoreOf(source, at)
		if !ok {
			return violated("the source has no score"), nil
		}
		b, ok := scoreOf(followUp, at)
		if !ok {
			return violated("the follow-up has no score"), nil
		}
		if b <= a+tolerance {
			return held("the score is %v, and %v on the harder input", a, b), nil
		}
		return violated("the score is %v, and higher on the harder input: %v", a, b), nil
	})
}

// scoreOf is the score of an execution.
func scoreOf(e Execution, at oracle.Path) (float64, bool) {
	if at.String() == "" {
		return e.Trial.Score.Value, e.Trial.Score.Known
	}
	value, problem := valueAt(e, at)
	if problem != "" {
		return 0, false
	}
	return numberOf(value)
}

// numberOf is a value as a finite number: a number, or a text that holds one.
func numberOf(value any) (float64, bool) {
	var text string
	switch value := value.(type) {
	case json.Number:
		text = value.String()
	case string:
		text = value
	default:
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}
