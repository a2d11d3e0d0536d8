package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Node is a value of a JSON document whose shape is not to be relied on. The zero
// node is an absent value, and so is everything inside it and inside a null:
// looking for what is not there never fails.
type Node struct {
	Value any // as encoding/json decodes it, with json.Number
}

// DecodeNode decodes one JSON value.
// Numbers keep their digits, since counts of nanoseconds do not fit a float64. The text is
// read a second time only if it is no JSON and holds an N.
func DecodeNode(text []byte) (Node, error) {
	d := fastDecoder{isBrief: len(text) < briefText}
	return d.node(text)
}

// node is [DecodeNode] with the names that are known.
func (d *fastDecoder) node(text []byte) (Node, error) {
	if n, ok := d.decode(text); ok {
		return n, nil
	}
	return slowNode(text)
}

// slowNode is [DecodeNode] of any text, and tells what is wrong with it.
func slowNode(text []byte) (Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var n Node
	err := d.Decode(&n.Value)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok && bytes.Contains(text, []byte("N")) {
		if plain := withoutConstants(text); plain != nil {
			if n, err := DecodeNode(plain); err == nil {
				return n, nil
			}
		}
	}
	if err != nil {
		return Node{}, err
	}
	return n, onlyOne(d)
}

// constants are what Python writes for numbers that JSON does not have.
var constants = lazy.Regexp(`"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b`)

// withoutConstants returns the text with null for those numbers, nil if there is none.
func withoutConstants(text []byte) []byte {
	found := false
	plain := constants().ReplaceAllFunc(text, func(match []byte) []byte {
		if match[0] == '"' {
			return match
		}
		found = true
		return []byte("null")
	})
	if !found {
		return nil
	}
	return plain
}

// onlyOne returns an error if more than white space follows.
func onlyOne(d *json.Decoder) error {
	if rest := bytes.TrimLeft(peek(d), " \t\r\n"); len(rest) > 0 {
		return &json.SyntaxError{Offset: d.InputOffset()}
	}
	return nil
}

// peek returns what the decoder has read ahead.
func peek(d *json.Decoder) []byte {
	var b bytes.Buffer
	_, _ = b.ReadFrom(d.Buffered()) // a buffer: cannot fail
	return b.Bytes()
}

// Exists reports whether there is a value, and not null.
func (n Node) Exists() bool { return n.Value != nil }

// At returns what is found under the names, one inside the other.
func (n Node) At(names ...string) Node {
	for _, name := range names {
		object, _ := n.Value.(map[string]any)
		n = Node{object[name]}
	}
	return n
}

// Either returns the first of the members that exists: names of one thing in
// several versions of a format.
func (n Node) Either(names ...string) Node {
	for _, name := range names {
		if m := n.At(name); m.Exists() {
			return m
		}
	}
	return Node{}
}

