package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// Results come in any order, and an id may come again once it has its result.
func TestTauBench(t *testing.T) {
	s := Open([]string{"testdata/tau-bench.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"3","trial":1,"outcome":"pass","score":1.0000000001,"steps":[{"action":"reason","output":"One moment."},{"action":"call_tool","tool":"find","arguments":{"who":"mia"},"output":"{\"seat\": \"12A\"}"},{"action":"call_tool","tool":"find","arguments":"not json","output":"Error: who?"},{"action":"reason"},{"action":"call_tool","tool":"book","arguments":{},"output":"booked"},{"action":"respond","output":"It is booked."}],"input":"You want a seat.","output":"It is booked.","tags":{"info.source":"user","info.task.user_id":"mia"}}
1 {"scenario":"3","trial":2,"outcome":"error","error":{"origin":"infrastructure","type":"error","message":"RateLimitError: 429"},"steps":[]}
1 {"scenario":"4","trial":0,"outcome":"fail","score":0.5,"steps":[{"action":"reason"},{"action":"call_tool","tool":"think","arguments":{},"output":""}],"input":"Hi"}
1 {"scenario":"5","trial":0,"steps":[]}`)
	checkNotes(t, s, "testdata/tau-bench.json: 4 trials (tau-bench); left out: results without their call (1)")
	if got := s.Notes()[0].Format; got != "tau-bench" {
		t.Errorf("format %v", got)
	}
}

func FuzzTauBench(f *testing.F) {
	seed(f, "tau-bench.json", `[{"task_id":1,"reward":"x","traj":[{"role":"tool"},{"role":"assistant","tool_calls":[{}]},7]}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "tau-bench") })
}
