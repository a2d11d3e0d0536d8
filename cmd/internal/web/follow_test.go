package web

import (
	"fmt"
	"testing"

	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// shortest is the least number of further trials after which boundaries decide, by trying all outcomes.
func shortest(b sprt.Boundaries, n, failures int) int {
	if n > 0 && (failures <= b.PassAtOrBelow[n-1] || failures >= b.FailAtOrAbove[n-1]) || n == b.MaxTrials() {
		return 0
	}
	return 1 + min(shortest(b, n+1, failures), shortest(b, n+1, failures+1))
}

// What is left of a test is what trying all ways to its end says, at every place where it may stand.
func TestTrialsThatAreLeft(t *testing.T) {
	b := sprt.Boundaries{
		PassAtOrBelow: []int{-1, -1, -1, 0, 0, 1, 1, 2, 3},
		FailAtOrAbove: []int{sprt.Never, 2, 2, 2, 3, 3, 3, 4, 4},
	}
	sample, err := baseline.Stopping(b)
	if err != nil {
		t.Fatal(err)
	}
	record := sample.Record()
	stops := &journal.Stops{MaxTrials: record.Sequential.MaxTrials, Boundaries: record.Sequential.Boundaries}
	limits := limitsOf(stops)
	if fmt.Sprint(limits) != fmt.Sprint(b) {
		t.Fatalf("%v is read as %v", b, limits)
	}
	test := &followedTest{stops: stops, limits: limits}
	for n := range b.MaxTrials() {
		for failures := range n + 1 {
			if n > 0 && (failures <= b.PassAtOrBelow[n-1] || failures >= b.FailAtOrAbove[n-1]) {
				continue // it has ended
			}
			least, most, known := test.left(site.Test{Passes: n - failures, Failures: failures})
			if want := shortest(b, n, failures); least != want || most != b.MaxTrials()-n || !known {
				t.Errorf("after %d failures of %d: %d to %d, %t; the least is %d", failures, n, least, most, known, want)
			}
		}
	}
	if least, most, known := (&followedTest{stops: &journal.Stops{Fixed: 20}}).left(site.Test{Passes: 3,
		Errors: 2}); least != 15 ||
		most != 15 || !known {
		t.Errorf("of 20 trials with 5: %d to %d, %t", least, most, known)
	}
	if _, _, known := (&followedTest{}).left(site.Test{}); known {
		t.Error("of what the journal does not tell something is known")
	}
	for _, text := range []string{"", "x", "1,2"} {
		if b := limitsOf(&journal.Stops{MaxTrials: 3, Boundaries: text}); b.MaxTrials() != 0 {
			t.Errorf("%q is read as %v", text, b)
		}
	}
}
