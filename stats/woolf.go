package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Woolf returns the normal interval of the logarithm of the odds ratio, candidate
// over baseline, at two-sided level 1-alpha, exponentiated (Woolf 1955, Annals of
// Human Genetics 19:251). Where a side always passes or never does it has no
// standard error, and the interval is 0 to +Inf: nothing is said. Each side needs
// a trial.
func Woolf(baseline, candidate Counts, alpha float64) (Interval, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return Interval{}, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	cells := [4]int{baseline.Passes, baseline.Fails(), candidate.Passes, candidate.Fails()}
	variance := 0.0
	for _, count := range cells {
		if count == 0 {
			return Interval{Low: 0, High: math.Inf(1)}, nil
		}
		variance += 1 / float64(count)
	}
	ratio, err := OddsRatio(baseline, candidate)
	if err != nil {
		return Interval{}, err
	}
	factor := math.Exp(dist.NormalUpperQuantile(alpha/2) * math.Sqrt(variance))
	return Interval{Low: ratio.Value / factor, High: ratio.Value * factor}, nil
}
