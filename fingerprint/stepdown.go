package fingerprint

import "slices"

// stepDown counts for each column how often a relabeling gives it, or one that is
// less extreme, an extreme as large as the observed (Westfall and Young 1993,
// Algorithm 2.8, with the largest statistic). The columns' sums have one variance
// under relabeling.
type stepDown struct {
	order    []int // columns, from the most extreme to the least
	observed []float64
	counts   []int
}

func newStepDown(extremes []float64) *stepDown {
	s := &stepDown{order: make([]int, len(extremes)), observed: slices.Clone(extremes), counts: make([]int, len(extremes))}
	for j := range s.order {
		s.order[j] = j
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return byValue(s.observed[b], s.observed[a]) })
	return s
}

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

func (s *stepDown) adjusted(own, total int) []float64 {
	p := make([]float64, len(s.order))
	largest := 0.0
	for _, j := range s.order {
		largest = max(largest, ratio(s.counts[j]+own, total))
		p[j] = largest
	}
	return p
}
