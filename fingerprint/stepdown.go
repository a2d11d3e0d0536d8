package fingerprint

import "slices"

// stepDown counts for each column how often a permutation gives it, or one that is
// less extreme, an extreme as large as the observed (Westfall and Young 1993,
// Algorithm 2.8, with the largest statistic). The columns' sums have one variance
// under permutation.
type stepDown struct {
	order    []int     // columns, from the most extreme to the least
	observed []float64 // extremes of the columns
	counts   []int     // permutations at least as extreme, by column
}

func newStepDown(extremes []float64) *stepDown {
	n := len(extremes)
	s := &stepDown{order: make([]int, n), observed: slices.Clone(extremes), counts: make([]int, n)}
	for j := range s.order {
		s.order[j] = j
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return byValue(s.observed[b], s.observed[a]) })
	return s
}

// count takes in the extremes of one permutation: from the least extreme column
// upwards, each is compared with the largest of those that were passed.
func (s *stepDown) count(extremes []float64) {
	largest := 0.0
	for rank := len(s.order) - 1; rank >= 0; rank-- {
		j := s.order[rank]
		largest = max(largest, extremes[j])
		if largest >= s.observed[j]*(1-tie) {
			s.counts[j]++
		}
	}
}

// adjusted returns the p-values of the columns. Own is 1 where the observed permutation
// is to be counted beside those taken in, of which there are total with it.
func (s *stepDown) adjusted(own, total int) []float64 {
	p := make([]float64, len(s.order))
	largest := 0.0
	for _, j := range s.order {
		largest = max(largest, ratio(s.counts[j]+own, total))
		p[j] = largest
	}
	return p
}
