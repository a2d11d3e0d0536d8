package conversion

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// converted is what came of a text: the scenarios, then what was left out.
func converted(t *testing.T, name, text string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Read(context.Background(), path)
	if err != nil {
		return "", err
	}
	lines, err := s.Lines()
	if err != nil {
		t.Fatal(err)
	}
	left := strings.ReplaceAll(strings.Join(s.LeftOut, "\n"), path, name)
	return string(lines) + left, nil
}

func TestPromptfoo(t *testing.T) {
	got, err := converted(t, "c.yaml", `description: Support
prompts: ['{{shop}}: {{question}}', file://p.txt, 'P2 {% if x %}']
providers: [openai:gpt-4o-mini]
defaultTest:
  vars: {shop: Acme}
  assert: [{type: latency, threshold: 1500}]
tests:
  - description: refund
    vars: {question: "Where?"}
    metadata: {level: 2}
    assert:
      - {type: icontains, value: "{{shop}}"}
      - {type: not-contains-all, value: [a, b]}
      - {type: llm-rubric, value: is polite}
      - {type: not-cost, threshold: 1}
      - {type: cost, threshold: 0.01}
      - {type: is-json}
      - {type: equals, value: {a: 1}}
      - {type: regex, value: '(?=x)'}
      - {type: contains, value: x, transform: output.trim()}
  - vars: {question: Hi, n: [1]}
    options: {}
  - file://more.yaml
`)
	if err != nil {
		t.Fatal(err)
	}
	const judged = `"evaluate":[{"wall-time":"1.5s"},{"contains":{"ignore_case":true,"value":"Acme"}},` +
		`{"not":{"all":[{"contains":"a"},{"contains":"b"}]}},{"json-schema":{"schema":true}},{"equals":{"value":{"a":1}}}],` +
		`"limits":{"max_cost_usd":0.01}}` + "\n"
	want := `{"name":"refund [prompt 1]","input":{"metadata":{"level":2},"prompt":"Acme: Where?","vars":{"question":"Where?","shop":"Acme"}},` + judged +
		`{"name":"refund [prompt 2]","input":{"metadata":{"level":2},"prompt":"P2 {% if x %}","vars":{"question":"Where?","shop":"Acme"}},` + judged +
		`{"name":"test 2 [prompt 1]","input":{"prompt":"Acme: Hi","vars":{"n":[1],"question":"Hi","shop":"Acme"}},"evaluate":[{"wall-time":"1.5s"}]}
{"name":"test 2 [prompt 2]","input":{"prompt":"P2 {% if x %}","vars":{"n":[1],"question":"Hi","shop":"Acme"}},"evaluate":[{"wall-time":"1.5s"}]}
c.yaml:3: providers
c.yaml:2: the prompt in file://p.txt: your agent has to read it
c.yaml:14: the assertion llm-rubric
c.yaml:15: the assertion not-cost
c.yaml:19: the assertion regex
c.yaml:20: contains with transform
c.yaml:8: a template that is more than variables stays as it is
c.yaml:22: tests[1].options
c.yaml:21: the list of the variable n stays one value: promptfoo tries each of it
c.yaml:21: a template that is more than variables stays as it is
c.yaml:23: a test that is elsewhere: name it by scenarios: {from: FILE}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInspectSamples(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a.jsonl": {
			`{"id": 7, "input": "2+2?", "target": "4", "choices": ["3", "4"], "metadata": {"level": 1}}
{"input": [{"role": "user", "content": "Capital?"}], "target": ["Paris", "paris"], "sandbox": "docker"}
{"id": 7, "input": "x"}
{"id": 8}
`,
			`{"name":"7","input":{"choices":["3","4"],"input":"2+2?","metadata":{"level":1}},"evaluate":[{"contains":{"ignore_case":true,"value":"4"}}]}
{"name":"2","input":{"input":[{"content":"Capital?","role":"user"}]},"evaluate":[{"any":[{"contains":{"ignore_case":true,"value":"Paris"}},{"contains":{"ignore_case":true,"value":"paris"}}]}]}
{"name":"7 2","input":{"input":"x"}}
a.jsonl:2: sandbox
a.jsonl:3: a sample without target: nothing judges it yet
a.jsonl:4: a sample without input`,
		},
		"a.csv": {"input,target\n\"a, b\",c\n",
			`{"name":"1","input":{"input":"a, b"},"evaluate":[{"contains":{"ignore_case":true,"value":"c"}}]}` + "\n"},
	} {
		got, err := converted(t, name, c.text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A scenario of a workflow, as the manual of a conformance suite has it, and one that says less.
func TestScenariosInTOML(t *testing.T) {
	got, err := converted(t, "route.toml", `name = "llm-route"
capabilities = ["llm_infer", "switch"]
trials = 8
min_pass_rate = 0.95
owner = "x"
[workflow]
inline = """
name = "llm_router"
"""
[[intel.turns]]
content = '{"decision": "alpha"}'
prompt_tokens = 120
[expected]
status = "completed"
last_node = "done_alpha"
path = ["classify", "route", "done_alpha"]
path_exact = true
max_llm_calls = 1
max_total_tokens = 200
max_spawns = 3
`)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"llm-route","input":{"intel":{"turns":[{"content":` +
		`"{\"decision\": \"alpha\"}","prompt_tokens":120}]},"workflow":{"inline":"name = \"llm_router\"\n"}},` +
		`"evaluate":[{"equals":{"path":"status","value":"completed"}},` +
		`{"equals":{"path":"last_node","value":"done_alpha"}},` +
		`{"equals":{"path":"path","value":["classify","route","done_alpha"]}},{"token-budget":200}],` +
		`"limits":{"max_cost_usd":"none","max_turns":1},"capabilities":["llm_infer","switch"],"min_pass_rate":0.95}
route.toml: trials = 8: a run makes as many as the verdict takes
route.toml: expected.max_spawns
route.toml: owner`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got, err = converted(t, "b.toml", "[workflow]\npath = \"w.toml\"\n[expected]\npath = [\"a.b\", \"c\"]\n")
	if err != nil {
		t.Fatal(err)
	}
	want = `{"name":"b","input":{"workflow":{"path":"w.toml"}},` +
		`"evaluate":[{"regex":{"path":"path","value":"\"a\\.b\"(?s:.*)\"c\""}}],"all_trials":true}` + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.csv", "question\nx\n", "is neither a promptfoo configuration nor a data set of Inspect"},
		{"a.yaml", "tests: more.yaml\n", "holds nothing that could be a scenario"},
		{"a.yaml", "tests: [{vars: {x: .inf}}]\n", "no number of JSON"},
		{"a.toml", "", "neither a workflow nor what is expected"},
		{"a.toml", "x = 1\ny =\n", "a.toml:2 is no TOML"},
		{"a.toml", "[workflow]\nx = inf\n", "no number of JSON"},
		{"a.txt", "", "is no file of data by its name"},
	} {
		if _, err := converted(t, c.name, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}
