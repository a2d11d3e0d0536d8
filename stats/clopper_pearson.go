package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// ClopperPearson returns the exact interval of a pass rate at two-sided level
// 1-alpha: the rates at which neither as few nor as many passes has a probability
// below alpha/2 (Clopper & Pearson 1934, Biometrika 26:404). It covers the rate
// with probability at least 1-alpha, whatever the rate. The low limit is exactly
// 0 without passes, the high limit exactly 1 without failures. At least one trial
// is needed.
func ClopperPearson(c Counts, alpha float64) (Interval, error) {
	if err := checkRateInterval(c, alpha); err != nil {
		return Interval{}, err
	}
	k, f := float64(c.Passes), float64(c.Fails())
	interval := Interval{0, 1}
	switch c.Passes {
	case 0:
	case c.Trials:
		interval.Low = math.Exp(math.Log(alpha/2) / k)
	default:
		interval.Low, _ = special.BetaQuantile(k, f+1, alpha/2, 1-alpha/2)
	}
	switch c.Fails() {
	case 0:
	case c.Trials:
		interval.High = -math.Expm1(math.Log(alpha/2) / f)
	default:
		interval.High, _ = special.BetaQuantile(k+1, f, 1-alpha/2, alpha/2)
	}
	return interval, nil
}
