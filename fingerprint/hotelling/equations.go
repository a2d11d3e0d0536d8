package hotelling

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats/dist"
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
		return 0, argumentError("variance", variance, "must be a number from 0")
	}
	return wholeTrials(z*z*variance/(distance*distance) + (float64(effectiveDimension)+1)/2)
}

func summedQuantiles(dimension int, distance, alpha, beta float64) (float64, error) {
	if dimension < 0 {
		return 0, argumentError("effective dimension", dimension, "must not be negative")
	}
	if err := checkPositive("distance", distance); err != nil {
		return 0, err
	}
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	if err := checkOpenUnit("beta", beta); err != nil {
		return 0, err
	}
	return dist.NormalUpperQuantile(alpha) + dist.NormalUpperQuantile(beta), nil
}

func wholeTrials(n float64) (int, error) {
	n = math.Ceil(n)
	if !(n < 1<<53) {
		return 0, argumentError("trials", n, "are more than can be counted: the distance is too small")
	}
	return int(n), nil
}
