package relation

import (
	"context"
	"math"
	"strconv"

	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// mostCompared is how many characters of a text a distance compares: the work grows with the square of it. It is
// chosen.
const mostCompared = 4000

// Within holds where both outputs, or what stands at a path in each, are no farther apart than a distance. Of two
// numbers that is their difference; of two texts the share of characters that must be inserted, deleted or replaced to
// make one of the other (Levenshtein 1966), over the length of the longer, up to its first 4,000 characters. The zero
// path is the whole output.
func Within(at oracle.Path, distance float64) Criterion {
	return check(func(_ context.Context, source, followUp Execution) (Finding, error) {
		a, problem := comparedAt(source, at)
		if problem != "" {
			return violated("the output of the source %s", problem), nil
		}
		b, problem := comparedAt(followUp, at)
		if problem != "" {
			return violated("the output of the follow-up %s", problem), nil
		}
		apart := textsApart(a, b)
		x, numberA := numberOf(a)
		y, numberB := numberOf(b)
		if numberA && numberB {
			apart = math.Abs(x - y)
		}
		if apart <= distance {
			return held("%s and %s are %s apart", shown(textOf(a)), shown(textOf(b)), digits(apart)), nil
		}
		return violated("%s and %s are %s apart, more than %s", shown(textOf(a)), shown(textOf(b)), digits(apart),
			digits(distance)), nil
	})
}

// comparedAt is what is compared of an output.
func comparedAt(e Execution, at oracle.Path) (value any, problem string) {
	if at.String() == "" {
		return e.text(), ""
	}
	return valueAt(e, at)
}

// textsApart is the distance of two values as texts, from 0 to 1.
func textsApart(a, b any) float64 {
	x, y := []rune(textOf(a)), []rune(textOf(b))
	x, y = x[:min(len(x), mostCompared)], y[:min(len(y), mostCompared)]
	if len(x)+len(y) == 0 {
		return 0
	}
	// row has the edits from the beginning of x to each beginning of y.
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range y {
			replaced := diagonal
			if r != s {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, diagonal+1)
		}
	}
	return float64(row[len(y)]) / float64(max(len(x), len(y)))
}

// digits is a number with at most three significant digits.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }
