package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// A reward judges, also after the agent's time was up. Only what surrounds the agent is
// infrastructure.
func TestHarbor(t *testing.T) {
	s := Open([]string{"testdata/harbor.jsonl"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"hello","trial":0,"variant":"walker 2.1 m-1","outcome":"pass","score":1,"started_at":"2026-01-26T02:10:00Z","duration_s":30.5,"model":"m-1","cost_usd":0.5,"input_tokens":100,"output_tokens":10,"tags":{"agent_info.name":"walker","agent_info.version":"2.1","trial_name":"hello__a","source":"suite-2","config.job_id":"j1"}}
2 {"scenario":"hello","trial":1,"variant":"walker 2.1 m-1","outcome":"fail","score":0,"error":{"type":"AgentTimeoutError","message":"600 s"},"started_at":"2026-01-26T02:00:00Z","duration_s":10,"model":"m-1","tags":{"agent_info.version":"2.1","trial_name":"hello__b"}}
3 {"scenario":"hello","trial":2,"variant":"walker 2.1 m-1","outcome":"error","error":{"origin":"infrastructure","type":"EnvironmentStartTimeoutError","message":"no docker"},"model":"m-1","tags":{"agent_info.version":"2.1","trial_name":"hello__c"}}
4 {"scenario":"hello","trial":3,"variant":"walker 2.1 m-1","outcome":"error","error":{"type":"AgentTimeoutError","message":"600 s"},"model":"m-1","tags":{"agent_info.version":"2.1","trial_name":"hello__d"}}
5 {"scenario":"hello","trial":4,"variant":"walker 2.1 m-1","score":0.25,"model":"m-1","tags":{"agent_info.version":"2.1","trial_name":"hello__e"}}
6 {"scenario":"hello","trial":5,"variant":"walker 2.1 m-1","model":"m-1","tags":{"agent_info.version":"2.1","trial_name":"hello__f"}}`)
	checkNotes(t, s, "testdata/harbor.jsonl: 6 trials (harbor); left out: records that are no results of trials (1); there are several rewards, and none was chosen to judge: style, tests")
	if got := s.Notes()[0].Format; got != "harbor" {
		t.Errorf("format %v", got)
	}
}

func FuzzHarbor(f *testing.F) {
	seed(f, "harbor.jsonl", `{"task_name":"a","trial_name":"b","agent_info":{},"verifier_result":{"rewards":{"x":"1"}}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "harbor") })
}
