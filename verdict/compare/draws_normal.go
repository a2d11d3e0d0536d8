package compare

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// normalPower is [comparer.stratifiedPower] for many trials: the candidate's total of passes, of which the test knows
// the distribution given the passes of each group, is taken for normal, under H0 as with the drop.
func (c *comparer) normalPower(e evidence) (*Power, bool) {
	mean, trials := 0.0, 0
	for _, s := range e.Strata {
		mean += s.Baseline.Rate() * float64(s.Candidate.Trials)
		trials += s.Candidate.Trials
	}
	if mean /= float64(max(trials, 1)); mean-c.options.Delta < 0 || mean == 0 {
		return nil, false
	}
	z := dist.NormalUpperQuantile(c.options.Alpha)
	power := func(drop float64) float64 {
		m := momentsOf(e.Strata, e.Strata, func(s stats.Stratum) float64 { return s.Baseline.Rate() * (1 - drop/mean) })
		if m.given == 0 {
			return 0 // no table is significant
		}
		// The test finds a total that is low enough, which half a pass of it is short of on average.
		return upper((z*math.Sqrt(m.given) + 0.5 - m.drop) / math.Sqrt(m.variance))
	}
	p := &Power{AtDelta: power(c.options.Delta), Normal: true}
	low, high := 0.0, mean
	if power(high) < 1-c.options.Beta {
		return p, true
	}
	for range 50 {
		if middle := (low + high) / 2; power(middle) >= 1-c.options.Beta {
			high = middle
		} else {
			low = middle
		}
	}
	p.MDE = new(high)
	return p, true
}

// upper is the probability that a standard normal variable is above x: of an infinite one, or of none, too.
func upper(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return dist.NormalSurvival(x)
}

// totalMoments are those of how many passes the candidate lacks of its share, over groups of like trials.
type totalMoments struct {
	drop     float64 // mean
	variance float64
	given    float64 // the mean variance where the passes of each group are given and the rates of both sides are the same
	weight   float64 // of a difference of the rates, in passes
}

// momentsOf are those with sizes' numbers of trials, where the baseline passes at the observed rates of strata and the
// candidate at what a function says.
func momentsOf(strata, sizes []stats.Stratum, candidate func(stats.Stratum) float64) (m totalMoments) {
	for i, s := range strata {
		b, k := float64(sizes[i].Baseline.Trials), float64(sizes[i].Candidate.Trials)
		before, after := s.Baseline.Rate(), candidate(s)
		w := b * k / (b + k)
		m.weight += w
		m.drop += w * (before - after)
		vb, vk := before*(1-before), after*(1-after)
		m.variance += w * w * (vb/b + vk/k)
		// The mean of S(N-S) of the total of passes, over N(N-1): the variance of a draw without replacement.
		total, n := b*before+k*after, b+k
		if n > 1 {
			m.given += b * k / (n * n * (n - 1)) * (total*(n-total) - b*vb - k*vk)
		}
	}
	return m
}

// normalChance is [comparer.stratifiedChance] for many trials: the difference within groups is taken for normal. It
// decides below what alpha rejects, and above what beta rules out.
func normalChance(e, n evidence, o Options) float64 {
	m := momentsOf(e.Strata, n.Strata, func(s stats.Stratum) float64 { return s.Candidate.Rate() })
	if m.weight == 0 {
		return 0
	}
	deviation := math.Sqrt(m.variance) / m.weight
	low := -dist.NormalUpperQuantile(o.Alpha) * math.Sqrt(math.Max(m.given, 0)) / m.weight
	high := -o.Delta + dist.NormalUpperQuantile(o.Beta)*deviation
	if low >= high {
		return 1
	}
	difference := -m.drop / m.weight
	return 1 - (upper((low-difference)/deviation) - upper((high-difference)/deviation))
}
