package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// A sample whose events are all there gives their steps, with the sub-agent's and
// without the scorer's; its tokens are those of the steps. An error or a limit is no
// score of 0.
func TestInspect(t *testing.T) {
	s := Open([]string{"testdata/inspect.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"triage/a","trial":1,"outcome":"pass","score":1,"started_at":"2026-02-26T09:25:37Z","duration_s":10,"model":"big-2026","cost_usd":0.25,"input_tokens":51,"output_tokens":6,"steps":[{"action":"reason","output":"I look.","duration_s":1.5,"cost_usd":0.25,"input_tokens":17,"output_tokens":3,"model":"big-2026"},{"action":"call_tool","tool":"read","arguments":{"box":1},"output":"","error":"too slow","duration_s":2},{"action":"call_tool","tool":"helper","arguments":{"ask":"which?"},"output":"the left one","duration_s":0.5},{"action":"respond","output":"the left one","depth":1,"input_tokens":4,"output_tokens":2,"model":"small-2026"},{"action":"respond","output":"Sorted.","duration_s":0.75,"input_tokens":30,"output_tokens":1,"model":"big-2026"}],"input":"Sort the mail.","output":"Sorted.","attempt":2,"tags":{"eval.task":"triage","eval.task_id":"t1","eval.run_id":"r1","eval.model":"acme/big","eval.task_args.level":"3","eval.revision.commit":"c9e1346","metadata.deep.er":"true","metadata.list":"1","metadata.team":"blue"}}
1 {"scenario":"triage/a","trial":2,"outcome":"error","error":{"origin":"infrastructure","type":"error","message":"RuntimeError('no disk')"},"model":"acme/big","steps":[],"input":"Sort the mail.","tags":{"eval.task":"triage","eval.task_id":"t1","eval.run_id":"r1","eval.model":"acme/big","eval.task_args.level":"3","eval.revision.commit":"c9e1346"}}
1 {"scenario":"triage/7","trial":1,"outcome":"error","error":{"type":"limit","message":"token 50"},"model":"acme/big","steps":[{"action":"respond","output":"half"}],"input":[{"content":"hi","role":"user"}],"output":"half","tags":{"eval.task":"triage","eval.task_id":"t1","eval.run_id":"r1","eval.model":"acme/big","eval.task_args.level":"3","eval.revision.commit":"c9e1346","limit.type":"token"}}
1 {"scenario":"triage/7","trial":2,"outcome":"fail","score":0,"model":"acme/big","steps":[{"action":"respond","output":"half"}],"input":"hi","output":"half","tags":{"eval.task":"triage","eval.task_id":"t1","eval.run_id":"r1","eval.model":"acme/big","eval.task_args.level":"3","eval.revision.commit":"c9e1346","limit.type":"token"}}
1 {"scenario":"triage/8","trial":1,"outcome":"pass","score":1,"duration_s":2.5,"model":"acme/big","input_tokens":15,"output_tokens":3,"steps":[],"input":"hi","tags":{"eval.task":"triage","eval.task_id":"t1","eval.run_id":"r1","eval.model":"acme/big","eval.task_args.level":"3","eval.revision.commit":"c9e1346"}}
1 {"scenario":"triage/8","trial":2,"outcome":"error","error":{"origin":"infrastructure","type":"limit","message":"operator 1"},"model":"acme/big","steps":[],"input":"hi","tags":{"eval.task":"triage","eval.task_id":"t1","eval.run_id":"r1","eval.model":"acme/big","eval.task_args.level":"3","eval.revision.commit":"c9e1346","limit.type":"operator"}}`)
	checkNotes(t, s, "testdata/inspect.json: 6 trials (inspect); left out: calls of a model that failed (1), samples without an id (1)")
	if got := s.Notes()[0].Format; got != "inspect" {
		t.Errorf("format %v", got)
	}
}

func FuzzInspect(f *testing.F) {
	seed(f, "inspect.json", `{"eval":{"task":"t"},"status":"error","samples":[{"id":1,"scores":{"a":{"value":1},"b":{"value":{"c":"C"}}},"messages":[{"role":"tool"}],"events":[{"event":"tool"},{"event":"step","type":"scorer","action":"end"}]}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "inspect") })
}
