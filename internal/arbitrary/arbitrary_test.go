package arbitrary

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	google "github.com/google/jsonschema-go/jsonschema"

	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// schemas have each keyword that values are drawn by.
var schemas = map[string]string{
	"refund": `{"type": "object", "properties": {"customer": {"type": "string", "pattern": "^[0-9]+$", "minLength": 4},
		"amount": {"type": "integer", "minimum": 1, "maximum": 500}, "currency": {"enum": ["EUR", "USD"]},
		"express": {"type": "boolean"}}, "required": ["customer", "amount"], "additionalProperties": false}`,
	"numbers": `{"type": "array", "minItems": 3, "maxItems": 3, "prefixItems": [
		{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}, {"type": "number", "multipleOf": 0.25, "minimum": -2},
		{"type": "integer", "exclusiveMaximum": 7, "multipleOf": 3}]}`,
	"references": `{"$defs": {"node": {"type": "object", "required": ["name"], "properties": {"name": {"$ref": "#/$defs/name"},
		"next": {"$ref": "#/$defs/node"}}}, "name": {"type": "string", "maxLength": 3, "minLength": 1}}, "$ref": "#/$defs/node"}`,
	"choices": `{"allOf": [{"type": "object", "required": ["kind"]}, {"properties": {"kind": {"const": "x"}}}],
		"oneOf": [{"required": ["a"], "properties": {"a": {"type": "integer"}, "b": false}},
			{"required": ["b"], "properties": {"b": {"type": ["string", "null"]}, "a": false}}]}`,
	"unique":   `{"type": "array", "items": {"enum": [1, 2, 3, "x"]}, "uniqueItems": true, "minItems": 2, "maxItems": 4}`,
	"not":      `{"type": "integer", "minimum": 0, "maximum": 3, "not": {"const": 2}}`,
	"patterns": `{"type": "string", "pattern": "^(EUR|USD) [1-9][0-9]{0,2}(\\.[0-9]{2})?$"}`,
	"members":  `{"type": "object", "minProperties": 3, "additionalProperties": {"type": "integer", "minimum": 5, "maximum": 6}}`,
	"untyped":  `{"minLength": 2, "maxLength": 2}`,
	"anything": `true`,
}

// Values are allowed by another implementation of JSON Schema, and the same seed draws the same.
func TestValuesAreAllowed(t *testing.T) {
	for name, text := range schemas {
		var schema google.Schema
		if err := json.Unmarshal([]byte(text), &schema); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		source := sourceOf(t, text)
		for i := range uint64(300) {
			value, err := source.Value(seeded.Stream(7, i))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var decoded any
			if err := json.Unmarshal(value, &decoded); err != nil {
				t.Fatalf("%s: %s: %v", name, value, err)
			}
			if err := resolved.Validate(decoded); err != nil {
				t.Fatalf("%s: %s: %v", name, value, err)
			}
			if !source.Allows(value) || source.Allows(value[:0]) {
				t.Fatalf("%s: %s is not allowed, or nothing is", name, value)
			}
			if again, err := source.Value(seeded.Stream(7, i)); err != nil || string(again) != string(value) {
				t.Fatalf("%s: %s, and with the same seed %s (%v)", name, value, again, err)
			}
		}
	}
}

