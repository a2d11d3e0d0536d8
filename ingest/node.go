package ingest

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

// node is a value of a JSON document whose shape is not to be relied on. The zero
// node is an absent value, and so is everything inside it and inside a null:
// looking for what is not there never fails.
type node struct{ value any } // as encoding/json decodes it, with json.Number

// decodeNode decodes one JSON value.
func decodeNode(text []byte) (node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var n node
	err := d.Decode(&n.value)
	if _, ok := errors.AsType[*json.SyntaxError](err); ok && bytes.Contains(text, []byte("N")) {
		if plain := withoutConstants(text); plain != nil {
			if n, err := decodeNode(plain); err == nil {
				return n, nil
			}
		}
	}
	if err != nil {
		return node{}, err
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

func peek(d *json.Decoder) []byte {
	var b bytes.Buffer
	_, _ = b.ReadFrom(d.Buffered()) // a buffer: cannot fail
	return b.Bytes()
}

// exists reports whether there is a value, and not null.
func (n node) exists() bool { return n.value != nil }

// at returns what is found under the names, one inside the other.
func (n node) at(names ...string) node {
	for _, name := range names {
		object, _ := n.value.(map[string]any)
		n = node{object[name]}
	}
	return n
}

// either returns the first of the members that exists: names of one thing in
// several versions of a format.
func (n node) either(names ...string) node {
	for _, name := range names {
		if m := n.at(name); m.exists() {
			return m
		}
	}
	return node{}
}

// has reports whether the object has all the members, null or not.
func (n node) has(names ...string) bool {
	object, _ := n.value.(map[string]any)
	for _, name := range names {
		if _, ok := object[name]; !ok {
			return false
		}
	}
	return len(names) > 0
}

func (n node) isObject() bool { _, ok := n.value.(map[string]any); return ok }
func (n node) isList() bool   { _, ok := n.value.([]any); return ok }
func (n node) isScalar() bool { return n.exists() && !n.isObject() && !n.isList() }
func (n node) isText() bool   { _, ok := n.value.(string); return ok }

// text returns the content of a string, the digits of a number, true or false, and
// "" for everything else.
func (n node) text() string {
	switch v := n.value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// truth returns a boolean, or a string that says true or false.
func (n node) truth() trial.Optional[bool] {
	switch v := n.value.(type) {
	case bool:
		return trial.Some(v)
	case string:
		if b, err := strconv.ParseBool(strings.ToLower(v)); err == nil && len(v) > 1 {
			return trial.Some(b)
		}
	}
	return trial.Optional[bool]{}
}

// isTrue reports whether the value says true.
func (n node) isTrue() bool { return n.truth().Value }

// number returns a finite number, also one inside a string.
func (n node) number() trial.Optional[float64] {
	var text string
	switch v := n.value.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	}
	if !decimal().MatchString(text) {
		return trial.Optional[float64]{}
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return trial.Optional[float64]{}
	}
	return trial.Some(x)
}

// amount returns a number that is not negative.
func (n node) amount() trial.Optional[float64] {
	if x := n.number(); x.Known && x.Value >= 0 {
		return x
	}
	return trial.Optional[float64]{}
}

// count returns a whole number that is not negative.
func (n node) count() trial.Optional[int64] {
	if i, err := strconv.ParseInt(n.text(), 10, 64); err == nil && i >= 0 {
		return trial.Some(i)
	}
	if x := n.amount(); x.Known && x.Value == math.Trunc(x.Value) && x.Value < 1<<63 {
		return trial.Some(int64(x.Value))
	}
	return trial.Optional[int64]{}
}

// index is a count as the number of a trial.
func (n node) index() trial.Optional[int] {
	if c := n.count(); c.Known && c.Value <= math.MaxInt {
		return trial.Some(int(c.Value))
	}
	return trial.Optional[int]{}
}

// millis returns a number of milliseconds, in seconds.
func (n node) millis() trial.Optional[float64] {
	x := n.amount()
	x.Value /= 1000
	return x
}

// first returns the first element of an array.
func (n node) first() node {
	if values, _ := n.value.([]any); len(values) > 0 {
		return node{values[0]}
	}
	return node{}
}

// orElse returns the value itself, or another one where there is none.
func (n node) orElse(other node) node {
	if n.exists() {
		return n
	}
	return other
}

// only returns the object of those members that exist.
func (n node) only(names ...string) node {
	object := map[string]any{}
	for _, name := range names {
		if m := n.at(name); m.exists() {
			object[name] = m.value
		}
	}
	return node{object}
}

// list returns the elements of an array.
func (n node) list() []node {
	values, _ := n.value.([]any)
	nodes := make([]node, len(values))
	for i, v := range values {
		nodes[i].value = v
	}
	return nodes
}

// length is the number of elements of an array or members of an object.
func (n node) length() int {
	switch v := n.value.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// members returns the members of an object, sorted by name.
func (n node) members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		object, _ := n.value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if !yield(name, node{object[name]}) {
				return
			}
		}
	}
}

// raw returns the value as JSON with sorted names; nil where there is none.
func (n node) raw() trial.Raw {
	if !n.exists() {
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(n.value) != nil {
		return nil // not reached: it was decoded from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// parsed returns the JSON that a string holds, as tools write arguments and
// metadata, also where it is encoded twice. Any other value, and a string that is
// not a JSON object, array or string, stays what it is.
func (n node) parsed() node {
	for range 2 {
		text, ok := n.value.(string)
		if trimmed := strings.TrimSpace(text); !ok || trimmed == "" || !strings.ContainsRune(`{["`, rune(trimmed[0])) {
			return n
		}
		inner, err := decodeNode([]byte(text))
		if err != nil {
			return n
		}
		n = inner
	}
	return n
}

// time returns a point in time: RFC 3339, or a number of seconds, milliseconds,
// microseconds or nanoseconds since 1970, told apart by their size.
func (n node) time() time.Time {
	if x := n.number(); x.Known && x.Value > 0 {
		seconds := x.Value
		for seconds >= 1e11 { // the year 5138 in seconds
			seconds /= 1e3
		}
		if exact, err := strconv.ParseInt(n.text(), 10, 64); err == nil && exact >= 1e17 {
			return time.Unix(0, exact).UTC()
		}
		whole, part := math.Modf(seconds)
		return time.Unix(int64(whole), int64(math.Round(part*1e6))*1e3).UTC()
	}
	if at, err := trial.Timestamp(n.text()).Time(); err == nil {
		return at.UTC()
	}
	return time.Time{}
}
