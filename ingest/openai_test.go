package ingest

import "testing"

func TestOpenAI(t *testing.T) {
	s := Open([]string{"testdata/openai.jsonl"}, unjudged)
	checkWritten(t, s, `
1 {"scenario":"openai","trial":0,"started_at":"2025-06-15T15:06:40Z","duration_s":3,"model":"m-1-0613","cost_usd":0.25,"input_tokens":220,"output_tokens":12,"steps":[{"action":"reason","input_tokens":100,"output_tokens":9,"model":"m-1-0613"},{"action":"call_tool","tool":"add","arguments":{"a":1},"output":"1"},{"action":"respond","output":"One.","cost_usd":0.25,"input_tokens":120,"output_tokens":3,"model":"m-1-0613"}],"input":"sum?","output":"One.","tags":{"metadata.task_id":"t-3"}}
3 {"scenario":"openai","trial":1,"model":"m-1-0613","steps":[{"action":"respond","output":"Two.","model":"m-1-0613"}],"input":"sum?","output":"Two."}
4 {"scenario":"openai","trial":2,"steps":[{"action":"reason","output":"Both."},{"action":"call_tool","tool":"get_order","arguments":{"id":7},"output":"sent"},{"action":"call_tool","tool":"get_user","arguments":"{oops","output":"Ann"},{"action":"respond","output":"I may not say."}],"input":"Order\nseven?","output":"I may not say."}
5 {"scenario":"openai","trial":3,"steps":[{"action":"reason"},{"action":"call_tool","tool":"clock","arguments":{},"output":"noon"},{"action":"respond","output":"Noon."}],"input":"time?","output":"Noon."}
6 {"scenario":"task-5","trial":0,"model":"m-1","input_tokens":5,"output_tokens":1,"steps":[{"action":"respond","output":"Five.","input_tokens":5,"output_tokens":1,"model":"m-1"}],"output":"Five.","tags":{"id":"batch_1"}}
7 {"scenario":"task-6","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"batch_expired","message":"too late"},"steps":[],"tags":{"id":"batch_2"}}
8 {"scenario":"openai","trial":4,"started_at":"2025-06-15T15:06:50Z","duration_s":2,"model":"m-2","input_tokens":70,"output_tokens":7,"steps":[{"action":"reason","input_tokens":30,"output_tokens":3,"model":"m-2"},{"action":"call_tool","tool":"web_search","arguments":{"query":"rain"}},{"action":"call_tool","tool":"roll","arguments":{"n":2},"error":"no dice"},{"action":"call_tool","tool":"note","arguments":{}},{"action":"respond","output":"Rain.","input_tokens":40,"output_tokens":4,"model":"m-2"}],"output":"Rain."}`)
	checkNotes(t, s, "testdata/openai.jsonl: 7 trials (openai); left out: results without their call (1), records without messages (1)")
}

func TestOpenAIDialects(t *testing.T) {
	ask, say := `{"role":"user","content":"a"}`, `{"role":"assistant","content":"b"}`
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"custom","custom":{"name":"run","input":"ls"}}]}`
	reply := func(message, usage string) string {
		return `{"choices":[{"message":` + message + `}],"usage":` + usage + `}`
	}
	checkDialects(t, "openai", true, []dialect{
		{"a list of lists", `[[` + ask + `,` + say + `],[` + ask + `,` + call + `]]`, "f: respond\nf: reason run", ""},
		{"messages one a line", ask + "\n" + call + "\n" + `{"role":"tool","tool_call_id":"1","content":"x"}` + "\n" + say + "\n" + say, "f: reason run respond respond", ""},
		{"requests that only grow", `{"model":"m","messages":[` + ask + `]}` + "\n" + `{"model":"m","messages":[` + ask + `,` + say + `,` + ask + `]}` + "\n" +
			`{"model":"m","messages":[` + ask + `]}`, "f: respond\nf: ", ""},
		{"responses alone", reply(call, `{"prompt_tokens":1,"completion_tokens":2}`) + "\n" + reply(say, `{"prompt_tokens":3,"completion_tokens":4}`) + "\n" + reply(say, `null`),
			"f: reason run respond (4, 6)\nf: respond", ""},
		{"tried again", `{"request":{"messages":[` + ask + `]},"response":null,"error":"503"}` + "\n" + `{"request":{"messages":[` + ask + `]},"response":` + reply(say, `{}`) + `}`,
			"f: respond", ""},
		{"an error at the end", `{"request":{"messages":[` + ask + `]},"response":{"error":{"type":"server_error","message":"down"}}}`, "f:  [error infrastructure server_error down]", ""},
		{"a request with JSON inside strings", `{"request":"{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}","response":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"b\"}}]}"}`,
			"f: respond", ""},
		{"a failed response", `{"object":"response","id":"r","status":"failed","error":{"code":"server_error","message":"down"},"output":[]}`,
			"f:  [error infrastructure server_error down]", ""},
		{"a response of reasoning alone", `{"object":"response","id":"r","status":"incomplete","output":[{"type":"reasoning","summary":[]}],"usage":{"input_tokens":1,"output_tokens":9}}`,
			"f: respond (1, 9)", ""},
		{"text after a search of the provider", `{"object":"response","id":"r","output":[{"type":"web_search_call","id":"w","status":"completed"},` +
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}],"usage":{"input_tokens":1,"output_tokens":9}}`, "f: reason web_search respond (1, 9)", ""},
		{"items", `[{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},` +
			`{"type":"function_call","call_id":"1","name":"p","arguments":"{}"},{"type":"custom_tool_call","call_id":"2","name":"q","input":"z"},` +
			`{"type":"custom_tool_call_output","call_id":"2","output":"z"},{"type":"function_call_output","call_id":"1","output":"z"},{"type":"moon"}]`,
			"f: reason p q", "; left out: messages that are not known (1)"},
		{"further choices", `{"object":"chat.completion","choices":[{"message":` + say + `},{"message":` + say + `}]}`, "f: respond", "; left out: further choices of an answer (1)"},
	})
	checkDialects(t, "openai", false, []dialect{
		{"nothing said", `{"messages":[{"role":"system","content":"x"}]}` + "\n" + `{"messages":[` + ask + `]}`, "f: ", "; left out: conversations without messages (1)"},
		{"streaming chunks", `{"object":"chat.completion.chunk","choices":[]}` + "\n" + ask + "\n" + `[1]`, "f: ", "; left out: values that are not objects (1)"},
	})
}

func FuzzOpenAI(f *testing.F) {
	seed(f, "openai.jsonl", `[{"role":"user","content":"a"},{"role":"assistant","content":[]}]`, `{"object":"response","output":[{"type":"x_call","status":""}]}`,
		`{"custom_id":"a","error":1}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "openai") })
}
