package rank

import (
	"context"

	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// rank sets the ranks of an axis.
//
// The interval of a result's rank leaves out the ranks above it of which results are shown to be better, and those
// below it of which they are shown to be worse (Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies
// 91:476; Klein, Wright & Wieczorek 2020, JRSS A 183:589). Shown is what is rejected of the K(K-1) hypotheses that one
// result is no better than another, by Holm's correction: all intervals of the axis hold at once where no true
// hypothesis is rejected, so with probability 1-alpha. The p-value of each is half of the two-sided one of
// [sample.CompareMeans].
func (r *Result) rank(ctx context.Context, a *Axis) error {
	for _, e := range r.Results {
		a.Ranks = append(a.Ranks, Rank{Mean: e.mean(a.Name), Low: 1, High: len(r.Results)})
	}
	a.Pairs = []Pair{}
	var p []float64
	for i := range r.Results {
		for j := i + 1; j < len(r.Results); j++ {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			found, err := r.compare(a.Name, i, j)
			if err != nil {
				return err
			}
			a.Pairs = append(a.Pairs, found)
			// The one that looks worse is never shown to be better.
			p = append(p, found.P/2, 1)
		}
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, p)
	if err != nil {
		return err
	}
	for k := range a.Pairs {
		pair := &a.Pairs[k]
		pair.Adjusted = adjusted[2*k]
		if pair.Difference == nil || *pair.Difference == 0 || pair.Adjusted > r.Alpha {
			continue
		}
		better, worse := pair.First, pair.Second
		if *pair.Difference > 0 {
			better, worse = worse, better
		}
		a.Ranks[worse].Low++
		a.Ranks[better].High--
	}
	return nil
}

// compare tests the means of two results on an axis, within scenarios.
func (r *Result) compare(axis string, first, second int) (Pair, error) {
	pair := Pair{First: first, Second: second, P: 1}
	var strata []sample.Stratum
	for _, t := range r.Results[first].Tests {
		s := sample.Stratum{
			Baseline: r.Results[first].values(t.Name, axis), Candidate: r.Results[second].values(t.Name, axis),
		}
		if len(s.Baseline) == 0 || len(s.Candidate) == 0 {
			continue
		}
		strata = append(strata, s)
	}
	if len(strata) == 0 {
		return pair, nil
	}
	found, err := sample.CompareMeans(strata, r.Alpha, r.Seed)
	if err != nil {
		return pair, err
	}
	pair.Difference, pair.P = new(found.Difference), found.P
	return pair, nil
}
