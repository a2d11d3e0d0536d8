package ingest

import "testing"

func FuzzHarbor(f *testing.F) {
	seed(f, "harbor", `{"task_name":"a","trial_name":"b","agent_info":{},"verifier_result":{"rewards":{"x":"1"}}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "harbor") })
}
