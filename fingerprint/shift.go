package fingerprint

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Equivalence says which shifts of a column's mean are excluded.
type Equivalence struct {
	Shift float64 `json:"shift"` // asked for, in standard deviations of a trial within its scenario, above 0
	Beta  float64 `json:"beta"`  // probability of excluding a shift that is there, between 0 and 1
	// Excluded is the smallest shift that is excluded in every tested column, either way;
	// nil where none is, as there are too few trials.
	Excluded *float64 `json:"excluded"`
	Column   string   `json:"column"` // the column that allows the largest shift
	Shown    bool     `json:"shown"`  // Excluded is at most Shift
}

// shiftRelabelings is how many relabelings a limit is taken from, where there are more. The number is
// chosen: at beta 0.1 the limit is the 200th of them.
const shiftRelabelings = 1999

// equivalence finds the smallest shift that can be excluded in every column.
//
// H0 of a column and a direction: the candidate's values are those of the baseline plus a
// shift. Taking the shift off again makes the trials exchangeable, so that a permutation test of the means
// excludes it at beta; the smallest excluded one is the limit of a permutation interval (Garthwaite 1996,
// Biometrics 52:1387). Sums are linear in the shift, so that one set of relabelings serves all of them. That
// every column excludes its shift at beta bounds by beta the chance that all do where one has it (Berger 1982).
//
// The shift is in standard deviations, which are estimated: the error of that, by the fourth moment of the
// residuals, is added to the distance of the limit, as variances of independent errors are.
func (p *pool) equivalence(
	ctx context.Context, columns []Column, o Options, random *rand.Rand,
) (*Equivalence, error) {
	e := &Equivalence{Shift: o.Shift, Beta: o.Beta}
	freedom := float64(p.freedom() - 1)
	if freedom < 1 {
		return e, nil
	}
	estimates, err := p.shifts(ctx, o.Beta, random)
	if err != nil {
		return nil, err
	}
	z := dist.NormalUpperQuantile(o.Beta)
	largest := -1.0
	for k, s := range estimates {
		sd, unsure := p.deviation(k, s.mean)
		for _, away := range []struct{ mean, limit float64 }{{s.mean, s.high}, {-s.mean, -s.low}} {
			bound := excludedShift(away.mean/sd, (away.limit-away.mean)/sd, z*unsure)
			if math.IsNaN(bound) {
				bound = math.Inf(1)
			}
			if bound = math.Max(bound, 0); bound > largest {
				largest = bound
				e.Column = columns[p.tested[k]].Name
			}
		}
	}
	if !math.IsInf(largest, 1) && largest >= 0 {
		e.Excluded = &largest
		e.Shown = largest <= o.Shift
	}
	return e, nil
}

// excludedShift solves (s - mean)² = error² + (unsure·s)² for the larger s.
func excludedShift(mean, err, unsure float64) float64 {
	rest := 1 - unsure*unsure
	if !(rest > 0) || math.IsInf(err, 1) {
		return math.Inf(1)
	}
	return (mean + math.Sqrt(math.Max(0, mean*mean-rest*(mean*mean-err*err)))) / rest
}

// shift is the difference of the sides' means, with the limits below and above which it is excluded. All are in
// the units of residuals; the picked side's mean is the first of the difference.
type shift struct{ mean, low, high float64 }

// shifts returns the shift of each tested column.
func (p *pool) shifts(ctx context.Context, beta float64, random *rand.Rand) ([]shift, error) {
	d := len(p.tested)
	r := p.permutation()
	labels := p.labels(r)
	observed := make([]float64, d)
	p.sumPicked(r, observed)
	sums := make([]float64, d)
	ratios := make([][]float64, d)
	rest := make([]float64, d) // what the labels of a relabeling lack of those observed
	weights := make([]float64, d)
	same := make([]int, d)
	for j := range weights {
		weights[j] = p.weightOf(j)
	}
	looks := 0
	look := func() bool {
		if looks++; looks%64 == 0 && ctx.Err() != nil {
			return false
		}
		clear(sums)
		p.sumPicked(r, sums)
		clear(rest)
		for k, s := range r.strata {
			lacks := s.weight()
			for _, row := range r.rows[s.from : s.from+r.picked[k]] {
				lacks -= labels[row]
			}
			for j := range rest {
				if p.knows(s, j) {
					rest[j] += lacks
				}
			}
		}
		for j := range ratios {
			// A relabeling that is the observed one cannot tell any shift.
			if rest[j] <= tie*weights[j] {
				same[j]++
			} else {
				ratios[j] = append(ratios[j], (observed[j]-sums[j])/rest[j])
			}
		}
		return true
	}
	total, few := r.total(shiftRelabelings + 1)
	if few {
		r.each(look)
	} else {
		total = shiftRelabelings + 1
		for j := range same {
			same[j]++ // the observed one, beside those drawn
		}
		for range shiftRelabelings {
			r.shuffle(random)
			if !look() {
				break
			}
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// A shift is excluded if at most so many relabelings are as far below it.
	list := make([]shift, d)
	for j := range list {
		most := int(beta*float64(total)*(1+1e-12)) - same[j]
		list[j] = shift{observed[j] / weights[j], math.Inf(-1), math.Inf(1)}
		if most >= 0 && most < len(ratios[j]) {
			slices.Sort(ratios[j])
			list[j].low = ratios[j][most]
			list[j].high = ratios[j][len(ratios[j])-1-most]
		}
	}
	return list, nil
}

// labels are 1 for the picked side and 0 for the other, less their mean in the stratum.
func (p *pool) labels(r *permutation) []float64 {
	labels := make([]float64, len(p.values))
	for k, s := range r.strata {
		share := float64(r.picked[k]) / float64(s.to-s.from)
		for i := s.from; i < s.to; i++ {
			labels[r.rows[i]] = -share
			if i < s.from+r.picked[k] {
				labels[r.rows[i]]++
			}
		}
	}
	return labels
}

// sumPicked adds the residuals of the picked side.
func (p *pool) sumPicked(r *permutation, sums []float64) {
	for k, s := range r.strata {
		for _, row := range r.rows[s.from : s.from+r.picked[k]] {
			floats.Add(sums, p.residuals[row])
		}
	}
}

// deviation is the standard deviation of a column's residuals without the difference of the
// sides, and its own relative standard error, by their kurtosis.
func (p *pool) deviation(k int, mean float64) (sd, relative float64) {
	labels := p.labels(p.permutation())
	squares, fourth, rows := 0.0, 0.0, 0.0
	known := -1 // degrees of freedom: one is the difference's
	for _, s := range p.strata {
		if !p.knows(s, k) {
			continue
		}
		rows += float64(s.to - s.from)
		known += s.to - s.from - 1
		for i := s.from; i < s.to; i++ {
			x := p.residuals[i][k] - mean*labels[i]
			squares += x * x
			fourth += x * x * x * x
		}
	}
	n := float64(known)
	// Residuals have a size of about 1: below that there is nothing but rounding, and no unit for a shift.
	if n < 1 || squares < 1e-12*rows {
		return 0, math.NaN()
	}
	kurtosis := fourth * rows / (squares * squares)
	return math.Sqrt(squares / n), math.Sqrt(math.Max(kurtosis-1, 0) / (4 * n))
}
