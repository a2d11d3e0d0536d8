package ingest

import "testing"

func TestSmolagentsDialects(t *testing.T) {
	task := `{"task":"a","task_images":null}`
	final := `{"step_number":1,"tool_calls":null,"model_output":"b","observations":null,"token_usage":{"input_tokens":3,"output_tokens":1},"is_final_answer":true}`
	checkDialects(t, "smolagents", true, []dialect{
		{"runs one a line", `{"output":"b","state":"success","steps":[` + task + `,` + final + `]}` + "\n" +
			`{"output":null,"state":"success","steps":[` + task + `,{"x":1}]}`,
			"f: respond (3, 1)\nf: ", "; left out: steps that are not known (1)"},
		{"the steps of the memory", `[{"system_prompt":"x"},` + task + `,` + final + `,{"output":"b"}]`, "f: respond (3, 1)",
			""},
		{"memories one a line", `[` + task + `,` + final + `]` + "\n" + `[` + task + `]`, "f: respond (3, 1)\nf: ", ""},
		{"a provider that fails", `[` + task +
			`,{"step_number":1,"model_output":null,"observations":null,"error":{"type":"AgentGenerationError","message":"503"}}]`,
			"f: reason! [error infrastructure AgentGenerationError 503]", ""},
		{"code that ends the run",
			`[` + task + `,{"step_number":1,"model_output":"x","code_action":"final_answer(1)","tool_calls":[{"id":"1","function":{"name":"python_interpreter","arguments":"final_answer(1)"}}],` +
				`"observations":"","action_output":1,"is_final_answer":true}]`, "f: reason python_interpreter", ""},
	})
	checkDialects(t, "smolagents", false,
		[]dialect{{"what is no step", task + "\n" + `{"a":1,"b":2}`, "f: ",
			"; left out: records that are no runs or steps (1)"}})
}

func FuzzSmolagents(f *testing.F) {
	seed(f, "smolagents", `[{"task":"a"},{"step_number":1,"tool_calls":[{}],"error":{}}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "smolagents") })
}
