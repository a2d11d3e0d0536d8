package stats

import (
	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// MiettinenNurminen returns the asymptotic score interval, at two-sided level
// 1-alpha, of the difference of two independent pass rates, candidate minus
// baseline: every difference that the score test does not reject, with the
// variance from the rates of largest likelihood under that difference and the
// factor N/(N-1), N the trials of both sides (Miettinen & Nurminen 1985,
// Statistics in Medicine 4:213; without the factor it is Mee's interval).
//
// It lies within -1..1, contains the observed difference, and has a positive
// width also where all trials pass or none does. Each side needs a trial.
func MiettinenNurminen(baseline, candidate Counts, alpha float64) (Interval, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return Interval{}, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	z := dist.NormalUpperQuantile(alpha / 2)
	return Interval{
		// With the sides swapped, the upper limit is minus the lower one.
		Low:  -scoreLimit(differenceScore{candidate, baseline}, z),
		High: scoreLimit(differenceScore{baseline, candidate}, z),
	}, nil
}

// differenceScore is the score test of candidate minus baseline.
type differenceScore struct{ baseline, candidate Counts }

// estimate is the observed difference, candidate minus baseline.
func (s differenceScore) estimate() float64 { return s.candidate.Rate() - s.baseline.Rate() }

// score takes the variance at the largest-likelihood rates that are the hypothetical
// difference apart.
func (s differenceScore) score(difference float64) (deviation, variance float64) {
	lowerTrials, upperTrials := float64(s.baseline.Trials), float64(s.candidate.Trials)
	trials := lowerTrials + upperTrials
	if difference < 0 {
		lowerTrials, upperTrials = upperTrials, lowerTrials
	}
	r := newRestricted(s.baseline, s.candidate, difference)
	t := r.solve()
	variance = t*(1-t)/lowerTrials + (t+r.gap)*(r.width-t)/upperTrials
	return s.estimate() - difference, variance * trials / (trials - 1)
}
