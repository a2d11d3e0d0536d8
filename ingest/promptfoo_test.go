package ingest

import "testing"

func FuzzPromptfoo(f *testing.F) {
	seed(f, "promptfoo", `{"version":2,"results":[],"table":{"head":{"prompts":[{"provider":"p:q"}],"vars":["a"]},"body":[{"vars":["1"],"outputs":[{"pass":true,"text":"x"}]}]}}`, `{"testIdx":0,"promptIdx":0,"success":true,"provider":"x"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "promptfoo") })
}
