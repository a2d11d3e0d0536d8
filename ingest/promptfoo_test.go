package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// Two prompts of one provider are two variants. Tests of the same variables and other
// assertions are other tests.
func TestPromptfoo(t *testing.T) {
	s := Open([]string{"testdata/promptfoo.json"}, Options{Options: trial.Options{Unjudged: true}, Variant: "acme:chat:big plain"})
	checkWritten(t, s, `
1 {"scenario":"books a seat","trial":0,"variant":"acme:chat:big plain","outcome":"pass","score":1,"duration_s":0.25,"model":"acme:chat:big","cost_usd":0.25,"input_tokens":10,"output_tokens":2,"steps":[{"action":"respond","output":"ok","duration_s":0.25,"cost_usd":0.25,"input_tokens":10,"output_tokens":2}],"input":"Book 12A","output":"ok","tags":{"evalId":"eval-1","config.description":"bookings","provider.id":"acme:chat:big","testIdx":"0","promptIdx":"0","vars.seat":"12A","testCase.metadata.team":"blue","namedScores.polite":"0.5"}}
1 {"scenario":"books a seat","trial":1,"variant":"acme:chat:big plain","outcome":"pass","score":1,"duration_s":0.002,"model":"acme:chat:big","steps":[{"action":"respond","output":"ok","duration_s":0.002}],"input":"Book 12A","output":"ok","tags":{"evalId":"eval-1","config.description":"bookings","provider.id":"acme:chat:big","testIdx":"1","promptIdx":"0","vars.seat":"12A"}}`)
	checkNotes(t, s, "testdata/promptfoo.json: 2 trials (promptfoo); left out: values that are not objects (1), trials of other variants (3); responses come from the cache: they repeat an earlier run and are no new trials; use --no-cache")
	s = Open([]string{"testdata/promptfoo.json"}, Options{Options: trial.Options{Unjudged: true}, Variant: "acme:chat:big polite"})
	checkWritten(t, s, `
1 {"scenario":"books a seat","trial":0,"variant":"acme:chat:big polite","outcome":"fail","score":0.5,"error":{"type":"assertion","message":"no ok"},"duration_s":1.5,"model":"acme:chat:big","input_tokens":11,"output_tokens":4,"steps":[{"action":"reason","duration_s":1.5,"input_tokens":11,"output_tokens":4},{"action":"call_tool","tool":"book","arguments":{"seat":"12A"}}],"input":"Please book 12A","output":[{"function":{"arguments":"{\"seat\":\"12A\"}","name":"book"},"id":"c1","type":"function"}],"tags":{"evalId":"eval-1","config.description":"bookings","provider.id":"acme:chat:big","testIdx":"2","promptIdx":"1","vars.seat":"12A"}}
1 {"scenario":"meal={\"kind\":\"none\"}, seat=1A","trial":0,"variant":"acme:chat:big polite","outcome":"error","error":{"origin":"infrastructure","type":"error","message":"429 Too Many Requests"},"model":"acme:chat:big","input":"Please book","tags":{"evalId":"eval-1","config.description":"bookings","provider.id":"acme:chat:big","testIdx":"3","promptIdx":"1","vars.meal.kind":"none","vars.seat":"1A"}}
1 {"scenario":"meal={\"kind\":\"none\"}, seat=1A #758ec7b9","trial":0,"variant":"acme:chat:big polite","outcome":"pass","score":1,"model":"acme:chat:big","steps":[{"action":"respond","output":"{\"seat\":\"1A\"}"}],"input":"Please book","output":{"seat":"1A"},"tags":{"evalId":"eval-1","config.description":"bookings","provider.id":"acme:chat:big","testIdx":"4","promptIdx":"1","vars.meal.kind":"none","vars.seat":"1A"}}`)
	checkNotes(t, s, "testdata/promptfoo.json: 3 trials (promptfoo); left out: values that are not objects (1), trials of other variants (2); responses come from the cache: they repeat an earlier run and are no new trials; use --no-cache")
	if got := s.Notes()[0].Format; got != "promptfoo" {
		t.Errorf("format %v", got)
	}
}

func FuzzPromptfoo(f *testing.F) {
	seed(f, "promptfoo.json", `{"version":2,"results":[],"table":{"head":{"prompts":[{"provider":"p:q"}],"vars":["a"]},"body":[{"vars":["1"],"outputs":[{"pass":true,"text":"x"}]}]}}`, `{"testIdx":0,"promptIdx":0,"success":true,"provider":"x"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "promptfoo") })
}
