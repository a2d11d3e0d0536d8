package hotelling

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Equation30 is AgentAssay's sample size for a fingerprint test (Theorem 7.1), as
// printed: ⌈(d+1)(z_α+z_β)²/Δ² + (d+1)/2⌉ with the effective dimension d and the
// Mahalanobis distance Δ. It does not follow from the noncentral F that the theorem
// starts from; [Trials] computes that.
func Equation30(effectiveDimension int, distance, alpha, beta float64) (int, error) {
	z, err := summedQuantiles(effectiveDimension, distance, alpha, beta)
	if err != nil {
		return 0, err
	}
	d := float64(effectiveDimension)
	return wholeTrials((d+1)*z*z/(distance*distance) + (d+1)/2)
}

// Equation39 is AgentAssay's trial budget (Theorem 7.2), as printed:
// ⌈(z_α+z_β)²σ²/Δ² + (d+1)/2⌉ with the total variance σ² of the calibration
// vectors, the distance Δ and the effective dimension d. The variance carries the
// squared units of the columns while the distance has none, so the figure changes
// with the units; no power follows from it.
func Equation39(variance float64, effectiveDimension int, distance, alpha, beta float64) (int, error) {
	z, err := summedQuantiles(effectiveDimension, distance, alpha, beta)
	if err != nil {
		return 0, err
	}
	if !(variance >= 0) {
		return 0, argument.Wrong("variance", variance, "must be a number from 0")
	}
	return wholeTrials(z*z*variance/(distance*distance) + (float64(effectiveDimension)+1)/2)
}

// Equation31 is AgentAssay's upper bound of [Equation30] by the trials of a univariate test of the pass rate, with
// Cohen's h for the drop that this is to find (Theorem 7.1), as printed:
// n·(d+1)/(1+d(Δ²/h²-1)), rounded up. Where the drop is at least so much larger than the distance that the
// denominator is not positive, it bounds nothing, and is refused.
//
// It is no bound: Equation 30 can exceed it, and no power follows from it.
func Equation31(univariate, effectiveDimension int, distance, h float64) (int, error) {
	if univariate < 1 {
		return 0, argument.Wrong("univariate trials", univariate, "must be at least 1")
	}
	if effectiveDimension < 0 {
		return 0, argument.Wrong("effective dimension", effectiveDimension, "must not be negative")
	}
	if err := argument.Positive("distance", distance); err != nil {
		return 0, err
	}
	if err := argument.Positive("h", h); err != nil {
		return 0, err
	}
	d := float64(effectiveDimension)
	denominator := 1 + d*(distance*distance/(h*h)-1)
	if !(denominator > 0) {
		return 0, argument.Wrong("distance", distance, "is so small beside h that the equation bounds nothing")
	}
	return wholeTrials(float64(univariate) * (d + 1) / denominator)
}

// Algorithm4 is AgentAssay's adaptive budget from k calibration trials, as printed: [Equation39], at least k+5, times
// 1+√(2/k), rounded up. It has the flaws of that equation.
func Algorithm4(variance float64, effectiveDimension int, distance, alpha, beta float64, calibration int) (int, error) {
	if calibration < 2 {
		return 0, argument.Wrong("calibration trials", calibration, "must be at least 2")
	}
	n, err := Equation39(variance, effectiveDimension, distance, alpha, beta)
	if err != nil {
		return 0, err
	}
	return wholeTrials(float64(max(n, calibration+5)) * (1 + math.Sqrt(2/float64(calibration))))
}

// Equation41 is AgentAssay's 95 % interval of the true variance behind one that was estimated with so many degrees of
// freedom: k-1 for k trials of one scenario. It assumes that the total variance is distributed as that of one normal
// column, which is wider than several columns deserve and too narrow for heavy tails. The paper's factors for ten
// trials, 0.51 and 2.30, are 0.47 and 3.33.
func Equation41(variance float64, freedom int) (lower, upper float64, err error) {
	if !(variance >= 0) {
		return 0, 0, argument.Wrong("variance", variance, "must be a number from 0")
	}
	if freedom < 1 {
		return 0, 0, argument.Wrong("degrees of freedom", freedom, "must be at least 1")
	}
	quantile := distuv.ChiSquared{K: float64(freedom)}.Quantile
	sum := float64(freedom) * variance
	return sum / quantile(0.975), sum / quantile(0.025), nil
}

func summedQuantiles(dimension int, distance, alpha, beta float64) (float64, error) {
	if dimension < 0 {
		return 0, argument.Wrong("effective dimension", dimension, "must not be negative")
	}
	if err := argument.Positive("distance", distance); err != nil {
		return 0, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	if err := argument.OpenUnit("beta", beta); err != nil {
		return 0, err
	}
	return dist.NormalUpperQuantile(alpha) + dist.NormalUpperQuantile(beta), nil
}

func wholeTrials(n float64) (int, error) {
	n = math.Ceil(n)
	if !(n < 1<<53) {
		return 0, argument.Wrong("trials", n, "are more than can be counted: the distance is too small")
	}
	return int(n), nil
}
