package sprt_test

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

func TestRecordingEndsWithItsTrialsAndDecidesNothing(t *testing.T) {
	for _, pass := range []bool{true, false} {
		d, err := sprt.Recording(3)
		if err != nil {
			t.Fatal(err)
		}
		test, err := sprt.NewTest(d)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if test.Decided() {
				t.Fatalf("decided after %d of 3 trials", i)
			}
			if err := test.Observe(i, pass); err != nil {
				t.Fatal(err)
			}
		}
		if test.Outcome() != sprt.Inconclusive {
			t.Errorf("three trials, all with %v, came to %v", pass, test.Outcome())
		}
	}
	if _, err := sprt.Recording(0); err == nil {
		t.Error("a recording of no trial was accepted")
	}
}
