package ingest

import (
	"strings"
	"testing"
)

// The events of two runs at once; the second calls a graph inside of it, and is cut
// off.
const chainEventLog = `{"event":"on_chain_start","name":"bot","run_id":"r","parent_ids":[],"metadata":{"task":"t-1"},"data":{"input":{"messages":[{"role":"user","content":"Find x"}]}},"time":"2025-01-01T00:00:00Z"}
{"event":"on_chain_start","name":"other","run_id":"s","parent_ids":[],"data":{"input":{"question":"Why?"}},"time":"2025-01-01T00:00:00Z"}
{"event":"on_chat_model_start","name":"m","run_id":"m1","parent_ids":["r"],"data":{},"time":"2025-01-01T00:00:01Z"}
{"event":"on_chat_model_stream","name":"m","run_id":"m1","parent_ids":["r"],"data":{"chunk":{"type":"AIMessageChunk","content":"x"}},"time":"2025-01-01T00:00:01Z"}
{"event":"on_llm_end","name":"m","run_id":"m2","parent_ids":["s","u"],"metadata":{"langgraph_checkpoint_ns":"a:1|b:2","ls_model_name":"m-2"},"data":{"output":{"generations":[[{"text":"because"}]],"llm_output":null}},"time":"2025-01-01T00:00:02Z"}
{"event":"on_chat_model_end","name":"m","run_id":"m1","parent_ids":["r"],"metadata":{"ls_model_name":"m-1"},"data":{"output":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessageChunk"],"kwargs":{"content":"","tool_calls":[{"name":"find","args":{"q":"x"},"id":"c1"}],"usage_metadata":{"input_tokens":10,"output_tokens":2}}}},"time":"2025-01-01T00:00:03Z"}
{"event":"on_tool_start","name":"find","run_id":"t1","parent_ids":["r"],"data":{"input":{"input":"{'q': 'x'}"}},"time":"2025-01-01T00:00:03Z"}
{"event":"on_tool_end","name":"find","run_id":"t1","parent_ids":["r"],"data":{"output":{"type":"tool","content":"none","tool_call_id":"c1","status":"error"}},"time":"2025-01-01T00:00:03.5Z"}
{"event":"on_retriever_start","name":"store","run_id":"k1","parent_ids":["r"],"data":{"input":{"query":"x"}}}
{"event":"on_retriever_end","name":"store","run_id":"k1","parent_ids":["r"],"data":{"output":["doc"]}}
{"event":"on_tool_error","name":"fetch","run_id":"t2","parent_ids":["r"],"data":{"input":{"u":1}}}
{"event":"on_chat_model_end","name":"m","run_id":"m3","parent_ids":["r"],"data":{"output":{"type":"ai","content":"No x."}}}
{"event":"on_chain_end","name":"bot","run_id":"r","parent_ids":[],"data":{"output":{}},"time":"2025-01-01T00:00:05Z"}
`

func TestLangChainEvents(t *testing.T) {
	s := streamOf(chainEventLog, unjudged)
	checkWritten(t, s, `
1 {"scenario":"bot","trial":0,"started_at":"2025-01-01T00:00:00Z","duration_s":5,"model":"m-1","input_tokens":10,"output_tokens":2,"steps":[{"action":"reason","duration_s":2,"input_tokens":10,"output_tokens":2,"model":"m-1"},{"action":"call_tool","tool":"find","arguments":{"q":"x"},"output":"none","error":"none","duration_s":0.5},{"action":"retrieve","tool":"store","arguments":{"query":"x"},"output":["doc"]},{"action":"call_tool","tool":"fetch","arguments":{"u":1},"error":"failed"},{"action":"respond","output":"No x."}],"input":"Find x","output":"No x.","tags":{"metadata.task":"t-1"}}
2 {"scenario":"other","trial":0,"started_at":"2025-01-01T00:00:00Z","duration_s":2,"model":"m-2","steps":[{"action":"respond","output":"because","depth":1,"model":"m-2"}],"input":"Why?"}`)
	checkNotes(t, s, "f: 2 trials (langchain); the events end before a run does: the log is cut off")
}

