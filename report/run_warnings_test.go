package report

import (
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// One interrupt leaves the same warning with several tests: it is said once, with their names.
func TestSameWarningsStandOnce(t *testing.T) {
	warned := func(name string, texts ...string) (test runs.Test) {
		test.Name = name
		for _, text := range texts {
			test.Warnings = append(test.Warnings, verdict.WarnErrors.Warning("%s", text))
		}
		return test
	}
	d := new(document.Document)
	runWarnings(d, &runs.Result{Tests: []runs.Test{warned("slow", "2 trials ended in an error"),
		warned("bad", "2 trials ended in an error", "the rate is low"), warned("good")}}, false)
	want := []string{"slow, bad: 2 trials ended in an error", "bad: the rate is low"}
	if !slices.Equal(d.Notes, want) {
		t.Errorf("%q", d.Notes)
	}
	alone := new(document.Document)
	runWarnings(alone, &runs.Result{Tests: []runs.Test{warned("slow", "2 trials ended in an error")}}, false)
	if !slices.Equal(alone.Notes, []string{"2 trials ended in an error"}) {
		t.Errorf("%q", alone.Notes)
	}
}
