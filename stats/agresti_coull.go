package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// AgrestiCoull returns the interval of a pass rate at two-sided level 1-alpha that
// adds z²/2 passes and z²/2 failures and then takes the normal interval, cut to
// 0..1 (Agresti & Coull 1998, The American Statistician 52:119; Brown, Cai &
// DasGupta 2001, equation 5). It contains [Wilson]'s interval. At least one trial
// is needed.
func AgrestiCoull(c Counts, alpha float64) (Interval, error) {
	if err := checkRateInterval(c, alpha); err != nil {
		return Interval{}, err
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	n := float64(c.Trials) + z*z
	p := (float64(c.Passes) + z*z/2) / n
	q := (float64(c.Fails()) + z*z/2) / n
	half := z * math.Sqrt(p*q/n)
	return Interval{Low: p - half, High: p + half}.including(c.Rate()), nil
}
