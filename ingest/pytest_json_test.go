package ingest

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// What a test says of itself becomes a field where it suits one, and a tag if not.
func TestPytestJSON(t *testing.T) {
	s := Open([]string{"testdata/pytest-json.json"}, Options{Options: trial.Options{Unjudged: true}})
	checkWritten(t, s, `
1 {"scenario":"evals/test_a.py::test_book","trial":0,"variant":"base","outcome":"pass","duration_s":2.5,"model":"m-1","cost_usd":0.25,"input_tokens":100,"output_tokens":20,"tags":{"user_properties.commit":"c9e1346","metadata.score":"high","metadata.team.name":"blue"}}
1 {"scenario":"evals/test_a.py::test_book","trial":1,"variant":"base","outcome":"fail","error":{"message":"assert 0 == 1"},"duration_s":0.5}
1 {"scenario":"evals/test_a.py::test_seat","trial":0,"variant":"base","outcome":"error","error":{"origin":"infrastructure","type":"setup","message":"no server"}}
1 {"scenario":"evals/test_a.py::test_meal","trial":0,"variant":"base","outcome":"pass","tags":{"metadata.cost_usd":"-1"}}`)
	checkNotes(t, s, "testdata/pytest-json.json: 4 trials (pytest-json); left out: skipped tests (1), tests that were expected to fail, and did (1), tests of other outcomes (1), tests without a name (1)")
	if got := s.Notes()[0].Format; got != "pytest-json" {
		t.Errorf("format %v", got)
	}
}

func FuzzPytestJSON(f *testing.F) {
	seed(f, "pytest-json.json", `{"created":1,"exitcode":0,"tests":[{"nodeid":"a","outcome":"passed","metadata":{"trial":3,"attempt":"x"}}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "pytest-json") })
}
