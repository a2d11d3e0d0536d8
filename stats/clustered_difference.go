package stats

import "github.com/tribunal-dev/tribunal/internal/argument"

// ClusteredDifference returns the interval at two-sided level 1-alpha for the mean
// difference of the pass rates, candidate minus baseline, over new scenarios like
// these: [BoundedMean] of the scenarios' own differences, which lie between -1 and 1.
// Scenarios without a trial on both sides are left out; fewer than two give an
// [ArgumentError]. It assumes that the scenarios are a random sample of those meant,
// and nothing of how differences are distributed: where all are equal it is as wide
// as so few scenarios leave it.
func ClusteredDifference(strata []Stratum, alpha float64) (Interval, error) {
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	var differences []float64
	for _, s := range strata {
		if s.Baseline.validateNonEmpty() == nil && s.Candidate.validateNonEmpty() == nil {
			differences = append(differences, s.Candidate.Rate()-s.Baseline.Rate())
		}
	}
	if n := len(differences); n < 2 {
		return Interval{}, argument.Wrong("scenarios", n, "must be at least 2")
	}
	return BoundedMean(differences, -1, 1, alpha)
}
