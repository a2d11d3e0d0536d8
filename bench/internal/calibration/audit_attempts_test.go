package calibration

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// The interval of the count that decided missed as often as the audit simulated (20,000 runs, a standard
// error of 0.3 points), and was given as often: so the walk of both counts is right.
func TestWalkOfBothCountsGivesTheAuditsFigures(t *testing.T) {
	d, err := usualDesign(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	intervals := map[sprt.End]stats.Interval{}
	for _, s := range walk(d.Boundaries, func(int) float64 { return .5 }) {
		e, err := d.Boundaries.Estimate(s.trials, s.failures, .05)
		if err != nil {
			t.Fatal(err)
		}
		intervals[s.end()] = e.Interval
	}
	for _, x := range []struct{ rate, share, given, covers float64 }{
		{.98, 0, 1, .992}, {.98, .05, .997, .705}, {.98, .1, .85, .368}, {.95, .05, .96, .734}, {.95, .1, .56, .496},
		{.9, .2, .02, .659},
	} {
		given, covered, all := 0.0, 0.0, 0.0
		for _, p := range walkBoth(d.Boundaries, dependences[0].rates(x.rate, x.share)) {
			all += p.probability
			if !p.decided() {
				continue
			}
			given += p.probability
			deciding := p.failed
			if p.passed.outcome == sprt.Fail {
				deciding = p.passed
			}
			if intervals[deciding.end()].Contains(x.rate) {
				covered += p.probability
			}
		}
		// Of 20 of the 1000 runs the share that covers is known to 2.4 points.
		allowed := 4 * math.Sqrt(x.covers*(1-x.covers)/(20_000*x.given))
		if math.Abs(all-1) > 1e-12 || math.Abs(given-x.given) > .007 || math.Abs(covered/given-x.covers) > allowed+.0005 {
			t.Errorf("rate %v, %v errors: given in %.4f, covers %.4f of %.12f; want %v and %v", x.rate, x.share, given,
				covered/given, all, x.given, x.covers)
		}
	}
}
