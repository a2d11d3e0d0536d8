package hotelling

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Power returns the power of [Test] at level alpha against
// means at the Mahalanobis distance, for normal vectors with d columns. It is the
// upper tail of the noncentral F with d and n-d-1 degrees of freedom and
// noncentrality distance²·nb·nc/n (AgentAssay, Equations 32 and 33), summed as the
// Poisson mixture of central ones.
func Power(d, baseline, candidate int, distance, alpha float64) (float64, error) {
	switch {
	case d < 1:
		return 0, argument.Wrong("columns", d, "must be at least 1")
	case baseline < 1 || candidate < 1 || baseline+candidate < d+2:
		return 0, fmt.Errorf("%w: Hotelling's test of %d columns needs %d trials on both sides together, "+
			"and there are %d and %d", ErrTooFewTrials, d, d+2, baseline, candidate)
	case !(distance >= 0) || math.IsInf(distance, 1):
		return 0, argument.Wrong("distance", distance, "must be a number from 0")
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return 0, err
	}
	n := float64(baseline) + float64(candidate)
	d1, d2 := float64(d), n-float64(d)-1
	noncentrality := distance * distance * float64(baseline) * float64(candidate) / n
	return noncentralF(fUpperQuantile(alpha, d1, d2), d1, d2, noncentrality), nil
}

// Trials returns the smallest number of trials a side, up to limit, whose
// [Power] is at least 1-beta; 0 if there is none.
func Trials(d int, distance, alpha, beta float64, limit int) (int, error) {
	if err := argument.OpenUnit("beta", beta); err != nil {
		return 0, err
	}
	if _, err := Power(d, d+2, d+2, distance, alpha); err != nil {
		return 0, err
	}
	// Power rises with the trials, so halving finds the fewest.
	reached := func(n int) bool {
		power, err := Power(d, n, n, distance, alpha)
		return err == nil && power >= 1-beta
	}
	low := (d+3)/2 - 1 // has too few trials for a test
	if !reached(limit) {
		return 0, nil
	}
	for high := limit; ; {
		if high-low <= 1 {
			return high, nil
		}
		if middle := low + (high-low)/2; reached(middle) {
			high = middle
		} else {
			low = middle
		}
	}
}

// noncentralF returns P(F > x) for the noncentral F. It is Σ Poisson(j; noncentrality/2) · P(F(d1+2j, d2) >
// x·d1/(d1+2j)) (Johnson, Kotz and Balakrishnan 1995, chapter 30).
func noncentralF(x, d1, d2, noncentrality float64) float64 {
	half := noncentrality / 2
	term := func(j float64) (weight, tail float64) {
		logGamma, _ := math.Lgamma(j + 1)
		weight = 1
		if half > 0 {
			weight = math.Exp(j*math.Log(half) - half - logGamma)
		} else if j > 0 {
			weight = 0
		}
		return weight, dist.FSurvival(x*d1/(d1+2*j), d1+2*j, d2)
	}
	if half > 1e7 { // the mixture is all but one point, and summing it would take long
		_, tail := term(math.Floor(half))
		return tail
	}
	// From the likeliest index outwards: the terms on either side fall from there.
	sum, mode := 0.0, math.Floor(half)
	for j := mode; ; j++ {
		weight, tail := term(j)
		sum += weight * tail
		if weight < 1e-17 {
			break
		}
	}
	for j := mode - 1; j >= 0; j-- {
		weight, tail := term(j)
		sum += weight * tail
		if weight < 1e-17 {
			break
		}
	}
	return math.Min(sum, 1)
}

// fUpperQuantile returns the x with P(F > x) = p. It halves an interval of log x until two neighbours are left.
func fUpperQuantile(p, d1, d2 float64) float64 {
	low, high := -700.0, 700.0 // logarithms
	for range 200 {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if dist.FSurvival(math.Exp(middle), d1, d2) > p {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp(high)
}
