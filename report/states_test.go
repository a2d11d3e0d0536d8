package report

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict/runs"
)

func TestStatesOfTests(t *testing.T) {
	r := runs.Result{Tests: []runs.Test{{Name: "a", State: runs.Sound}, {Name: "b", State: runs.Flaky}, {Name: "c"},
		{Name: "d", State: runs.Broken}, {Name: "e", State: runs.Flaky}}}
	if got, want := statesText(&r), "1 broken (d), 2 flaky (b, e), 1 sound"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := statesText(&runs.Result{Tests: []runs.Test{{Name: "a"}}}); got != "" {
		t.Errorf("of no states: %q", got)
	}
}
