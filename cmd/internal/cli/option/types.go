package option

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
)

// The numbers that options give.
var (
	// Level is strictly between 0 and 1.
	Level = number("P", value.Level)
	// Risk is above 0 and below 0.5.
	Risk = number("P", value.Risk)
	// Deviations are above 0 and at most 10 standard deviations.
	Deviations = number("SD", value.Deviations)
	// Finite is any number but NaN and the infinities.
	Finite = number("X", value.Finite)
	// Proportion is from 0 to 1.
	Proportion = number("C", value.Proportion)
	// Part is above 0 and at most 1.
	Part = number("C", value.Part)
	// Threshold is a level, with a word on why it is not 1.
	Threshold = number("P", value.Threshold)
	// Amount is not negative.
	Amount = number("X", value.Amount)
	// Seed is that of a random number generator.
	Seed = Type[uint64]{Unit: "N", Text: func(n uint64) string { return strconv.FormatUint(n, 10) }, Parse: value.Seed}
	// Text is any text, for an option that may be given as "".
	Text = Type[string]{Unit: "string", Text: func(text string) string { return text },
		Parse: func(text string) (string, error) { return text, nil }}
	// Duration is a length of time, with its unit.
	Duration = Type[time.Duration]{Unit: "duration", Text: time.Duration.String, Parse: time.ParseDuration}
	// Size is a number of bytes, such as 64MiB.
	Size = Type[int]{Unit: "SIZE", Text: func(n int) string { return value.SizeText(int64(n)) },
		Parse: func(text string) (int, error) {
			n, err := value.Size(text, value.MaxSize)
			return int(n), err
		}}
	// Ratio is passes among trials, as K/N.
	Ratio = Type[stats.Counts]{Unit: "K/N", Parse: value.Ratio, Text: func(c stats.Counts) string {
		if c.Trials == 0 {
			return ""
		}
		return c.String()
	}}
)

func number(unit string, parse func(string) (float64, error)) Type[float64] {
	return Type[float64]{Unit: unit, Text: func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
		Parse: parse}
}

// Count is a whole number from the least to the most.
func Count(least, most int) Type[int] {
	return Type[int]{Unit: "N", Text: strconv.Itoa,
		Parse: func(text string) (int, error) { return value.Count(text, least, most) }}
}

// Word is one of a list of named values, in the order of the help. The list says where all of them are listed, for one
// that is long; "" lists them in the help.
func Word[T fmt.Stringer](unit, list string, words ...T) Type[T] {
	names := make([]string, len(words))
	for i, word := range words {
		names[i] = word.String()
	}
	return Type[T]{Unit: unit, Words: names, Text: func(x T) string { return x.String() },
		Parse: func(text string) (word T, err error) {
			if i := slices.Index(names, text); i >= 0 {
				return words[i], nil
			}
			none := value.NoSuchWord(text, names)
			none.Hint = cmp.Or(none.Hint, list)
			return word, none
		}}
}

// Rule is what its own parser reads. The text that cannot be read is quoted by the caller, with the name of the option.
func Rule[R fmt.Stringer](unit string, parse func(string) (R, error)) Type[R] {
	return Type[R]{Unit: unit, Text: func(r R) string { return r.String() }, Parse: func(text string) (R, error) {
		r, err := parse(text)
		if e, ok := errors.AsType[*ingest.RuleError](err); ok {
			return r, &value.Refusal{Problem: e.Problem, Hint: e.Advice}
		}
		return r, err
	}}
}
