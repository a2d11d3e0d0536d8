package ingest

import "testing"

// A message without delta is whole, and what an agent ran into is not of the
// infrastructure.
func TestGeminiCLIForms(t *testing.T) {
	checkWritten(t, codingLog(`Loaded cached credentials.
{"type":"init","timestamp":"2026-05-01T10:00:00Z","session_id":"g","model":"m"}
{"type":"message","role":"assistant","content":"one"}
{"type":"message","role":"assistant","content":"two"}
{"type":"error","severity":"error","message":"Maximum session turns exceeded"}
{"type":"result","status":"success"}`), `
2 {"scenario":"f","trial":0,"error":{"message":"Maximum session turns exceeded"},"started_at":"2026-05-01T10:00:00Z","model":"m",`+
		`"steps":[{"action":"respond","output":"one"},{"action":"respond","output":"two"}],"output":"two","tags":{"session_id":"g","model":"m","status":"success"}}`)
}
