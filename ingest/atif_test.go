package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// A step that is copied from another trajectory did not happen here. A sub-agent acts
// where it is called, or at the end if no call names it.
func TestATIF(t *testing.T) {
	s := Open([]string{"testdata/atif.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"atif","trial":0,"variant":"walker m-1","started_at":"2026-05-16T12:00:00Z","duration_s":3,"model":"m-1","cost_usd":0.75,"input_tokens":227,"output_tokens":13,"steps":[{"action":"reason","output":"I go.","cost_usd":0.5,"input_tokens":100,"output_tokens":10,"model":"m-2"},{"action":"call_tool","tool":"step","arguments":{"n":1},"output":"one\nmetre"},{"action":"call_tool","tool":"ask","arguments":{"who":"guide"}},{"action":"respond","output":"left","depth":1,"cost_usd":0.25,"input_tokens":7,"output_tokens":1},{"action":"call_tool","tool":"rest","arguments":{},"output":"rested"},{"action":"respond","output":"There.","input_tokens":120,"output_tokens":2},{"action":"respond","output":"bye","depth":1}],"input":"Walk.","output":"There.","tags":{"schema_version":"ATIF-v1.7","session_id":"run-1","extra.task":"hello","agent.name":"walker","agent.version":"unknown","agent.model_name":"m-1"}}`)
	checkNotes(t, s, "testdata/atif.json: 1 trial (atif); left out: results without their call (1), steps of unknown sources (1)")
	if got := s.Notes()[0].Format; got != "atif" {
		t.Errorf("format %v", got)
	}
}

func FuzzATIF(f *testing.F) {
	seed(f, "atif.json", `{"schema_version":"ATIF-v1.0","steps":[{"source":"agent","observation":{"results":[{}]}}],"subagent_trajectories":[{"trajectory_id":"a","subagent_trajectories":[{}]}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "atif") })
}
