package fingerprint

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// shrinkage is what a covariance matrix Σ that is moved towards a multiple of the
// identity is made of: (1-intensity)·Σ + intensity·scale·I. With few trials and many columns the covariance
// has variances near 0 that are noise; T² divides by them.
type shrinkage struct {
	covariance *mat.SymDense // Σ, with divisor n
	intensity  float64       // from 0 to 1
	scale      float64       // mean variance of the columns
}

// matrix copies rows of one length.
func matrix(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		x.SetRow(i, row)
	}
	return x
}

// shrink returns the covariance of centred rows, and the intensity that minimises the
// expected squared error of the shrunk one in Frobenius norm (Ledoit and Wolf 2004,
// Journal of Multivariate Analysis 88:365). It agrees with scikit-learn's ledoit_wolf;
// one column alone is not shrunk.
func shrink(x *mat.Dense) shrinkage {
	n, d := x.Dims()
	s := shrinkage{covariance: mat.NewSymDense(d, nil)}
	// Rows are centred: the covariance is X'X/n. The division by n, not n-1, is that of the paper and of
	// scikit-learn.
	s.covariance.SymOuterK(1/float64(n), x.T())
	s.scale = mat.Trace(s.covariance) / float64(d)
	if d == 1 {
		return s
	}
	// In the paper's names: distance is d², noise is b², and the intensity b²/d², at most 1.
	distance := 0.0 // squared, of the covariance from its target
	squares := 0.0  // squared norm of the covariance
	fourth := 0.0   // sum of the squared norms of x x'
	for i := range d {
		for j := range d {
			c := s.covariance.At(i, j)
			squares += c * c
			if i == j {
				c -= s.scale
			}
			distance += c * c
		}
	}
	for i := range n {
		length := mat.Dot(x.RowView(i), x.RowView(i))
		fourth += length * length
	}
	// The mean squared error of the covariance: Σ|xx' - S|²/n², written out.
	noise := (fourth/float64(n) - squares) / float64(n)
	if noise > 0 && distance > 0 {
		s.intensity = math.Min(noise/distance, 1)
	}
	return s
}
