package calibration

import "testing"

// The group alone keeps its promises, in its short form.
func TestComparisonsWithinAreCalibrated(t *testing.T) {
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"within", calibrateWithin}})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range r.Rows {
		t.Logf("%-30s %-70s %-12s %.4f", row.Decision, row.Setting, row.Error, row.Rate)
		if row.broken() {
			t.Errorf("%s, %s, %s: %v, promised %v", row.Decision, row.Setting, row.Error, row.Rate, *row.Promise)
		}
	}
	if len(r.Rows) < 10 {
		t.Errorf("%d rows", len(r.Rows))
	}
}
