package ingest

import "testing"

func FuzzSWEAgent(f *testing.F) {
	seed(f, "swe-agent", `{"trajectory":[{"action":" ","observation":{"a":1},"thought":""},7],"info":{"exit_status":"exit_error"}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "swe-agent") })
}
