package ingest

import "testing"

func FuzzTauBench(f *testing.F) {
	seed(f, "tau-bench", `[{"task_id":1,"reward":"x","traj":[{"role":"tool"},{"role":"assistant","tool_calls":[{}]},7]}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "tau-bench") })
}
