package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestGeminiCLI(t *testing.T) {
	s := Open([]string{"testdata/gemini-cli.jsonl"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"gemini-cli","trial":0,"started_at":"2026-05-01T10:00:00Z","duration_s":4.4,"model":"gemini-pro","input_tokens":1000,"output_tokens":50,"steps":[`+
		`{"action":"reason","output":"I will look."},`+
		`{"action":"call_tool","tool":"read_file","arguments":{"path":"NEWS"},"output":"nothing","duration_s":0.5},`+
		`{"action":"call_tool","tool":"glob","arguments":{"pattern":"*"},"error":"bad pattern","duration_s":1},`+
		`{"action":"reason"},`+
		`{"action":"call_tool","tool":"glob","arguments":{"pattern":"**"},"output":"NEWS","duration_s":0.25},`+
		`{"action":"respond","output":"Nothing is new."}`+
		`],"input":"what is new?","output":"Nothing is new.","tags":{"session_id":"g-1","model":"auto","status":"success"}}
16 {"scenario":"gemini-cli","trial":1,"error":{"type":"FatalTurnLimitedError","message":"too many turns"},"started_at":"2026-05-01T11:00:00Z","duration_s":0,"model":"gemini-pro","input_tokens":0,"output_tokens":0,"steps":[],"tags":{"session_id":"g-2","model":"gemini-pro","status":"error"}}
18 {"scenario":"gemini-cli","trial":2,"outcome":"error","error":{"origin":"infrastructure","type":"FatalAuthenticationError","message":"no key"},"started_at":"2026-05-01T12:00:00Z","duration_s":1,"model":"gemini-pro","steps":[],"tags":{"session_id":"g-3","model":"gemini-pro","status":"error"}}
20 {"scenario":"gemini-cli","trial":3,"started_at":"2026-05-01T13:00:00Z","duration_s":2,"model":"gemini-pro","steps":[{"action":"respond","output":"Let me"}],"output":"Let me","tags":{"session_id":"g-4","model":"gemini-pro"}}`)
	checkNotes(t, s, "testdata/gemini-cli.jsonl: 4 trials (gemini-cli); left out: results without their call (1), warnings (1); "+
		"the run that begins in line 20 has no result; was the program stopped?")
}

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
