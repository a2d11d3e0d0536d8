package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The attempts of a test are trials; the last is the test itself. Durations have the
// unit of the times.
func TestCTRF(t *testing.T) {
	s := Open([]string{"testdata/ctrf.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"evals > booking > books a seat","trial":0,"outcome":"pass","started_at":"2026-02-26T09:25:37.25Z","duration_s":1.5,"model":"m-1","cost_usd":0.5,"tags":{"labels.team":"blue"}}
1 {"scenario":"evals > cancels","trial":0,"outcome":"fail","error":{"message":"first try"},"duration_s":0.1,"attempt":1,"tags":{"parameters.late":"true"}}
1 {"scenario":"evals > cancels","trial":1,"outcome":"fail","error":{"message":"at line 3"},"attempt":2,"tags":{"parameters.late":"true"}}
1 {"scenario":"evals > cancels","trial":2,"outcome":"pass","duration_s":0.25,"attempt":3,"tags":{"parameters.late":"true"}}
1 {"scenario":"pays","trial":0,"outcome":"fail","error":{"message":"no money"},"duration_s":0.01,"output_tokens":7,"attempt":2}`)
	checkNotes(t, s, "testdata/ctrf.json: 5 trials (ctrf); left out: skipped tests (2), tests of other statuses (1), tests without a name (1); tests were retried, and only the last attempt is in the report")
	if got := s.Notes()[0].Format; got != "ctrf" {
		t.Errorf("format %v", got)
	}
}

func FuzzCTRF(f *testing.F) {
	seed(f, "ctrf.json", `{"results":{"tool":{"name":"x"},"summary":{},"tests":[{"name":"a","status":"passed","duration":1,"start":5,"retries":1e18}]}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "ctrf") })
}
