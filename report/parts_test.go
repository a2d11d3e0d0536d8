package report

import (
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

func TestCountsAreSaidOnce(t *testing.T) {
	reasons := []verdict.Reason{
		{Text: "4 of 7 passed, the baseline 37 of 40: 30% or less is not ruled out"},
		{Text: "4 of 7 passed, the baseline 37 of 40: a loss of 70 points is not ruled out"},
		{Text: "4 of 7 passed: it ended"},
	}
	want := "4 of 7 passed, the baseline 37 of 40: 30% or less is not ruled out; a loss of 70 points is not ruled out; " +
		"4 of 7 passed: it ended"
	if got := reasonsText(reasons); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
