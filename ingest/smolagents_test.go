package ingest

import "testing"

func TestSmolagents(t *testing.T) {
	s := Open([]string{"testdata/smolagents.json"}, unjudged)
	checkWritten(t, s, `
1 {"scenario":"smolagents","trial":0,"error":{"type":"max_steps_error"},"started_at":"2024-05-29T16:26:40Z","duration_s":8,"input_tokens":101,"output_tokens":11,"steps":[{"action":"reason","output":"1. look","duration_s":1.5,"input_tokens":10,"output_tokens":1},{"action":"reason","input_tokens":20,"output_tokens":2},{"action":"call_tool","tool":"look","arguments":{"at":"roof"}},{"action":"call_tool","tool":"listen","arguments":{"to":"roof"},"output":"12 cats\nmeow"},{"action":"reason","output":"hm","error":"no code block","duration_s":1,"input_tokens":30,"output_tokens":3},{"action":"reason","output":"<code>"},{"action":"call_tool","tool":"python_interpreter","arguments":"final_answer(1/0)","error":"ZeroDivisionError"},{"action":"respond","output":"12","duration_s":2,"input_tokens":40,"output_tokens":4}],"input":"Count the cats","output":{"n":12},"tags":{"state":"max_steps_error"}}`)
	checkNotes(t, s, "testdata/smolagents.json: 1 trial (smolagents)")
}

func TestSmolagentsDialects(t *testing.T) {
	task := `{"task":"a","task_images":null}`
	final := `{"step_number":1,"tool_calls":null,"model_output":"b","observations":null,"token_usage":{"input_tokens":3,"output_tokens":1},"is_final_answer":true}`
	checkDialects(t, "smolagents", true, []dialect{
		{"runs one a line", `{"output":"b","state":"success","steps":[` + task + `,` + final + `]}` + "\n" + `{"output":null,"state":"success","steps":[` + task + `,{"x":1}]}`,
			"f: respond (3, 1)\nf: ", "; left out: steps that are not known (1)"},
		{"the steps of the memory", `[{"system_prompt":"x"},` + task + `,` + final + `,{"output":"b"}]`, "f: respond (3, 1)", ""},
		{"memories one a line", `[` + task + `,` + final + `]` + "\n" + `[` + task + `]`, "f: respond (3, 1)\nf: ", ""},
		{"a provider that fails", `[` + task + `,{"step_number":1,"model_output":null,"observations":null,"error":{"type":"AgentGenerationError","message":"503"}}]`,
			"f: reason! [error infrastructure AgentGenerationError 503]", ""},
		{"code that ends the run", `[` + task + `,{"step_number":1,"model_output":"x","code_action":"final_answer(1)","tool_calls":[{"id":"1","function":{"name":"python_interpreter","arguments":"final_answer(1)"}}],` +
			`"observations":"","action_output":1,"is_final_answer":true}]`, "f: reason python_interpreter", ""},
	})
	checkDialects(t, "smolagents", false, []dialect{{"what is no step", task + "\n" + `{"a":1,"b":2}`, "f: ", "; left out: records that are no runs or steps (1)"}})
}

func FuzzSmolagents(f *testing.F) {
	seed(f, "smolagents.json", `[{"task":"a"},{"step_number":1,"tool_calls":[{}],"error":{}}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "smolagents") })
}
