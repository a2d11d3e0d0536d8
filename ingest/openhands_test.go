package ingest

import "testing"

func TestOpenHandsForms(t *testing.T) {
	event := func(id, source, rest string) string {
		return `{"id":` + id + `,"timestamp":"2025-02-01T10:00:00","source":"` + source + `",` + rest + `}`
	}
	message := event("1", "agent", `"action":"message","message":"","args":{"content":"x"}`)
	failed := func(reason string) string {
		return event("2", "environment",
			`"observation":"agent_state_changed","content":"","extras":{"agent_state":"error","reason":"`+reason+`"}`)
	}
	const at = " at=2025-02-01T10:00:00Z"
	for _, c := range []struct{ name, text, want string }{
		{"what the server of the program answers", `{"trajectory":[` + message + `]}`, "f#0 unjudged" + at + ": respond"},
		{"a model that could not be reached", `[` + message + `,` + failed("STATUS$ERROR_LLM_SERVICE_UNAVAILABLE") + `]`,
			"f#0 error error=infrastructure/error" + at + ": respond"},
		{"a loop is the agent's doing", `[` + message + `,` + failed("AgentStuckInLoopError: Agent got stuck in a loop") +
			`]`,
			"f#0 unjudged error=/error" + at + ": respond"},
		{"what went wrong before an answer", `[` + failed("STATUS$ERROR_LLM_SERVICE_UNAVAILABLE") + `,` + message + `]`,
			"f#0 unjudged" + at + ": respond"},
		{"a tool of an MCP server that failed",
			`[` + event("3", "agent", `"action":"call_tool_mcp","message":"","args":{"name":"f","arguments":{}}`) + `,` +
				event("4", "agent", `"cause":3,"observation":"mcp","content":"{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}","extras":{}`) + `]`,
			"f#0 unjudged" + at + ": reason call_tool_mcp!"},
		{"an evaluation that failed",
			`{"instance_id":"a","test_result":{"report":{"resolved":false,"error_eval":true}},"history":[]}`,
			"a#0 error error=infrastructure/error_eval:"},
		{"a result of another benchmark, without its events",
			`{"instance_id":"a","test_result":{"result":{"passed":1,"status":"success"}},"metadata":{}}`,
			"a#0 pass"},
		{"a score in parts", `{"instance_id":"a","test_result":{"score":0.5},"history":[]}`, "a#0 unjudged score=0.5:"},
		{"a conversation that broke",
			`[{"kind":"ConversationErrorEvent","id":"a","timestamp":"2025-02-01T10:00:00","source":"environment","code":"LLMAuthenticationError","detail":"401"}]`,
			"f#0 error error=infrastructure/LLMAuthenticationError" + at + ":"},
	} {
		t.Run(c.name, func(t *testing.T) { checkOutlines(t, streamOf(c.text, unjudged), "openhands", c.want) })
	}
}

// The figures are read in the file: one of three answers says what it took.
func TestRecordedOpenHands(t *testing.T) {
	checkOutlines(t, Open([]string{sample(t, "formats-unread", "openhands-trajectory.json")}, unjudged), "openhands",
		"openhands-trajectory#0 unjudged in=2473 out=10 seconds=290.381232 at=2025-02-01T00:14:10.787622Z "+
			"model=gpt-4o-2024-08-06: respond respond respond")
}

func FuzzOpenHands(f *testing.F) {
	seed(f, "openhands", `[{"source":"agent","action":"delegate","args":{}},{"source":"agent","observation":"delegate","content":""}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "openhands") })
}
