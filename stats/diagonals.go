package stats

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Tests of equal rates. On the boundary of the null hypothesis both systems pass
// at the same rate p, so the total of passes s is sufficient: it is
// Binomial(N, p), and given s the candidate's passes are hypergeometric whatever
// p is. A test that rejects, for each total, at few candidate passes therefore
// rejects with probability
//
//	f(p) = Σ_s Binomial(s; N, p) · A(s),  A(s) = P(passes <= cut(s) | s),
//
// one short sum for a thousand trials a side, where the two-way sum over all
// tables would take a million terms.

// diagonals is the event "candidate passes <= cut[s]", s being the total of
// passes, seen as a function of the common rate.
type diagonals struct {
	baseline, candidate int       // trials
	cut                 []int     // by total of passes; below the support where nothing is rejected
	level               []float64 // A(s)
	next                float64   // the smallest ordering value outside the event
	masses              *binomialMasses
}

// newDiagonals returns the event for so many trials a side, before its cuts are set.
func newDiagonals(baseline, candidate int) *diagonals {
	total := baseline + candidate
	return &diagonals{
		baseline: baseline, candidate: candidate,
		cut:    make([]int, total+1),
		level:  make([]float64, total+1),
		masses: newBinomialMasses(total),
	}
}

// given is the distribution of the candidate's passes given a total.
func (d *diagonals) given(total int) dist.Hypergeometric {
	return dist.Hypergeometric{Population: d.baseline + d.candidate, Successes: total, Draws: d.candidate}
}

// tie is the relative difference below which two orderings count as equal: far
// above rounding, far below the distance of different tables.
const tie = 1e-10

// orderByFisher sets the event to the tables whose one-sided Fisher p-value is at
// most the limit. From one total to the next the cut rises by 0 or 1.
func (d *diagonals) orderByFisher(limit float64) {
	d.next = math.Inf(1)
	limit *= 1 + tie
	var tail hypergeometricTail
	tail.start(d.given(0), -1)
	for s := range d.cut {
		h := d.given(s)
		tail.advance(h)
		for tail.x < h.Most() {
			above := tail.massAbove()
			if tail.below+above > limit {
				d.next = math.Min(d.next, tail.below+above)
				break
			}
			tail.raise(above)
		}
		d.cut[s], d.level[s] = tail.x, tail.below
	}
}

// orderByZ sets the event to the tables whose pooled z is at least the limit.
func (d *diagonals) orderByZ(limit float64) {
	d.next = math.Inf(1)
	nb, nc := float64(d.baseline), float64(d.candidate)
	n := nb + nc
	limit -= tie * math.Abs(limit)
	for s := range d.cut {
		h := d.given(s)
		pooled := float64(s) / n
		deviation := math.Sqrt(pooled * (1 - pooled) * n / (nb * nc))
		// z = ((s-j)/nb - j/nc) / deviation >= limit, solved for j. Where all
		// trials agree z is 0.
		bound := (float64(s)/nb - limit*deviation) / (1/nb + 1/nc)
		if deviation == 0 && limit > 0 {
			bound = -1
		}
		cut := int(math.Floor(bound + 1e-9))
		cut = min(max(cut, h.Least()-1), h.Most())
		d.cut[s], d.level[s] = cut, h.CDF(cut)
		if cut < h.Most() && deviation > 0 {
			j := float64(cut + 1)
			d.next = math.Min(d.next, -(((float64(s)-j)/nb - j/nc) / deviation))
		}
	}
}

// ceiling is the largest A(s): given the total of passes, nothing is more probable.
func (d *diagonals) ceiling() float64 { return slices.Max(d.level) }

// box has no use here: the ceiling serves tiny probabilities.
func (d *diagonals) box(low, high float64) float64 { return 1 }

// parameter takes equal steps of the arcsine of √p, in which the binomial distribution is
// about as precise everywhere.
func (d *diagonals) parameter(t float64) float64 {
	x := math.Sin(t * math.Pi / 2)
	return x * x
}

// probability sums A(s) over the totals, and its derivative by the score of the binomial
// distribution, (s - Np)/(pq).
func (d *diagonals) probability(p float64) (value, slope float64) {
	q := 1 - p
	d.masses.fill(p, q)
	mean := float64(d.masses.n) * p
	for s := d.masses.low; s <= d.masses.high; s++ {
		term := d.masses.mass[s] * d.level[s]
		value += term
		slope += term * (float64(s) - mean)
	}
	return value, slope / (p * q)
}

// distance is half the Fisher-Rao distance of two rates: that of N binomial trials is
// 2 √N |asin √y - asin √x|.
func (d *diagonals) distance(x, y float64) float64 {
	return math.Sqrt(float64(d.masses.n)) * math.Abs(math.Asin(math.Sqrt(y))-math.Asin(math.Sqrt(x)))
}

// information is N/(pq), largest at the end of the interval that is nearer to 0 or 1.
func (d *diagonals) information(low, high float64) float64 {
	return float64(d.masses.n) / math.Min(low*(1-low), high*(1-high))
}
