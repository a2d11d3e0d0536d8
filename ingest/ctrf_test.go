package ingest

import "testing"

func FuzzCTRF(f *testing.F) {
	seed(f, "ctrf", `{"results":{"tool":{"name":"x"},"summary":{},"tests":[{"name":"a","status":"passed","duration":1,"start":5,"retries":1e18}]}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "ctrf") })
}
