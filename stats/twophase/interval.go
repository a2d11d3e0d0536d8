package twophase

import (
	"cmp"
	"context"
	"sync"

	"github.com/tribunal-dev/tribunal/stats"
)

// Interval returns the interval of the true rate at the two-sided level 1-alpha: the rates for which neither
// [Method.Above] nor [Method.Below] is at most alpha/2. It is never empty and never of width 0.
func (m Method) Interval(ctx context.Context, s Sample, alpha float64) (stats.Interval, error) {
	return m.IntervalBeside(ctx, s, alpha, s.Rate())
}

// IntervalBeside is [Method.Interval] whose limits lie on that side of a rate on which the tests of the rate are: a
// p-value that is no monotone function of the rate in its last digits then contradicts no verdict.
func (m Method) IntervalBeside(ctx context.Context, s Sample, alpha, rate float64) (stats.Interval, error) {
	if !(alpha > 0 && alpha < 1) {
		return stats.Interval{}, &stats.ArgumentError{
			Argument: "alpha", Value: alpha, Problem: "must lie strictly between 0 and 1",
		}
	}
	if err := s.Validate(); err != nil {
		return stats.Interval{}, err
	}
	var low, least float64
	var ofLow, ofLeast error
	var both sync.WaitGroup
	both.Go(func() { low, ofLow = m.lowest(ctx, s.planned(), alpha/2, rate) })
	both.Go(func() { least, ofLeast = m.lowest(ctx, s.mirrored().planned(), alpha/2, 1-rate) })
	both.Wait()
	return stats.Interval{Low: low, High: 1 - least}, cmp.Or(ofLow, ofLeast)
}

// lowest is the lower limit at the one-sided error alpha, to five digits.
func (m Method) lowest(ctx context.Context, s Sample, alpha, beside float64) (float64, error) {
	low, high := 0.0, s.Rate()
	if beside > 0 && beside < high {
		// Enough of the p-value to be on the side of alpha on which all of it is.
		const clear = 1e-5
		p, err := m.pValue(ctx, s, beside, func(found, bound float64) bool {
			return bound < alpha*(1-clear)-beyond || found > alpha*(1+clear)+beyond
		})
		if err != nil {
			return 0, err
		}
		if p <= alpha {
			low = beside
		} else {
			high = beside
		}
	}
	if m == Calibrated {
		return bisect(low, high, func(p float64) (bool, error) {
			x, err := m.above(ctx, s, p)
			return x <= alpha, err
		})
	}
	return certifiedLow(ctx, s, alpha, low, high)
}

// bisect is the last rate of those that are asked for, from low to high, for which there is a claim, to five digits.
func bisect(low, high float64, claim func(p float64) (bool, error)) (float64, error) {
	const digits = 1e-5
	for high-low > digits {
		middle := (low + high) / 2
		yes, err := claim(middle)
		if err != nil {
			return 0, err
		}
		if yes {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// certifiedLow looks for the last rate below which the true one is claimed not to be by the judges that matter, and
// proves it of all judges. Where it is not so, the judge that says otherwise is one that matters.
func certifiedLow(ctx context.Context, s Sample, alpha, low, high float64) (float64, error) {
	shares, err := s.shares()
	if err != nil {
		return 0, err
	}
	c := panel{sample: s, alpha: alpha, shares: shares, agreed: map[float64]agreement{}}
	for {
		limit, err := bisect(low, high, func(p float64) (bool, error) { return c.claim(ctx, p) })
		if err != nil || limit == low {
			return low, err
		}
		bound, against, err := refute(ctx, s, limit, alpha, len(c.judges) == 0)
		if err != nil || bound <= alpha {
			return limit, err
		}
		c.judges = append(c.judges, against...)
		c.agreed[limit] = agreement{len(c.judges), bound}
	}
}

// panel is of the judges that matter to claims about a rate at an error of alpha.
type panel struct {
	sample Sample
	alpha  float64
	shares stats.Interval
	judges []place
	agreed map[float64]agreement
}

// agreement is what so many judges said of a rate.
type agreement struct {
	asked  int
	pValue float64
}

// claim reports whether the judges, and that which is most likely, all leave the rate p claimed to be too low.
func (c *panel) claim(ctx context.Context, p float64) (bool, error) {
	const near = 0.9 // of alpha
	before, known := c.agreed[p]
	if known && (before.asked == len(c.judges) || before.pValue > c.alpha ||
		before.asked > 0 && before.pValue < near*c.alpha) {
		return before.pValue <= c.alpha, nil
	}
	e, judge, higher := edgeOf(c.sample, p)
	if !higher {
		return false, nil
	}
	x := &search{p: p, passes: limits(c.shares)}
	var err error
	if len(c.judges) == 0 {
		x.chances, err = e.at(ctx, judge, judge.judgement(p))
	} else {
		var r *region
		r, err = e.whole(ctx, judge, c.shares)
		x.chances = newChances(r, c.sample.Judged)
	}
	if err != nil {
		return false, err
	}
	x.tried = append(x.tried, x.try(judge.judgement(p)))
	for _, j := range c.judges[before.asked:] {
		x.tried = append(x.tried, x.try(j.at(p)))
	}
	if v := x.pValue(); v <= c.alpha && v > near*c.alpha {
		x.peaks(1)
	}
	c.agreed[p] = agreement{len(c.judges), x.pValue()}
	return x.pValue() <= c.alpha, nil
}

// refute bounds the p-value of the rate p, as far as it takes to compare it to alpha. Where it is above, it returns
// judges that say so, and such as may say it of rates nearby; first ones are looked for among all judges.
func refute(ctx context.Context, s Sample, p, alpha float64, first bool) (bound float64, against []place, err error) {
	e, judge, _ := edgeOf(s, p)
	x, err := e.search(ctx, judge)
	if err != nil {
		return 1, nil, err
	}
	if first {
		bound, err = x.run(ctx, func(found, bound float64) bool { return bound <= alpha || bound < 1.2*found })
		if err != nil || bound <= alpha {
			return bound, nil, err
		}
		if against = x.peaks(6); x.pValue() > alpha {
			return 1, against, nil
		}
	}
	bound, err = x.run(ctx, func(found, bound float64) bool { return bound <= alpha || found > alpha })
	if err == nil && bound > alpha {
		against = append(against, placeOf(p, x.climb(x.best).judgement))
	}
	return bound, against, err
}
