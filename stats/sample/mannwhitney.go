package sample

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats/dist"
)

// MannWhitneyResult is the outcome of [MannWhitney].
type MannWhitneyResult struct {
	// U is the number of pairs of a baseline's and a candidate's value in which the
	// candidate's is larger, ties counted half.
	U float64
	// PTwoSided is the p-value against either side tending to larger values.
	PTwoSided float64
	// Superiority is U over all pairs, P(candidate > baseline) + P(tie)/2, from 0 to 1.
	Superiority float64
	// Exact says that the p-value is from the permutation distribution, not the normal.
	Exact bool
}

// CliffsDelta returns P(candidate > baseline) - P(candidate < baseline), between
// -1 and 1 (Cliff 1993).
func (r MannWhitneyResult) CliffsDelta() float64 { return 2*r.Superiority - 1 }

// MannWhitney is the Wilcoxon-Mann-Whitney test of H0: both samples are from the
// same distribution, against one of them tending to larger values (Mann & Whitney
// 1947). The slices are left as they are.
//
// For small samples the p-value is exact: the probability, over all assignments of
// the values to the two sides, of a U at least as far from its mean as the observed
// one, ties in the values included (Streitberg & Röhmel 1986). For larger ones it
// is from the normal distribution with the corrections for ties and continuity.
// Samples in which all values are equal have p = 1.
//
// An empty sample and NaN are refused; infinities are only compared.
func MannWhitney(baseline, candidate []float64) (MannWhitneyResult, error) {
	if err := checkSample("baseline", baseline); err != nil {
		return MannWhitneyResult{}, err
	}
	if err := checkSample("candidate", candidate); err != nil {
		return MannWhitneyResult{}, err
	}
	ranks := rankTogether(baseline, candidate)
	pairs := float64(len(baseline)) * float64(len(candidate))
	result := MannWhitneyResult{U: float64(ranks.doubleU) / 2, Superiority: float64(ranks.doubleU) / 2 / pairs}
	if result.Exact = ranks.work() <= maxRankWork; result.Exact {
		result.PTwoSided = ranks.exactTwoSided()
	} else {
		result.PTwoSided = ranks.normalTwoSided()
	}
	return result, nil
}

// checkSample returns an [stats.ArgumentError] for an empty sample or one with NaN.
func checkSample(name string, values []float64) error {
	if len(values) == 0 {
		return argumentError(name, values, "must have at least one value")
	}
	for i, v := range values {
		if math.IsNaN(v) {
			return argumentError(fmt.Sprintf("%s value %d", name, i), v, "must be a number")
		}
	}
	return nil
}

// maxRankWork bounds the additions of an exact p-value, to some tens of
// milliseconds: 45 values against 45 are exact.
const maxRankWork = 3e7

// jointRanks are two samples reduced to what the test depends on. Ranks themselves are not kept: the
// statistic needs how many values of one side are below those of the other.
type jointRanks struct {
	baseline, candidate int
	ties                []int // sizes of the groups of equal values, in ascending order
	doubleU             int64 // 2·U, which is whole also with ties
}

// rankTogether merges both sorted samples, one group of equal values after the other.
func rankTogether(baseline, candidate []float64) jointRanks {
	b := slices.Sorted(slices.Values(baseline))
	c := slices.Sorted(slices.Values(candidate))
	r := jointRanks{baseline: len(b), candidate: len(c)}
	for i, j := 0, 0; i < len(b) || j < len(c); {
		var value float64
		if j == len(c) || i < len(b) && b[i] < c[j] {
			value = b[i]
		} else {
			value = c[j]
		}
		below := i
		for i < len(b) && b[i] == value {
			i++
		}
		first := j
		for j < len(c) && c[j] == value {
			j++
		}
		equalB, equalC := i-below, j-first
		r.ties = append(r.ties, equalB+equalC)
		// Each of the candidate's values in the group is above the baseline's before it, and ties with
		// those in it.
		r.doubleU += int64(equalC) * int64(2*below+equalB)
	}
	return r
}

