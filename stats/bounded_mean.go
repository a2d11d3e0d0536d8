package stats

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
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
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return Interval{}, err
	}
	if !(low < high) || math.IsInf(high-low, 0) {
		return Interval{}, argument.Wrong("bounds", [2]float64{low, high}, "must be finite and in order")
	}
	if len(values) == 0 {
		return Interval{}, argument.Wrong("values", len(values), "must be at least 1")
	}
	scaled := make([]float64, len(values))
	for i, x := range values {
		if !(x >= low && x <= high) {
			return Interval{}, argument.Wrong(fmt.Sprintf("value %d", i), x, "must lie within the bounds")
		}
		scaled[i] = (x - low) / (high - low)
	}
	upper := upperMean(scaled, alpha/2)
	for i, x := range scaled {
		scaled[i] = 1 - x
	}
	lower := 1 - upperMean(scaled, alpha/2)
	return Interval{
		Low:  min(max(low+lower*(high-low), low), high),
		High: min(max(low+upper*(high-low), low), high),
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
	last := math.Inf(1)
	for i := 0; i < 100 && most-least > 1e-13; i++ {
		middle := (least + most) / 2
		chord := min(max(least+(most-least)*aboveLeast/(aboveLeast-aboveMost), least), most)
		switch {
		// Of many points each step takes long. Near the quantile the chord alone is there in a few, from either side: once it
		// moves no more, the quantile is as near as it is looked for.
		case len(points) > mostMultiplied && math.Max(aboveLeast, -aboveMost) < 0.5*alpha:
			if middle = chord; math.Abs(chord-last) < 2e-14 {
				return math.Min(chord+5e-14, most)
			}
			last = chord
		case i%2 == 0:
			middle = chord
		}
		if above := weightedAbove(points, len(values)+1, middle) - alpha; above > 0 {
			least, aboveLeast = middle, above
		} else {
			most, aboveMost = middle, above
		}
	}
	return most
}

// valueCount is a value and how often it is there.
type valueCount struct {
	value float64
	times int
}

// distinct sorts values and counts those that are equal.
func distinct(values []float64) (points []valueCount) {
	slices.Sort(values)
	for _, x := range values {
		if n := len(points); n > 0 && points[n-1].value == x {
			points[n-1].times++
		} else {
			points = append(points, valueCount{x, 1})
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
func weightedAbove(points []valueCount, n int, m float64) float64 {
	product := func(u float64) complex128 {
		product := complex(1, 0)
		for _, p := range points {
			// The inverse first: powers of what is larger than 1 overflow, and its own become 0.
			product *= power(1/complex(1, -(p.value-m)*u), p.times)
		}
		return product
	}
	if len(points) > mostMultiplied {
		product = newExponentialProduct(points, m).at
	}
	largest := math.Max(points[len(points)-1].value-m, m-points[0].value)
	step := math.Min(0.2, 0.7/math.Sqrt(float64(n)))
	const negligible = 1e-15
	sum := 0.0
	for s := math.Log(negligible/float64(n)) - math.Log(largest); ; s += step {
		u := math.Exp(s)
		at := product(u)
		sum += imag(at)
		if u*largest > 1 && cmplx.Abs(at) < negligible {
			break
		}
	}
	return min(max(0.5+sum*step/math.Pi, 0), 1)
}

// mostMultiplied is the number of points up to which the factors of a characteristic function are multiplied one by
// one.
const mostMultiplied = 200

// exponentialProduct is Π 1/(1-iau) over many points at distances a from the mean. Those of like distances are a class,
// and while u is small their part is the exponential of Σ (iau)^k/k over the powers k, of which it takes the sums over
// the class alone, to rounding.
type exponentialProduct struct{ classes []exponentialClass }

// exponentialClass is the points whose distances are above half a bound, and at most that.
type exponentialClass struct {
	bound  float64
	points []valueCount // distances
	sums   []float64    // of the powers of distances over the bound, each divided by its power, from the first on
}

// mostPowers is how many powers are enough where the bound times u is at most a half: the rest is below 1e-17 of a
// million points.
const mostPowers = 76

func newExponentialProduct(points []valueCount, m float64) *exponentialProduct {
	at := map[int]int{}
	e := &exponentialProduct{}
	for _, p := range points {
		distance := p.value - m
		if distance == 0 {
			continue
		}
		_, exponent := math.Frexp(distance)
		i, known := at[exponent]
		if !known {
			i = len(e.classes)
			at[exponent] = i
			e.classes = append(e.classes, exponentialClass{bound: math.Ldexp(1, exponent), sums: make([]float64, mostPowers)})
		}
		c := &e.classes[i]
		c.points = append(c.points, valueCount{distance, p.times})
		ratio := distance / c.bound
		for k, power := 0, ratio*float64(p.times); k < mostPowers; k, power = k+1, power*ratio {
			c.sums[k] += power
		}
	}
	for i := range e.classes {
		for k := range e.classes[i].sums {
			e.classes[i].sums[k] /= float64(k + 1)
		}
	}
	return e
}

// at is the product at u.
func (e *exponentialProduct) at(u float64) complex128 {
	product, log := complex(1, 0), complex(0, 0)
	for i := range e.classes {
		c := &e.classes[i]
		x := c.bound * u
		if x > 0.5 {
			for _, p := range c.points {
				product *= power(1/complex(1, -p.value*u), p.times)
			}
			continue
		}
		re, im := 0.0, 0.0
		for k, power := 0, x; k < mostPowers && power > 1e-23; k, power = k+1, power*x {
			switch term := c.sums[k] * power; k % 4 { // i^(k+1)
			case 0:
				im += term
			case 1:
				re -= term
			case 2:
				im -= term
			case 3:
				re += term
			}
		}
		log += complex(re, im)
	}
	return product * cmplx.Exp(log)
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
