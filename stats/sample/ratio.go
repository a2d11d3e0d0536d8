package sample

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tribunal-dev/tribunal/stats"
)

// RatioOfSums returns Σy/Σx of pairs, such as the cost of trials over their successes,
// with an interval at the two-sided error alpha: by linearisation on the log scale
// (Cochran 1977, Sampling Techniques, section 6.4), with Student's t of n-1 degrees of
// freedom. It is approximate, and takes the pairs for independent. Values must be
// finite, y not negative, x not negative; with Σx = 0 there is no ratio, which is an
// error. With one pair, or where Σy = 0, there is no interval: Low and High are NaN.
func RatioOfSums(y, x []float64, alpha float64) (ratio float64, interval stats.Interval, err error) {
	none := stats.Interval{Low: math.NaN(), High: math.NaN()}
	if len(y) != len(x) {
		problem := fmt.Sprintf("must have as many values as y, %d", len(y))
		return math.NaN(), none, argumentError("x", len(x), problem)
	}
	if err := checkOpenUnit("alpha", alpha); err != nil {
		return math.NaN(), none, err
	}
	var sumY, sumX float64
	for i := range y {
		if !(y[i] >= 0 && x[i] >= 0) || math.IsInf(y[i], 0) || math.IsInf(x[i], 0) {
			return math.NaN(), none, argumentError(fmt.Sprintf("pair %d", i), [2]float64{y[i], x[i]},
				"must be finite and not negative")
		}
		sumY += y[i]
		sumX += x[i]
	}
	if sumX == 0 {
		return math.NaN(), none, argumentError("x", 0.0, "adds up to nothing: there is no ratio")
	}
	ratio = sumY / sumX
	n := float64(len(y))
	if len(y) < 2 || sumY == 0 {
		return ratio, none, nil
	}
	// The ratio moves like the mean of the residuals y - ratio·x over the mean of x, its
	// logarithm like that over the ratio.
	squares := 0.0
	for i := range y {
		residual := y[i] - ratio*x[i]
		squares += residual * residual
	}
	deviation := math.Sqrt(squares*n/(n-1)) / sumX / ratio // of the logarithm
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(1 - alpha/2)
	return ratio, stats.Interval{Low: ratio * math.Exp(-t*deviation), High: ratio * math.Exp(t*deviation)}, nil
}
