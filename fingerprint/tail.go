package fingerprint

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// quadratic is a sum of squares Σ weight·y² over the principal axes of the pool, in
// units in which it lies between 0 and 1, with a reference distribution under
// permutation. The reference puts several statistics on one scale; no p-value is
// taken from it.
type quadratic struct {
	weights []float64
	tail    tail
}

// newQuadratic has the factors ω_k of the squares of the standardised coordinates.
// Permuted normal vectors have coordinates that are a random direction in as many
// dimensions as there are degrees of freedom: their squares are Dirichlet, and the
// weighted sum has the beta distribution with the same mean and variance. It is
// that of the unshrunk T² exactly.
func newQuadratic(factors, variances []float64, spread float64, trials, freedom int) quadratic {
	largest, sum, squares := 0.0, 0.0, 0.0
	for _, f := range factors {
		largest = max(largest, f)
	}
	q := quadratic{weights: make([]float64, len(factors))}
	m := float64(freedom)
	for k, f := range factors {
		if f == 0 {
			continue
		}
		f /= largest
		sum += f
		squares += f * f
		q.weights[k] = f / (variances[k] * spread * float64(trials) * m)
	}
	mean := sum / m
	variance := 2 * (m*squares - sum*sum) / (m * m * (m + 2))
	size := mean*(1-mean)/variance - 1
	q.tail = newTail(mean*size, (1-mean)*size)
	return q
}

// minusLogP returns minus the logarithm of the tail probability of the squares.
func (q *quadratic) minusLogP(squares []float64) float64 {
	x := 0.0
	for k, w := range q.weights {
		x += w * squares[k]
	}
	return q.tail.minusLogP(x)
}

// tail tabulates -log P(X > x) of a beta distribution over -log(1-x), in which it
// becomes a line.
type tail struct {
	step   float64
	values []float64 // rising; nil: there is no spread, and -log(1-x) itself is returned
}

// tailPoints is how many points of the curve are tabulated; between them it is a line.
const tailPoints = 256

// nearlyOne is where sides that differ by all that there is count as equally far
// apart: beyond it the logarithm would blow up rounding errors of the squares past
// the tie, and sides that are exchanged as a whole would not differ as before.
const nearlyOne = 1 - 1e-6

// newTail tabulates the tail of Beta(a, b), up to where 1-x or the probability is so
// small that nothing observed lies beyond.
func newTail(a, b float64) tail {
	if !(a > 0 && b > 0) || math.IsInf(a, 1) || math.IsInf(b, 1) {
		return tail{}
	}
	at := func(y float64) float64 {
		// X/(1-X)·b/a has the F distribution with 2a and 2b degrees of freedom.
		return -math.Log(dist.FSurvival(math.Expm1(y)*b/a, 2*a, 2*b))
	}
	end := 1.0
	for end < 200 && at(end) < 60 {
		end *= 1.5
	}
	for end > 1e-6 && !(at(end) < 600) {
		end /= 1.5
	}
	t := tail{step: end / (tailPoints - 1), values: make([]float64, tailPoints)}
	for i := range t.values {
		t.values[i] = at(float64(i) * t.step)
		if i > 0 && !(t.values[i] > t.values[i-1]) {
			t.values[i] = t.values[i-1] + 1e-9 // the table must rise, also where rounding hides that it does
		}
	}
	return t
}

// minusLogP returns -log P(X > x), interpolated; beyond the table it goes on as the
// last line does.
func (t *tail) minusLogP(x float64) float64 {
	y := -math.Log1p(-math.Min(x, nearlyOne))
	if t.values == nil {
		return y
	}
	place := y / t.step
	i := min(int(place), tailPoints-2)
	return t.values[i] + (place-float64(i))*(t.values[i+1]-t.values[i])
}
