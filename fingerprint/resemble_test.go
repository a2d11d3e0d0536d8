package fingerprint

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The distances are those of mpmath, from the definition: Ledoit and Wolf's covariance within versions, of intensity
// 0.890442; each trial left out by computing means and covariance anew, at that intensity. Of the twelve (2, 2) of the
// second version is nearer to the first: 0.99989028 to 2.879684. Wilson's interval of 1/12 is by hand.
func TestDiscriminate(t *testing.T) {
	rows := func(numbers ...float64) (rows [][]float64) {
		for i := 0; i < len(numbers); i += 2 {
			rows = append(rows, numbers[i:i+2])
		}
		return rows
	}
	r, err := discriminate(t.Context(), [][][]float64{
		rows(0, 1, 1, 0, 2, 2, 1, 3, 3, 1, 0, 0), rows(3, 4, 4, 3, 5, 5, 2, 2, 4, 6, 6, 4),
	}, rows(3, 3, 4, 4, 2, 3))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2.34554550077702, 0.994679664216853} {
		if math.Abs(r.Versions[i].Distance-want) > 1e-12 {
			t.Errorf("version %d at %v, want %v", i, r.Versions[i].Distance, want)
		}
	}
	if r.Nearest != 1 || r.Versions[0].Trials != 1 || r.Versions[1].Trials != 2 || r.Mistaken != 1 || r.Tried != 12 {
		t.Errorf("%+v", r)
	}
	const z, p, n = 1.959963984540054, 1. / 12, 12.
	middle, half := (p+z*z/(2*n))/(1+z*z/n), z/(1+z*z/n)*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	if math.Abs(r.Interval.Low-(middle-half)) > 1e-12 || math.Abs(r.Interval.High-(middle+half)) > 1e-12 {
		t.Errorf("%v, want %v ± %v", r.Interval, middle, half)
	}
}

// Versions call a tool once and thrice, in two scenarios of which one needs ten calls more: a recording of the second
// is known, and one of nine calls is like none.
func TestResemble(t *testing.T) {
	sample := func(calls int) *Sample {
		var s Sample
		for i := range 24 {
			n := calls + i%3%2
			name := "short"
			if i%2 == 1 {
				n, name = n+10, "long"
			}
			x := &trial.Trial{Scenario: name, Outcome: trial.Pass}
			for range n {
				x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: "t"})
			}
			s.Add(x)
		}
		return &s
	}
	versions := []*Sample{sample(1), sample(4)}
	for calls, want := range map[int]struct {
		nearest int
		changed bool
	}{1: {0, false}, 4: {1, false}, 30: {1, true}} {
		r, err := Resemble(t.Context(), sample(calls), versions, Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Nearest != want.nearest || r.Changed != want.changed || r.Tried != 48 {
			t.Errorf("%d calls: %+v", calls, r)
		}
	}
	elsewhere := sample(1)
	elsewhere.scenarios.words = []string{"x", "y"}
	if _, err := Resemble(t.Context(), elsewhere, versions, Options{}); !errors.Is(err, ErrNoSharedScenario) {
		t.Error(err)
	}
	if _, err := Resemble(t.Context(), sample(1), versions[:1], Options{}); err == nil ||
		!strings.Contains(err.Error(), "versions") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Resemble(ctx, sample(1), versions, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