// Has reports whether the object has all the members, null or not.
func (n Node) Has(names ...string) bool {
	object, _ := n.Value.(map[string]any)
	for _, name := range names {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	return len(names) > 0
}

// IsObject reports whether the value is an object.
func (n Node) IsObject() bool {
	_, ok := n.Value.(map[string]any)
	return ok
}

// IsList reports whether the value is an array.
func (n Node) IsList() bool {
	_, ok := n.Value.([]any)
	return ok
}

// IsText reports whether the value is a string.
func (n Node) IsText() bool {
	_, ok := n.Value.(string)
	return ok
}

// IsScalar reports whether the value is a string, a number, true or false.
func (n Node) IsScalar() bool { return n.Exists() && !n.IsObject() && !n.IsList() }

// Text returns the content of a string, the digits of a number, true or false, and
// "" for everything else.
func (n Node) Text() string {
	switch v := n.Value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Truth returns a boolean, or a string that says true or false.
func (n Node) Truth() trial.Optional[bool] {
	switch v := n.Value.(type) {
	case bool:
		return trial.Some(v)
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil && len(v) > 1 {
			return trial.Some(b)
		}
	}
	return trial.Optional[bool]{}
}

// IsTrue reports whether the value says true.
func (n Node) IsTrue() bool { return n.Truth().Value }

// Number returns a finite number, also one inside a string.
func (n Node) Number() trial.Optional[float64] {
	var text string
	switch v := n.Value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	}
	if text == "" || !IsDecimal(text) {
		return trial.Optional[float64]{}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return trial.Optional[float64]{}
	}
	return trial.Some(x)
}

// Amount returns a number that is not negative.
func (n Node) Amount() trial.Optional[float64] {
	if x := n.Number(); x.Known && x.Value >= 0 {
		return x
	}
	return trial.Optional[float64]{}
}

// Count returns a whole number that is not negative.
func (n Node) Count() trial.Optional[int64] {
	if !n.Exists() {
		return trial.Optional[int64]{}
	}
	if i, err := strconv.ParseInt(n.Text(), 10, 64); err == nil && i >= 0 {
		return trial.Some(i)
	}
	if x := n.Amount(); x.Known && x.Value == math.Trunc(x.Value) && x.Value < 1<<63 {
		return trial.Some(int64(x.Value))
	}
	return trial.Optional[int64]{}
}

// Index is a count as the number of a trial.
func (n Node) Index() trial.Optional[int] {
	if c := n.Count(); c.Known && c.Value <= math.MaxInt {
		return trial.Some(int(c.Value))
	}
	return trial.Optional[int]{}
}

// Millis returns a number of milliseconds, in seconds.
func (n Node) Millis() trial.Optional[float64] {
	x := n.Amount()
	x.Value /= 1000
	return x
}

// First returns the first element of an array.
func (n Node) First() Node {
	if values, _ := n.Value.([]any); len(values) > 0 {
		return Node{values[0]}
	}
	return Node{}
}

// OrElse returns the value itself, or another one where there is none.
func (n Node) OrElse(other Node) Node {
	if n.Exists() {
		return n
	}
	return other
}

// Only returns the object of those members that exist.
func (n Node) Only(names ...string) Node {
	object := map[string]any{}
	for _, name := range names {
		if m := n.At(name); m.Exists() {
			object[name] = m.Value
		}
	}
	return Node{object}
}

// List returns the elements of an array.
func (n Node) List() []Node {
	values, _ := n.Value.([]any)
	nodes := make([]Node, len(values))
	for i, v := range values {
		nodes[i].Value = v
	}
	return nodes
}

// Length is the number of elements of an array or members of an object.
func (n Node) Length() int {
	switch v := n.Value.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// Members returns the members of an object, sorted by name.
func (n Node) Members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		object, _ := n.Value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if !yield(name, Node{object[name]}) {
				return
			}
		}
	}
}

// Parsed returns the JSON that a string holds, as tools write arguments and
// metadata, also where it is encoded twice. Any other value, and a string that is
// not a JSON object, array or string, stays what it is.
// Two levels are chosen: what is encoded more often stays a string.
func (n Node) Parsed() Node {
	for range 2 {
		text, ok := n.Value.(string)
		if trimmed := strings.TrimSpace(text); !ok || trimmed == "" || !strings.ContainsRune(`{["`, rune(trimmed[0])) {
			return n
		}
		inner, err := DecodeNode([]byte(text))
		if err != nil {
			return n
		}
		n = inner
	}
	return n
}

// Time returns a point in time: RFC 3339, or a number of seconds, milliseconds,
// microseconds or nanoseconds since 1970, told apart by their size.
func (n Node) Time() time.Time {
	if x := n.Number(); x.Known && x.Value > 0 {
		seconds := x.Value
		for seconds >= 1e11 { // the year 5138 in seconds
			seconds /= 1e3
		}
		if exact, err := strconv.ParseInt(n.Text(), 10, 64); err == nil && exact >= 1e17 {
			return time.Unix(0, exact).UTC()
		}
		whole, part := math.Modf(seconds)
		return time.Unix(int64(whole), int64(math.Round(part*1e6))*1e3).UTC()
	}
	if at, err := trial.Timestamp(n.Text()).Time(); err == nil {
		return at.UTC()
	}
	return time.Time{}
}
