package stats

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/special"
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
// that are not valid are refused. Where the distribution would take long to compute, its ends are cut
// off, and what is lost, at most 1e-12 in all, is added to both p-values: they are never too small. Of strata that can
// take more than 20,000 values it is not written out: its tails are found from its characteristic function, to
// rounding. The end of the context ends it with its cause.
func StratifiedExact(ctx context.Context, strata []Stratum) (StratifiedExactResult, error) {
	return stratifiedExact(ctx, strata, nil)
}

// stratifiedExact is the test over strata of independent trials and strata of clusters.
func stratifiedExact(ctx context.Context, strata []Stratum, clusters []ClusterStratum) (StratifiedExactResult, error) {
	if err := validateStrata(strata); err != nil {
		return StratifiedExactResult{}, err
	}
	result := StratifiedExactResult{PLess: 1, PTwoSided: 1}
	like := alike(strata)
	if len(clusters) == 0 && supports(like) > mostConvolved {
		return stratifiedOfMany(ctx, like)
	}
	var sum convolution
	observed := 0
	for _, same := range like {
		result.Informative += same.times
		observed += same.passes
		sum.add(ctx, candidatePasses(same.stratum), same.times)
	}
	for _, c := range clusters {
		for _, block := range c.blocks() {
			law, ok := block.law(ctx)
			if !ok {
				return StratifiedExactResult{}, argument.Wrong("clusters", len(block.totals),
					"are too many for the exact test")
			}
			result.Informative++
			observed += block.observed
			sum.add(ctx, law, 1)
		}
	}
	if ctx.Err() != nil {
		return StratifiedExactResult{}, context.Cause(ctx)
	}
	if sum.beyond() {
		return StratifiedExactResult{}, argument.Wrong("strata", len(strata),
			"have too many trials for the exact test; use the Cochran-Mantel-Haenszel test")
	}
	if result.Informative > 0 {
		result.PLess, result.PTwoSided = sum.total.tails(observed)
		result.PLess = math.Min(1, result.PLess+sum.lost)
		result.PTwoSided = math.Min(1, result.PTwoSided+sum.lost)
	}
	return result, nil
}

// mostConvolved is the number of values that all strata can take together, up to which distributions are convolved.
// Chosen: it takes a fifth of a second.
const mostConvolved = 20_000

// supports is the number of values that all strata can take.
func supports(groups []alikeStrata) (values float64) {
	for _, g := range groups {
		h := candidateGivenTotal(g.stratum.Baseline, g.stratum.Candidate)
		values += float64(g.times) * float64(h.Most()-h.Least()+1)
	}
	return values
}

// stratifiedOfMany is the test of strata that can take many values; see [hypergeometricSum].
func stratifiedOfMany(ctx context.Context, groups []alikeStrata) (StratifiedExactResult, error) {
	less, informative, err := lessOfMany(ctx, groups)
	if err != nil {
		return StratifiedExactResult{}, err
	}
	twoSided := hypergeometricSumOf(groups).noMoreLikely(ctx, passesOf(groups))
	if ctx.Err() != nil {
		return StratifiedExactResult{}, context.Cause(ctx)
	}
	return StratifiedExactResult{PLess: less, PTwoSided: twoSided, Informative: informative}, nil
}

// lessOfMany is its p-value against "the candidate is worse" alone, and the number of informative strata.
func lessOfMany(ctx context.Context, groups []alikeStrata) (p float64, informative int, err error) {
	for _, g := range groups {
		informative += g.times
	}
	p = hypergeometricSumOf(groups).atMost(ctx, passesOf(groups))
	if ctx.Err() != nil {
		return math.NaN(), 0, context.Cause(ctx)
	}
	return p, informative, nil
}

// passesOf are the candidate's passes in all strata.
func passesOf(groups []alikeStrata) (passes int64) {
	for _, g := range groups {
		passes += int64(g.passes)
	}
	return passes
}

