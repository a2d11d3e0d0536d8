package suggest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

const tools = `[
  {"name": "refund", "description": "Give money back.", "inputSchema": {"type": "object", "required": ["customer"], "properties": {
    "customer": {"type": "string", "pattern": "^[0-9]+$"}, "amount": {"type": "integer", "minimum": 1, "maximum": 500},
    "note": {"type": "string", "maxLength": 5}}}},
  {"name": "find", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}},
  {"name": "close", "description": "Delete an account", "inputSchema": {"type": "object", "required": ["customer", "sure"], "properties": {
    "customer": {"type": "string", "pattern": "^[0-9]+$"}, "sure": {"const": true}}}}
]`

const suiteText = `version: 1
name: shop
agent: {command: [./agent, --model=small], env: {LEVEL: low}}
test: {threshold: 0.9}
limits: none
coverage: {tools_file: tools.json, models: [small, large/2], lambda: 50}
scenarios:
  - {name: refund, input: {text: "Refund 40 EUR to 4711"}, evaluate: [must-call: refund]}
  - {name: look, input: "What is a pan?"}
`

// recorded are trials as JSON lines. Those of look do not record their input.
const recorded = `
{"scenario":"refund","outcome":"fail","input":{"text":"Refund 480 EUR to 4711"},"model":"small","steps":[{"action":"call_tool","tool":"find","arguments":{}},{"action":"call_tool","tool":"refund","arguments":{"customer":"4711","amount":40}},{"action":"respond"}]}
{"scenario":"refund","outcome":"pass","input":{"text":"Refund 40 EUR to 4711, not 400"},"model":"small","steps":[{"action":"call_tool","tool":"find","arguments":{}},{"action":"call_tool","tool":"refund","arguments":"{\"customer\":\"4711\",\"amount\":40}"},{"action":"respond"}]}
{"scenario":"look","outcome":"pass","model":"small","steps":[{"action":"call_tool","tool":"find","arguments":{"query":"pan"}},{"action":"respond"}]}
{"scenario":"look","outcome":"pass","model":"small","steps":[{"action":"call_tool","tool":"find","arguments":{"query":"pan"}},{"action":"respond"}]}
{"scenario":"cut","outcome":"error","model":"large/2","steps":[{"action":"call_tool","tool":"close"}]}
`

// materialOf reads a suite, its tools and recordings.
func materialOf(t *testing.T, suiteText, tools, recorded string) Material {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"tribunal.yaml": suiteText, "tools.json": tools} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := suite.Load(filepath.Join(dir, "tribunal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return materialFor(t, s, filepath.Join(dir, "tools.json"), recorded)
}

// materialFor is materialOf for a suite that was read.
func materialFor(t *testing.T, s *suite.Suite, toolsFile, recorded string) Material {
	t.Helper()
	declared, err := s.Declared()
	if err != nil {
		t.Fatal(err)
	}
	m := Material{Declared: declared, Suite: s, Count: 3, Seed: 1, Samples: &Samples{Inputs: map[string]trial.Raw{}}}
	for _, c := range s.Scenarios {
		if string(c.Input) != "null" {
			m.Samples.Inputs[c.Name] = c.Input
		}
	}
	if m.Tools, err = coverage.LoadTools(toolsFile); err != nil {
		t.Fatal(err)
	}
	collector, err := coverage.NewCollector(declared)
	if err != nil {
		t.Fatal(err)
	}
	for read, err := range trial.Read(strings.NewReader(recorded), trial.Options{Unjudged: true}) {
		if err != nil {
			t.Fatal(err)
		}
		collector.Add(read)
		m.Samples.Add(read)
	}
	m.Coverage = collector.Measure()
	return m
}

// aims are the suggestions as the aim, the scenario whose input was moved, and the input.
func aims(list []*Suggestion) (texts []string) {
	for _, s := range list {
		texts = append(texts, s.Aim+" | "+s.From+" | "+string(s.Input))
	}
	return texts
}

// By hand. The boundary: of two recorded calls with the same amount that which passed is moved, and the 40 that stands
// by itself in its text, not the beginning of 400. The tool: the customer was recorded, the rest is what the schema
// has; close was called by a trial that ended in an error, which counts for nothing. The path: two of four trials that
// began with find went on with refund, which is no rare branch; the first step is that of all. The state: nothing
// leads from refund to a call but respond.
func TestSuggestions(t *testing.T) {
	m := materialOf(t, suiteText, tools, recorded)
	for d, want := range map[coverage.Dimension][]string{
		coverage.ToolDimension: {`close | refund | {"text":"Delete an account: customer \"4711\", sure true."}`},
		coverage.BoundaryDimension: {
			`refund amount minimum 1 | refund | {"text":"Refund 1 EUR to 4711, not 400"}`,
			`refund amount maximum 500 | refund | {"text":"Refund 500 EUR to 4711, not 400"}`,
			`refund note maxLength 5 | refund | {"text":"Refund 40 EUR to 4711, not 400. Use refund with note \"xxxxx\"."}`,
		},
		coverage.PathDimension:  nil,
		coverage.StateDimension: nil,
		coverage.ModelDimension: {"large/2 |  | "},
	} {
		if diff := cmp.Diff(want, aims(For(d, m).List)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d, diff)
		}
	}
	variant := For(coverage.ModelDimension, m).List[0]
	if diff := cmp.Diff(map[string]any{"command": []string{"./agent", "--model=large/2"}}, variant.Variant); diff != "" {
		t.Error(diff)
	}
	if got := For(coverage.StateDimension, m).Notes; len(got) != 1 {
		t.Errorf("nothing says that there are no new states: %q", got)
	}
}

