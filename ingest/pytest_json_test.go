package ingest

import "testing"

func FuzzPytestJSON(f *testing.F) {
	seed(f, "pytest-json", `{"created":1,"exitcode":0,"tests":[{"nodeid":"a","outcome":"passed","metadata":{"trial":3,"attempt":"x"}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "pytest-json") })
}
