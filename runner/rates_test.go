package runner

import (
	"math"
	"testing"
	"testing/synctest"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
)

// The rates of the whole path are those of the design, although failures are slower.
func TestErrorRates(t *testing.T) {
	checkRates(t, thorough.Draws(400, 2000))
}

func checkRates(t testing.TB, runs int) {
	d := quick(t)
	for _, rate := range []float64{.8, .6, .4} {
		for _, eager := range []bool{false, true} {
			want, err := d.Boundaries.Characteristics(rate)
			if err != nil {
				t.Fatal(err)
			}
			counts := map[sprt.Outcome]int{}
			trials := 0
			for _, test := range simulate(t, d, rate, eager, runs) {
				counts[test.Outcome]++
				trials += test.Trials
			}
			for outcome, p := range map[sprt.Outcome]float64{sprt.Pass: want.Pass, sprt.Fail: want.Fail} {
				got, se := float64(counts[outcome])/float64(runs), math.Sqrt(p*(1-p)/float64(runs))
				if math.Abs(got-p) > 4*se {
					t.Errorf("rate %v, eager %v: P(%v) = %v, want %v ± %v", rate, eager, outcome, got, p, se)
				}
			}
			t.Logf("rate %v, eager %v: Pass %d, Fail %d of %d (exact %.4f, %.4f), %.2f trials (%.2f)", rate, eager,
				counts[sprt.Pass], counts[sprt.Fail], runs, want.Pass, want.Fail, float64(trials)/float64(runs),
				want.ExpectedTrials)
		}
	}
}

// simulate makes many runs of one test in virtual time.
func simulate(t testing.TB, d sprt.Design, rate float64, eager bool, runs int) (results []TestResult) {
	inner, ok := t.(*testing.T)
	if !ok {
		return nil
	}
	synctest.Test(inner, func(t *testing.T) {
		for seed := range runs {
			o := options(d, simulated(rate), "s")
			o.Seed, o.Eager = uint64(seed), eager
			results = append(results, mustRun(t, o).Tests[0])
		}
	})
	return results
}
