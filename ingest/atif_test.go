package ingest

import "testing"

func FuzzATIF(f *testing.F) {
	seed(f, "atif", `{"schema_version":"ATIF-v1.0","steps":[{"source":"agent","observation":{"results":[{}]}}],"subagent_trajectories":[{"trajectory_id":"a","subagent_trajectories":[{}]}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "atif") })
}
