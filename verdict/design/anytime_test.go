package design

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/betting"
)

// Expected trials at any time by a walk over passes and failures; at the threshold itself it
// hardly ever ends.
func TestVerdictAtAnyTime(t *testing.T) {
	const theta, alpha = .8, .1
	found, err := VerdictAtAnyTime(theta, alpha, []float64{1, .9, theta, .6, 0})
	if err != nil {
		t.Fatal(err)
	}
	enough := -math.Log(alpha)
	for i, p := range []float64{1, .9, theta, .6, 0} {
		if p == theta {
			if found.Expected[i] != nil {
				t.Errorf("at the threshold %v trials", *found.Expected[i])
			}
			continue
		}
		alive, want := []float64{1}, 0.0
		for n := 1; n <= 2000; n++ {
			next := make([]float64, n+1)
			for k, mass := range alive {
				want += mass
				next[k] += mass * (1 - p)
				next[k+1] += mass * p
			}
			for k, mass := range next {
				values := betting.Outcomes(k, n-k)
				if mass < 1e-13 || betting.Above(values, theta) >= enough || betting.Below(values, theta) >= enough {
					next[k] = 0
				}
			}
			alive = next
		}
		refdata.Near(t, "expected", *found.Expected[i], want, 1e-6)
	}
	if _, err := VerdictAtAnyTime(2, .05, nil); err == nil {
		t.Error("a threshold of 2")
	}
}

// Pairs of sides that never fail are a Pass as soon as their evidence is enough, and those of which one never passes
// are a Fail.
func TestComparisonAtAnyTime(t *testing.T) {
	found, err := ComparisonAtAnyTime(t.Context(), .2, .05, .1, [][2]float64{{1, 1}, {1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	same, broke := 1, 1
	for betting.NotWorse(sprt.Differences{Same: same}, .2) < math.Log(10) {
		same++
	}
	for betting.Worse(sprt.Differences{Broke: broke}) < math.Log(20) {
		broke++
	}
	refdata.Near(t, "same", *found.Expected[0], float64(same), 1e-9)
	refdata.Near(t, "broke", *found.Expected[1], float64(broke), 1e-9)
	if _, err := ComparisonAtAnyTime(t.Context(), 0, .05, .1, nil); err == nil {
		t.Error("a delta of 0")
	}
}
