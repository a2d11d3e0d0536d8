package trial

import (
	"bytes"
	"fmt"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// word reads a string that names something and comes again in other trials.
func (d *decoder) word(into *string, field string) error {
	content, err := d.content(field, "", false)
	if err != nil || content == nil {
		return err
	}
	*into = d.names.text(content)
	return nil
}

// message reads a string of free text. Half a surrogate pair, which tools that
// cut texts leave behind, becomes U+FFFD.
func (d *decoder) message(into *string, field string, keep bool) error {
	content, err := d.content(field, "", true)
	if err != nil || content == nil || !keep {
		return err
	}
	*into = string(content)
	return nil
}

// content reads a string and returns its content; nil for null.
func (d *decoder) content(field, hint string, anySurrogate bool) ([]byte, error) {
	value, err := d.value()
	if err != nil || value[0] == 'n' {
		return nil, err
	}
	if value[0] != '"' {
		if hint == "" && value[0] != '{' && value[0] != '[' {
			hint = `write "` + prose.Excerpt(string(value)) + `" in quotes`
		}
		return nil, d.typeError(field, value, "a string", hint)
	}
	content := value[1 : len(value)-1]
	if bytes.IndexByte(content, '\\') < 0 {
		return content, nil
	}
	text, err := jsontext.AppendUnquote(make([]byte, 0, len(content)), value)
	if err != nil && !anySurrogate {
		const advice = `write the whole character, or \ufffd`
		return nil, d.fieldError(field, string(value), "holds half of a surrogate pair", advice)
	}
	return text, nil
}

// outcome reads one of the three words, and suggests the one that may have been meant by
// another.
func (d *decoder) outcome(into *Outcome) error {
	content, err := d.content("outcome", `write "outcome":"pass", "fail" or "error"`, false)
	if err != nil || content == nil {
		return err
	}
	o, ok := ParseOutcome(string(content))
	if !ok {
		word := string(content)
		return d.fieldError("outcome", strconv.Quote(word), "is not one of pass, fail, error", OutcomeHint(word))
	}
	*into = o
	return nil
}

// costBasis reads one of the words.
func (d *decoder) costBasis(into *CostBasis) error {
	content, err := d.content("cost_basis", "", false)
	if err != nil || content == nil {
		return err
	}
	b := CostBasis(content)
	if !b.isKnown() {
		return d.fieldError("cost_basis", strconv.Quote(string(b)), "is not known", costBases)
	}
	*into = b
	return nil
}

// truth reads true or false.
func (d *decoder) truth(into *Optional[bool], field string) error {
	value, err := d.value()
	if err != nil {
		return err
	}
	switch value[0] {
	case 'n':
	case 't', 'f':
		*into = Some(value[0] == 't')
	default:
		hint := ""
		switch string(value) {
		case `"true"`, `"True"`, "1":
			hint = `write "` + field + `":true`
		case `"false"`, `"False"`, "0":
			hint = `write "` + field + `":false`
		}
		return d.typeError(field, value, "true or false", hint)
	}
	return nil
}

// timestamp reads a time. An empty text says the same as none.
func (d *decoder) timestamp(into *Timestamp, field string) error {
	content, err := d.content(field, `write "2026-02-26T09:25:37Z"`, false)
	if err != nil || len(content) == 0 {
		return err
	}
	if _, err := parseTimestamp(content); err != nil {
		return d.fieldError(field, strconv.Quote(string(content)), "is not a time", timeForm)
	}
	if d.fields.keeps(TimeField) {
		*into = Timestamp(content)
	}
	return nil
}

// raw reads any value and keeps it as it is written; null is absent.
func (d *decoder) raw(into *Raw, part Fields) error {
	value, err := d.value()
	if err != nil || value[0] == 'n' || !d.fields.keeps(part) {
		return err
	}
	*into = value
	return nil
}

// number reads a finite number.
func (d *decoder) number(into *Optional[float64], field string, nonNegative bool) error {
	value, err := d.value()
	if err != nil || value[0] == 'n' {
		return err
	}
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return d.typeError(field, value, "a number", numberHint(value))
	}
	x, ok := decimal(value)
	if !ok {
		var err error
		if x, err = strconv.ParseFloat(string(value), 64); err != nil || math.IsInf(x, 0) {
			return d.fieldError(field, string(value), "is too large for a number", "")
		}
	}
	if nonNegative && x < 0 {
		return d.fieldError(field, string(value), "must not be negative", "omit it where it is unknown")
	}
	if nonNegative && x > MaxAmount {
		return d.fieldError(field, string(value), tooMuch(MaxAmount), "omit it where it is unknown")
	}
	*into = Some(x)
	return nil
}

