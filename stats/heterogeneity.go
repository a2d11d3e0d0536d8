package stats

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"sort"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// mostGiven is how many tables of cumulated weights are kept to be drawn from again; others are computed anew. Chosen:
// with those of a scenario of some ten thousand trials they take a few megabytes.
const mostGiven = 2000

// heterogeneityDraws is how many tables are drawn, beside the observed one. The number is chosen.
const heterogeneityDraws = 9999

// Heterogeneity tests H0: the odds of passing change by the same factor in every group, against "the groups
// differ in their change". A group is one scenario, with the strata that are compared within it. Given the
// margins of all strata and the candidate's total of passes, the distribution of the groups' passes does not
// depend on the common factor (Zelen 1971, Biometrika 58:129), so the test is exact whatever that is. The
// statistic is Pearson's, as in Breslow and Day (1980): squares of the groups' passes less what the common
// factor makes expect, over their variances. P is that of tables drawn from that
// distribution, (hits+1)/(draws+1), from a fixed seed: it is a valid p-value, and ends early at
// hits/draws once so many are as extreme that it cannot be small (Besag & Clifford 1991).
//
// It is 1 with fewer than two groups that can differ. Counts that are not valid are refused.
func Heterogeneity(ctx context.Context, groups iter.Seq[[]Stratum], seed uint64) (float64, error) {
	var parts []tiltedLaw
	observed := 0
	for strata := range groups {
		if err := validateStrata(strata); err != nil {
			return math.NaN(), err
		}
		var sum convolution
		passes := 0
		for _, same := range alike(strata) {
			passes += same.passes
			sum.add(ctx, candidatePasses(same.stratum), same.times)
		}
		if sum.beyond() {
			return math.NaN(), argument.Wrong("groups", len(parts)+1, "have too many trials for the exact test")
		}
		if law := sum.total.trimmed(cutOff); len(law.mass) > 1 {
			parts = append(parts, tiltedLaw{law: law, seen: passes})
			observed += passes
		}
	}
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	if len(parts) < 2 {
		return 1, nil
	}
	return drawHeterogeneity(ctx, parts, observed, seed)
}

// tiltedLaw is the distribution of a group's passes, and its mean and variance under the common factor.
type tiltedLaw struct {
	law            massFunction
	seen           int
	mean, variance float64
	log            float64      // of the factor
	before         massFunction // of the sum of the groups before
}

// tilt sets mean and variance where odds change by exp(log).
func (t *tiltedLaw) tilt(log float64) {
	t.log = log
	top := math.Inf(-1)
	for i, m := range t.law.mass {
		if m > 0 {
			top = math.Max(top, math.Log(m)+log*float64(i))
		}
	}
	var sum, first, second float64
	for i, m := range t.law.mass {
		if m <= 0 {
			continue
		}
		w := math.Exp(math.Log(m) + log*float64(i) - top)
		x := float64(i)
		sum, first, second = sum+w, first+w*x, second+w*x*x
	}
	mean := first / sum
	t.mean, t.variance = float64(t.law.first)+mean, math.Max(second/sum-mean*mean, 0)
}

// fit finds the common factor at which the expected total is the observed one.
func fit(parts []tiltedLaw, observed int) {
	low, high := -50.0, 50.0
	for range 80 {
		middle := (low + high) / 2
		total := 0.0
		for i := range parts {
			parts[i].tilt(middle)
			total += parts[i].mean
		}
		if total < float64(observed) {
			low = middle
		} else {
			high = middle
		}
	}
}

// distance is Pearson's statistic of one group.
func (t *tiltedLaw) distance(passes int) float64 {
	d := float64(passes) - t.mean
	if t.variance < 1e-9 {
		return 0 // at an end of its range, where every table with this total has it
	}
	return d * d / t.variance
}

// drawHeterogeneity draws the tables: the last group first, given the total, from the distribution of the
// sum of those before it.
func drawHeterogeneity(ctx context.Context, parts []tiltedLaw, observed int, seed uint64) (float64, error) {
	fit(parts, observed)
	sum, statistic := massFunction{mass: []float64{1}}, 0.0
	for i := range parts {
		parts[i].before = sum
		sum = sum.plus(ctx, parts[i].law)
		statistic += parts[i].distance(parts[i].seen)
	}
	if ctx.Err() != nil {
		return math.NaN(), context.Cause(ctx)
	}
	random := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	given := map[[2]int][]float64{} // cumulated weights, by group and what is left
	limit := statistic * (1 - 1e-9)
	hits := 0
	const enough = 1000
	for draw := 1; draw <= heterogeneityDraws; draw++ {
		if ctx.Err() != nil {
			return math.NaN(), context.Cause(ctx)
		}
		left, value := observed, 0.0
		for i := len(parts) - 1; i > 0; i-- {
			passes := parts[i].draw(random, given, i, left)
			value += parts[i].distance(passes)
			left -= passes
		}
		if value += parts[0].distance(left); value >= limit {
			if hits++; hits == enough {
				return float64(hits) / float64(draw), nil
			}
		}
	}
	return float64(hits+1) / float64(heterogeneityDraws+1), nil
}

// draw draws the passes of a group, given the total of it and the groups before it.
func (t *tiltedLaw) draw(random *rand.Rand, given map[[2]int][]float64, group, left int) int {
	key := [2]int{group, left}
	weights := given[key]
	if weights == nil {
		weights = make([]float64, len(t.law.mass))
		sum := 0.0
		for i, m := range t.law.mass {
			j := left - t.law.first - i - t.before.first
			if j >= 0 && j < len(t.before.mass) {
				sum += m * t.before.mass[j]
			}
			weights[i] = sum
		}
		if len(given) < mostGiven {
			given[key] = weights
		}
	}
	u := random.Float64() * weights[len(weights)-1]
	i := sort.Search(len(weights), func(i int) bool { return weights[i] > u })
	return t.law.first + min(i, len(weights)-1)
}
