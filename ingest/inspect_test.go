package ingest

import "testing"

func FuzzInspect(f *testing.F) {
	seed(f, "inspect", `{"eval":{"task":"t"},"status":"error","samples":[{"id":1,"scores":{"a":{"value":1},"b":{"value":{"c":"C"}}},"messages":[{"role":"tool"}],"events":[{"event":"tool"},{"event":"step","type":"scorer","action":"end"}]}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "inspect") })
}
