package ingest

import "testing"

func TestOpenAIDialects(t *testing.T) {
	ask, say := `{"role":"user","content":"a"}`, `{"role":"assistant","content":"b"}`
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"custom","custom":{"name":"run","input":"ls"}}]}`
	reply := func(message, usage string) string {
		return `{"choices":[{"message":` + message + `}],"usage":` + usage + `}`
	}
	checkDialects(t, "openai", true, []dialect{
		{"a list of lists", `[[` + ask + `,` + say + `],[` + ask + `,` + call + `]]`, "f: respond\nf: reason run", ""},
		{"messages one a line", ask + "\n" + call + "\n" + `{"role":"tool","tool_call_id":"1","content":"x"}` + "\n" + say +
			"\n" + say, "f: reason run respond respond", ""},
		{"requests that only grow", `{"model":"m","messages":[` + ask + `]}` + "\n" + `{"model":"m","messages":[` + ask +
			`,` + say + `,` + ask + `]}` + "\n" +
			`{"model":"m","messages":[` + ask + `]}`, "f: respond\nf: ", ""},
		{"responses alone", reply(call, `{"prompt_tokens":1,"completion_tokens":2}`) + "\n" +
			reply(say, `{"prompt_tokens":3,"completion_tokens":4}`) + "\n" + reply(say, `null`),
			"f: reason run respond (4, 6)\nf: respond", ""},
		{"tried again", `{"request":{"messages":[` + ask + `]},"response":null,"error":"503"}` + "\n" +
			`{"request":{"messages":[` + ask + `]},"response":` + reply(say, `{}`) + `}`,
			"f: respond", ""},
		{"an error at the end", `{"request":{"messages":[` + ask +
			`]},"response":{"error":{"type":"server_error","message":"down"}}}`, "f:  [error infrastructure server_error down]",
			""},
		{"a request with JSON inside strings",
			`{"request":"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}","response":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"b\"}}]}"}`,
			"f: respond", ""},
		{"a failed response", `{"object":"response","id":"r","status":"failed","error":{"code":"server_error","message":"down"},"output":[]}`,
			"f:  [error infrastructure server_error down]", ""},
		{"a response of reasoning alone",
			`{"object":"response","id":"r","status":"incomplete","output":[{"type":"reasoning","summary":[]}],"usage":{"input_tokens":1,"output_tokens":9}}`,
			"f: respond (1, 9)", ""},
		{"text after a search of the provider",
			`{"object":"response","id":"r","output":[{"type":"web_search_call","id":"w","status":"completed"},` +
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}],"usage":{"input_tokens":1,"output_tokens":9}}`, "f: reason web_search respond (1, 9)", ""},
		{"items", `[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},` +
			`{"type":"function_call","call_id":"1","name":"p","arguments":"{}"},{"type":"custom_tool_call","call_id":"2","name":"q","input":"z"},` +
			`{"type":"custom_tool_call_output","call_id":"2","output":"z"},{"type":"function_call_output","call_id":"1","output":"z"},{"type":"moon"}]`,
			"f: reason p q", "; left out: messages that are not known (1)"},
		{"further choices", `{"object":"chat.completion","choices":[{"message":` + say + `},{"message":` + say + `}]}`,
			"f: respond", "; left out: further choices of an answer (1)"},
	})
	checkDialects(t, "openai", false, []dialect{
		{"nothing said", `{"messages":[{"role":"system","content":"x"}]}` + "\n" + `{"messages":[` + ask + `]}`, "f: ",
			"; left out: conversations without messages (1)"},
		{"streaming chunks", `{"object":"chat.completion.chunk","choices":[]}` + "\n" + ask + "\n" + `[1]`,
			"f: respond [unjudged  cut off the log ends before the run does]\nf: ", "; left out: values that are not objects (1)"},
	})
}

func FuzzOpenAI(f *testing.F) {
	seed(f, "openai", `[{"role":"user","content":"a"},{"role":"assistant","content":[]}]`,
		`{"object":"response","output":[{"type":"x_call","status":""}]}`,
		`{"custom_id":"a","error":1}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "openai") })
}
