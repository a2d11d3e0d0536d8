package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Newcombe returns the hybrid score interval, at two-sided level 1-alpha, of the
// difference of two independent pass rates, candidate minus baseline: the distances
// from the two rates to the limits of their Wilson intervals, combined as standard
// errors are (method 10 of Newcombe 1998, Statistics in Medicine 17:873, without a
// continuity correction). It lies within -1..1 and contains the observed
// difference. Each side needs a trial.
func Newcombe(baseline, candidate Counts, alpha float64) (Interval, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return Interval{}, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	b, c := wilsonAt(baseline, z), wilsonAt(candidate, z)
	pb, pc := baseline.Rate(), candidate.Rate()
	return Interval{
		Low:  math.Max(-1, pc-pb-math.Hypot(pc-c.Low, b.High-pb)),
		High: math.Min(1, pc-pb+math.Hypot(c.High-pc, pb-b.Low)),
	}, nil
}
