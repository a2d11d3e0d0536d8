package stats

import (
	"fmt"
	"math"
)

// OddsRatioKind says whether an odds ratio is a number.
type OddsRatioKind int

// The kinds of an odds ratio.
const (
	FiniteOddsRatio    OddsRatioKind = iota // a number, possibly 0
	InfiniteOddsRatio                       // a positive number over 0
	UndefinedOddsRatio                      // 0 over 0
)

// String returns finite, infinite or undefined.
func (k OddsRatioKind) String() string {
	switch k {
	case FiniteOddsRatio:
		return "finite"
	case InfiniteOddsRatio:
		return "infinite"
	case UndefinedOddsRatio:
		return "undefined"
	}
	return fmt.Sprintf("OddsRatioKind(%d)", int(k))
}

// OddsRatioEstimate is an odds ratio, the odds of the candidate over the odds of
// the baseline. Value is +Inf where Kind is InfiniteOddsRatio and NaN where it is
// UndefinedOddsRatio.
type OddsRatioEstimate struct {
	Value float64
	Kind  OddsRatioKind
}

// Reason says for a person why the ratio is no number; it is empty where it is one.
func (e OddsRatioEstimate) Reason() string {
	switch e.Kind {
	case InfiniteOddsRatio:
		return "infinite: the candidate never fails or the baseline never passes"
	case UndefinedOddsRatio:
		return "undefined: both sides always pass or both never do"
	}
	return ""
}

// OddsRatio returns the sample odds ratio, the odds of the candidate over the odds
// of the baseline: below 1 if the candidate is worse. Nothing is added to empty
// cells. Each side needs a trial.
func OddsRatio(baseline, candidate Counts) (OddsRatioEstimate, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return OddsRatioEstimate{Value: math.NaN(), Kind: UndefinedOddsRatio}, err
	}
	return oddsRatioOf(float64(candidate.Passes)*float64(baseline.Fails()),
		float64(candidate.Fails())*float64(baseline.Passes)), nil
}

// oddsRatioOf divides two sums of products of counts.
func oddsRatioOf(numerator, denominator float64) OddsRatioEstimate {
	switch {
	case denominator > 0:
		return OddsRatioEstimate{Value: numerator / denominator}
	case numerator > 0:
		return OddsRatioEstimate{Value: math.Inf(1), Kind: InfiniteOddsRatio}
	}
	return OddsRatioEstimate{Value: math.NaN(), Kind: UndefinedOddsRatio}
}
