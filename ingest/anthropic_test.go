package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/chat"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

func TestAnthropicForms(t *testing.T) {
	const (
		question = `{"role":"user","content":[{"type":"text","text":"which?"}]}`
		call     = `{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"find","input":{"a":1}}]}`
		result   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"this"}]}`
		spoken   = `{"type":"message","role":"assistant","model":"m","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"find","input":{"a":1}}],"usage":{"input_tokens":1,"output_tokens":2}}`
		final    = `{"type":"message","role":"assistant","model":"m","stop_reason":"end_turn","content":[{"type":"text","text":"This."}],"usage":{"input_tokens":3,"output_tokens":4}}`
		bare     = `{"model":"m","stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":4}}`
		all      = `{"scenario":"f","trial":0,"model":"m","input_tokens":4,"output_tokens":6,"steps":[` +
			`{"action":"reason","input_tokens":1,"output_tokens":2,"model":"m"},{"action":"call_tool","tool":"find","arguments":{"a":1},"output":"this"},` +
			`{"action":"respond","output":"This.","input_tokens":3,"output_tokens":4,"model":"m"}],"input":"which?","output":"This.","tags":{"stop_reason":"end_turn"}}`
	)
	for name, c := range map[string]struct{ text, want string }{
		"a list of messages": {"[" + question + "," + spoken + "," + result + "," + final + "]", "1 " + all},
		"messages on lines":  {question + "\n" + spoken + "\n" + result + "\n" + final, "1 " + all},
		"responses apart from the history": {`{"messages":[` + question + "," + result + `],"responses":[` + spoken + "," +
			final + "]}", "1 " + all},
		"responses that the history has too": {`{"messages":[` + question + "," + call + "," + result + `],"responses":[` +
			spoken + "," + final + "]}", "1 " + all},
		"a response without content to the last": {`{"messages":[` + question + "," + call + "," + result +
			`,{"role":"assistant","content":"This."}],"responses":[` + bare + "]}",
			`1 {"scenario":"f","trial":0,"model":"m","input_tokens":3,"output_tokens":4,"steps":[{"action":"reason"},{"action":"call_tool","tool":"find","arguments":{"a":1},"output":"this"},` +
				`{"action":"respond","output":"This.","input_tokens":3,"output_tokens":4,"model":"m"}],"input":"which?","output":"This.","tags":{"stop_reason":"end_turn"}}`},
		"a conversation a line": {`{"task":"x","messages":[` + call + "]}\n" + `{"task":"y","messages":[` + call + `],"response":` + final + "}", `
1 {"scenario":"f","trial":0,"steps":[{"action":"reason"},{"action":"call_tool","tool":"find","arguments":{"a":1}}],"tags":{"task":"x"}}
2 {"scenario":"f","trial":1,"model":"m","input_tokens":3,"output_tokens":4,"steps":[{"action":"reason"},{"action":"call_tool","tool":"find","arguments":{"a":1}},` +
			`{"action":"respond","output":"This.","input_tokens":3,"output_tokens":4,"model":"m"}],"output":"This.","tags":{"task":"y","stop_reason":"end_turn"}}`},
		"results of a batch": {`{"custom_id":"a","result":{"type":"succeeded","message":` + final + "}}\n" +
			`{"custom_id":"b","result":{"type":"errored","error":{"type":"error","error":{"type":"overloaded_error","message":"later"}}}}` + "\n" +
			`{"custom_id":"c","result":{"type":"errored","error":{"type":"error","error":{"type":"invalid_request_error","message":"too long"}}}}` + "\n" +
			`{"custom_id":"d","result":{"type":"expired"}}`, `
1 {"scenario":"a","trial":0,"model":"m","input_tokens":3,"output_tokens":4,"steps":[{"action":"respond","output":"This.","input_tokens":3,"output_tokens":4,"model":"m"}],"output":"This.","tags":{"stop_reason":"end_turn"}}
2 {"scenario":"b","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"overloaded_error","message":"later"},"steps":[]}
3 {"scenario":"c","trial":0,"error":{"type":"invalid_request_error","message":"too long"},"steps":[]}
4 {"scenario":"d","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"expired"},"steps":[]}`},
	} {
		t.Run(name, func(t *testing.T) { checkWritten(t, codingLog(c.text), c.want) })
	}
}

// Messages that other APIs write, too, are not claimed.
func TestNotAnthropic(t *testing.T) {
	for _, text := range []string{
		`[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]`,
		`[{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"x"}]`,
		`[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}],"status":"completed"}]`,
		`{"messages":[{"type":"ai","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]}`,
		`{"info":{},"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]}`,
		`{"id":"b","custom_id":"c","response":{"status_code":200}}`,
	} {
		if chat.Anthropic.Shows(record.ShapeOf([]byte(text))) {
			t.Error(text)
		}
	}
}
