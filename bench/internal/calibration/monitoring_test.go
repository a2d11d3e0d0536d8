package calibration

import "testing"

// A detector that alarms at half of its run length is found.
func TestMonitoringFindsABrokenRunLength(t *testing.T) {
	broken := group{"monitoring", func(c *calibrator) error {
		s := quietStreams()[3]
		watch := s.detector
		s.detector = func() (func(float64) (bool, error), error) {
			next, err := watch()
			n := 0
			return func(x float64) (bool, error) {
				n++
				alarm, err := next(x)
				return alarm || n == monitoredRunLength/2, err
			}, err
		}
		return c.quiet(s, 0)
	}}
	r, err := calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{broken})
	if err != nil || r.Holds {
		t.Errorf("holds %t: %v", r.Holds, err)
	}
	r, err = calibrate(t.Context(), Options{Short: true, Seed: 1}, []group{{"monitoring", calibrateMonitoring}})
	if err != nil || !r.Holds || len(r.Rows) != 20+6 {
		t.Errorf("%d rows: %v", len(r.Rows), err)
		for _, row := range r.Rows {
			if row.broken() {
				t.Errorf("%+v", row)
			}
		}
	}
}
