package stats

import "math"

// CohensH returns Cohen's h of baseline against candidate, 2 asin √p_b - 2 asin √p_c:
// positive if the candidate is worse, between -π and π (Cohen 1988, Statistical
// Power Analysis, chapter 6). Each side needs a trial.
func CohensH(baseline, candidate Counts) (float64, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), err
	}
	// The tangent of the difference of two angles, from products of counts: exactly
	// 0 for equal rates, and without cancellation for nearly equal ones.
	up := int64(baseline.Passes) * int64(candidate.Fails())
	down := int64(baseline.Fails()) * int64(candidate.Passes)
	if up == down {
		return 0, nil
	}
	sine := float64(up-down) / (math.Sqrt(float64(up)) + math.Sqrt(float64(down)))
	cosine := math.Sqrt(float64(baseline.Passes)*float64(candidate.Passes)) +
		math.Sqrt(float64(baseline.Fails())*float64(candidate.Fails()))
	return 2 * math.Atan2(sine, cosine), nil
}

// MagnitudeOf returns Cohen's label for the size of an effect h, whatever its sign:
// "negligible" for |h| below 0.2, "small" below 0.5, "medium" below 0.8, and "large".
// NaN, which shows no effect, is negligible.
func MagnitudeOf(h float64) string {
	switch h = math.Abs(h); {
	case h >= 0.8:
		return "large"
	case h >= 0.5:
		return "medium"
	case h >= 0.2:
		return "small"
	}
	return "negligible"
}
