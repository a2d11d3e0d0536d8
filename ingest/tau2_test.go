package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The simulated user's calls, tokens and costs are not the agent's, and a reward of 0
// after a failure of the infrastructure is no failure of the agent.
func TestTau2(t *testing.T) {
	s := Open([]string{"testdata/tau2.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"7","trial":1,"outcome":"pass","score":1,"started_at":"2026-02-26T09:25:37.5Z","duration_s":9.75,"model":"m-1","cost_usd":0.5,"input_tokens":220,"output_tokens":15,"steps":[{"action":"respond","output":"Hi!","cost_usd":0},{"action":"reason","duration_s":1.25,"cost_usd":0.25,"input_tokens":100,"output_tokens":10},{"action":"call_tool","tool":"find","arguments":{"n":1},"output":"Error: none","error":"Error: none"},{"action":"call_tool","tool":"find","arguments":{"n":2},"output":"here"},{"action":"respond","output":"Here it is.","cost_usd":0.25,"input_tokens":120,"output_tokens":5}],"input":{"reason":"a late parcel"},"output":"Here it is.","tags":{"info.git_commit":"c9e1346","info.environment_info.domain_name":"retail","info.agent_info.implementation":"llm_agent","info.agent_info.llm":"m-1","info.user_info.llm":"sim-1","simulation_id":"s-1","seed":"5","termination_reason":"user_stop"}}
1 {"scenario":"7","trial":0,"outcome":"error","error":{"origin":"infrastructure","type":"infrastructure_error"},"started_at":"2026-02-26T09:25:37Z","duration_s":1,"model":"m-1","steps":[],"input":{"reason":"a late parcel"},"tags":{"info.git_commit":"c9e1346","info.environment_info.domain_name":"retail","info.agent_info.implementation":"llm_agent","info.agent_info.llm":"m-1","info.user_info.llm":"sim-1","simulation_id":"s-2","termination_reason":"infrastructure_error"}}
1 {"scenario":"8","trial":0,"outcome":"fail","score":0,"model":"m-1","cost_usd":0.1,"tags":{"info.git_commit":"c9e1346","info.environment_info.domain_name":"retail","info.agent_info.implementation":"llm_agent","info.agent_info.llm":"m-1","info.user_info.llm":"sim-1","simulation_id":"s-3","termination_reason":"max_steps"}}
1 {"scenario":"8","trial":1,"outcome":"error","error":{"type":"context_window_exceeded"},"model":"m-1","cost_usd":0.1,"steps":[],"tags":{"info.git_commit":"c9e1346","info.environment_info.domain_name":"retail","info.agent_info.implementation":"llm_agent","info.agent_info.llm":"m-1","info.user_info.llm":"sim-1","simulation_id":"s-4","termination_reason":"context_window_exceeded"}}
1 {"scenario":"8","trial":2,"model":"m-1","cost_usd":0.1,"steps":[],"tags":{"info.git_commit":"c9e1346","info.environment_info.domain_name":"retail","info.agent_info.implementation":"llm_agent","info.agent_info.llm":"m-1","info.user_info.llm":"sim-1","simulation_id":"s-5","termination_reason":"user_stop"}}`)
	checkNotes(t, s, "testdata/tau2.json: 5 trials (tau2); left out: records that are no simulations (1)")
	if got := s.Notes()[0].Format; got != "tau2" {
		t.Errorf("format %v", got)
	}
}

func FuzzTau2(f *testing.F) {
	seed(f, "tau2.json", `{"task_id":"1","run_info":{"termination_reason":"agent_error","agent_cost":null},"messages":[{"role":"tool"}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "tau2") })
}