func TestLangChainDialects(t *testing.T) {
	human, ai := `{"type":"human","content":"a","id":"1"}`,
		`{"type":"ai","content":"b","id":"2","usage_metadata":{"input_tokens":3,"output_tokens":1}}`
	call, result := `{"type":"ai","content":"","id":"3","tool_calls":[{"name":"f","args":{},"id":"c"}]}`,
		`{"type":"tool","content":"x","tool_call_id":"c","id":"4"}`
	checkDialects(t, "langchain", true, []dialect{
		{"a list of lists", `[[` + human + `,` + ai + `],[` + human + `,` + call + `,` + result + `]]`,
			"f: respond (3, 1)\nf: reason f", ""},
		{"values of one run", `{"messages":[` + human + `]}` + "\n" + `{"messages":[` + human + `,` + call + `]}` + "\n" +
			`{"messages":[` + human + `,` + call + `]}` + "\n" +
			`{"messages":[` + human + `,` + call + `,` + result + `,` + ai + `]}`, "f: reason f respond (3, 1)", ""},
		{"equal trials", strings.Repeat(`{"messages":[{"type":"human","content":"a"},{"type":"ai","content":"b"}]}`+"\n", 2),
			"f: respond\nf: respond", ""},
		{"a snapshot", `{"values":{"messages":[` + human + `,` + ai + `]},"next":[],"metadata":{"step":1}}`,
			"f: respond (3, 1)", ""},
		{"updates of graphs inside", `[[],{"agent":{"messages":[` + call + `]}}]` + "\n" +
			`[["tools:1"],{"sub":{"messages":[` + ai + `]}}]` + "\n" +
			`[[],{"tools":{"messages":[` + result + `]}}]` + "\n" + `[[],{"end":{"messages":[` + call + `,` + ai + `]}}]`,
			"f: reason f respond^1 (3, 1)", ""},
		{"modes", `["values",{"messages":[` + human + `]}]` + "\n" + `["updates",{"agent":{"messages":` + ai +
			`},"idle":null,"__interrupt__":[]}]` + "\n" +
			`["values",{"messages":[` + human + `,` + ai + `]}]` + "\n" + `["custom",{"x":1}]`, "f: respond (3, 1)", ""},
		{"commands", `{"agent":[{"goto":"x"},{"messages":[` + ai + `]}]}` + "\n" + `{"idle":{"count":1}}`,
			"f: respond (3, 1)", ""},
		{"messages one a line", human + "\n" + ai + "\n" + ai + "\n" + `{"type":"remove","id":"1"}`, "f: respond (3, 1)", ""},
		{"JavaScript", `[{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessage"],"kwargs":{"content":"b","response_metadata":{"tokenUsage":{"promptTokens":5,"completionTokens":2}}}}]`,
			"f: respond (5, 2)", ""},
		{"roles", `[` + human + `,{"role":"assistant","content":"x"},{"type":"chat","role":"assistant","content":"y"},{"type":"chat","role":"stranger","content":"y"}]`,
			"f: respond respond", "; left out: messages that are not known (1)"},
		{"the first version of events", `{"event":"on_chain_start","name":"w","run_id":"r","data":{}}` + "\n" +
			`{"event":"on_chat_model_end","name":"m","run_id":"s","data":{"output":{"generations":[[{"message":` + ai +
			`}]]}}}` + "\n" +
			`{"event":"on_chain_end","name":"w","run_id":"r","data":{}}`, "w: respond (3, 1)", ""},
		{"a model alone that fails",
			`{"event":"on_chat_model_start","name":"m","run_id":"r","parent_ids":[],"data":{"input":{"messages":[[` + human +
				`]]}}}` + "\n" +
				`{"event":"on_chat_model_error","name":"m","run_id":"r","parent_ids":[],"data":{"error":"503"}}`,
			"m: reason! [error infrastructure  503]", ""},
		{"a chain that fails", `{"event":"on_chain_error","name":"w","run_id":"r","parent_ids":[],"data":{"error":"limit"}}`,
			"f:  [unjudged   limit]", ""},
	})
	checkDialects(t, "langchain", false, []dialect{
		{"what is no message", ai + "\n" + `{"a":1}` + "\n[1]\n" +
			`[{"type":"AIMessageChunk","content":"x"},{"langgraph_node":"a"}]` + "\n" + `{"messages":[]}`,
			"f: respond (3, 1)", "; left out: records without messages (1), values that are not objects (1), streamed " +
				"messages with metadata (1), conversations without messages (1)"},
	})
}

func FuzzLangChain(f *testing.F) {
	seed(f, "langchain", chainEventLog, `[["a"],"updates",{"agent":{"messages":{"type":"ai","content":[]}}}]`,
		`{"type":"remove"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "langchain") })
}
