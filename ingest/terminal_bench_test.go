package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The number of a trial is in its name; tokens of 0 were not counted; a failure of the
// agent may end in a success all the same.
func TestTerminalBench(t *testing.T) {
	s := Open([]string{"testdata/terminal-bench.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"hello","trial":2,"outcome":"pass","started_at":"2025-07-11T19:00:00Z","duration_s":10,"input_tokens":100,"input":"Say hello","tags":{"trial_name":"hello.2-of-3.run","failure_mode":"agent_timeout"}}
1 {"scenario":"hello","trial":3,"outcome":"error","error":{"origin":"infrastructure","type":"unknown_agent_error"},"started_at":"2025-07-11T19:00:00Z","duration_s":5,"tags":{"trial_name":"hello.3-of-3.run","failure_mode":"unknown_agent_error"}}
1 {"scenario":"other","trial":0,"outcome":"error","error":{"type":"test_timeout"},"tags":{"trial_name":"other","failure_mode":"test_timeout"}}
1 {"scenario":"other","trial":1,"outcome":"fail","tags":{"trial_name":"other","failure_mode":"unset"}}`)
	checkNotes(t, s, "testdata/terminal-bench.json: 4 trials (terminal-bench); left out: records that are no results of trials (1)")
	if got := s.Notes()[0].Format; got != "terminal-bench" {
		t.Errorf("format %v", got)
	}
}

func FuzzTerminalBench(f *testing.F) {
	seed(f, "terminal-bench.json", `{"task_id":"a","trial_name":".9-of-9","is_resolved":"true"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "terminal-bench") })
}
