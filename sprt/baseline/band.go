package baseline

import "math"

// band is the part of a column's lattice around its boundaries. What going on costs changes with prices there alone:
// beyond it a test has long stopped.
type band struct {
	low, high []int       // by trials less 1: the fewest and the most failures
	trial     [][]float64 // what a trial costs, by trials less 1, then failures from the fewest on
}

// bandMargin is how many failures there are at least between the points that go on and the edges of a band. It is
// chosen: the more, the longer prices may move until a band is made anew.
const bandMargin = 4

// addBand makes the band around the boundaries. What a trial costs does not depend on prices.
func (c *column) addBand(s *search) {
	trials := c.boundaries.MaxTrials()
	b := &band{make([]int, trials), make([]int, trials), make([][]float64, trials)}
	row := c.rows[2][:trials+1]
	c.trialEnds(s, row)
	for n := trials; n >= 1; n-- {
		if n < trials {
			for f := range row[:n+1] {
				row[f] = c.reference.pass*row[f] + c.reference.fail*row[f+1]
			}
		}
		low := max(c.boundaries.PassAtOrBelow[n-1]+1-bandMargin, 0)
		high := min(c.boundaries.FailAtOrAbove[n-1]-1+bandMargin, n)
		b.low[n-1], b.high[n-1] = low, high
		b.trial[n-1] = append([]float64(nil), row[low:high+1]...)
	}
	c.band = b
}

// trialAt is what a trial costs at a point.
func (c *column) trialAt(s *search, n, f int) (cost float64) {
	if b := c.band; b != nil && f >= b.low[n-1] && f <= b.high[n-1] {
		return b.trial[n-1][f-b.low[n-1]]
	}
	at := func(rate float64) float64 {
		return math.Exp(times(n-f, math.Log(rate/c.reference.pass)) + times(f, math.Log((1-rate)/c.reference.fail)))
	}
	for j, rate := range s.rates {
		if saving := s.savings[j] * c.mass[j]; saving > 0 {
			cost += saving * (at(rate)/2 + at(rate-s.h.Delta/2)/4 + at(rate-s.h.Delta)/4)
		}
	}
	return cost
}

// bandCosts computes what Fail and Pass cost at points, from the rates.
type bandCosts struct {
	c           *column
	same, lower ratios
	prices      prices
	failures    int       // of the point before; -1 is none
	fail, pass  []float64 // by rate from the first that matters: price times mass times the ratios of these failures
}

func (c *column) newBandCosts(p prices) bandCosts {
	b := bandCosts{c: c, prices: p, failures: -1}
	b.same, b.lower = c.reference.ratios()
	b.fail, b.pass = make([]float64, c.to-c.from), make([]float64, c.to-c.from)
	return b
}

// at are those of a point.
func (b *bandCosts) at(n, f int) (fail, pass float64) {
	low, high := b.c.from, b.c.to
	same, sameFails := b.same.at(n-f, f, low, high)
	lower, lowerFails := b.lower.at(n-f, f, low, high)
	if f != b.failures {
		b.failures = f
		for j := range b.fail {
			b.fail[j] = b.prices.fail[low+j] * b.c.mass[low+j] * sameFails[j]
			b.pass[j] = b.prices.pass[low+j] * b.c.mass[low+j] * lowerFails[j]
		}
	}
	return dot(b.fail, same), dot(b.pass, lower)
}

// dot is the sum of the products of two lists, added up in two parts, which a processor does at once.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	even, odd, i := 0.0, 0.0, 1
	for ; i < len(a); i += 2 {
		even += a[i-1] * b[i-1]
		odd += a[i] * b[i]
	}
	if i == len(a) {
		even += a[i-1] * b[i-1]
	}
	return even + odd
}

// induceBand is induce within the band. It returns false where a point at an edge of it would go on: then more is to be
// looked at.
//
// Points of a row whose successors are not both in the band have their costs from the rates, and stop. The value is
// that of all points where those outside of the band stop.
func (c *column) induceBand(s *search, p prices) bool {
	trials, b := s.trials, c.band
	fail, pass, value := c.rows[0], c.rows[1], c.rows[3]
	costs := c.newBandCosts(p)
	for f := b.low[trials-1]; f <= b.high[trials-1]; f++ {
		fail[f], pass[f] = costs.at(trials, f)
	}
	last, lowest := c.boundaries.PassAtOrBelow, c.boundaries.FailAtOrAbove
	trial := c.rows[2]
	copy(trial[b.low[trials-1]:], b.trial[trials-1])
	c.decide(s, b.low[trials-1], b.high[trials-1], fail, pass, trial, value)
	if !b.holds(trials, last[trials-1]+1, lowest[trials-1]-1) {
		return false
	}
	for n := trials - 1; n >= 1; n-- {
		from, to := b.low[n-1], b.high[n-1]
		first, end := max(from, b.low[n]), min(to, b.high[n]-1)
		low, high := c.induceWithin(first, end, b.trial[n-1][first-from:], fail, pass, value)
		edge := func(f int) {
			fail[f], pass[f] = costs.at(n, f)
			if value[f] = min(fail[f], pass[f]); f == 0 && c.neverBad {
				value[f] = pass[f]
			}
		}
		for f := from; f < first; f++ {
			edge(f)
		}
		for f := max(end+1, first); f <= to; f++ {
			edge(f)
		}
		if low > high {
			low, high = c.crossing(from, to, fail, pass)
		}
		if !b.holds(n, low, high) {
			return false
		}
		last[n-1], lowest[n-1] = low-1, high+1
	}
	c.value = c.reference.pass*(b.trial[0][0]+value[0]) + c.reference.fail*(b.trial[0][1]+value[1])
	return true
}

// holds reports whether the points of a row that go on are within the band, and not at its edges.
func (b *band) holds(n, low, high int) bool {
	return (low > b.low[n-1] || b.low[n-1] == 0) && (high < b.high[n-1] || b.high[n-1] == n)
}

// induceWithin is [column.induceRow] from the first number of failures to the last.
func (c *column) induceWithin(first, end int, trial, fail, pass, value []float64) (low, high int) {
	low, high = end+1, -1
	if first > end {
		return low, high
	}
	up, down := c.reference.pass, c.reference.fail
	fail, pass, value = fail[first:end+2], pass[first:end+2], value[first:end+2]
	trial = trial[:len(fail)-1]
	f0, p0, v0 := fail[0], pass[0], value[0]
	for i, cost := range trial {
		f1, p1, v1 := fail[i+1], pass[i+1], value[i+1]
		failed, passed := up*f0+down*f1, up*p0+down*p1
		v := cost + up*v0 + down*v1
		stop := failed
		if passed < failed || i == 0 && first == 0 && c.neverBad {
			stop = passed
		}
		if v < stop {
			low, high = min(low, first+i), first+i
		} else {
			v = stop
		}
		fail[i], pass[i], value[i] = failed, passed, v
		f0, p0, v0 = f1, p1, v1
	}
	return low, high
}
