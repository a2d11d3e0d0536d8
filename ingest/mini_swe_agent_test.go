package ingest

import "testing"

func FuzzMiniSWEAgent(f *testing.F) {
	seed(f, "mini-swe-agent", `{"info":{"mini_version":"1","exit_status":"RateLimitError"},"messages":[{"role":"user","content":"<returncode>1</returncode>"}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "mini-swe-agent") })
}
