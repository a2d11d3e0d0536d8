package calibration

import "testing"

func TestRacesKeepTheirErrors(t *testing.T) {
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"race", calibrateRace}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		t.Logf("%s, %s: %s %.4f", row.Decision, row.Setting, row.Error, row.Rate)
	}
	if !r.Holds || len(r.Rows) != 2*3*4-3+4 {
		t.Errorf("%d rows, and all hold: %v", len(r.Rows), r.Holds)
	}
}
