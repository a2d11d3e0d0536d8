package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Tango returns the score interval, at two-sided level 1-alpha, of the difference
// of two pass rates measured on the same pairs, candidate minus baseline: every
// difference that the score test of [Tango 1998] does not reject. The estimate is
// (mended-broke)/pairs.
//
// The interval lies within -1..1, contains the estimate, and has a positive width
// also where no pair is discordant. Only the discordant pairs and the number of
// all pairs matter. At least one pair is needed.
//
// [Tango 1998]: https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B
func Tango(pairs Pairs, alpha float64) (Interval, error) {
	if err := pairs.Validate(); err != nil {
		return Interval{}, err
	}
	if pairs.Total() == 0 {
		return Interval{}, argument.Wrong("pairs", 0, "must be at least 1")
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	z, total := dist.NormalUpperQuantile(alpha/2), pairs.Total()
	return Interval{
		// With the sides swapped, the upper limit is minus the lower one.
		Low:  -scoreLimit(pairedScore{pairs.Mended, pairs.Broke, total}, z),
		High: scoreLimit(pairedScore{pairs.Broke, pairs.Mended, total}, z),
	}, nil
}

// tangoScore returns the score statistic z of H0: p_c - p_b = difference, positive
// if the data lie above it. It is infinite where H0 leaves no variance and the
// data contradict it, and 0 where they agree. It needs pairs >= 1 and a
// difference within -1..1.
func tangoScore(broke, mended, pairs int, difference float64) float64 {
	return standardised(pairedScore{broke, mended, pairs}.score(difference))
}

// pairedScore is Tango's score test of candidate minus baseline, in rates.
type pairedScore struct{ broke, mended, pairs int }

// estimate is the observed difference, candidate minus baseline.
func (s pairedScore) estimate() float64 { return float64(s.mended-s.broke) / float64(s.pairs) }

// score takes the variance at the largest-likelihood flip rates under the difference: the
// rarer flip's rate q and q + |difference|.
func (s pairedScore) score(difference float64) (deviation, variance float64) {
	n := float64(s.pairs)
	gap := math.Abs(difference)
	rarer := s.rarerFlip(difference)
	return s.estimate() - difference, (2*rarer + gap*(1-gap)) / n
}

// rarerFlip returns the largest-likelihood rate of the flips against the sign of
// the difference, under that difference: the larger root of the quadratic
// 2n q² + B q - C = 0 (Tango 1998, equation 5), in the form without cancellation.
func (s pairedScore) rarerFlip(difference float64) float64 {
	n, with, against := float64(s.pairs), float64(s.mended), float64(s.broke)
	gap := difference
	if difference < 0 {
		with, against, gap = against, with, -difference
	}
	b := (2*n-with+against)*gap - with - against
	c := against * gap * (1 - gap)
	root := math.Sqrt(b*b + 8*n*c)
	switch {
	case b <= 0:
		return (root - b) / (4 * n)
	case c == 0:
		return 0
	}
	return 2 * c / (root + b)
}
