package coverage

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/trial"
)

// mostReached is the longest text and list that [Boundary.Reach] makes: chosen, what a model can be told to repeat.
const mostReached = 10_000

// Reach returns an argument that touches the boundary, the value of a recorded argument moved to the limit where it can
// be: a text or a list is cut, or repeats itself, to its length. The recorded one may be nil, and of any type. Of a
// limit that a value may not be equal to, it is the value just inside. It is false for a length beyond 10,000.
func (b Boundary) Reach(domain Domain, recorded trial.Raw) (argument trial.Raw, ok bool) {
	size, err := strconv.Atoi(string(b.Value))
	switch b.Kind {
	case minLengthBoundary, maxLengthBoundary, longString:
		if err != nil || size > mostReached || size < 0 {
			return nil, false
		}
		return trial.RawString(textOf(recorded, size)), true
	case minItemsBoundary, maxItemsBoundary:
		if err != nil || size > mostReached || size < 0 {
			return nil, false
		}
		return listOf(recorded, size), true
	case exclusiveMinimumBoundary, exclusiveMaximumBoundary:
		return b.inside(domain)
	case zeroNumber:
		return trial.Raw("0"), true
	case negativeNumber:
		return trial.Raw("-1"), true
	case emptyString:
		return trial.Raw(`""`), true
	case unicodeString:
		return trial.RawString(textOf(recorded, utf8.RuneCountInString(trial.Raw(recorded).Text())) + "é漢"), true
	case emptyArray:
		return trial.Raw("[]"), true
	case emptyObject:
		return trial.Raw("{}"), true
	}
	return trial.Raw(b.Value), b.Value != nil
}

// inside is the value just inside of a limit that it may not be equal to, and near enough to touch it.
func (b Boundary) inside(domain Domain) (trial.Raw, bool) {
	for _, l := range domain.limits(b.Tool, b.Parameter) {
		if l.Kind != b.Kind || string(l.Value) != string(b.Value) {
			continue
		}
		off := l.tolerance / 2
		if domain.Integer {
			off = 1
		}
		if b.Kind == exclusiveMaximumBoundary {
			off = -off
		}
		// A limit of 0 that is open on the other side has no width: what is nearest to it touches it no more than it
		// does itself.
		if x := l.at + off; l.touches(x) && !math.IsInf(x, 0) {
			return trial.Raw(strconv.FormatFloat(x, 'g', -1, 64)), true
		}
	}
	return trial.Raw(b.Value), true
}

// textOf is a recorded text with so many characters: its beginning, or itself again and again; of "x" where there is
// none.
func textOf(recorded trial.Raw, size int) string {
	text := "x"
	if jsontext.Value(recorded).Kind() == '"' && recorded.Text() != "" {
		text = strings.ToValidUTF8(recorded.Text(), "x")
	}
	runes := []rune(text)
	var b strings.Builder
	for i := range size {
		b.WriteRune(runes[i%len(runes)])
	}
	return b.String()
}

// listOf is a recorded list with so many items: its first ones, or itself again and again; of 1 where it has none.
func listOf(recorded trial.Raw, size int) trial.Raw {
	var items []json.RawMessage
	if err := json.Unmarshal(recorded, &items); err != nil || len(items) == 0 {
		items = []json.RawMessage{json.RawMessage("1")}
	}
	text := []byte{'['}
	for i := range size {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, items[i%len(items)]...)
	}
	return append(text, ']')
}

// Distance says how far a recorded argument is from touching the boundary, from 0: of numbers, lengths and numbers of
// items what they lack, and infinite of what is of another type. Where there is no more or less, it is 1.
func (b Boundary) Distance(recorded trial.Raw) float64 {
	limit, err := strconv.ParseFloat(string(b.Value), 64)
	if err != nil && (b.Kind != zeroNumber && b.Kind != negativeNumber) {
		limit = math.NaN()
	}
	x := math.NaN()
	switch kind := jsontext.Value(recorded).Kind(); b.Kind {
	case minLengthBoundary, maxLengthBoundary, longString, emptyString:
		if kind == '"' {
			x = float64(utf8.RuneCountInString(recorded.Text()))
		}
		if b.Kind == emptyString {
			limit = 0
		}
	case minItemsBoundary, maxItemsBoundary, emptyArray, emptyObject:
		if kind == '[' || kind == '{' && b.Kind == emptyObject {
			x = 0
			each(jsontext.Value(recorded), func(string, jsontext.Value) { x++ })
		}
		if b.Value == nil {
			limit = 0
		}
	case EnumBoundary, unicodeString:
		return 1
	default:
		if y, err := strconv.ParseFloat(string(recorded), 64); err == nil && kind == '0' {
			x = y
		}
		if b.Kind == zeroNumber || b.Kind == negativeNumber {
			limit = 0
		}
	}
	if off := math.Abs(x - limit); !math.IsNaN(off) {
		return off
	}
	return math.Inf(1)
}
