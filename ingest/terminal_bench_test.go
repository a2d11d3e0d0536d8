package ingest

import "testing"

func FuzzTerminalBench(f *testing.F) {
	seed(f, "terminal-bench", `{"task_id":"a","trial_name":".9-of-9","is_resolved":"true"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "terminal-bench") })
}
