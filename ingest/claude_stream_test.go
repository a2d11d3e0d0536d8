package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/agents"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

func TestClaudeStreamForms(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"one object on several lines": {`{
  "type": "result", "subtype": "success", "is_error": false, "num_turns": 1, "duration_ms": 250,
  "result": "ok", "session_id": "s", "structured_output": {"ok": true}, "total_cost_usd": 0.5,
  "modelUsage": {"m-1": {"inputTokens": 1, "outputTokens": 2}, "m-2": {"inputTokens": 3, "cacheReadInputTokens": 10, "outputTokens": 4}}
}`, `1 {"scenario":"f","trial":0,"duration_s":0.25,"model":"m-2","cost_usd":0.5,"input_tokens":14,"output_tokens":6,"cached_tokens":10,"turns":1,` +
			`"model_usage":[{"model":"m-1","input_tokens":1,"output_tokens":2},{"model":"m-2","input_tokens":13,"output_tokens":4,"cached_tokens":10}],"output":{"ok":true},` +
			`"tags":{"session_id":"s","subtype":"success","num_turns":"1"}}`},
		"an array, and names of old versions": {
			`[{"type":"system","subtype":"init","session_id":"s"},{"type":"result","subtype":"success","num_turns":1,"total_cost":0.25,"cost_usd":0.125,"usage":{"input_tokens":7,"output_tokens":1}}]`,
			`1 {"scenario":"f","trial":0,"cost_usd":0.25,"input_tokens":7,"output_tokens":1,"turns":1,"steps":[],"tags":{"session_id":"s","subtype":"success","num_turns":"1"}}`},
		"a session that was resumed by another process": {
			`{"type":"result","subtype":"success","num_turns":1,"session_id":"s","total_cost_usd":0.5,"usage":{"input_tokens":7,"output_tokens":1}}
{"type":"result","subtype":"success","num_turns":1,"session_id":"s","total_cost_usd":0.25,"usage":{"input_tokens":9,"output_tokens":2}}`,
			`1 {"scenario":"f","trial":0,"cost_usd":0.75,"input_tokens":16,"output_tokens":3,"turns":2,"tags":{"session_id":"s","subtype":"success","num_turns":"1"}}`},
		// Of two processes: 0.5 and 0.25 dollars of m, 0.25 of h; 100 and 60 tokens in of m, 40 of h.
		"a session of two models that was resumed": {
			`{"type":"result","session_id":"s","total_cost_usd":0.75,"modelUsage":{"m":{"inputTokens":100,"outputTokens":9,"costUSD":0.5},"h":{"inputTokens":40,"outputTokens":1,"costUSD":0.25}}}
{"type":"result","session_id":"s","total_cost_usd":0.25,"modelUsage":{"m":{"inputTokens":60,"outputTokens":9,"costUSD":0.25}}}`,
			`1 {"scenario":"f","trial":0,"model":"m","cost_usd":1,"input_tokens":200,"output_tokens":19,` +
				`"model_usage":[{"model":"h","cost_usd":0.25,"input_tokens":40,"output_tokens":1},{"model":"m","cost_usd":0.75,"input_tokens":160,"output_tokens":18}],"tags":{"session_id":"s"}}`},
		"runs that alternate": {
			`{"type":"system","subtype":"init","session_id":"a","model":"m-a"}
{"type":"system","subtype":"init","session_id":"b","model":"m-b"}
{"type":"result","subtype":"success","num_turns":1,"session_id":"a","total_cost_usd":1}
{"type":"result","subtype":"success","num_turns":1,"session_id":"b","total_cost_usd":2}`, `
1 {"scenario":"f","trial":0,"model":"m-a","cost_usd":1,"turns":1,"steps":[],"tags":{"session_id":"a","subtype":"success","num_turns":"1"}}
2 {"scenario":"f","trial":1,"model":"m-b","cost_usd":2,"turns":1,"steps":[],"tags":{"session_id":"b","subtype":"success","num_turns":"1"}}`},
		"a result, and a run without ids": {
			`{"type":"result","total_cost_usd":1}
{"type":"assistant","message":{"role":"assistant","content":"Hi."}}`, `
1 {"scenario":"f","trial":0,"cost_usd":1}
2 {"scenario":"f","trial":1,"error":{"type":"cut off","message":"the log ends before the run does"},"steps":[{"action":"respond","output":"Hi."}],"output":"Hi."}`},
		"an error in the middle": {
			`{"type":"result","subtype":"error_during_execution","is_error":false,"num_turns":1,"session_id":"s","errors":["broken","pipe"]}`,
			`1 {"scenario":"f","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"error_during_execution","message":"broken\npipe"},` +
				`"turns":1,"tags":{"session_id":"s","subtype":"error_during_execution","num_turns":"1"}}`},
		"a prompt that is too long": {
			`{"type":"assistant","session_id":"s","error":"invalid_request","message":{"model":"<synthetic>","content":[{"type":"text","text":"Prompt is too long"}]}}
{"type":"result","subtype":"success","is_error":true,"num_turns":1,"session_id":"s","result":"Prompt is too long"}`,
			`1 {"scenario":"f","trial":0,"error":{"type":"invalid_request","message":"Prompt is too long"},"turns":1,"steps":[],"tags":{"session_id":"s","subtype":"success","num_turns":"1"}}`},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}

// A sub-agent of a sub-agent is two deep, one of an unknown call is one.
func TestClaudeStreamDepth(t *testing.T) {
	checkWritten(t, codingLog(`{"type":"assistant","session_id":"s","message":{"id":"1","content":[{"type":"tool_use","id":"a","name":"Task","input":{}}]}}
{"type":"assistant","session_id":"s","parent_tool_use_id":"a","message":{"id":"2","content":[{"type":"tool_use","id":"b","name":"Task","input":{}}]}}
{"type":"assistant","session_id":"s","parent_tool_use_id":"b","message":{"id":"3","content":[{"type":"text","text":"deep"}]}}
{"type":"assistant","session_id":"s","parent_tool_use_id":"z","message":{"id":"4","content":[{"type":"text","text":"whose?"}]}}
{"type":"result","subtype":"success","num_turns":1,"session_id":"s"}`), `
1 {"scenario":"f","trial":0,"steps":[{"action":"reason"},{"action":"call_tool","tool":"Task","arguments":{}},`+
		`{"action":"reason","depth":1},{"action":"call_tool","tool":"Task","arguments":{},"depth":1},`+
		`{"action":"respond","output":"deep","depth":2},{"action":"respond","output":"whose?","depth":1}],`+
		`"tags":{"session_id":"s","subtype":"success","num_turns":"1"}}`)
}

// The events of other programs are much alike.
func TestNotClaudeStream(t *testing.T) {
	for _, text := range []string{
		`{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n" +
			`{"type":"tool_call","subtype":"started","call_id":"c","session_id":"s"}`,
		`{"type":"result","status":"success","stats":{}}`,
		`{"type":"assistant","content":"x"}`,
		`{"type":"assistant","message":{"role":"assistant"},"sessionId":"s","session_id":"s","uuid":"u","parentUuid":null}`,
	} {
		if agents.ClaudeStream.Shows(record.ShapeOf([]byte(text))) {
			t.Error(text)
		}
	}
}
