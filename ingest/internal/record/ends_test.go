package record

import (
	"slices"
	"testing"
)

func TestRunsWithinOneLine(t *testing.T) {
	e := &Ends{}
	for i, ids := range [][]string{{"a", "b"}, {}, {"c", "c", "a"}, {"d"}} {
		e.Line(i+1, ids, 0)
	}
	e.Sort()
	for line, want := range [][]string{nil, {"b"}, nil, {"c"}, {"d"}, nil} {
		if got := slices.Collect(e.Within(line)); !slices.Equal(got, want) {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	// What was passed does not matter to the lines after it.
	e.Passed(3, func(string) {})
	if got := slices.Collect(e.Within(4)); !slices.Equal(got, []string{"d"}) {
		t.Errorf("%q", got)
	}
}
