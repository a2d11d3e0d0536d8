package arbitrary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/jsonschema"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Source makes values of one schema. It may be used by one goroutine at a time.
type Source struct {
	Admits func(value json.RawMessage) bool // whether a value that the schema allows is one; nil admits all

	root     any // the schema as it was written, numbers as json.Number
	compiled *jsonschema.Schema
	listed   []any // values of enum and const anywhere in it: what a scalar may become
}

// SchemaError says why a schema cannot be used.
type SchemaError struct{ Problem, Advice string }

// Error returns such as "the schema is no JSON: unexpected end of JSON input".
func (e *SchemaError) Error() string { return "the schema " + e.Problem }

// Message is the same without a hint.
func (e *SchemaError) Message() string { return e.Error() }

// Hint says what may be done.
func (e *SchemaError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *SchemaError) ExitCode() int { return exit.Input }

// New reads a JSON Schema of draft 4 to 2020-12, the last where it does not say which. References lead within the
// schema: nothing is read from a file or the network. Formats are held to. The error is a [SchemaError].
func New(schema []byte) (*Source, error) {
	root, err := decoded(bytes.TrimPrefix(schema, []byte("\ufeff")))
	if err != nil {
		return nil, &SchemaError{"is no JSON: " + prose.Reason(err.Error()),
			"it is one JSON object, as a tool has it as inputSchema"}
	}
	switch root.(type) {
	case map[string]any, bool:
	default:
		return nil, &SchemaError{"must be an object",
			`such as {"type": "object", "properties": {"text": {"type": "string"}}}`}
	}
	compiled, err := jsonschema.Compile(root, true)
	if err != nil {
		return nil, &SchemaError{"cannot be used: " + prose.Reason(err.Error()), ""}
	}
	s := &Source{root: root, compiled: compiled}
	s.list(root, 0)
	return s, nil
}

// decoded reads one JSON value with numbers as they are written.
func decoded(text []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more follows the value")
	}
	return value, nil
}

// Encoded writes a value, members by their names. Values here come from JSON, and can be written.
func Encoded(value any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return json.RawMessage("null")
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// valid reports whether the schema and Admits allow a value, as far as that is found out.
func (s *Source) valid(value any) bool {
	return s.compiled.Validate(context.Background(), value) == nil && (s.Admits == nil || s.Admits(Encoded(value)))
}

// Allows reports whether the schema allows a value, which is no JSON in no case.
func (s *Source) Allows(text []byte) bool {
	value, err := decoded(text)
	return err == nil && s.valid(value)
}

// mostListed and deepest bound what is looked at of a schema; both are chosen.
const (
	mostListed = 200
	deepest    = 64
)

// list collects the values that the schema lists.
func (s *Source) list(schema any, depth int) {
	if depth > deepest || len(s.listed) >= mostListed {
		return
	}
	switch x := schema.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			switch values, isList := x[key].([]any); {
			case key == "const":
				s.listed = append(s.listed, x[key])
			case key == "enum" && isList:
				s.listed = append(s.listed, values[:min(len(values), mostListed)]...)
			default:
				s.list(x[key], depth+1)
			}
		}
	case []any:
		for _, item := range x {
			s.list(item, depth+1)
		}
	}
}

// resolved is what a reference within the schema leads to; nil where it leads nowhere.
func (s *Source) resolved(reference string) any {
	path, within := strings.CutPrefix(reference, "#")
	if !within {
		return nil
	}
	at := s.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" && path == "" {
			break
		}
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch x := at.(type) {
		case map[string]any:
			at = x[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(x) {
				return nil
			}
			at = x[i]
		default:
			return nil
		}
	}
	return at
}

// merged is a schema that asks for what both ask, as far as a value is drawn by it: the tighter limits, the members of
// both. What it gets wrong is found when the value is checked.
func merged(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	for key, value := range b {
		before, there := all[key]
		if !there {
			all[key] = value
			continue
		}
		switch key {
		case "properties":
			all[key] = bothProperties(before, value)
		case "required":
			x, _ := before.([]any)
			y, _ := value.([]any)
			all[key] = slices.Concat(x, y)
		case "allOf", "anyOf", "oneOf":
			// One of each list is drawn: both stand in a list of all.
			x, _ := all["allOf"].([]any)
			if key == "allOf" {
				y, _ := value.([]any)
				all[key] = slices.Concat(x, y)
			} else {
				all["allOf"] = append(slices.Clone(x), map[string]any{key: value})
			}
		case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties":
			all[key] = tighter(before, value, 1)
		case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties":
			all[key] = tighter(before, value, -1)
		default:
			all[key] = value
		}
	}
	return all
}

// bothProperties are the members of two objects, with all that is asked of one that both have.
func bothProperties(a, b any) any {
	x, _ := a.(map[string]any)
	y, _ := b.(map[string]any)
	all := maps.Clone(x)
	if all == nil {
		return y
	}
	for name, schema := range y {
		if before, there := all[name]; there {
			schema = map[string]any{"allOf": []any{before, schema}}
		}
		all[name] = schema
	}
	return all
}

// tighter is the larger of two numbers, or the smaller one where the sign is negative.
func tighter(a, b any, sign float64) any {
	x, okX := number(a)
	y, okY := number(b)
	if !okY || okX && sign*x >= sign*y {
		return a
	}
	return b
}

// number reads a number of a schema.
func number(value any) (x float64, ok bool) {
	n, isNumber := value.(json.Number)
	if !isNumber {
		return 0, false
	}
	x, err := n.Float64()
	return x, err == nil
}

// whole reads a number of characters, items or members, within what is drawn here; else is what stands for none.
func whole(value any, otherwise int) int {
	const most = 1 << 16
	x, ok := number(value)
	if !ok || x < 0 {
		return otherwise
	}
	return int(min(x, most))
}

// noValue is the error of a schema of which no value was found.
func noValue(attempts int) error {
	return &SchemaError{
		fmt.Sprintf("allowed none of %d values that were drawn for it", attempts),
		"what it forbids by not, if, contains or patternProperties is only found by drawing again",
	}
}
