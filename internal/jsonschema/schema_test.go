package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// decoded reads JSON.
func decoded(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// That visits are counted changes no answer of the library, in any draft.
func TestAnswersAreThoseOfTheLibrary(t *testing.T) {
	drafts := []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
		"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema",
	}
	schemas := []string{
		`"type": "integer"`, `"type": 7`, `"minimum": 3, "exclusiveMinimum": true`, `"multipleOf": 0.01`,
		`"format": "date-time"`, `"format": "email"`, `"items": [{"type": "string"}], "additionalItems": false`,
		`"prefixItems": [{"const": 1}], "items": false`, `"properties": {"a": {"enum": [1, "b"]}}, "required": ["a"]`,
		`"definitions": {"n": {"type": "null"}}, "$ref": "#/definitions/n", "maxLength": 1`, `"$ref": "#"`,
		`"dependencies": {"a": ["b"]}`, `"unevaluatedProperties": false, "allOf": [{"properties": {"a": {}}}]`,
		`"$ref": "http://json-schema.org/draft-07/schema#"`, `"$ref": "#/nowhere"`, `"$ref": "other.json"`,
	}
	values := []string{`3`, `19.99`, `"b"`, `"2026-01-02T03:04:05Z"`, `[1, 2]`, `["a"]`, `{"a": 1}`,
		`{"a": "b", "c": null}`, `{"type": "objekt"}`, `null`}
	fitting, refused := 0, 0
	for _, draft := range drafts {
		for _, schema := range schemas {
			text := fmt.Sprintf(`{"$schema": %q, %s}`, draft, schema)
			compiler := jsonschema.NewCompiler()
			compiler.AssertFormat()
			if err := compiler.AddResource(place, decoded(t, text)); err != nil {
				t.Fatal(err)
			}
			theirs, want := compiler.Compile(place)
			ours, got := Compile(decoded(t, text), true)
			if (got == nil) != (want == nil) {
				t.Errorf("%s: %v, want %v", text, got, want)
			}
			if got != nil || want != nil {
				continue
			}
			for _, value := range values {
				want := theirs.Validate(decoded(t, value))
				got := ours.Validate(t.Context(), decoded(t, value))
				if want == nil && got == nil {
					fitting++
					continue
				}
				refused++
				if got == nil || want == nil || !strings.Contains(want.Error(), got.(*InvalidError).cause.Error()) {
					t.Errorf("%s of %s: %v, want %v", text, value, got, want)
				}
			}
		}
	}
	if fitting < 100 || refused < 100 {
		t.Errorf("%d values fit and %d do not", fitting, refused)
	}
}

// A small schema that asks for more than anybody waits for ends at the bound, whichever keyword asks, and whether its
// parts allow the value or not.
func TestWorkIsBounded(t *testing.T) {
	const (
		first  = `"$ref": "#/definitions/d0"`
		denied = `"not": {"$ref": "#/definitions/d0"}`
		draft7 = `"$schema": "http://json-schema.org/draft-07/schema#", `
		both   = `{"allOf": [NEXT, NEXT]}`
		anchor = `"$ref": "inner", "$defs": {"x": {"$dynamicAnchor": "t", "$ref": "#/definitions/d0"},
			"inner": {"$id": "inner", "$dynamicRef": "#t", "$defs": {"t": {"$dynamicAnchor": "t"}}}}`
	)
	for name, c := range map[string]struct{ root, each, last string }{
		"all":               {first, both, `{}`},
		"any":               {first, `{"anyOf": [NEXT, NEXT]}`, `false`},
		"references":        {draft7 + first, both, `false`},
		"dependencies":      {draft7 + denied, `{"dependencies": {"a": NEXT, "b": NEXT}}`, `false`},
		"dependent schemas": {denied, `{"dependentSchemas": {"a": NEXT, "b": NEXT}}`, `false`},
		"conditions":        {denied, `{"if": NEXT, "then": NEXT, "else": NEXT}`, `false`},
		"names of members":  {first, `{"propertyNames": ` + both + `, "allOf": [NEXT, NEXT]}`, `{}`},
		"anchors":           {anchor, both, `{}`},
	} {
		var definitions strings.Builder
		const deep = 40
		for i := range deep {
			next := fmt.Sprintf(`{"$ref": "#/definitions/d%d"}`, i+1)
			fmt.Fprintf(&definitions, `"d%d": %s, `, i, strings.ReplaceAll(c.each, "NEXT", next))
		}
		text := fmt.Sprintf(`{%s, "definitions": {%s "d%d": %s}}`, c.root, &definitions, deep, c.last)
		schema, err := Compile(decoded(t, text), false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		schema.most = 10_000
		err = schema.Validate(t.Context(), decoded(t, `{"a": 1, "b": 2}`))
		if err == nil || err.Error() != "more than 10000 parts of the schema were to be looked at" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A schema that asks twice for the values within a value ends at the bound as well.
func TestWorkIsBoundedWithinDeepValues(t *testing.T) {
	schema, err := Compile(decoded(t, `{"allOf": [{"items": {"$ref": "#"}}, {"items": {"$ref": "#"}}]}`), false)
	if err != nil {
		t.Fatal(err)
	}
	deep := decoded(t, strings.Repeat("[", 60)+strings.Repeat("]", 60))
	err = schema.Validate(t.Context(), deep)
	if err == nil || err.Error() != "more than 2000000 parts of the schema were to be looked at" {
		t.Error(err)
	}
}

// The context ends a validation, and the next one is whole.
func TestValidationsEndWithTheirContext(t *testing.T) {
	schema, err := Compile(decoded(t, `{"items": {"type": "integer"}}`), false)
	if err != nil {
		t.Fatal(err)
	}
	interrupted := errors.New("interrupted")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(interrupted)
	if err := schema.Validate(ctx, decoded(t, `[1]`)); !errors.Is(err, interrupted) {
		t.Error(err)
	}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			err := schema.Validate(t.Context(), []any{"a"})
			if err == nil || err.Error() != "at /0: got string, want integer" {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