// alikeStrata are strata of the same margins, whose distributions are the same.
type alikeStrata struct {
	stratum Stratum
	times   int
	passes  int // of the candidate, in all of them
}

// alike groups the informative strata by their margins, in a fixed order: thousands of inputs with one
// trial a side are one distribution.
func alike(strata []Stratum) (groups []alikeStrata) {
	at := map[[3]int]int{}
	for _, s := range strata {
		if !s.informative() {
			continue
		}
		key := [3]int{s.Baseline.Trials, s.Candidate.Trials, s.Baseline.Passes + s.Candidate.Passes}
		i, known := at[key]
		if !known {
			i = len(groups)
			at[key] = i
			groups = append(groups, alikeStrata{stratum: s})
		}
		groups[i].times++
		groups[i].passes += s.Candidate.Passes
	}
	return groups
}

// convolution is the distribution of a sum that grows by one variable after the other.
type convolution struct {
	total massFunction
	work  float64
	lost  float64 // probability that was cut off at the ends
}

// maxConvolutionWork is the number of multiplications, about half a second, from which on the ends of
// distributions are cut off.
const maxConvolutionWork = 5e8

// cutOff is the probability that is cut off at either end of a distribution then.
const cutOff = 1e-20

// add adds so many independent variables of one distribution, by squaring.
func (c *convolution) add(ctx context.Context, one massFunction, times int) {
	if c.total.mass == nil {
		c.total = massFunction{mass: []float64{1}}
	}
	for power := one; ctx.Err() == nil && !c.beyond(); {
		if times&1 == 1 {
			c.total = c.product(ctx, c.total, power, 1)
		}
		if times >>= 1; times == 0 {
			return
		}
		power = c.product(ctx, power, power, times)
	}
}

// beyond reports whether the sum has become too much work even with its ends cut off.
func (c *convolution) beyond() bool { return c.work > 10*maxConvolutionWork }

// product returns the distribution of the sum of two independent variables, cut off where the work
// has become large. What is lost of a factor is lost as many times as it will be used.
func (c *convolution) product(ctx context.Context, f, g massFunction, used int) massFunction {
	cost := func() float64 { return float64(len(f.mass)) * float64(len(g.mass)) }
	if c.work+cost() > maxConvolutionWork {
		f, g = f.trimmed(cutOff), g.trimmed(cutOff)
		c.lost += 4 * cutOff * float64(used)
	}
	if c.work += cost(); c.beyond() {
		return f
	}
	return f.plus(ctx, g)
}

// trimmed leaves out values at both ends with at most this probability each.
func (f massFunction) trimmed(loss float64) massFunction {
	low, high := 0, len(f.mass)
	for sum := 0.0; low < high-1; low++ {
		if sum += f.mass[low]; sum > loss {
			break
		}
	}
	for sum := 0.0; high > low+1; high-- {
		if sum += f.mass[high-1]; sum > loss {
			break
		}
	}
	return massFunction{first: f.first + low, mass: f.mass[low:high]}
}

// negligibleMass is what a mass function leaves out at its ends: beyond the
// smallest normal float64 nothing keeps its relative precision.
const negligibleMass = 1e-305

// massFunction holds P(X = first+i).
type massFunction struct {
	first int
	mass  []float64
}

// candidatePasses returns the distribution of the candidate's passes in a stratum,
// given its margins.
func candidatePasses(s Stratum) massFunction {
	return hypergeometricMass(dist.Hypergeometric{
		Population: s.Baseline.Trials + s.Candidate.Trials,
		Successes:  s.Baseline.Passes + s.Candidate.Passes,
		Draws:      s.Candidate.Trials,
	})
}

// hypergeometricMass returns all probabilities: from the mode outwards by ratios of neighbours, then scaled.
func hypergeometricMass(h dist.Hypergeometric) massFunction {
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
		floats.AddScaled(mass[j:j+len(f.mass)], weight, f.mass)
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
