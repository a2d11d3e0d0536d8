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

// The schema knows the same keys as the decoder, in every mapping.
func TestSchemaAndDecoderKnowTheSameKeys(t *testing.T) {
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
		Defs       map[string]struct {
			Properties map[string]any
			AnyOf      []struct{ Properties map[string]any }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	top := make(map[string]any)
	for name := range schema.Properties {
		top[name] = nil
	}
	within := func(name string) map[string]any {
		return schema.Defs["agent"].Properties[name].(map[string]any)["properties"].(map[string]any)
	}
	properties := func(of any) map[string]any { return of.(map[string]any)["properties"].(map[string]any) }
	fault := schema.Defs["fault"].AnyOf[1].Properties
	for name, c := range map[string]struct {
		text string
		want map[string]any
	}{
		"expect":   {"scenarios: [{expect: {zzz: 1}}]", properties(schema.Defs["scenario"].Properties["expect"])},
		"fault":    {"wire: true\nscenarios: [{faults: [{zzz: 1}]}]", fault},
		"script":   {"wire: {script: {zzz: 1}}", schema.Defs["script"].AnyOf[1].Properties},
		"answer":   {"wire: {script: {turns: [{variants: [{zzz: 1}]}]}}", schema.Defs["scriptedVariant"].Properties},
		"suite":    {"zzz: 1", top},
		"agent":    {"agent: {zzz: 1}", schema.Defs["agent"].Properties},
		"http":     {"agent: {http: {zzz: 1}}", within("http")},
		"model":    {"agent: {model: {zzz: 1}}", within("model")},
		"test":     {"test: {zzz: 1}", schema.Defs["test"].Properties},
		"changes":  {"baseline_agent: {zzz: 1}", schema.Defs["changes"].Properties},
		"variant":  {"variants: [{zzz: 1}]", schema.Defs["variant"].Properties},
		"matrix":   {"matrix: {model: [{zzz: 1}]}", schema.Defs["variant"].Properties},
		"budget":   {"budget: {zzz: 1}", schema.Defs["budget"].Properties},
		"scenario": {"scenarios: [{zzz: 1}]", schema.Defs["scenario"].Properties},
		"source":   {"scenarios: [{from: a, zzz: 1}]", schema.Defs["source"].Properties},
		"gate":     {"gate: {zzz: 1}", schema.Defs["gate"].Properties},
		"coverage": {"coverage: {zzz: 1}", schema.Defs["coverage"].Properties},
		"graph":    {"coverage: {max_depth: 1, graph: {zzz: 1}}", schema.Defs["graph"].Properties},
		"node":     {"coverage: {max_depth: 1, graph: {nodes: {a: {zzz: 1}}}}", schema.Defs["node"].AnyOf[1].Properties},
		"domain":   {"coverage: {boundaries: {t: {p: {zzz: 1}}}}", schema.Defs["domain"].Properties},
		"relation": {"version: 1\nname: a\nagent: {command: [a]}\ntest: {threshold: 0.9}\nlimits: none\nscenarios: [{name: " +
			"one}]\n" +
			"relations: [{zzz: 1}]", schema.Defs["relation"].Properties},
		"evaluator": {"scenarios: [{evaluate: [{zzz: 1}]}]", schema.Defs["evaluator"].Properties},
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
