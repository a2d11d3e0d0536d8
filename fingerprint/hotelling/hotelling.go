package hotelling

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// ErrTooFewTrials says that a test or an estimate needs more trials than there
// are. The error that wraps it says how many.
var ErrTooFewTrials = errors.New("too few trials")

// ErrSingular says that the trials of neither side vary in some direction, so that
// there is nothing to measure a difference by.
var ErrSingular = errors.New("the covariance within the sides is singular")

// Result is the outcome of Hotelling's test of two samples.
type Result struct {
	TSquared float64 `json:"t_squared"` // from 0; the larger, the further apart are the means
	F        float64 `json:"f"`         // TSquared on the scale of F(D1, D2)
	D1       int     `json:"d1"`        // degrees of freedom of F: the columns
	D2       int     `json:"d2"`        // and the trials of both sides without the columns and one more
	P        float64 `json:"p"`         // p-value, from 0 to 1
	// Distance is the Mahalanobis distance of the means, from 0. It is too large on
	// average, the more so the fewer trials there are.
	Distance float64 `json:"distance"`
	// Components is the number of principal components that were tested, and that of
	// the columns where nothing was projected.
	Components int `json:"components"`
}

// Test is Hotelling's two-sample T² test of equal means against any difference
// of them (Hotelling 1931), from the pooled covariance within the sides:
// T²·(n-d-1)/((n-2)·d) is compared with F(d, n-d-1), n the trials of both sides. The
// level is nominal if both sides are normal with one covariance. It needs n >= d+2
// trials, at least one on each side, or refuses with [ErrTooFewTrials], and a
// covariance that can be inverted, or refuses with [ErrSingular].
func Test(baseline, candidate [][]float64) (Result, error) {
	b, err := denseOf("baseline", baseline)
	if err != nil {
		return Result{}, err
	}
	c, err := denseOf("candidate", candidate)
	if err != nil {
		return Result{}, err
	}
	nb, d := b.Dims()
	nc, dc := c.Dims()
	if d != dc {
		return Result{}, argument.Wrong("candidate", dc, fmt.Sprintf("columns must be as many as the baseline's %d", d))
	}
	if nb+nc < d+2 {
		return Result{}, fmt.Errorf("%w: Hotelling's test of %d columns needs %d trials on both sides together, "+
			"and there are %d", ErrTooFewTrials, d, d+2, nb+nc)
	}
	within := mat.NewSymDense(d, nil)
	difference := mat.NewVecDense(d, nil)
	// The difference becomes the candidate's mean less the baseline's: each side's mean less what was
	// there.
	for _, side := range []*mat.Dense{b, c} {
		n, _ := side.Dims()
		for j := range d {
			mean := mat.Sum(side.ColView(j)) / float64(n)
			difference.SetVec(j, mean-difference.AtVec(j))
			for i := range n {
				side.Set(i, j, side.At(i, j)-mean)
			}
		}
		var scatter mat.SymDense
		// The pooled covariance: both scatters over n-2.
		scatter.SymOuterK(1/float64(nb+nc-2), side.T())
		within.AddSym(within, &scatter)
	}
	distance2, err := mahalanobis2(within, difference)
	if err != nil {
		return Result{}, err
	}
	r := Result{
		TSquared: float64(nb) * float64(nc) / float64(nb+nc) * distance2,
		D1:       d, D2: nb + nc - d - 1,
		Distance: math.Sqrt(distance2), Components: d,
	}
	r.F = r.TSquared * float64(r.D2) / (float64(nb+nc-2) * float64(d))
	r.P = dist.FSurvival(r.F, float64(r.D1), float64(r.D2))
	return r, nil
}

// mahalanobis2 returns the squared Mahalanobis distance d'Σ⁻¹d of a difference d. A condition number above
// 1e13 leaves hardly a digit of the solution to rely on.
func mahalanobis2(covariance *mat.SymDense, difference *mat.VecDense) (float64, error) {
	var cholesky mat.Cholesky
	if !cholesky.Factorize(covariance) || cholesky.Cond() > 1e13 {
		return 0, ErrSingular
	}
	var solved mat.VecDense
	if err := cholesky.SolveVecTo(&solved, difference); err != nil {
		return 0, fmt.Errorf("%w: %v", ErrSingular, err)
	}
	return math.Max(mat.Dot(difference, &solved), 0), nil
}

// denseOf copies the rows into a matrix.
func denseOf(name string, rows [][]float64) (*mat.Dense, error) {
	if len(rows) == 0 || len(rows[0]) == 0 {
		return nil, argument.Wrong(name, len(rows), "must have a row and a column at least")
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			return nil, argument.Wrong(name, len(row), "must all have the same length")
		}
		for _, value := range row {
			if math.IsNaN(value) || math.IsInf(value, 0) {
				return nil, argument.Wrong(name, value, "must be finite numbers")
			}
		}
		x.SetRow(i, row)
	}
	return x, nil
}
