package ingest

import "testing"

func TestOpenAIAgentsDialects(t *testing.T) {
	span := func(id, parent, start, data string) string {
		return `{"object":"trace.span","id":"` + id + `","trace_id":"t","parent_id":"` + parent +
			`","started_at":"2025-10-01T12:00:0` + start + `Z","ended_at":null,"span_data":` + data + `}`
	}
	checkDialects(t, "openai-agents", true, []dialect{
		{"what the exporter posts", `{"data":[{"object":"trace","id":"t","workflow_name":"w"},` +
			span("a", "", "1", `{"type":"generation","output":[{"role":"assistant","content":"x"}]}`) + `]}`,
			"w: respond", ""},
		{"an array", `[{"object":"trace","id":"t","workflow_name":"w"},{"object":"other"}]`, "w: ",
			"; left out: records that are no traces or spans (1)"},
		{"tools without spans of their own",
			span("a", "", "1", `{"type":"generation","output":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]}`),
			"f: reason f", ""},
		{"sums where no leaf has any", span("a", "", "1", `{"type":"response","usage":null}`) + "\n" +
			span("k", "", "0", `{"type":"custom","name":"task","data":{"sdk_span_type":"task","usage":{"input_tokens":7,"output_tokens":3}}}`), "f: respond (7, 3)", ""},
		{"a circle of parents", span("a", "b", "1", `{"type":"agent"}`) + "\n" + span("b", "a", "1", `{"type":"agent"}`) +
			"\n" + span("c", "b", "2", `{"type":"guardrail","name":"g","triggered":true}`),
			"f: guardrail^99", ""},
		{"a failure that was got over", span("a", "", "1", `{"type":"generation"},"error":{"message":"503"}`) + "\n" +
			span("b", "", "2", `{"type":"generation","output":[{"role":"assistant","content":"x"}]}`),
			"f: reason! respond", ""},
		{"custom spans", span("a", "", "1", `{"type":"custom","name":"mine","data":{}}`), "f: ",
			"; left out: custom spans (1)"},
	})
}

func FuzzOpenAIAgents(f *testing.F) {
	seed(f, "openai-agents", `{"data":[{"object":"trace.span","span_data":{"type":"response"}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "openai-agents") })
}
