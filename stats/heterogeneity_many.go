package stats

import (
	"context"
	"encoding/binary"
	"iter"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// HeterogeneityOfMany is [Heterogeneity] for so many groups that its statistic, a sum over them, need not be drawn: P
// is the upper tail of the gamma distribution that has its mean, variance and third cumulant. Given the total of passes
// the mean is the number of groups; variance and third cumulant are those of the groups' parts less their regression on
// the passes (Holst 1979, Annals of Probability 7:551), each computed from the group's distribution under the common
// factor. Groups of the same margins share one distribution, so that time and memory grow with the kinds of groups
// alone.
//
// It is 1 with fewer than two groups that can differ, and where the total leaves the statistic nothing to vary by, as
// in groups of a single trial a side. Counts that are not valid are refused.
func HeterogeneityOfMany(ctx context.Context, groups iter.Seq[[]Stratum]) (float64, error) {
	kinds, observed, err := kindsOfGroups(ctx, groups)
	if err != nil {
		return math.NaN(), err
	}
	varied := 0
	for _, k := range kinds {
		varied += k.times
	}
	if varied < 2 {
		return 1, nil
	}
	parts := make([]tiltedLaw, len(kinds))
	times := make([]int, len(kinds))
	for i, k := range kinds {
		parts[i], times[i] = tiltedLaw{law: k.law}, k.times
	}
	fitTimes(parts, times, observed)
	statistic, groupsOf := 0.0, 0.0
	var cumulants heterogeneityCumulants
	for i := range parts {
		if parts[i].variance < 1e-9 {
			continue
		}
		groupsOf += float64(times[i])
		for passes, n := range kinds[i].seen {
			statistic += float64(n) * parts[i].distance(passes)
		}
		cumulants.slope(&parts[i], float64(times[i]))
	}
	for i := range parts {
		if parts[i].variance >= 1e-9 {
			cumulants.rest(&parts[i], float64(times[i]))
		}
	}
	return cumulants.p(statistic-groupsOf, groupsOf), nil
}

// kindOfGroups are groups of the same strata: their distribution, how many they are, and how often each number of
// passes of the candidate was seen.
type kindOfGroups struct {
	law   massFunction
	times int
	seen  map[int]int
}

// kindsOfGroups are the kinds of groups whose passes can vary, in the order in which they come, and the candidate's
// passes in them.
func kindsOfGroups(ctx context.Context, groups iter.Seq[[]Stratum]) (kinds []kindOfGroups, observed int, err error) {
	at := map[string]int{}
	var key []byte
	for strata := range groups {
		if err := validateStrata(strata); err != nil {
			return nil, 0, err
		}
		same := alike(strata)
		passes := 0
		key = key[:0]
		for _, s := range same {
			passes += s.passes
			for _, n := range [...]int{s.stratum.Baseline.Trials, s.stratum.Candidate.Trials,
				s.stratum.Baseline.Passes + s.stratum.Candidate.Passes, s.times} {
				key = binary.AppendUvarint(key, uint64(n))
			}
		}
		i, known := at[string(key)]
		if !known {
			if ctx.Err() != nil {
				return nil, 0, context.Cause(ctx)
			}
			var sum convolution
			for _, s := range same {
				sum.add(ctx, candidatePasses(s.stratum), s.times)
			}
			if sum.beyond() {
				return nil, 0, argument.Wrong("groups", len(kinds)+1, "have too many trials for the exact test")
			}
			i = len(kinds)
			at[string(key)] = i
			kinds = append(kinds, kindOfGroups{law: sum.total.trimmed(cutOff), seen: map[int]int{}})
		}
		if k := &kinds[i]; len(k.law.mass) > 1 {
			k.times++
			k.seen[passes]++
			observed += passes
		}
	}
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	varied := kinds[:0]
	for _, k := range kinds {
		if k.times > 0 {
			varied = append(varied, k)
		}
	}
	return varied, observed, nil
}

// fitTimes is [fit] for groups that come several times.
func fitTimes(parts []tiltedLaw, times []int, observed int) {
	low, high := -50.0, 50.0
	for range 80 {
		middle := (low + high) / 2
		total := 0.0
		for i := range parts {
			parts[i].tilt(middle)
			total += float64(times[i]) * parts[i].mean
		}
		if total < float64(observed) {
			low = middle
		} else {
			high = middle
		}
	}
}

// heterogeneityCumulants are those of the statistic given the total of passes.
type heterogeneityCumulants struct {
	covariance, passes float64 // of the groups' distances with their passes, and the passes' variance
	variance, third    float64
}

// slope adds what the regression of distances on passes is taken from.
func (c *heterogeneityCumulants) slope(t *tiltedLaw, times float64) {
	cube := t.central(func(d float64) float64 { return d * d * d })
	c.covariance += times * cube / t.variance
	c.passes += times * t.variance
}

// rest adds the cumulants of what the regression leaves.
func (c *heterogeneityCumulants) rest(t *tiltedLaw, times float64) {
	b := c.covariance / c.passes
	left := func(d float64) float64 { return d*d/t.variance - 1 - b*d }
	square := t.central(func(d float64) float64 { return left(d) * left(d) })
	cube := t.central(func(d float64) float64 { return left(d) * left(d) * left(d) })
	c.variance += times * square
	c.third += times * cube
}

// central is the mean of a function of the passes less their mean, under the tilted distribution.
func (t *tiltedLaw) central(f func(d float64) float64) float64 {
	top, sum, mean := math.Inf(-1), 0.0, 0.0
	for i, m := range t.law.mass {
		if m > 0 {
			top = math.Max(top, math.Log(m)+t.log*float64(i))
		}
	}
	for i, m := range t.law.mass {
		if m <= 0 {
			continue
		}
		w := math.Exp(math.Log(m) + t.log*float64(i) - top)
		sum += w
		mean += w * f(float64(t.law.first+i)-t.mean)
	}
	return mean / sum
}

// p is the upper tail at a distance above the mean, for so many groups.
func (c *heterogeneityCumulants) p(above, groups float64) float64 {
	// What is left is rounding: the total determines the statistic.
	if c.variance <= 1e-9*groups {
		return 1
	}
	sd := math.Sqrt(c.variance)
	skew := c.third / (c.variance * sd)
	if skew < 1e-3 {
		return dist.NormalSurvival(above / sd)
	}
	// A gamma distribution of shape k has a skewness of 2/√k.
	shape := 4 / (skew * skew)
	return distuv.Gamma{Alpha: shape, Beta: math.Sqrt(shape)}.Survival(above/sd + math.Sqrt(shape))
}
