package fingerprint

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Shrunk is a covariance matrix moved towards a multiple of the identity.
type Shrunk struct {
	Covariance [][]float64
	Shrinkage  float64 // 0: the sample's covariance; 1: Scale times the identity
	Scale      float64 // mean variance of the columns
}

// LedoitWolf returns the covariance of the rows, with divisor n, shrunk towards the
// identity by the intensity that minimises the expected squared error in Frobenius
// norm (Ledoit and Wolf 2004, Journal of Multivariate Analysis 88:365). Rows that
// are centred already are taken as they are. It agrees with scikit-learn's
// ledoit_wolf; one column alone is not shrunk. It refuses rows of different lengths,
// none at all, and values that are not finite.
func LedoitWolf(rows [][]float64, centred bool) (Shrunk, error) {
	x, err := denseOf("rows", rows)
	if err != nil {
		return Shrunk{}, err
	}
	if !centred {
		n, d := x.Dims()
		for j := range d {
			mean := mat.Sum(x.ColView(j)) / float64(n)
			for i := range n {
				x.Set(i, j, x.At(i, j)-mean)
			}
		}
	}
	s := shrink(x)
	d := s.covariance.SymmetricDim()
	result := Shrunk{Covariance: make([][]float64, d), Shrinkage: s.intensity, Scale: s.scale}
	for i := range d {
		result.Covariance[i] = make([]float64, d)
		for j := range d {
			result.Covariance[i][j] = (1 - s.intensity) * s.covariance.At(i, j)
		}
		result.Covariance[i][i] += s.intensity * s.scale
	}
	return result, nil
}

// shrinkage holds what a shrunk covariance is made of.
type shrinkage struct {
	covariance *mat.SymDense // not shrunk
	intensity  float64
	scale      float64
}

// shrink computes the intensity for centred rows.
func shrink(x *mat.Dense) shrinkage {
	n, d := x.Dims()
	s := shrinkage{covariance: mat.NewSymDense(d, nil)}
	s.covariance.SymOuterK(1/float64(n), x.T())
	s.scale = mat.Trace(s.covariance) / float64(d)
	if d == 1 {
		return s
	}
	distance, squares, fourth := 0.0, 0.0, 0.0 // of the covariance from its target, from 0, and of x x' from 0
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
	noise := (fourth/float64(n) - squares) / float64(n)
	if noise > 0 && distance > 0 {
		s.intensity = math.Min(noise/distance, 1)
	}
	return s
}

// denseOf copies the rows into a matrix.
func denseOf(argument string, rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, argumentError(argument, len(rows), "must have a row and a column at least")
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, argumentError(argument, len(row), "must all have the same length")
		}
		for _, value := range row {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return nil, argumentError(argument, value, "must be finite numbers")
			}
		}
		x.SetRow(i, row)
	}
	return x, nil
}
