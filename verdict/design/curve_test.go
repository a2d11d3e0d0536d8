package design

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
)

// fixed is a test of a number of trials, of which one may fail.
func fixed(t *testing.T, trials int) sprt.Design {
	t.Helper()
	d, err := sprt.Fixed(sprt.Hypotheses{Threshold: .9, Delta: .4, Alpha: .49, Beta: .49}, trials)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What is remembered is what would be computed, of each design its own, and nobody who has it can change it.
func TestCharacteristicsAreRemembered(t *testing.T) {
	for trials := range 20 {
		d := fixed(t, trials+3)
		want, err := characteristics(d)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := Characteristics(d)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Fatalf("%d trials: %v\n%s", trials, err, diff)
			}
			got[0].Pass = 7
		}
	}
	if _, err := Characteristics(sprt.Design{}); err == nil {
		t.Error("no design")
	}
}
