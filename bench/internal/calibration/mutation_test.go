package calibration

import (
	"math"
	"testing"
)

// Of a suite of 20 cases at .95 a run fails with 1 - .95^20 = .6415, and most of three runs with 3 .6415^2 - 2 .6415^3.
func TestMajorityOfRuns(t *testing.T) {
	p := 1 - math.Pow(.95, 20)
	if got, want := majority(3, p), 3*p*p-2*p*p*p; math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMutantsKeepTheirErrors(t *testing.T) {
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"mutation", calibrateMutation}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		t.Logf("%s, %s: %s %.4f", row.Decision, row.Setting, row.Error, row.Rate)
	}
	if !r.Holds {
		t.Error("a promise does not hold")
	}
}