// decimal returns a number of few digits, as most are, in a fraction of the time that the standard library takes: its
// digits and the power of ten are exact in floating point, so that their quotient is rounded once (Clinger 1990).
func decimal(value []byte) (x float64, ok bool) {
	if len(value) > 16 {
		return 0, false
	}
	digits, point := int64(0), len(value)-1
	for i, c := range value {
		switch {
		case c == '.':
			point = i
		case c-'0' > 9:
			return 0, false
		default:
			digits = digits*10 + int64(c-'0')
		}
	}
	return float64(digits) / powersOfTen[len(value)-1-point], digits < 1<<53
}

// powersOfTen are those of which floating point has each without rounding, and which the digits of decimal need.
var powersOfTen = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// count reads a whole number that is not negative.
func (d *decoder) count(into *Optional[int], field string) error {
	var n Optional[int64]
	if err := d.bigCount(&n, field); err != nil || !n.Known {
		return err
	}
	if n.Value > math.MaxInt {
		return d.fieldError(field, strconv.FormatInt(n.Value, 10), "is too large for a count", "")
	}
	*into = Some(int(n.Value))
	return nil
}

// tokens reads a number of tokens.
func (d *decoder) tokens(into *Optional[int64], field string) error {
	var n Optional[int64]
	if err := d.bigCount(&n, field); err != nil || !n.Known {
		return err
	}
	if n.Value > MaxTokens {
		return d.fieldError(field, strconv.FormatInt(n.Value, 10), tooMuch(MaxTokens), "omit it where it is unknown")
	}
	*into = n
	return nil
}

// tooMuch is the problem of a number that is larger than any that is meant.
func tooMuch[T int64 | float64](most T) string { return fmt.Sprintf("must be at most %v", most) }

// bigCount reads a whole number that is not negative, and may be larger than an int is
// on some machines.
func (d *decoder) bigCount(into *Optional[int64], field string) error {
	value, err := d.value()
	if err != nil || value[0] == 'n' {
		return err
	}
	n, problem := parseCount(value)
	switch {
	case problem == "":
		*into = Some(n)
		return nil
	case problem == notNumber:
		return d.typeError(field, value, "a whole number", numberHint(value))
	case problem == negativeCount:
		return d.fieldError(field, string(value), problem, "omit it where it is unknown")
	}
	return d.fieldError(field, string(value), problem, "")
}

const (
	notNumber     = "is not a number"
	negativeCount = "must not be negative"
)

// parseCount returns the whole number that a JSON value is. 3.0 and 3e2 are
// whole.
func parseCount(value []byte) (n int64, problem string) {
	// Up to 18 digits fit an int64 without a check, and nearly all counts are that short.
	if len(value) <= 18 {
		digits := 0
		for digits < len(value) && value[digits]-'0' <= 9 {
			n = n*10 + int64(value[digits]-'0')
			digits++
		}
		if digits == len(value) {
			return n, ""
		}
	}
	if c := value[0]; c != '-' && (c < '0' || c > '9') {
		return 0, notNumber
	}
	if n, err := strconv.ParseInt(string(value), 10, 64); err == nil && n >= 0 {
		return n, ""
	}
	x, err := strconv.ParseFloat(string(value), 64)
	switch {
	case x < 0:
		return 0, negativeCount
	case err != nil || x >= 1<<63:
		return 0, "is too large for a count"
	case x != math.Trunc(x):
		return 0, "must be a whole number"
	}
	return int64(x), ""
}

// numberHint returns a hint for a value that should be a number.
func numberHint(value []byte) string {
	if value[0] != '"' {
		return ""
	}
	text := Raw(value).Text()
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return "write " + text + " without quotes"
	}
	return "leave the field out where the number is unknown"
}
