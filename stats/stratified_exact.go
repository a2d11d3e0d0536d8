package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats/dist"
)

// StratifiedExactResult is the outcome of [StratifiedExact].
type StratifiedExactResult struct {
	PLess       float64 // against "the candidate is worse"
	PTwoSided   float64 // against any common difference
	Informative int     // strata that entered; without any both p-values are 1
}

// StratifiedExact is the exact conditional test of H0: within every stratum both
// sides pass at the same rate, against a difference of one sign common to the
// strata. The statistic is the candidate's total of passes. Given the passes and
// the sizes of each stratum, its distribution under H0 is that of a sum of
// independent hypergeometric variables, which is the permutation of outcomes
// within strata (Mehta, Patel & Gray 1985, JASA 80:969). With one stratum it is
// Fisher's exact test.
//
// PLess is the probability of so small a total or a smaller one, summed from the
// tail itself. PTwoSided is the probability of all totals that are no more likely
// than the observed one, as in Fisher's two-sided test and R's
// mantelhaen.test(exact = TRUE), with its relative tolerance of 1e-7 for ties.
// Probabilities below 1e-300 are returned as 0.
//
// Strata without information are skipped, as in [CochranMantelHaenszel]. Counts
// that are not valid are refused, and strata so large that the distribution would
// take seconds to compute: there the normal approximation is excellent. The end of the
// context ends it with its cause.
func StratifiedExact(ctx context.Context, strata []Stratum) (StratifiedExactResult, error) {
	if err := validateStrata(strata); err != nil {
		return StratifiedExactResult{}, err
	}
	result := StratifiedExactResult{PLess: 1, PTwoSided: 1}
	total := massFunction{mass: []float64{1}}
	observed, work := 0, 0.0
	for _, s := range strata {
		if !s.informative() {
			continue
		}
		one := candidatePasses(s)
		if work += float64(len(one.mass)) * float64(len(total.mass)); work > maxConvolutionWork {
			return StratifiedExactResult{}, argumentError("strata", len(strata),
				"have too many trials for the exact test; use the Cochran-Mantel-Haenszel test")
		}
		result.Informative++
		observed += s.Candidate.Passes
		if total = total.plus(ctx, one); ctx.Err() != nil {
			return StratifiedExactResult{}, context.Cause(ctx)
		}
	}
	if result.Informative > 0 {
		result.PLess, result.PTwoSided = total.tails(observed)
	}
	return result, nil
}

// maxConvolutionWork bounds the multiplications of a test, to about two seconds.
const maxConvolutionWork = 2e9

// negligibleMass is what a mass function leaves out at its ends: beyond the
// smallest normal float64 nothing keeps its relative precision.
const negligibleMass = 1e-305

// massFunction holds P(X = first+i).
type massFunction struct {
	first int
	mass  []float64
}

// candidatePasses returns the distribution of the candidate's passes in a stratum,
// given its margins: from the mode outwards by ratios of neighbours, then scaled.
func candidatePasses(s Stratum) massFunction {
	h := dist.Hypergeometric{
		Population: s.Baseline.Trials + s.Candidate.Trials,
		Successes:  s.Baseline.Passes + s.Candidate.Passes,
		Draws:      s.Candidate.Trials,
	}
	mode := int(float64(h.Draws+1) * (float64(h.Successes+1) / float64(h.Population+2)))
	mode = min(max(mode, h.Least()), h.Most())
	below, above := []float64(nil), []float64{1}
	for x, m := mode, 1.0; x > h.Least(); x-- {
		if m *= h.RatioBelow(x); m < negligibleMass {
			break
		}
		below = append(below, m)
	}
	for x, m := mode, 1.0; x < h.Most(); x++ {
		if m /= h.RatioBelow(x + 1); m < negligibleMass {
			break
		}
		above = append(above, m)
	}
	mass := make([]float64, 0, len(below)+len(above))
	for i := len(below) - 1; i >= 0; i-- {
		mass = append(mass, below[i])
	}
	mass = append(mass, above...)
	var total special.Accumulator
	for _, m := range mass {
		total.Add(m)
	}
	sum := total.Sum()
	for i := range mass {
		mass[i] /= sum
	}
	return massFunction{first: mode - len(below), mass: mass}
}

// plus returns the distribution of the sum of two independent variables. It is of no use
// if the context has ended.
func (f massFunction) plus(ctx context.Context, g massFunction) massFunction {
	mass := make([]float64, len(f.mass)+len(g.mass)-1)
	for j, weight := range g.mass {
		if ctx.Err() != nil {
			break
		}
		into := mass[j : j+len(f.mass)]
		for i, m := range f.mass {
			into[i] += weight * m
		}
	}
	low, high := 0, len(mass)
	for low < high-1 && mass[low] < negligibleMass {
		low++
	}
	for high > low+1 && mass[high-1] < negligibleMass {
		high--
	}
	return massFunction{first: f.first + g.first + low, mass: mass[low:high]}
}

// tails returns P(X <= x), and the probability of all values that are no more
// likely than x.
func (f massFunction) tails(x int) (lower, noMoreLikely float64) {
	const ties = 1 + 1e-7
	at := 0.0
	if i := x - f.first; i >= 0 && i < len(f.mass) {
		at = f.mass[i]
	}
	for i, m := range f.mass {
		if f.first+i <= x {
			lower += m
		}
		if m <= at*ties {
			noMoreLikely += m
		}
	}
	return math.Min(lower, 1), math.Min(noMoreLikely, 1)
}
