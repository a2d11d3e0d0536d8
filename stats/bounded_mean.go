package stats

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
)

// BoundedMean returns the interval, at two-sided level 1-alpha, of the mean of a
// distribution on low..high, of which values are independent draws: each limit at the
// error alpha/2. Nothing else is assumed of the distribution.
//
// A limit is a quantile of the mean of the values and of the bound on its side, with
// weights that are uniform on the simplex (Gaffke 2005, Linear Algebra and its
// Applications 405:178; Learned-Miller & Thomas 2020, arXiv:1905.06208): the bound
// stands for what was not drawn. Of values that are all low or high it is the interval
// of Clopper and Pearson. That it never misses with more than alpha is proved for these
// and for some others, and conjectured for all; where it was looked for, no exception
// was found.
//
// Without values, with values outside the bounds and with bounds that are not in order
// it returns an [ArgumentError].
func BoundedMean(values []float64, low, high, alpha float64) (Interval, error) {
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	if !(low < high) || math.IsInf(high-low, 0) {
		return Interval{}, argumentError("bounds", [2]float64{low, high}, "must be finite and in order")
	}
	if len(values) == 0 {
		return Interval{}, argumentError("values", len(values), "must be at least 1")
	}
	scaled := make([]float64, len(values))
	for i, x := range values {
		if !(x >= low && x <= high) {
			return Interval{}, argumentError(fmt.Sprintf("value %d", i), x, "must lie within the bounds")
		}
		scaled[i] = (x - low) / (high - low)
	}
	upper := upperMean(scaled, alpha/2)
	for i, x := range scaled {
		scaled[i] = 1 - x
	}
	lower := 1 - upperMean(scaled, alpha/2)
	return Interval{
		Low:  clamp(low+lower*(high-low), low, high),
		High: clamp(low+upper*(high-low), low, high),
	}, nil
}

// upperMean is the upper limit, at the one-sided error alpha, of the mean of a
// distribution on 0..1.
func upperMean(values []float64, alpha float64) float64 {
	points := distinct(append(slices.Clone(values), 1))
	if len(points) == 1 {
		return 1 // all values are 1
	}
	// The weighted mean lies above its quantile with alpha. Halving the interval in which it is, or
	// cutting it where the chord does, each in turn, is safe and soon there.
	least, most := points[0].value, 1.0
	aboveLeast, aboveMost := 1-alpha, -alpha
	for i := 0; i < 100 && most-least > 1e-13; i++ {
		middle := (least + most) / 2
		if i%2 == 0 {
			middle = clamp(least+(most-least)*aboveLeast/(aboveLeast-aboveMost), least, most)
		}
		if above := weightedAbove(points, len(values)+1, middle) - alpha; above > 0 {
			least, aboveLeast = middle, above
		} else {
			most, aboveMost = middle, above
		}
	}
	return most
}

// repeated is a value and how often it is there.
type repeated struct {
	value float64
	times int
}

// distinct sorts values and counts those that are equal.
func distinct(values []float64) (points []repeated) {
	slices.Sort(values)
	for _, x := range values {
		if n := len(points); n > 0 && points[n-1].value == x {
			points[n-1].times++
		} else {
			points = append(points, repeated{x, 1})
		}
	}
	return points
}

// weightedAbove is the probability that the mean of n points, with weights that are
// uniform on the simplex, lies above m: that Σ (x-m)·E is positive with independent
// exponential E, by inversion of the characteristic function (Imhof 1961, Biometrika
// 48:419), 1/2 + 1/π ∫ Im Π 1/(1-i(x-m)u) du/u.
//
// On the scale of log u the integrand is analytic within π/2 of the real line, and the
// trapezoid rule converges exponentially: with the step below its error is under 1e-12.
func weightedAbove(points []repeated, n int, m float64) float64 {
	largest := math.Max(points[len(points)-1].value-m, m-points[0].value)
	step := math.Min(0.2, 0.7/math.Sqrt(float64(n)))
	const negligible = 1e-15
	sum := 0.0
	for s := math.Log(negligible/float64(n)) - math.Log(largest); ; s += step {
		u := math.Exp(s)
		product := complex(1, 0)
		for _, p := range points {
			// The inverse first: powers of what is larger than 1 overflow, and its own become 0.
			product *= power(1/complex(1, -(p.value-m)*u), p.times)
		}
		sum += imag(product)
		if u*largest > 1 && cmplx.Abs(product) < negligible {
			break
		}
	}
	return clamp(0.5+sum*step/math.Pi, 0, 1)
}

// power returns z to a positive whole power, by squaring.
func power(z complex128, times int) complex128 {
	result := complex(1, 0)
	for ; times > 0; times >>= 1 {
		if times&1 == 1 {
			result *= z
		}
		z *= z
	}
	return result
}
