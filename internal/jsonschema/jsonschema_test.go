package jsonschema

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	original "github.com/santhosh-tekuri/jsonschema/v6"
)

// The files are those of the module in go.mod.
func TestFilesAreGenerated(t *testing.T) {
	folder := t.TempDir()
	if output, err := exec.Command("go", "run", "generate.go", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != string(want) {
			t.Errorf("%s is not what generate.go writes: run go generate (%v)", name, err)
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, %v", files, err)
	}
}

// It says of every schema and value what the original says.
func TestAgreesWithTheOriginal(t *testing.T) {
	drafts := []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
		"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema",
	}
	schemas := []string{
		`"type": "integer"`, `"type": 7`, `"minimum": 3, "exclusiveMinimum": true`, `"multipleOf": 0.01`,
		`"format": "date-time"`, `"format": "email"`, `"items": [{"type": "string"}], "additionalItems": false`,
		`"prefixItems": [{"const": 1}], "items": false`, `"properties": {"a": {"enum": [1, "b"]}}, "required": ["a"]`,
		`"definitions": {"n": {"type": "null"}}, "$ref": "#/definitions/n", "maxLength": 1`,
		`"dependencies": {"a": ["b"]}`, `"unevaluatedProperties": false, "allOf": [{"properties": {"a": {}}}]`,
		`"$ref": "http://json-schema.org/draft-07/schema#"`, `"$ref": "#/nowhere"`, `"$ref": "other.json"`,
	}
	values := []string{`3`, `19.99`, `"b"`, `"2026-01-02T03:04:05Z"`, `[1, 2]`, `["a"]`, `{"a": 1}`,
		`{"a": "b", "c": null}`, `null`}
	for _, draft := range drafts {
		for _, schema := range schemas {
			text := fmt.Sprintf(`{"$schema": %q, %s}`, draft, schema)
			for _, value := range values {
				got, want := verdict(t, text, value), verdictOfOriginal(t, text, value)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s of %s (-original +ours):\n%s", text, value, diff)
				}
			}
		}
	}
}

func verdict(t *testing.T, schema, value string) string {
	document, err := UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	instance, err := UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	compiler := NewCompiler()
	if err := compiler.AddResource("schema:///s.json", document); err != nil {
		return err.Error()
	}
	compiled, err := compiler.Compile("schema:///s.json")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(compiled.Validate(instance))
}

func verdictOfOriginal(t *testing.T, schema, value string) string {
	document, err := original.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	instance, err := original.UnmarshalJSON(strings.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	compiler := original.NewCompiler()
	if err := compiler.AddResource("schema:///s.json", document); err != nil {
		return err.Error()
	}
	compiled, err := compiler.Compile("schema:///s.json")
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(compiled.Validate(instance))
}
