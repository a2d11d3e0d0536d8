package calibration

import "testing"

// The rows of ranks hold what they promise, also where the promise is no larger than what was measured.
func TestRankRows(t *testing.T) {
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"rank", calibrateRank}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Holds || len(r.Rows) != 8 {
		t.Errorf("%d rows, which hold: %v", len(r.Rows), r.Holds)
	}
	for _, row := range r.Rows {
		t.Logf("%s, %s, %s: %.4f of %d, false alarm %.4f", row.Decision, row.Setting, row.Error, row.Rate, row.Runs,
			row.falseAlarm())
	}
}
