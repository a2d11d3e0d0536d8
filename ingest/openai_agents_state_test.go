package ingest

import "testing"

func TestOpenAIAgentsStateDialects(t *testing.T) {
	const start = `{"$schemaVersion":"1.0","originalInput":"a","modelResponses":[],"generatedItems":[`
	call := `{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"c","name":"f","arguments":"{}"}}`
	result := `{"type":"tool_call_output_item","rawItem":{"type":"function_call_result","callId":"c","output":"x"}}`
	said := `{"type":"message_output_item","rawItem":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"y"}]}}`
	checkDialects(t, "openai-agents-state", true, []dialect{
		{"a state without responses", start + call + `,` + result + `,` + said + `]}`, "f: reason f respond", ""},
		{"a result, which has its state", `{"state":` + start + said + `]}}`, "f: respond", ""},
		{"states in a list", `[` + start + said + `]},` + start + `]},{"a":1}]`, "f: respond\nf: ",
			"; left out: records that are no states of a run (1)"},
		{"a call that a person did not allow",
			start + call + `,{"type":"tool_call_output_item","rawItem":{"callId":"c","output":"Tool execution was not approved."}}]}`,
			"f: reason f!", ""},
		{"a result without its call", start + result + `]}`, "f: ", "; left out: results without their call (1)"},
		{"a handoff", start + `{"type":"handoff_call_item","rawItem":{"type":"function_call","callId":"h","name":"transfer_to_b","arguments":"{}"}},` +
			`{"type":"handoff_output_item","rawItem":{"type":"function_call_result","callId":"h","output":"b"}},` + said + `]}`,
			"f: reason transfer_to_b respond", ""},
	})
}

func FuzzOpenAIAgentsState(f *testing.F) {
	seed(f, "openai-agents-state", `{"state":"{\"$schemaVersion\":\"1.0\",\"originalInput\":[]}"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "openai-agents-state") })
}
