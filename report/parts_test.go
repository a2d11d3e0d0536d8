package report

import (
	"strings"
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

// A recording decides nothing: no boundaries are drawn, and no place where a test ends.
func TestRecordingHasNoBoundaries(t *testing.T) {
	r, err := recordedRun()
	if err != nil {
		t.Fatal(err)
	}
	page := written(t, r, HTMLFormat)
	if strings.Contains(page, `id="paths"`) || !strings.Contains(page, "recorded") {
		t.Error("a recording is drawn like a test")
	}
}
