package bench

import "math"

// fitExponent returns the exponent b of y = a·x^b that is nearest to the points by
// least squares of the logarithms, and false where two different positive sizes with
// positive values are missing.
func fitExponent(x, y []float64) (exponent float64, ok bool) {
	var n, meanX, meanY float64
	usable := func(i int) bool { return x[i] > 0 && y[i] > 0 && !math.IsInf(x[i], 0) && !math.IsInf(y[i], 0) }
	for i := range x {
		if usable(i) {
			n, meanX, meanY = n+1, meanX+math.Log(x[i]), meanY+math.Log(y[i])
		}
	}
	if n < 2 {
		return 0, false
	}
	meanX, meanY = meanX/n, meanY/n
	var products, squares float64
	for i := range x {
		if usable(i) {
			d := math.Log(x[i]) - meanX
			products += d * (math.Log(y[i]) - meanY)
			squares += d * d
		}
	}
	if squares == 0 {
		return 0, false
	}
	return products / squares, true
}
