package stats

import "math"

// OddsRatioEstimate is the odds of the candidate over the odds of the baseline.
type OddsRatioEstimate struct {
	// Value is from 0 up, and below 1 if the candidate is worse. It is +Inf where a
	// positive number is divided by 0, and NaN for 0 over 0.
	Value float64
}

// Finite reports whether the ratio is a number.
func (e OddsRatioEstimate) Finite() bool { return !math.IsInf(e.Value, 0) && !math.IsNaN(e.Value) }

// Reason says for a person why the ratio is no number; it is empty where it is one.
func (e OddsRatioEstimate) Reason() string {
	switch {
	case math.IsInf(e.Value, 1):
		return "infinite: the candidate never fails or the baseline never passes"
	case math.IsNaN(e.Value):
		return "undefined: both sides always pass or both never do"
	}
	return ""
}

// OddsRatio returns the sample odds ratio, the odds of the candidate over the odds
// of the baseline: below 1 if the candidate is worse. Nothing is added to empty
// cells. Each side needs a trial.
func OddsRatio(baseline, candidate Counts) (OddsRatioEstimate, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return OddsRatioEstimate{math.NaN()}, err
	}
	return oddsRatioOf(float64(candidate.Passes)*float64(baseline.Fails()),
		float64(candidate.Fails())*float64(baseline.Passes)), nil
}

// oddsRatioOf divides two sums of products of counts.
func oddsRatioOf(numerator, denominator float64) OddsRatioEstimate {
	switch {
	case denominator > 0:
		return OddsRatioEstimate{numerator / denominator}
	case numerator > 0:
		return OddsRatioEstimate{math.Inf(1)}
	}
	return OddsRatioEstimate{math.NaN()}
}
