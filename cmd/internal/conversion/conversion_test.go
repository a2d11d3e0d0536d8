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
a.jsonl:2: sandbox: docker
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

// The examples of two manuals, as they stand there: section 8.4 of the AgentAssay paper, and graders by budget.
func TestSpecifications(t *testing.T) {
	const paper = `name: ticket_routing_accuracy
description: Route support tickets to correct department
agent: ticket_router_v2
scenarios:
  - input: "My payment failed"
    properties:
      - expected_department: billing
      - max_steps: 5
    evaluator: exact_match
  - input: "Cannot login to account"
    properties:
      - expected_department: authentication
    evaluator: exact_match

config:
  trials: 50
  threshold: 0.90
  alpha: 0.05
  beta: 0.10
  method: sprt
  regression:
    baseline: ./baselines/v1.json
    delta: 0.10
`
	const first = `{"name":"My payment failed","input":"My payment failed",` +
		`"evaluate":[{"equals":{"path":"department","value":"billing"}},{"max_steps":5}]}` + "\n"
	const rest = "paper.yaml:16: config.trials: 50: a run makes as many as the verdict takes\n" +
		"paper.yaml:22: config.regression.baseline: ./baselines/v1.json"
	for name, c := range map[string]struct{ text, want string }{
		"the paper's": {paper, first +
			`{"name":"Cannot login to account","input":"Cannot login to account",` +
			`"evaluate":[{"equals":{"path":"department","value":"authentication"}}]}
paper.yaml:2: description: Route support tickets to correct department
paper.yaml:3: agent: ticket_router_v2
` + rest},
		"with slips": {
			strings.NewReplacer("evaluator: exact_match\n\n", "evaluater: exact_match\n\n", "max_steps", "max_stepps", "sprt", "wilson",
				"description: Route support tickets to correct department\nagent: ticket_router_v2\n", "\n\n").Replace(paper),
			strings.Replace(first, `,{"max_steps":5}`, "", 1) +
				`{"name":"Cannot login to account","input":"Cannot login to account"}
paper.yaml:8: scenarios[0].properties.max_stepps: 5
paper.yaml:13: scenarios[1].evaluater: exact_match
paper.yaml:12: scenarios[1].properties.expected_department: "authentication"
paper.yaml:10: nothing judges "Cannot login to account" yet
paper.yaml:20: config.method: wilson
` + rest},
		"a contract as evaluator": {`scenarios:
- input: {id: 7}
  evaluator:
    type: contract
    contract: ./contracts/ticket_router.yaml
  properties: {max_steps: 5}
`, `{"name":"scenario 1","input":{"id":7},"evaluate":[{"max_steps":5}]}
paper.yaml:4: scenarios[0].evaluator: {"type":"contract","contract":"./contracts/ticket_router.yaml"}; contract: FILE holds a trial to a contract`},
		"graders": {`graders:
  - type: token-budget
    config:
      max: 50000
  - type: tool-call-count
    config:
      max: 20
  - type: turn-count
    config:
      max: 10
  - type: error-count
    config:
      max: 0
  - type: wall-time
    config:
      max: "2m"
`, `{"name":"all","evaluate":[{"token-budget":50000},{"tool-call-count":20},{"turn-count":10},{"error-count":0},{"wall-time":"2m"}]}
paper.yaml:1: there are no scenarios: the one of the graders has no input yet`},
	} {
		got, err := converted(t, "paper.yaml", c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
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
		{"a.csv", "question,answer\nx,y\n", "is no promptfoo configuration, specification of scenarios or graders, or data set of " +
			`Inspect; it has "question", "answer"; these have tests, scenarios or graders, or samples with an input`},
		{"a.yaml", "graders:\n- type: token-bugdet\n  config: {max: 5}\n",
			`a.yaml:2:9: graders[0].type has no choice "token-bugdet"; did you mean "token-budget"?`},
		{"a.yaml", "graders:\n- type: turn-count\n  config: {maximum: 5}\n",
			`a.yaml:3:12: graders[0].config has no key "maximum"; did you mean "max"?`},
		{"a.yaml", "graders:\n- type: turn-count\n  config: {}\n", "a.yaml:3:11: graders[0].config.max is missing"},
		{"a.yaml", "graders: [{type: error-count, config: {max: -1}}]\n",
			"a.yaml:1:45: graders[0].config.max -1 must not be negative"},
		{"a.yaml", "graders: [{type: wall-time, config: {max: 90}}]\n", "graders[0].config.max"},
		{"a.yaml", "scenarios: [{input: x}]\nconfig: {threshold: 90}\n", "a.yaml:2:21: config.threshold 90"},
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
