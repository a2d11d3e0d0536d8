package sprt

import (
	"errors"
	"math"
	"testing"
)

// The exact errors are within their targets for every number of trials; where the
// fixed sample size is reached every outcome decides, and one trial fewer leaves some
// undecided.
func TestFixed(t *testing.T) {
	h := Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
	sample, _ := h.FixedSample()
	bounds := h.Bounds()
	for n := 1; n <= 300; n++ {
		d, err := Fixed(h, n)
		var infeasible *InfeasibleError
		if reachable := n >= max(bounds.Pass, bounds.Fail); (err == nil) != reachable || !reachable &&
			(!errors.As(err, &infeasible) || infeasible.Nearest != 11) {
			t.Fatalf("%d trials: %v", n, err)
		}
		if err != nil {
			continue
		}
		exact, err := d.Errors()
		if err != nil || !exact.Within(h) {
			t.Errorf("%d trials: %+v, %v", n, exact, err)
		}
		c, err := d.Boundaries.Characteristics(.85)
		if err != nil || n >= 150 && c.Inconclusive != 0 || n == sample.Trials-1 && c.Inconclusive == 0 ||
			math.Abs(c.ExpectedTrials-float64(n)) > 1e-9 {
			t.Errorf("%d trials: %+v, %v", n, c, err)
		}
	}
	if d, err := Fixed(h, sample.Trials); err != nil || d.Boundaries.FailAtOrAbove[sample.Trials-1] != sample.MostFails+1 {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := Fixed(h, 0); err == nil {
		t.Error("no trials")
	}
}
