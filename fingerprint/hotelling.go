package fingerprint

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/tribunal-dev/tribunal/stats/dist"
)

// HotellingResult is the outcome of Hotelling's test of two samples.
type HotellingResult struct {
	TSquared   float64 `json:"t_squared"`
	F          float64 `json:"f"`
	D1         int     `json:"d1"` // degrees of freedom of F: columns, and
	D2         int     `json:"d2"` // trials - columns - 1
	P          float64 `json:"p"`
	Distance   float64 `json:"distance"`   // Mahalanobis distance of the means; too large on average, the more so the fewer trials
	Components int     `json:"components"` // principal components tested; the columns, if there was no projection
}

// Hotelling is Hotelling's two-sample T² test of equal means against any difference
// of them (Hotelling 1931), from the pooled covariance within the sides:
// T²·(n-d-1)/((n-2)·d) is compared with F(d, n-d-1), n the trials of both sides. The
// level is nominal if both sides are normal with one covariance. It needs n >= d+2
// trials, at least one on each side, or refuses with [ErrTooFewTrials], and a
// covariance that can be inverted, or refuses with [ErrSingular].
func Hotelling(baseline, candidate [][]float64) (HotellingResult, error) {
	b, err := denseOf("baseline", baseline)
	if err != nil {
		return HotellingResult{}, err
	}
	c, err := denseOf("candidate", candidate)
	if err != nil {
		return HotellingResult{}, err
	}
	nb, d := b.Dims()
	nc, dc := c.Dims()
	if d != dc {
		return HotellingResult{}, argumentError("candidate", dc, fmt.Sprintf("columns must be as many as the baseline's %d", d))
	}
	if nb+nc < d+2 {
		return HotellingResult{}, fmt.Errorf("%w: Hotelling's test of %d columns needs %d trials on both sides together, and there are %d",
			ErrTooFewTrials, d, d+2, nb+nc)
	}
	within := mat.NewSymDense(d, nil)
	difference := mat.NewVecDense(d, nil)
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
		scatter.SymOuterK(1/float64(nb+nc-2), side.T())
		within.AddSym(within, &scatter)
	}
	distance2, err := mahalanobis2(within, difference)
	if err != nil {
		return HotellingResult{}, err
	}
	r := HotellingResult{TSquared: float64(nb) * float64(nc) / float64(nb+nc) * distance2, D1: d, D2: nb + nc - d - 1,
		Distance: math.Sqrt(distance2), Components: d}
	r.F = r.TSquared * float64(r.D2) / (float64(nb+nc-2) * float64(d))
	r.P = dist.FSurvival(r.F, float64(r.D1), float64(r.D2))
	return r, nil
}

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