// A path that few took behind a beginning is asked of a trial that went the usual way: here one of five. And three
// steps in a row are new whose parts were seen.
func TestPathsAndStates(t *testing.T) {
	call := func(scenario, input, outcome string, tools ...string) string {
		var steps []string
		for _, tool := range tools {
			steps = append(steps, `{"action":"call_tool","tool":"`+tool+`"}`)
		}
		return `{"scenario":"` + scenario + `","outcome":"` + outcome + `","input":"` + input + `","steps":[` +
			strings.Join(steps, ",") + "]}\n"
	}
	lines := ""
	for range 4 {
		lines += call("usual", "A pan?", "pass", "find", "refund")
	}
	lines += call("rare", "Close it", "pass", "find", "close") + call("other", "Give!", "pass", "refund", "find", "close")
	m := materialOf(t, suiteText, tools, lines)
	for d, want := range map[coverage.Dimension][]string{
		coverage.PathDimension: {
			// One of six trials begins with refund, and one of five goes from find to close.
			`refund | usual | "A pan? It takes refund."`,
			`find > close | usual | "A pan? It takes find, then close."`,
		},
		coverage.StateDimension: {
			`find > refund > find | usual | "A pan? Then: Give!"`,
			`refund > find > refund | other | "Give! Then: A pan?"`,
		},
	} {
		if diff := cmp.Diff(want, aims(For(d, m).List)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d, diff)
		}
	}
	if got := For(coverage.PathDimension, m).List[1].Evaluate; !reflect.DeepEqual(got,
		[]map[string]any{{"tool-order": []string{"find", "close"}}}) {
		t.Errorf("%v", got)
	}
}

// Each suggestion for the example is read by a suite, strictly, as it was meant, for each dimension, and by the next
// run of the command its name is taken.
func TestSuggestionsAreOfSuites(t *testing.T) {
	example := filepath.Join("..", "..", "..", "examples", "support-agent")
	s, err := suite.Load(filepath.Join(example, "coverage.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile(filepath.Join(example, "baseline.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, graph := range []bool{true, false} {
		s.Coverage.Models, s.Coverage.Lambda = []string{"small-1", "large-1"}, 100
		if !graph {
			s.Coverage.GraphFile, s.Coverage.Graph = "", nil
		}
		m := materialFor(t, s, filepath.Join(example, "tools.json"), string(recorded))
		m.Count = 40
		for _, d := range coverage.Dimensions() {
			found := For(d, m)
			if len(found.List) == 0 || len(found.Missing) == 0 {
				t.Errorf("%s: nothing is suggested", d)
			}
			names := map[string]bool{}
			for _, one := range found.List {
				parsed, err := s.With("suggested.yaml", YAML(nil, []*Suggestion{one}, nil))
				if err != nil {
					t.Errorf("%s: %v", one.Name, err)
					continue
				}
				if names[one.Name] {
					t.Errorf("%s twice", one.Name)
				}
				names[one.Name] = true
				if one.Variant != nil {
					if len(parsed.Variants) != 1 || parsed.Variants[0].Name != one.Name {
						t.Errorf("%+v", parsed.Variants)
					}
					continue
				}
				c := parsed.Scenarios[0]
				if len(parsed.Scenarios) != 1 || c.Name != one.Name || !sameJSON(t, c.Input, one.Input) {
					t.Errorf("%s became %s with %s", one.Name, c.Name, c.Input)
				}
			}
			all, err := s.With("suggested.yaml",
				YAML([]string{"above"}, found.List, func(*Suggestion) []string { return []string{"said"} }))
			if err != nil || d != coverage.ModelDimension && len(all.Scenarios) != len(found.List) {
				t.Errorf("%s: all together: %v", d, err)
			}
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	for text, value := range map[string]*any{string(a): &x, string(b): &y} {
		if err := json.Unmarshal([]byte(text), value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if string(a) == string(b) {
			return true
		}
	}
	return reflect.DeepEqual(x, y)
}

// Whatever is in names, reasons and inputs, the text is comments and values: it has the scenarios that it is of.
func TestNothingBreaksOutOfTheYAML(t *testing.T) {
	m := materialOf(t, suiteText, tools, "")
	awful := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"x\n- name: evil", "x\u2028agent: {command: [rm]}", "'\"", "# no", "a: b", "%YAML", "\x1b[31m", "*alias",
		"!!binary x", "\\u0000", "{}",
	}))
	schema, err := arbitrary.New([]byte(`{"type": "object", "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "number"},
		{"type": "array"}, true]}, "minProperties": 2}`))
	if err != nil {
		t.Fatal(err)
	}
	thorough.Check(t, func(t *rapid.T) {
		input, err := schema.Value(newRandom(rapid.Uint64().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(input, &object); err != nil {
			t.Fatal(err)
		}
		object[awful.Draw(t, "member")] = awful.Draw(t, "value")
		s := &Suggestion{
			Name: "one", Aim: awful.Draw(t, "aim"), Why: awful.Draw(t, "why"), Input: arbitrary.Encoded(object),
			Tags:      []string{"a"},
			Dimension: coverage.Dimension(awful.Draw(t, "dimension")),
		}
		text := YAML([]string{awful.Draw(t, "header")}, []*Suggestion{s},
			func(*Suggestion) []string { return []string{awful.Draw(t, "said")} })
		parsed, err := m.Suite.With("suggested.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var got any
		if err := json.Unmarshal(parsed.Scenarios[0].Input, &got); err != nil {
			t.Fatal(err)
		}
		var want any
		if err := json.Unmarshal(s.Input, &want); err != nil {
			t.Fatal(err)
		}
		if len(parsed.Scenarios) != 1 || parsed.Scenarios[0].Name != "one" || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nbecame %s", text, parsed.Scenarios[0].Input)
		}
	})
}
