package suite

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/jsonschema"
)

// validator compiles the schema of a suite.
func validator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	var document any
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	compiled, err := jsonschema.Compile(document, false)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// asJSON reads YAML for the schema.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var n yaml.Node
	if err := yaml.Load(text, &n); err != nil {
		t.Fatal(err)
	}
	d := &decoder{}
	var value any
	if err := json.Unmarshal(d.JSON(n.Content[0]), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// Every example fits the schema, and is accepted.
func TestExamplesFitTheSchema(t *testing.T) {
	examples, err := filepath.Glob("../examples/*/" + FileName)
	if err != nil || len(examples) == 0 {
		t.Fatal("no examples", err)
	}
	agents, err := filepath.Glob("../examples/agents/*/" + FileName)
	if err != nil || len(agents) == 0 {
		t.Fatal("no examples of agents", err)
	}
	examples = append(examples, agents...)
	compiled := validator(t)
	for _, path := range append(examples, "testdata/complete.yaml", "testdata/scripted.yaml") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(path, text); err != nil {
			t.Error(err)
		}
		if err := compiled.Validate(t.Context(), asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if compiled.Validate(t.Context(), asJSON(t, []byte(minimal))) != nil {
		t.Error("the minimal suite does not fit")
	}
	if compiled.Validate(t.Context(), asJSON(t, []byte(strings.Replace(minimal, "name: tiny", "nam: tiny", 1)))) == nil {
		t.Error("an unknown key fits")
	}
}

// What is not read by a table of keys has the same keys in the schema.
func TestSchemaAndDecoderKnowTheSameKeys(t *testing.T) {
	var others map[string]struct {
		Properties map[string]any
		AnyOf      []struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(otherSchemas, &others); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		want map[string]any
	}{
		"fault":  {"wire: true\nscenarios: [{faults: [{zzz: 1}]}]", others["fault"].AnyOf[1].Properties},
		"source": {"scenarios: [{from: a, zzz: 1}]", others["source"].Properties},
		"relation": {"version: 1\nname: a\nagent: {command: [a]}\ntest: {threshold: 0.9}\nlimits: none\n" +
			"scenarios: [{name: one}]\nrelations: [{zzz: 1}]", others["relation"].Properties},
	} {
		_, err := Parse("s", []byte(c.text))
		problems, _ := errors.AsType[Errors](err)
		var got []string
		for _, p := range problems {
			if p.Keys != nil {
				got = slices.Clone(p.Keys)
			}
		}
		var want []string
		for key := range c.want {
			want = append(want, key)
		}
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-schema +decoder):\n%s", name, diff)
		}
	}
}
