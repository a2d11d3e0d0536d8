package oracle

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/likeness"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// maxExponent bounds the numbers of a document: libraries that compute with exact
// fractions would spend gigabytes on 1e999999999.
// Chosen: the largest float64 is below 1e309.
const maxExponent = 400

// locatedValue is what a path leads to in the output of a trial.
type locatedValue struct {
	value any    // decoded, numbers as json.Number
	text  string // the content of a string, the JSON text of anything else
	// not nil where there is nothing to judge
	stop *Result
}

// locate follows the path. Where stop is not nil, it is the result: an error where
// no output was recorded, a fail where the path leads nowhere.
func locate(t *trial.Trial, at Path) locatedValue {
	stopped := func(r Result) locatedValue { return locatedValue{stop: &r} }
	if t.Output == nil {
		return stopped(unjudged("the output is not recorded"))
	}
	document, err := document(t.Output, at.text != "")
	if err != nil {
		return stopped(failed(0, "the output "+err.Error()))
	}
	value, found := at.Find(document)
	if !found {
		return stopped(failed(0, at.text+" is missing from the output"))
	}
	if text, ok := value.(string); ok {
		return locatedValue{value: value, text: text}
	}
	if at.text == "" {
		return locatedValue{value: value, text: t.Output.Text()}
	}
	return locatedValue{value: value, text: compact(value)}
}

// forms yields the other ways to write what was found: without what is not seen and, where it is JSON or
// a text that is, without escapes and each text in it by itself.
func (l locatedValue) forms() iter.Seq[string] {
	return func(yield func(string) bool) {
		value := l.value
		if text, ok := value.(string); ok {
			if !yield(likeness.Visible(text)) {
				return
			}
			inner, err := decode([]byte(text))
			if err != nil {
				return
			}
			value = inner
		}
		if yield(likeness.Visible(compact(value))) {
			texts(value, func(text string) bool { return yield(likeness.Visible(text)) })
		}
	}
}

// texts visits every name and text of a document until visit returns false, and reports whether it did not.
func texts(value any, visit func(string) bool) bool {
	switch value := value.(type) {
	case string:
		return visit(value)
	case []any:
		for _, item := range value {
			if !texts(item, visit) {
				return false
			}
		}
	case map[string]any:
		for name, member := range value {
			if !visit(name) || !texts(member, visit) {
				return false
			}
		}
	}
	return true
}

// document decodes an output. Text that a program printed is a JSON string; where
// a path leads into it, the JSON that it holds is meant.
//
// At the root the text itself is meant: equals compares it byte for byte.
func document(output trial.Raw, inside bool) (any, error) {
	value, err := decode(output)
	if text, ok := value.(string); ok && err == nil && inside {
		return decode([]byte(text))
	}
	return value, err
}

// structured decodes an output for a check of its structure: text that holds a
// JSON object or array is that object or array.
//
// Text that holds a number or a word in quotes stays text: it is more often prose than JSON.
func structured(output trial.Raw) (any, error) {
	value, err := decode(output)
	if text, ok := value.(string); ok && err == nil {
		if inner, err := decode([]byte(text)); err == nil {
			switch inner.(type) {
			case map[string]any, []any:
				return inner, nil
			}
		}
	}
	return value, err
}

// decode decodes one JSON value.
func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, errors.New("is not JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("is not one JSON value")
	}
	if !bounded(value) {
		return nil, errors.New("holds a number that is out of range")
	}
	// Of two members of one name every reader may take another one.
	if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return nil, errors.New("holds a name twice in one object")
	}
	return value, nil
}

// bounded reports whether all exponents are within bounds.
func bounded(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, member := range value {
			if !bounded(member) {
				return false
			}
		}
	case []any:
		for _, item := range value {
			if !bounded(item) {
				return false
			}
		}
	case json.Number:
		_, exponent, ok := decimal(value)
		return ok && exponent >= -maxExponent && exponent <= maxExponent
	}
	return true
}

// Equal compares decoded documents, with numbers as json.Number: by value, so that 1, 1.0 and 1e0 are equal,
// objects without regard to order.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, member := range a {
			if other, found := b[name]; !found || !Equal(member, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !Equal(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		digitsA, exponentA, okA := decimal(a)
		digitsB, exponentB, okB := decimal(b)
		return okA && okB && digitsA == digitsB && exponentA == exponentB
	}
	return a == b // string, bool or nil
}

// decimal writes a number as signed digits without zeros at either end, times a
// power of ten. It rounds nothing, unlike a conversion to float64.
//
// So 1, 1.0 and 10e-1 have the same digits and exponent, and numbers beyond float64 can be compared.
func decimal(n json.Number) (digits string, exponent int, ok bool) {
	text, power, scientific := strings.Cut(strings.ToLower(n.String()), "e")
	if scientific {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil || exponent > 1<<30 || exponent < -1<<30 {
			return "", 0, false
		}
	}
	text, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(text, ".")
	digits, exponent = strings.TrimLeft(whole+fraction, "0"), exponent-len(fraction)
	if digits == "" {
		return "0", 0, true
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed, exponent, true
}

// compact writes a decoded document as JSON text.
func compact(value any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "" // not reached: it came from a decoder
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// quoted shows a text in a sentence: in quotes, on one line, cut to a length.
func quoted(text string) string { return `"` + prose.Excerpt(text) + `"` }
