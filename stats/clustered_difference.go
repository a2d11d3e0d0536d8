package stats

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats/dist"
)

// ClusteredDifference returns the interval at two-sided level 1-alpha for the mean
// difference of the pass rates, candidate minus baseline, over new scenarios like
// these: the mean of the scenarios' own differences with its standard error over
// scenarios, and t with one degree of freedom less than scenarios (Miller 2024,
// "Adding error bars to evals", clustered and paired). Scenarios without a trial on
// both sides are left out; fewer than two give an [ArgumentError]. It assumes that
// the scenarios are a random sample; where all differences are equal the
// interval has no width, and says less than it seems to.
func ClusteredDifference(strata []Stratum, alpha float64) (Interval, error) {
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	var differences []float64
	for _, s := range strata {
		if s.Baseline.validateNonEmpty() == nil && s.Candidate.validateNonEmpty() == nil {
			differences = append(differences, s.Candidate.Rate()-s.Baseline.Rate())
		}
	}
	n := float64(len(differences))
	if n < 2 {
		return Interval{}, argumentError("scenarios", len(differences), "must be at least 2")
	}
	mean, squares := 0.0, 0.0
	for _, d := range differences {
		mean += d / n
	}
	for _, d := range differences {
		squares += (d - mean) * (d - mean)
	}
	reach := dist.StudentTUpperQuantile(alpha/2, n-1) * math.Sqrt(squares/(n-1)/n)
	return Interval{math.Max(mean-reach, -1), math.Min(mean+reach, 1)}, nil
}