func sourceOf(t *testing.T, schema string) *Source {
	t.Helper()
	source, err := New([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// Of a few hundred draws both limits of a number, each value that is listed, and what is optional there and not there
// are among them.
func TestValuesReachTheLimits(t *testing.T) {
	source := sourceOf(t, schemas["refund"])
	seen := map[string]bool{}
	for i := range uint64(300) {
		text, err := source.Value(seeded.Stream(1, i))
		if err != nil {
			t.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		seen[fmt.Sprint("amount ", value["amount"])] = true
		seen[fmt.Sprint("currency ", value["currency"])] = true
		seen[fmt.Sprint("express ", value["express"])] = true
	}
	for _, want := range []string{"amount 1", "amount 500", "currency EUR", "currency USD", "currency <nil>",
		"express true",
		"express false", "express <nil>"} {
		if !seen[want] {
			t.Errorf("no value has %s", want)
		}
	}
}

// A step of a hundredth is kept in decimals, which binary fractions are not.
func TestMultiplesAreExact(t *testing.T) {
	source := sourceOf(t, `{"type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 2000}`)
	for i := range uint64(200) {
		value, err := source.Value(seeded.Stream(3, i))
		whole, cents, _ := strings.Cut(string(value), ".")
		if err != nil || len(cents) > 2 || whole == "" {
			t.Errorf("%s (%v)", value, err)
		}
	}
}

// Where every larger number fails, the smallest one is found, of all that there are; and never one that the schema
// forbids.
func TestTheSmallestNumberIsFound(t *testing.T) {
	source := sourceOf(t, `{"type": "integer", "minimum": 3, "maximum": 400, "not": {"const": 77}}`)
	for least := 0; least <= 400; least++ {
		want := max(least, 3)
		if want == 77 {
			want = 78
		}
		got, tried, err := source.Minimise(json.RawMessage("400"), 1000, func(text json.RawMessage) (bool, error) {
			var x int
			if err := json.Unmarshal(text, &x); err != nil || x < 3 || x > 400 || x == 77 {
				t.Fatalf("%s was tried (%v)", text, err)
			}
			return x >= least, nil
		})
		if err != nil || string(got) != fmt.Sprint(want) || tried > 40 {
			t.Errorf("at least %d: %s after %d values (%v)", least, got, tried, err)
		}
	}
}

// What has nothing to do with the failure is left out, down to what makes it.
func TestWhatDoesNotMatterIsLeftOut(t *testing.T) {
	source := sourceOf(t, `{"type": "object", "required": ["lines"], "properties": {"note": {"type": "string"}, "lines": {"type": "array",
		"items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}, "of": {"enum": ["cup", "pan"]},
		"gift": {"type": "boolean"}}}}}}`)
	from := json.RawMessage(`{"note":"please hurry","lines":[{"n":2,"of":"cup"},{"n":-31,"of":"pan","gift":true},{"n":5}]}`)
	for _, c := range []struct {
		name, want string
		fails      func(text string) bool
	}{
		{"a negative number", `{"lines":[{"n":-1}]}`, func(text string) bool { return strings.Contains(text, "-") }},
		{"a gift", `{"lines":[{"gift":true,"n":0}]}`, func(text string) bool { return strings.Contains(text, "true") }},
		{"a note", `{"lines":[],"note":"h"}`, func(text string) bool {
			return strings.Contains(strings.ReplaceAll(text, "gift", ""), "h")
		}},
		{"two lines", `{"lines":[{"n":0},{"n":0}]}`, func(text string) bool { return strings.Count(text, `"n"`) >= 2 }},
		{"everything", `{"lines":[]}`, func(string) bool { return true }},
	} {
		got, _, err := source.Minimise(from, 10_000, func(text json.RawMessage) (bool, error) {
			return c.fails(string(text)), nil
		})
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, want %s (%v)", c.name, got, c.want, err)
		}
	}
}

// The search ends where it is told to, with what it has found, and asks for no value twice.
func TestTheSearchIsBounded(t *testing.T) {
	source := sourceOf(t, `{"type": "string"}`)
	from := json.RawMessage(`"` + strings.Repeat("b", 300) + `"`)
	for _, most := range []int{0, 1, 7, 50} {
		asked := map[string]bool{}
		got, tried, err := source.Minimise(from, most, func(text json.RawMessage) (bool, error) {
			if asked[string(text)] {
				t.Errorf("%s twice", text)
			}
			asked[string(text)] = true
			return len(text) > 200, nil
		})
		if err != nil || tried > most || len(asked) != tried || len(got) <= 200 {
			t.Errorf("at most %d: %d tried, %d asked, %d bytes (%v)", most, tried, len(asked), len(got), err)
		}
	}
	calls := 0
	got, tried, err := source.Minimise(from, 50, func(text json.RawMessage) (bool, error) {
		if calls++; calls > 3 {
			return false, ErrEnough
		}
		return len(text) > 100, nil
	})
	if err != nil || tried != 3 || len(got) != 152 {
		t.Errorf("%s after %d (%v)", got, tried, err)
	}
	broken := errors.New("no agent")
	if _, _, err := source.Minimise(from, 50, func(json.RawMessage) (bool, error) {
		return false, broken
	}); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// What is no schema, and one that allows nothing, are refused in words.
func TestSchemasThatCannotBeUsed(t *testing.T) {
	for text, want := range map[string]string{
		``:                           "the schema is no JSON: ",
		`{"type": "object"`:          "the schema is no JSON: ",
		`{} {}`:                      "more follows the value",
		`[1]`:                        "the schema must be an object",
		`{"type": "objekt"}`:         "the schema cannot be used: at /type: value must be one of 'array', ",
		`{"$ref": "other.json"}`:     "other documents are not read",
		`{"minimum": "many"}`:        "the schema cannot be used: at /minimum: got string, want number",
		`{"$ref": "file:///passwd"}`: "other documents are not read",
	} {
		if _, err := New([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{`false`, `{"type": "integer", "minimum": 3, "maximum": 2}`, `{"$ref": "#"}`,
		`{"not": {}}`,
		`{"type": "object", "required": ["a", "b"], "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}}`,
		`{"type": "array", "minItems": 60000, "items": {"$ref": "#"}}`} {
		source, err := New([]byte(text))
		if err != nil {
			continue // refused at once, which is as good
		}
		if value, err := source.Value(seeded.Stream(1, 1)); err == nil && text != `{"$ref": "#"}` {
			t.Errorf("%s allows %s", text, value)
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, text := range schemas {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if len(text) > 1<<12 {
			return
		}
		source, err := New([]byte(text))
		if err != nil {
			return
		}
		value, err := source.Value(seeded.Stream(seed, 0))
		if err != nil {
			return
		}
		if !json.Valid(value) {
			t.Fatalf("%q is no JSON", value)
		}
		smallest, _, err := source.Minimise(value, 20, func(candidate json.RawMessage) (bool, error) {
			return len(candidate) > 4, nil
		})
		was, _ := decoded(value)
		is, invalid := decoded(smallest)
		if err != nil || invalid != nil || !source.valid(is) || before(key(was), key(is)) {
			t.Fatalf("%s became %s (%v, %v)", value, smallest, err, invalid)
		}
	})
}
