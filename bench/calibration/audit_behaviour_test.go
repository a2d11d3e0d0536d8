package calibration

import "testing"

// The group alone keeps its promises, in its short form.
func TestAuditedBehaviourIsCalibrated(t *testing.T) {
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"audited behaviour", calibrateAuditBehaviour}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) == 0 {
		t.Fatal("no row")
	}
	for _, row := range r.Rows {
		t.Logf("%s, %s: %v of %d", row.Decision, row.Setting, row.Rate, row.Runs)
		if row.broken() {
			t.Errorf("%s, %s, %s: %v, promised %v", row.Decision, row.Setting, row.Error, row.Rate, *row.Promise)
		}
	}
}
