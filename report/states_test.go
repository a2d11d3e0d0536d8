package report

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Reasons that differ in a number, however long, or in the address of an object are one reason.
func TestReasonsThatAreAlike(t *testing.T) {
	for _, c := range []struct {
		one, other string
		alike      bool
	}{
		{"<Job object at 0x3f5e0150> failed", "<Job object at 0x7f01ab99c2d0> failed", true},
		{"timed out after 99 ms", "timed out after 1207 ms", true},
		{"no such key: beef", "no such key: cafe", false},
	} {
		if got := causeKey(c.one) == causeKey(c.other); got != c.alike {
			t.Errorf("%q and %q: alike %v", c.one, c.other, got)
		}
	}
}

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
