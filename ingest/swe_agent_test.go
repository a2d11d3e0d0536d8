package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// A tool is the one that the model called, where the history says which, and the first
// word of the command if not. Demonstrations are not the agent's.
func TestSWEAgent(t *testing.T) {
	s := Open([]string{"testdata/swe-agent.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"swe-agent","trial":0,"model":"m-1","cost_usd":0.5,"input_tokens":900,"output_tokens":30,"steps":[{"action":"reason","output":"look first, then act"},{"action":"call_tool","tool":"look","arguments":{"at":"a b"},"output":"a b","duration_s":0.25},{"action":"reason"},{"action":"call_tool","tool":"ls","arguments":{"command":"ls -la | wc"},"output":"","duration_s":0.5},{"action":"respond","output":"nothing to do"},{"action":"reason","output":"done"},{"action":"call_tool","tool":"submit","arguments":{"command":"submit"},"output":"diff"}],"input":"Fix it.","output":"diff --git","tags":{"environment":"main","info.exit_status":"submitted (exit_cost)"}}`)
	checkNotes(t, s, "testdata/swe-agent.json: 1 trial (swe-agent)")
	if got := s.Notes()[0].Format; got != "swe-agent" {
		t.Errorf("format %v", got)
	}
}

func FuzzSWEAgent(f *testing.F) {
	seed(f, "swe-agent.json", `{"trajectory":[{"action":" ","observation":{"a":1},"thought":""},7],"info":{"exit_status":"exit_error"}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "swe-agent") })
}
