package ingest

import "testing"

// Two chats of version 0.2: in the first the user's proxy has a name, and the price
// of the model is not known; in the second nobody has one.
func TestAutoGenOld(t *testing.T) {
	s := streamOf(`[{"chat_id":4,"chat_history":[{"role":"assistant","name":"ann","content":"sum?"},{"role":"user","name":"bot","content":"first","tool_calls":[{"id":"1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]},
{"role":"tool","name":"ann","content":"1","tool_responses":[{"tool_call_id":"1","role":"tool","content":"1"},{"tool_call_id":"2","role":"tool","content":"2"}]},
{"role":"user","name":"bot","content":"One."},{"role":"assistant","name":"ann","content":"Thanks."},{"role":"user","name":"other","content":"Bye."}],
"cost":{"usage_including_cached_inference":{"total_cost":0,"m-1":{"cost":0,"prompt_tokens":10,"completion_tokens":2,"total_tokens":12},"m-2":{"cost":0,"prompt_tokens":20,"completion_tokens":3,"total_tokens":23}},"usage_excluding_cached_inference":{"total_cost":0}}},
{"chat_history":[{"role":"assistant","content":"sum?"},{"role":"user","content":null,"function_call":{"name":"add","arguments":"{}"}},{"role":"function","name":"add","content":"1"},{"role":"assistant","content":"and?"},{"role":"user","content":"One."}],"summary":"One.","cost":[{"total_cost":0.5,"m-1":{"prompt_tokens":1,"completion_tokens":1}}]}]`, unjudged)
	checkWritten(t, s, `
1 {"scenario":"f","trial":0,"model":"m-2","input_tokens":30,"output_tokens":5,"steps":[{"action":"reason","output":"first"},{"action":"call_tool","tool":"add","arguments":{"a":1},"output":"1"},{"action":"respond","output":"One."},{"action":"respond","output":"Bye."}],"input":"sum?","output":"Bye.","tags":{"chat_id":"4"}}
1 {"scenario":"f","trial":1,"steps":[{"action":"reason"},{"action":"call_tool","tool":"add","arguments":{},"output":"1"},{"action":"respond","output":"One."}],"input":"sum?","output":"One."}`)
	checkNotes(t, s, "f: 2 trials (autogen); left out: results without their call (1)")
}

func TestAutoGenDialects(t *testing.T) {
	ask := `{"type":"TextMessage","source":"user","models_usage":null,"content":"a"}`
	say := `{"type":"TextMessage","source":"bot","models_usage":{"prompt_tokens":3,"completion_tokens":1},"content":"b"}`
	checkDialects(t, "autogen", true, []dialect{
		{"messages and the result that repeats them", ask + "\n" + say + "\n" + `{"messages":[` + ask + `,` + say +
			`],"stop_reason":null}`, "f: respond (3, 1)", ""},
		{"results one a line", `{"messages":[` + ask + `,` + say + `]}` + "\n" + `{"messages":[` + say + `]}`,
			"f: respond (3, 1)\nf: respond (3, 1)", ""},
		{"lists of messages", `[[` + ask + `,` + say + `],[` + ask + `]]`, "f: respond (3, 1)\nf: ", ""},
		{"messages of version 0.2",
			`[{"role":"assistant","name":"u","content":"a"},{"role":"tool","name":"u","content":"","tool_responses":[]},{"role":"user","name":"b","content":"x"}]`, "f: respond", ""},
		{"the context of an agent",
			`{"type":"AssistantAgentState","llm_context":{"messages":[{"type":"UserMessage","source":"user","content":"a"},` +
				`{"type":"AssistantMessage","source":"bot","thought":"hm","content":[{"id":"1","name":"f","arguments":"{}"}]},` +
				`{"type":"FunctionExecutionResultMessage","content":[{"call_id":"1","name":"f","content":"no","is_error":true}]},{"type":"AssistantMessage","source":"bot","content":"b"}]}}`,
			"f: reason f! respond", ""},
		{"a structured answer", `[` + ask +
			`,{"type":"StructuredMessage[Reply]","source":"bot","models_usage":{"prompt_tokens":1,"completion_tokens":1},"content":{"n":1}}]`, "f: respond (1, 1)", ""},
	})
}

func FuzzAutoGen(f *testing.F) {
	seed(f, "autogen", `{"chat_history":[{"role":"user"},{"tool_responses":[{}]}],"cost":{"total_cost":1,"m":{}}}`,
		`[[{"role":"user","content":1}]]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "autogen") })
}
