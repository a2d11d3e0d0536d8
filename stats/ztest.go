package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// ZPooled is the pooled two-proportion z test of H0: the candidate's rate is at
// least the baseline's, against H1: it is lower; z is positive if the candidate
// did worse. Its level holds only as the trials grow: at small counts or rates
// near 0 or 1 it exceeds nominal. Where all trials of both sides agree the
// statistic is 0/0; it is taken as 0, with p = 0.5.
func ZPooled(baseline, candidate Counts) (z, p float64, err error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), math.NaN(), err
	}
	z = pooledZ(baseline, candidate)
	return z, dist.NormalSurvival(z), nil
}

// zTest is the row of [ZTest]: its statistic is shown beside the p-value.
func zTest(_ context.Context, table Table) (TestResult, error) {
	z, p, err := ZPooled(table.Baseline, table.Candidate)
	return TestResult{P: p, Figures: []Figure{{"z", z}}}, err
}

// zRegion holds the tables whose z is at least the upper normal quantile of alpha.
func zRegion(_ context.Context, baselineTrials, candidateTrials int, alpha float64) (*staircase, error) {
	d := newDiagonals(baselineTrials, candidateTrials)
	d.orderByZ(dist.NormalUpperQuantile(alpha))
	return d.staircase(), nil
}

// pooledZ is (p_b - p_c) / √(p(1-p)(1/n_b + 1/n_c)), p being the rate of both sides
// together; 0 where it is 0/0.
func pooledZ(baseline, candidate Counts) float64 {
	n := float64(baseline.Trials + candidate.Trials)
	pooled := float64(baseline.Passes+candidate.Passes) / n
	variance := pooled * (1 - pooled) * (n / float64(baseline.Trials) / float64(candidate.Trials))
	if variance == 0 {
		return 0
	}
	return (baseline.Rate() - candidate.Rate()) / math.Sqrt(variance)
}
