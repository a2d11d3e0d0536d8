package judging

import (
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
)

// The delta that a refusal names can be tested.
func TestNearestDelta(t *testing.T) {
	for _, threshold := range []float64{0.999, 0.95, 0.9, 0.5, 0.123, 0.02, 0.0101, 0.01, 0.005, 1e-6} {
		d := nearestDelta(threshold)
		h := sprt.Hypotheses{Threshold: threshold, Delta: d, Alpha: 0.05, Beta: 0.1}
		if err := h.Validate(); err != nil || threshold-d > 0.0100001 {
			t.Errorf("threshold %v: delta %v, %v", threshold, d, err)
		}
	}
}