// work returns the number of additions that exactTwoSided takes, about.
func (r jointRanks) work() float64 {
	small, large := float64(min(r.baseline, r.candidate)), float64(max(r.baseline, r.candidate))
	steps := 0.0
	for _, t := range r.ties {
		steps += math.Min(float64(t), small) + 1
	}
	return steps * small * small * large * r.scale()
}

// scale is 1 where U is whole in every assignment, and 2 where it may be half.
func (r jointRanks) scale() float64 {
	if len(r.ties) == r.baseline+r.candidate {
		return 1
	}
	return 2
}

// assignments returns the probability of every U of the candidate, by 2·U, over all
// assignments of the values to the two sides.
func (r jointRanks) assignments() []float64 {
	ways, scale := r.ways()
	all := 0.0
	for _, w := range ways {
		all += w
	}
	list := make([]float64, 2*r.baseline*r.candidate+1)
	for u, w := range ways {
		list[u*2/scale] = w / all
	}
	if r.baseline < r.candidate {
		slices.Reverse(list) // from the smaller side's
	}
	return list
}

// ways counts the assignments of the tie groups, in ascending order, to the smaller
// side, by scale·U: ways[a][u] is the number that give it a values and scale·U = u so
// far.
func (r jointRanks) ways() (counts []float64, scale int) {
	small, large := min(r.baseline, r.candidate), max(r.baseline, r.candidate)
	scale = int(r.scale())
	width := scale*small*large + 1
	ways, next := make([]float64, (small+1)*width), make([]float64, (small+1)*width)
	ways[0] = 1
	seen := 0
	for _, t := range r.ties {
		clear(next)
		for a := max(0, seen-large); a <= min(small, seen); a++ {
			from := ways[a*width : (a+1)*width]
			// The group's j values on the smaller side lie above the `below` values of the other side, and
			// tie with the t-j of it.
			below, choices := seen-a, 1.0
			for j := 0; j <= min(t, small-a); j++ {
				if below+t-j <= large {
					shift := j * (2*below + t - j) * scale / 2
					into := next[(a+j)*width+shift : (a+j+1)*width]
					for u, w := range from[:len(into)] {
						into[u] += choices * w
					}
				}
				choices *= float64(t-j) / float64(j+1)
			}
		}
		ways, next = next, ways
		seen += t
	}
	return ways[small*width:], scale
}

// exactTwoSided is the share of the assignments whose U is as far from its mean as the
// observed one. The distance is the same seen from either side.
func (r jointRanks) exactTwoSided() float64 {
	ways, scale := r.ways()
	distance := math.Abs(float64(r.doubleU) - float64(r.baseline)*float64(r.candidate))
	var extreme, all float64
	for u, w := range ways {
		all += w
		if math.Abs(float64(2*u)/float64(scale)-float64(r.baseline*r.candidate)) >= distance {
			extreme += w
		}
	}
	return extreme / all
}

// normalTwoSided returns the p-value of the normal approximation.
func (r jointRanks) normalTwoSided() float64 {
	nb, nc := float64(r.baseline), float64(r.candidate)
	variance := r.variance()
	if variance <= 0 {
		return 1
	}
	// The correction for continuity: U moves in steps, of 1 without ties.
	distance := math.Abs(float64(r.doubleU)-nb*nc)/2 - 0.5
	return 2 * dist.NormalSurvival(math.Max(distance, 0)/math.Sqrt(variance))
}

// variance is that of U over all assignments.
func (r jointRanks) variance() float64 {
	nb, nc := float64(r.baseline), float64(r.candidate)
	n := nb + nc
	var tied float64
	for _, t := range r.ties {
		t := float64(t)
		tied += t * (t*t - 1)
	}
	return nb * nc / 12 * (n + 1 - tied/(n*(n-1)))
}
