package record

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
	"unique"

	"github.com/tribunal-dev/tribunal/trial"
)

// unknownHint is the hint for a text that is not what its field needs.
const unknownHint = "leave it empty where it is unknown"

// SetField sets the field of a trial that is written as in package trial from a
// text. known is false if there is no such field. An empty text leaves the field
// unknown. The error has the place of the trial.
func SetField(t *trial.Trial, name, text string) (known bool, err error) {
	if !utf8.ValidString(text) {
		return true, FieldError(t, name, text, "is not UTF-8 text", "save the file as UTF-8")
	}
	switch name {
	case "scenario":
		t.Scenario = Shared(text)
	case "variant":
		t.Variant = Shared(text)
	case "model":
		t.Model = Shared(text)
	case "trial":
		t.Index, err = count(t, name, text)
	case "attempt":
		t.Attempt, err = count(t, name, text)
	case "cost_basis":
		t.CostBasis, err = costBasis(t, name, text)
	case "input_tokens":
		t.InputTokens, err = bigCount(t, name, text)
	case "output_tokens":
		t.OutputTokens, err = bigCount(t, name, text)
	case "cached_tokens":
		t.CachedTokens, err = bigCount(t, name, text)
	case "cache_write_tokens":
		t.CacheWrites, err = bigCount(t, name, text)
	case "turns":
		t.Turns, err = count(t, name, text)
	case "tool_calls":
		t.ToolCalls, err = count(t, name, text)
	case "score":
		t.Score, err = number(t, name, text)
	case "duration_s":
		t.DurationSeconds, err = Amount(t, name, text)
	case "cost_usd":
		t.CostUSD, err = Amount(t, name, text)
	case "started_at":
		err = setStart(t, text)
	case "input":
		t.Input = RawText(text)
	case "output":
		t.Output = RawText(text)
	default:
		return false, nil
	}
	return true, err
}

// FieldError says what is wrong with the text of a field of a trial, which knows its
// place. The hint may be "".
func FieldError(t *trial.Trial, name, value, problem, hint string) error {
	return &trial.FieldError{Place: t.Place, Field: name, Value: strconv.Quote(value), Problem: problem, Advice: hint}
}

// Shared returns one string for equal texts, so that the text of a whole record
// is not kept for the name in it.
func Shared(text string) string { return unique.Make(text).Value() }

// setStart sets the time when the trial began, written as RFC 3339 has it.
func setStart(t *trial.Trial, text string) error {
	start := trial.Timestamp(text)
	if text == "" {
		return nil
	}
	if _, err := start.Time(); err != nil {
		return FieldError(t, "started_at", text, "is not a time", "write it as RFC 3339 does: 2026-02-26T09:25:37Z")
	}
	t.StartedAt = start
	return nil
}

// costBasis reads one of the words.
func costBasis(t *trial.Trial, name, text string) (trial.CostBasis, error) {
	switch b := trial.CostBasis(text); b {
	case trial.RecordedCost, trial.EstimatedCost, trial.CostAtMost:
		return b, nil
	}
	return "", FieldError(t, name, text, "is not known", `write "estimated" or "at-most", or leave it empty`)
}

// number reads a finite decimal number.
func number(t *trial.Trial, name, text string) (x trial.Optional[float64], err error) {
	if text == "" {
		return x, nil
	}
	value, err := strconv.ParseFloat(text, 64)
	switch {
	case !decimal(text, err):
		hint := unknownHint
		if point := strings.Replace(text, ",", ".", 1); IsDecimal(point) {
			hint = "write " + point + ", with a point"
		}
		return x, FieldError(t, name, text, "is not a number", hint)
	case err != nil || math.IsInf(value, 0):
		return x, FieldError(t, name, text, "is too large for a number", "")
	}
	return trial.Some(value), nil
}

// IsDecimal reports whether a text is a number as JSON and CSV writers write it: no NaN, no hexadecimal digits, no
// underscores, which [strconv.ParseFloat] reads too. A number may be too large for a float64.
func IsDecimal(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return decimal(text, err)
}

// decimal is [IsDecimal] of a text of which ParseFloat has that error.
func decimal(text string, err error) bool {
	for _, c := range []byte(text) {
		if c > '9' && c|' ' != 'e' {
			return false // infinity, NaN, a hexadecimal digit or an underscore
		}
	}
	return !errors.Is(err, strconv.ErrSyntax)
}

// Amount reads a number that is not negative.
func Amount(t *trial.Trial, name, text string) (trial.Optional[float64], error) {
	x, err := number(t, name, text)
	if err == nil && x.Value < 0 {
		return x, FieldError(t, name, text, "must not be negative", unknownHint)
	}
	return x, err
}

// bigCount reads a whole number that is not negative. 3.0, which spreadsheets
// write for 3, is whole.
func bigCount(t *trial.Trial, name, text string) (n trial.Optional[int64], err error) {
	if value, err := strconv.ParseInt(text, 10, 64); err == nil && value >= 0 {
		return trial.Some(value), nil
	}
	x, err := Amount(t, name, text)
	switch {
	case err != nil || !x.Known:
		return n, err
	case x.Value != math.Trunc(x.Value):
		return n, FieldError(t, name, text, "must be a whole number", "")
	case x.Value >= 1<<63:
		return n, FieldError(t, name, text, "is too large for a count", "")
	}
	return trial.Some(int64(x.Value)), nil
}

// count is bigCount for numbers that index trials.
func count(t *trial.Trial, name, text string) (n trial.Optional[int], err error) {
	big, err := bigCount(t, name, text)
	switch {
	case err != nil || !big.Known:
		return n, err
	case big.Value > math.MaxInt:
		return n, FieldError(t, name, text, "is too large for a count", "")
	}
	return trial.Some(int(big.Value)), nil
}

// WholeNumber reads up to nine digits.
func WholeNumber(digits string) trial.Optional[int] {
	n, err := strconv.Atoi(digits)
	return trial.Optional[int]{Value: n, Known: err == nil}
}
