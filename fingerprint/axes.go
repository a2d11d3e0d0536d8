package fingerprint

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// explained is the share of the variance that the leading components must hold
// (AgentAssay, Equation 28).
const explained = 0.95

// axes are the principal axes of a covariance, the widest first. They are those of the covariance before it
// is shrunk: adding a multiple of the identity changes variances, not axes.
type axes struct {
	variances []float64  // along each axis, not negative
	vectors   *mat.Dense // one column an axis
}

// principal decomposes a covariance matrix. Each axis is turned so that its largest
// loading is positive. It is false if the decomposition does not converge.
//
// The sign of an eigenvector is arbitrary; with the largest loading positive, pictures and results are the
// same on every machine.
func principal(covariance mat.Symmetric) (axes, bool) {
	var eigen mat.EigenSym
	if !eigen.Factorize(covariance, true) {
		return axes{}, false
	}
	a := axes{variances: eigen.Values(nil), vectors: new(mat.Dense)}
	eigen.VectorsTo(a.vectors)
	d := len(a.variances)
	// gonum has the smallest first.
	slices.Reverse(a.variances)
	for k := range d / 2 {
		for i := range d {
			left, right := a.vectors.At(i, k), a.vectors.At(i, d-1-k)
			a.vectors.Set(i, k, right)
			a.vectors.Set(i, d-1-k, left)
		}
	}
	for k := range d {
		largest := 0.0
		for i := range d {
			// The factor keeps the first of loadings that are equal but for rounding.
			if x := a.vectors.At(i, k); math.Abs(x) > math.Abs(largest)*(1+1e-9) {
				largest = x
			}
		}
		for i := range d {
			a.vectors.Set(i, k, math.Copysign(1, largest)*a.vectors.At(i, k))
		}
		// A variance of 0 may come out as a little less.
		a.variances[k] = math.Max(a.variances[k], 0)
	}
	return a, true
}

// rank counts the axes that carry more than rounding errors. The threshold is relative to the largest
// variance; it is chosen, far above the rounding of a float64.
func (a axes) rank() int {
	n := 0
	for _, v := range a.variances {
		if v > 1e-10*a.variances[0] {
			n++
		}
	}
	return n
}

// components returns how many leading axes hold at least the share of the variance.
func (a axes) components(share float64) int {
	total, sum := 0.0, 0.0
	for _, v := range a.variances {
		total += v
	}
	for k, v := range a.variances {
		// The factor is for rounding: what holds all must be found to.
		if sum += v; sum >= share*total*(1-1e-12) {
			return k + 1
		}
	}
	return len(a.variances)
}

// participation returns the participation ratio (Σλ)²/Σλ²: d for d axes of equal
// variance, 1 if one holds it all. 0 if there is no variance at all.
func (a axes) participation() float64 {
	sum, squares := 0.0, 0.0
	for _, v := range a.variances {
		sum += v
		squares += v * v
	}
	if squares == 0 {
		return 0
	}
	return sum * sum / squares
}

// project returns the rows in the coordinates of the first k axes.
func (a axes) project(rows [][]float64, k int) [][]float64 {
	projected := make([][]float64, len(rows))
	for i, row := range rows {
		projected[i] = make([]float64, k)
		for axis := range k {
			for j, x := range row {
				projected[i][axis] += x * a.vectors.At(j, axis)
			}
		}
	}
	return projected
}
