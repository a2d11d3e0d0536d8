package bench

// Slope is that of the line through points which is nearest to them by least squares; of values of y that grow as n^b
// it is b where both axes are logarithms. It is NaN for fewer than two different x.
func Slope(x, y []float64) float64 {
	var meanX, meanY, xx, xy float64
	for i := range x {
		meanX += x[i] / float64(len(x))
		meanY += y[i] / float64(len(x))
	}
	for i := range x {
		xx += (x[i] - meanX) * (x[i] - meanX)
		xy += (x[i] - meanX) * (y[i] - meanY)
	}
	return xy / xx
}
