package ingest

import "testing"

func TestOpenAIAgents(t *testing.T) {
	s := Open([]string{"testdata/openai-agents.jsonl"}, unjudged)
	checkWritten(t, s, `
1 {"scenario":"Refunds","trial":0,"error":{"message":"Max turns exceeded"},"started_at":"2025-10-01T12:00:00Z","duration_s":3,"model":"m-large","input_tokens":280,"output_tokens":28,"steps":[{"action":"reason","output":"I will ask.","duration_s":1,"input_tokens":100,"output_tokens":10,"model":"m-large"},{"action":"call_tool","tool":"ask_clerk","arguments":{"order":7},"output":"no order","duration_s":1.25},{"action":"reason","depth":1,"duration_s":0.5,"input_tokens":50,"output_tokens":5},{"action":"call_tool","tool":"look_up","arguments":"not json","output":"gone","error":"Error running tool: no such order","depth":1,"duration_s":0.1},{"action":"respond","depth":1,"duration_s":0.2,"input_tokens":60,"output_tokens":6},{"action":"handoff","arguments":{"from_agent":"Desk","to_agent":"Boss"},"duration_s":0},{"action":"respond","output":"There is no order 7.","duration_s":0.3,"input_tokens":70,"output_tokens":7,"model":"m-small"}],"input":"Refund order 7","output":"There is no order 7.","tags":{"group_id":"chat-7","metadata.task.id":"r-1","metadata.tries":"2"}}
3 {"scenario":"openai-agents","trial":0,"outcome":"error","error":{"origin":"infrastructure","message":"Error getting response: 503 overloaded"},"started_at":"2025-10-01T12:00:00.2Z","duration_s":0.5,"model":"m-large","steps":[{"action":"reason","error":"Error getting response: 503 overloaded","duration_s":0.5,"model":"m-large"}]}`)
	checkNotes(t, s, "testdata/openai-agents.jsonl: 2 trials (openai-agents); left out: spans of kinds that are not read (1)")
}

func TestOpenAIAgentsDialects(t *testing.T) {
	span := func(id, parent, start, data string) string {
		return `{"object":"trace.span","id":"` + id + `","trace_id":"t","parent_id":"` + parent + `","started_at":"2025-10-01T12:00:0` + start + `Z","ended_at":null,"span_data":` + data + `}`
	}
	checkDialects(t, "openai-agents", true, []dialect{
		{"what the exporter posts", `{"data":[{"object":"trace","id":"t","workflow_name":"w"},` + span("a", "", "1", `{"type":"generation","output":[{"role":"assistant","content":"x"}]}`) + `]}`,
			"w: respond", ""},
		{"an array", `[{"object":"trace","id":"t","workflow_name":"w"},{"object":"other"}]`, "w: ", "; left out: records that are no traces or spans (1)"},
		{"tools without spans of their own", span("a", "", "1", `{"type":"generation","output":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]}`),
			"f: reason f", ""},
		{"sums where no leaf has any", span("a", "", "1", `{"type":"response","usage":null}`) + "\n" +
			span("k", "", "0", `{"type":"custom","name":"task","data":{"sdk_span_type":"task","usage":{"input_tokens":7,"output_tokens":3}}}`), "f: respond (7, 3)", ""},
		{"a circle of parents", span("a", "b", "1", `{"type":"agent"}`) + "\n" + span("b", "a", "1", `{"type":"agent"}`) + "\n" + span("c", "b", "2", `{"type":"guardrail","name":"g","triggered":true}`),
			"f: guardrail^99", ""},
		{"a failure that was got over", span("a", "", "1", `{"type":"generation"},"error":{"message":"503"}`) + "\n" + span("b", "", "2", `{"type":"generation","output":[{"role":"assistant","content":"x"}]}`),
			"f: reason! respond", ""},
		{"custom spans", span("a", "", "1", `{"type":"custom","name":"mine","data":{}}`), "f: ", "; left out: custom spans (1)"},
	})
}

func FuzzOpenAIAgents(f *testing.F) {
	seed(f, "openai-agents.jsonl", `{"data":[{"object":"trace.span","span_data":{"type":"response"}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "openai-agents") })
}
