package option

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
)

// The numbers that options give.
var (
	// Level is strictly between 0 and 1.
	Level = number[value.Level]()
	// Deviations are above 0 and at most 10 standard deviations.
	Deviations = number[value.Deviations]()
	// Finite is any number but NaN and the infinities.
	Finite = number[value.Finite]()
	// Proportion is from 0 to 1.
	Proportion = number[value.Proportion]()
	// Part is above 0 and at most 1.
	Part = number[value.Part]()
	// Threshold is a level, with a word on why it is not 1.
	Threshold = number[value.BelowOne]()
	// Amount is not negative.
	Amount = number[value.Amount]()
	// Seed is that of a random number generator.
	Seed = Type[uint64]{Unit: "N", Text: func(n uint64) string { return strconv.FormatUint(n, 10) },
		Parse: func(text string) (uint64, error) {
			var s value.Seed
			err := s.Set(text)
			return uint64(s), err
		}}
	// Text is any text, for an option that may be given as "".
	Text = Type[string]{Unit: "string", Text: func(text string) string { return text },
		Parse: func(text string) (string, error) { return text, nil }}
	// Duration is a length of time, with its unit.
	Duration = Type[time.Duration]{Unit: "duration", Text: time.Duration.String, Parse: time.ParseDuration}
	// Size is a number of bytes, such as 64MiB.
	Size = Type[int]{Unit: "SIZE", Text: func(n int) string { return value.SizeText(int64(n)) },
		Parse: func(text string) (int, error) {
			var b value.ByteSize
			err := b.Set(text)
			return int(b), err
		}}
	// Ratio is passes among trials, as K/N.
	Ratio = Type[stats.Counts]{Unit: "K/N",
		Text: func(c stats.Counts) string { r := value.Ratio(c); return r.String() },
		Parse: func(text string) (stats.Counts, error) {
			var r value.Ratio
			err := r.Set(text)
			return stats.Counts(r), err
		}}
)

// number is the type of the numbers that a flag value reads.
func number[V ~float64, P interface {
	*V
	pflag.Value
}]() Type[float64] {
	var zero V
	return Type[float64]{
		Unit: P(&zero).Type(),
		Text: func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) },
		Parse: func(text string) (float64, error) {
			var v V
			err := P(&v).Set(text)
			return float64(v), err
		},
	}
}

// Count is a whole number from the least to the most.
func Count(least, most int) Type[int] {
	return Type[int]{Unit: "N", Text: strconv.Itoa, Parse: func(text string) (int, error) {
		c := value.Count{Least: least, Most: most}
		err := c.Set(text)
		return c.Value, err
	}}
}

// Word is one of a list of named values, in the order of the help. The list says where all of them are listed, for one
// that is long; "" lists them in the help.
func Word[T fmt.Stringer](unit, list string, words ...T) Type[T] {
	w := value.Word[T]{Kind: unit, Words: words, List: list}
	return Type[T]{Unit: unit, Words: w.Completions(), Text: func(x T) string { return x.String() },
		Parse: func(text string) (T, error) {
			err := w.Set(text)
			return w.Value, err
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
