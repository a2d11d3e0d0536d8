package stats

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/special"
)

// Stratum is one scenario, or another group of trials of the same kind, with the
// counts of both sides. A side may have no trials.
type Stratum struct {
	Baseline  Counts // the baseline's trials of the stratum
	Candidate Counts // the candidate's
}

// validateStrata checks all counts, naming the stratum by its index.
func validateStrata(strata []Stratum) error {
	for i, s := range strata {
		if err := s.Baseline.Validate(); err != nil {
			return fmt.Errorf("stratum %d: baseline: %w", i, err)
		}
		if err := s.Candidate.Validate(); err != nil {
			return fmt.Errorf("stratum %d: candidate: %w", i, err)
		}
	}
	return nil
}

// informative reports whether the stratum can say anything about a difference:
// both sides have trials, and not all of them end alike.
func (s Stratum) informative() bool {
	passes := s.Baseline.Passes > 0 || s.Candidate.Passes > 0
	fails := s.Baseline.Fails() > 0 || s.Candidate.Fails() > 0
	return s.Baseline.Trials > 0 && s.Candidate.Trials > 0 && passes && fails
}

// CochranMantelHaenszelResult is the outcome of [CochranMantelHaenszel].
type CochranMantelHaenszelResult struct {
	// Z is the signed root of Statistic, negative if the candidate is worse.
	Z float64
	// Statistic is chi-squared with one degree of freedom, without continuity correction.
	Statistic float64
	// PTwoSided is the p-value against any common difference.
	PTwoSided float64
	// PLess is the p-value against "the candidate is worse": small when it is.
	PLess float64
	// OddsRatio is the Mantel-Haenszel estimate of the common odds ratio, the candidate's
	// odds over the baseline's.
	OddsRatio OddsRatioEstimate
	// Informative is the number of strata that entered; without any both p-values are 1.
	Informative int
}

// CochranMantelHaenszel tests H0: within every stratum both sides pass at the same
// rate, against a difference of one sign common to the strata (Cochran 1954; Mantel
// & Haenszel 1959, JNCI 22:719, without the continuity correction). The strata may
// differ in their rates and sizes; the p-values are those of the normal
// distribution, good from a few informative strata or a few dozen trials on:
// [StratifiedExact] needs neither.
//
// A stratum without trials on a side, or in which all trials pass or all fail, has
// no information and is skipped. Counts that are not valid are refused.
func CochranMantelHaenszel(strata []Stratum) (CochranMantelHaenszelResult, error) {
	if err := validateStrata(strata); err != nil {
		return CochranMantelHaenszelResult{}, err
	}
	var excess, variance, numerator, denominator special.Accumulator
	informative := 0
	for _, s := range strata {
		if !s.informative() {
			continue
		}
		informative++
		nb, nc := float64(s.Baseline.Trials), float64(s.Candidate.Trials)
		n := nb + nc
		passes := float64(s.Baseline.Passes) + float64(s.Candidate.Passes)
		fails := float64(s.Baseline.Fails()) + float64(s.Candidate.Fails())
		// Passes of the candidate less their expectation, as one product difference.
		cross := int64(s.Candidate.Passes)*int64(s.Baseline.Trials) - int64(s.Baseline.Passes)*int64(s.Candidate.Trials)
		excess.Add(float64(cross) / n)
		variance.Add(nb / n * nc / n * passes * fails / (n - 1))
		numerator.Add(float64(s.Candidate.Passes) * float64(s.Baseline.Fails()) / n)
		denominator.Add(float64(s.Candidate.Fails()) * float64(s.Baseline.Passes) / n)
	}
	result := CochranMantelHaenszelResult{
		PTwoSided: 1, PLess: 1, Informative: informative,
		OddsRatio: oddsRatioOf(numerator.Sum(), denominator.Sum()),
	}
	if informative > 0 {
		result.Z = excess.Sum() / math.Sqrt(variance.Sum())
		result.Statistic = result.Z * result.Z
		result.PTwoSided = 2 * dist.NormalSurvival(math.Abs(result.Z))
		result.PLess = dist.NormalCDF(result.Z)
	}
	return result, nil
}
