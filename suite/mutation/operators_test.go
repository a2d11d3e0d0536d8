package mutation

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// of are the mutants of an operator.
func of(t *testing.T, c Configuration, operator string) []Mutant {
	t.Helper()
	all, err := Mutants(context.Background(), c, Options{Operators: []string{operator}})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// applied is what a mutant makes of a configuration.
func applied(t *testing.T, c Configuration, m Mutant) Configuration {
	t.Helper()
	changed, err := m.Apply(c)
	if err != nil {
		t.Fatalf("%s: %v", m.Key, err)
	}
	return changed
}

// prompts are the prompts that an operator makes of one.
func prompts(t *testing.T, operator, prompt string) (made []string) {
	t.Helper()
	c := Configuration{Prompt: prompt}
	for _, m := range of(t, c, operator) {
		made = append(made, applied(t, c, m).Prompt)
	}
	return made
}

// Operators that draw nothing make what is written here, no more and no less.
func TestPromptOperators(t *testing.T) {
	for _, test := range []struct {
		name, operator, prompt string
		want                   []string
	}{
		{"sentences", "prompt.drop", "Be brief. Answer in French, e.g. oui.", []string{
			"Answer in French, e.g. oui.", "Be brief.",
		}},
		{"items, with what is below them", "prompt.drop", "Rules:\n- one thing\n  - a\n  - b\n- two\n", []string{
			"Rules:\n- two\n", "Rules:\n- one thing\n  - b\n- two\n", "Rules:\n- one thing\n  - a\n- two\n",
			"Rules:\n- one thing\n  - a\n  - b\n",
		}},
		{"lines that are not wrapped", "prompt.drop", "Greet the user\nAsk for the order\n", []string{
			"Ask for the order\n", "Greet the user\n",
		}},
		{"wrapped lines", "prompt.drop",
			"You look after the orders of the customers of Acme, who live in\nGermany and France. Be kind.\n", []string{
				"Be kind.\n", "You look after the orders of the customers of Acme, who live in\nGermany and France.\n",
			}},
		{"nothing but one", "prompt.drop", "Be brief.", nil},
		{"headings, code, tags and templates", "prompt.drop",
			"# Head\n<a>\nDo it.\n</a>\n{{#if x}}\n```\nDo not.\n```\n{{/if}}\n{input}\n| a | b |\n", []string{
				"# Head\n<a>\n</a>\n{{#if x}}\n```\nDo not.\n```\n{{/if}}\n{input}\n| a | b |\n",
			}},
		{"a tag around sentences", "prompt.drop", "<r>Be kind. Be brief.</r>", []string{"<r>Be brief.</r>", "<r>Be kind. </r>"}},
		{"emphasis around sentences", "prompt.drop", "**Be kind. Be brief.** Go on.", []string{"Go on.", "**Be kind. Be brief.**"}},
		{"a quotation with a point", "prompt.drop", `Say "I am. You are." Then stop.`, []string{
			"Then stop.", `Say "I am. You are."`,
		}},
		{"what is marked", "prompt.drop", "Be kind. [[mutate]]Be brief. Be quick.[[/mutate]] Be good.", []string{
			"Be kind. [[mutate]]Be quick.[[/mutate]] Be good.", "Be kind. [[mutate]]Be brief.[[/mutate]] Be good.",
		}},
		{"carriage returns", "prompt.drop", "Be kind.\r\nBe brief.\r\n", []string{"Be brief.\r\n", "Be kind.\r\n"}},
		{"what binds", "prompt.weaken", "You MUST NOT guess. Always ask. Say \"must\" or `must`.", []string{
			"You SHOULD NOT guess. Always ask. Say \"must\" or `must`.", "You MUST NOT guess. Usually ask. Say \"must\" or `must`.",
		}},
		{"negations", "prompt.flip", "Do not guess. You must never lie. I may, in May, not.", []string{
			"Guess. You must never lie. I may, in May, not.", "Do not guess. You must lie. I may, in May, not.",
			"Do not guess. You must never lie. I may not, in May, not.",
		}},
		{"examples", "prompt.example", "Do it.\n\nFor example:\nQ: a\nA: b\n\n## Examples\n\none\n\n## Rest\n\nDo more. For example, this.\n",
			[]string{
				"Do it.\n\n\n## Examples\n\none\n\n## Rest\n\nDo more. For example, this.\n",
				"Do it.\n\nFor example:\nQ: a\nA: b\n\n\n## Rest\n\nDo more. For example, this.\n",
				"Do it.\n\nFor example:\nQ: a\nA: b\n\n## Examples\n\none\n\n## Rest\n\nDo more.\n",
			}},
		{"an example between tags", "prompt.example", "Do it.\n<example>\nx\n</example>\n", []string{"Do it.\n"}},
		{"a half and a quarter, as without the last is what prompt.drop makes", "prompt.truncate", "# H\n- a\n- b\n- c\n- d\n\n```\nx\n```\n", []string{
			"# H\n- a\n- b\n\n```\nx\n```\n", "# H\n- a\n\n```\nx\n```\n",
		}},
		{"sentences of one line", "prompt.truncate", "A one. B two. C three. D four.", []string{"A one. B two. ", "A one. "}},
		{"the order of two", "prompt.reorder", "1. Look.\n2. Leap.\n", []string{"1. Leap.\n2. Look.\n"}},
		{"nothing to order", "prompt.reorder", "Look.\n\nLeap.\n", nil},
	} {
		if diff := cmp.Diff(test.want, prompts(t, test.operator, test.prompt)); diff != "" {
			t.Errorf("%s, %s:\n%s", test.name, test.operator, diff)
		}
	}
}

// Operators that draw make one of what is written here, at each of their sites.
func TestPromptOperatorsThatDraw(t *testing.T) {
	for _, test := range []struct {
		name, operator, prompt string
		want                   [][]string // by site
	}{
		{"the paper's example", "prompt.synonym", "Summarize the document. The summarize button is blue.", [][]string{{
			"Condense the document. The summarize button is blue.", "Sum up the document. The summarize button is blue.",
		}}},
		{"where verbs ask", "prompt.synonym", "If it is late, refuse. You must never REVEAL it; a list of answers.", [][]string{
			{"If it is late, decline. You must never REVEAL it; a list of answers.",
				"If it is late, reject. You must never REVEAL it; a list of answers."},
			{"If it is late, refuse. You must never DISCLOSE it; a list of answers.",
				"If it is late, refuse. You must never DIVULGE it; a list of answers."},
		}},
		{"numbers", "prompt.number", "At most 3 tries, 10%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.", [][]string{
			{"At most 6 tries, 10%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 1 tries, 10%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 30 tries, 10%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 4 tries, 10%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30."},
			{"At most 3 tries, 20%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 5%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 100%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 11%, 2-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30."},
			{"At most 3 tries, 10%, 4-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 10%, 1-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 10%, 20-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 10%, 3-4 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30."},
			{"At most 3 tries, 10%, 2-8 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 10%, 2-2 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 10%, 2-40 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30.",
				"At most 3 tries, 10%, 2-5 words, `7`, v2.1, 2024-01-02, gpt-4, 10:30."},
		}},
		{"large and broken numbers", "prompt.number", "Spend 1,500 or 0.5 USD", [][]string{
			{"Spend 3,000 or 0.5 USD", "Spend 750 or 0.5 USD", "Spend 15,000 or 0.5 USD", "Spend 1,501 or 0.5 USD"},
			{"Spend 1,500 or 1.0 USD", "Spend 1,500 or 0.2 USD", "Spend 1,500 or 5.0 USD", "Spend 1,500 or 1.5 USD"},
		}},
		{"three sentences", "prompt.reorder", "A one. B two. C three.", [][]string{{
			"A one. C three. B two.", "B two. A one. C three.", "B two. C three. A one.", "C three. A one. B two.",
			"C three. B two. A one.",
		}}},
	} {
		for seed := range uint64(8) {
			c := Configuration{Prompt: test.prompt}
			all, err := Mutants(context.Background(), c, Options{Seed: seed + 1, Operators: []string{test.operator}})
			if err != nil || len(all) != len(test.want) {
				t.Fatalf("%s: %d mutants, want %d: %v", test.name, len(all), len(test.want), err)
			}
			for i, m := range all {
				if got := applied(t, c, m).Prompt; !slices.Contains(test.want[i], got) {
					t.Errorf("%s at site %d: %q", test.name, i, got)
				}
			}
		}
	}
}

// Noise stands behind paragraphs and lists, what a colon announces included, and never within code or tags.
func TestPromptNoise(t *testing.T) {
	const prompt = "<a>\nBe kind.\n</a>\n\nAnswer so:\n\n```\n{}\n```\n\n- one\n- two"
	var want []string
	for _, where := range []string{"Be kind.", "{}\n```", "- two"} {
		want = append(want, strings.Replace(prompt, where, where+"\n\nNOISE", 1))
	}
	var got []string
	for _, made := range prompts(t, "prompt.noise", prompt) {
		for _, text := range noises() {
			made = strings.Replace(made, text, "NOISE", 1)
		}
		got = append(got, made)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const twoTools = `[
  {"type": "function", "function": {"name": "refund", "description": "Refund it.", "parameters": {"type": "object",
    "properties": {"order": {"type": "string", "description": "its number"}, "n": {"type":"number"}}, "required": ["order"]}}},
  {"name": "look_up", "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}}}
]
`

func TestToolOperators(t *testing.T) {
	for _, test := range []struct {
		operator string
		want     []string // of the document; MISLEADING stands for the texts of data/misleading.txt
	}{
		{"tool.remove", []string{
			"[\n  {\"name\": \"look_up\", \"input_schema\": {\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"string\"}}}}\n]\n",
			twoTools[:strings.Index(twoTools, ",\n  {\"name\"")] + "\n]\n",
		}},
		{"tool.description", []string{strings.Replace(twoTools, `, "description": "its number"`, "", 1)}},
		{"tool.required", []string{
			strings.Replace(twoTools, `, "required": ["order"]`, "", 1),
			strings.Replace(twoTools, `["order"]`, `["order", "n"]`, 1),
			strings.Replace(twoTools, `{"id": {"type": "string"}}}`, `{"id": {"type": "string"}}, "required": ["id"]}`, 1),
		}},
		{"tool.parameter", []string{
			strings.NewReplacer(`"order": {"type": "string", "description": "its number"}, `, "", `, "required": ["order"]`, "").Replace(twoTools),
			strings.Replace(twoTools, `, "n": {"type":"number"}`, "", 1),
			strings.Replace(twoTools, `{"id": {"type": "string"}}`, `{}`, 1),
		}},
		{"tool.noise", []string{
			strings.Replace(twoTools, `"Refund it."`, `"Refund it. MISLEADING"`, 1),
			strings.Replace(twoTools, `"look_up"`, `"look_up", "description": "MISLEADING"`, 1),
		}},
	} {
		tools, err := ParseTools([]byte(twoTools))
		if err != nil {
			t.Fatal(err)
		}
		c := Configuration{Tools: tools}
		var got []string
		for _, m := range of(t, c, test.operator) {
			text, err := PutTools([]byte(twoTools), applied(t, c, m).Tools)
			if err != nil {
				t.Fatal(err)
			}
			made := string(text)
			for _, lie := range misleading() {
				for _, own := range []string{"refund", "look_up"} {
					for _, other := range []string{"refund", "look_up"} {
						if own != other {
							made = strings.Replace(made, strings.NewReplacer("{tool}", own, "{other}", other).Replace(lie), "MISLEADING", 1)
						}
					}
				}
			}
			got = append(got, made)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s:\n%s", test.operator, diff)
		}
	}
}

// Of two tools there is one other order, and their layout stays.
func TestToolsInAnotherOrder(t *testing.T) {
	const text, want = `{"tools":[ {"name":"a"} ,  {"name":"b"} ]}`, `{"tools":[ {"name":"b"} ,  {"name":"a"} ]}`
	tools, err := ParseTools([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := Configuration{Tools: tools}
	got, err := PutTools([]byte(text), applied(t, c, of(t, c, "tool.reorder")[0]).Tools)
	if err != nil || string(got) != want {
		t.Errorf("%s: %v", got, err)
	}
}

// A provider that checks strictly that all parameters are required would refuse one that is not.
func TestStrictToolsStayStrict(t *testing.T) {
	c := Configuration{Tools: []Tool{{[]byte(`{"name":"a","strict":true,"parameters":{"properties":{"x":{}},"required":["x"]}}`)}}}
	if all := of(t, c, "tool.required"); len(all) > 0 {
		t.Errorf("%v", all)
	}
}

func TestModelOperators(t *testing.T) {
	c := Configuration{Model: "m", Models: Models{SameTier: []string{"a", "m"}, Older: []string{"b"}}, Temperature: trial.Some(0.7)}
	got := map[string][]string{}
	for _, m := range of(t, c, "model") {
		changed := applied(t, c, m)
		got[m.Operator] = append(got[m.Operator], changed.shown(ModelComponent))
	}
	want := map[string][]string{ // m for itself is none
		"model.swap": {"a\ntemperature: 0.7\n"}, "model.version": {"b\ntemperature: 0.7\n"},
		"model.temperature": {"m\ntemperature: 0\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestContextOperators(t *testing.T) {
	const text = "one two three\n\nfour\n\nfive six seven eight\n" // eight words
	for operator, want := range map[string][]string{
		"context.truncate": {
			"one two three\n\nfour\n\nfive six\n", // ⌊0.75·8⌋ = 6
			"one two three\n\nfour\n", "one two\n",
		},
		"context.drop": {
			"four\n\nfive six seven eight\n", "one two three\n\nfive six seven eight\n", // without the last is half of it
		},
		"context.duplicate": {
			"one two three\n\none two three\n\nfour\n\nfive six seven eight\n",
			"one two three\n\nfour\n\nfour\n\nfive six seven eight\n",
			"one two three\n\nfour\n\nfive six seven eight\n\nfive six seven eight\n",
		},
		"context.noise": {
			"NOISE\n\none two three\n\nfour\n\nfive six seven eight\n", "one two three\n\nNOISE\n\nfour\n\nfive six seven eight\n",
			"one two three\n\nfour\n\nfive six seven eight\n\nNOISE\n",
		},
	} {
		segments, err := ParseContext([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		c := Configuration{Context: segments}
		var got []string
		for _, m := range of(t, c, operator) {
			made, err := PutContext([]byte(text), applied(t, c, m).Context)
			if err != nil {
				t.Fatal(err)
			}
			plain := string(made)
			for _, noise := range documents() {
				plain = strings.Replace(plain, noise, "NOISE", 1)
			}
			got = append(got, plain)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", operator, diff)
		}
	}
}

// Documents as JSON stay JSON of their form.
func TestContextOfJSON(t *testing.T) {
	for _, test := range []struct{ text, operator, want string }{
		{`[ "a b" , "c d" ]`, "context.permute", `[ "c d" , "a b" ]`},
		{`[ "a b" , "c d" ]`, "context.truncate", `[ "a b" , "c" ]`},
		{`{"documents":[{"id":1,"text":"a b c d"}]}`, "context.truncate", `{"documents":[{"id":1,"text":"a b c"}]}`},
		{"{\"content\":\"a\"}\n{\"content\":\"b\"}\n", "context.drop", "{\"content\":\"b\"}\n"},
		{"{\"content\":\"a\"}", "context.duplicate", "{\"content\":\"a\"}\n{\"content\":\"a\"}"},
		{"a\n\n---\n\nb c\n", "context.permute", "b c\n\n---\n\na\n"},
	} {
		segments, err := ParseContext([]byte(test.text))
		if err != nil {
			t.Fatal(err)
		}
		c := Configuration{Context: segments}
		got, err := PutContext([]byte(test.text), applied(t, c, of(t, c, test.operator)[0]).Context)
		if err != nil || string(got) != test.want {
			t.Errorf("%s of %q is %q, want %q: %v", test.operator, test.text, got, test.want, err)
		}
	}
}

func TestResultOperators(t *testing.T) {
	c := Configuration{Tools: []Tool{{[]byte(`{"name":"a"}`)}}}
	var got []string
	for _, m := range of(t, c, "result") {
		got = append(got, m.Operator+" "+applied(t, c, m).Results[0].String())
	}
	want := []string{
		"result.empty tool-empty:tool=a", "result.corrupt tool-malformed:tool=a", "result.swap tool-swapped:tool=a",
		"result.deny tool-denied:tool=a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The twelve operators of Section 5.1 are there, under the symbols and names of its definitions.
func TestOperatorsOfThePaper(t *testing.T) {
	want := map[string]string{
		"prompt.synonym": "m_syn: synonym substitution", "prompt.reorder": "m_reorder: instruction reordering",
		"prompt.noise": "m_noise: noise injection", "prompt.drop": "m_drop: instruction dropout",
		"tool.remove": "m_remove: tool removal", "tool.reorder": "m_treorder: tool reordering", "tool.noise": "m_tnoise: tool noise",
		"model.swap": "m_swap: model swap", "model.version": "m_version: version downgrade",
		"context.truncate": "m_trunc: context truncation", "context.noise": "m_cnoise: context noise",
		"context.permute": "m_cperm: context permutation",
	}
	got := map[string]string{}
	for _, o := range Operators() {
		if o.Paper != "" {
			got[o.Name] = o.Paper
		}
		if o.Summary == "" || o.Category == "" || o.Severity.rank() < 0 || !slices.Contains(Classes(), o.Class) {
			t.Errorf("%s says too little of itself: %+v", o.Name, o)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Every word of the lists has another in its place, and the synonyms say where they are from.
func TestData(t *testing.T) {
	for _, row := range rows(synonymData) {
		cells := strings.Split(row, "\t")
		if len(cells) != 3 || cells[0] == cells[1] || cells[2] != "paper" && !strings.HasSuffix(cells[2], "-v") {
			t.Errorf("synonyms: %q", row)
		}
	}
	for name, data := range map[string]string{"weaker": weakerData, "opposite": oppositeData} {
		for _, row := range rows(data) {
			cells := strings.Split(row, "\t")
			if len(cells) != 2 || cells[0] == cells[1] || cells[0] != strings.ToLower(cells[0]) || len(pairs(data)[cells[0]]) != 1 {
				t.Errorf("%s: %q", name, row)
			}
		}
	}
	if len(noises()) < 5 || len(documents()) < 5 || len(misleading()) < 5 {
		t.Error("there is too little to draw from")
	}
}

// Numbers, switches and lists of JSON change one by one, and all else stays byte by byte; other forms have no sites.
func TestOrchestrationOperators(t *testing.T) {
	const text = `{"max_steps": 5, "retry":{"wait_s":0.5,"on": true},  "agents":["plan", "do"], "zero":0, "note":"7"}`
	for operator, want := range map[string][]string{
		"orchestration.number": {
			strings.Replace(text, "5,", "2,", 1), strings.Replace(text, "5,", "10,", 1),
			strings.Replace(text, "0.5", "0.25", 1), strings.Replace(text, "0.5", "1", 1),
		},
		"orchestration.switch": {strings.Replace(text, "true", "false", 1)},
		"orchestration.drop":   {strings.Replace(text, `"plan", `, "", 1), strings.Replace(text, `, "do"`, "", 1)},
	} {
		c := Configuration{Orchestration: text}
		var got []string
		for _, m := range of(t, c, operator) {
			changed := applied(t, c, m)
			got = append(got, changed.Orchestration)
			if all := c.Changed(changed); !slices.Equal(all, []Component{OrchestrationComponent}) {
				t.Errorf("%s changes %v", m.Key, all)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", operator, diff)
		}
		if other := of(t, Configuration{Orchestration: "max_steps: 5\non: true\n"}, operator); len(other) > 0 {
			t.Errorf("%s changes what is no JSON: %v", operator, other)
		}
	}
}
