package ingest

import "testing"

func FuzzTau2(f *testing.F) {
	seed(f, "tau2", `{"task_id":"1","run_info":{"termination_reason":"agent_error","agent_cost":null},"messages":[{"role":"tool"}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "tau2") })
}
