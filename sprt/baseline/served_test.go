package baseline

import (
	"errors"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// The errors of answers that are served again are those of every sequence of answers of both sides, trial by trial.
func TestServedIsBruteForce(t *testing.T) {
	const trials, delta = 11, 0.5
	sample, err := Fixed(trials)
	if err != nil {
		t.Fatal(err)
	}
	h := Hypotheses{Delta: delta, Alpha: 0.1, Beta: 0.2, Guarded: stats.Interval{Low: 0.75, High: 1}}
	plan, err := (&problem{h: h, sample: sample}).plan(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	// ends are the chances of both outcomes beside so many failures of the baseline.
	var ends func(b sprt.Boundaries, n, f, times int, rate float64) (fail, pass float64)
	ends = func(b sprt.Boundaries, n, f, times int, rate float64) (fail, pass float64) {
		for fails, chance := range [2]float64{rate, 1 - rate} {
			m, g, over := n, f, false
			for range times {
				m, g = m+1, g+fails
				if over = true; g <= b.PassAtOrBelow[m-1] {
					pass += chance
				} else if g >= b.FailAtOrAbove[m-1] {
					fail += chance
				} else {
					over = m == b.MaxTrials()
				}
				if over {
					break
				}
			}
			if !over && chance > 0 {
				x, y := ends(b, m, g, times, rate)
				fail, pass = fail+chance*x, pass+chance*y
			}
		}
		return fail, pass
	}
	for _, times := range []int{1, 2, 3, trials + 1} {
		var want Errors
		for i := range unlikeRates + 1 {
			rate := h.Guarded.Low + h.Guarded.Width()*float64(i)/unlikeRates
			answers := (trials + times - 1) / times
			var fail, pass float64
			for drawn := range 1 << answers { // a bit for each answer that fails
				chance, failures := 1.0, 0
				for k := range answers {
					if drawn>>k&1 == 0 {
						chance *= rate
						continue
					}
					chance *= 1 - rate
					failures += min(times, trials-k*times)
				}
				b, ok := plan.Family.Boundaries(Outcome{trials, failures})
				if !ok || chance == 0 {
					continue
				}
				same, _ := ends(b, 0, 0, times, rate)
				_, lower := ends(b, 0, 0, times, rate-delta)
				fail, pass = fail+chance*same, pass+chance*lower
			}
			want.Alpha, want.Beta = math.Max(want.Alpha, fail), math.Max(want.Beta, pass)
		}
		got, err := plan.Family.Served(times)
		if err != nil || math.Abs(got.Alpha-want.Alpha) > 1e-9 || math.Abs(got.Beta-want.Beta) > 1e-9 {
			t.Errorf("served %d times: %+v, and not %+v: %v", times, got, want, err)
		}
		if times == 1 && (got.Alpha > plan.Errors.Alpha || got.Beta > plan.Errors.Beta) {
			t.Errorf("served once: %+v, and proved %+v", got, plan.Errors)
		}
	}
	if _, err := plan.Family.Served(0); err == nil {
		t.Error("an answer that is never served is none")
	}
	w, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.4, Alpha: 0.1, Beta: 0.1}, 8)
	if err != nil {
		t.Fatal(err)
	}
	stopped, err := Sequential(w.Boundaries)
	if err != nil {
		t.Fatal(err)
	}
	found, err := Stored(t.Context(), h, stopped, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := found.Family.Served(2); !errors.Is(err, ErrStopped) {
		t.Errorf("trials that a test stopped: %v", err)
	}
}
