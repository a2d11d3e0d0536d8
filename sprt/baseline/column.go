package baseline

import (
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

// column is the part of a family for one outcome of the baseline, or for several that say the same:
// boundaries on the candidate's lattice of trials and failures, and what the search knows of them.
//
// Probabilities of paths are carried relative to those under a reference rate, as
// likelihood ratios, so that neither long tests nor rates near 1 leave the range of
// a float64 where it matters.
//
// A path of n trials with f failures has the likelihood ratio (p/r)^(n-f) · ((1-p)/(1-r))^f, of a rate p to
// the reference r. Under r this is a martingale: its value at a point is r times that after a pass plus 1-r
// times that after a failure. So is every mixture over rates, which is why [column.induce] needs the rates
// in the last row alone.
type column struct {
	outcomes  []Outcome
	mass      []float64 // of the outcomes, by rate of the grid
	reference *reference
	from, to  int  // the rates at which the outcomes are more than next to impossible
	neverBad  bool // a candidate without failures never fails: see [search.addColumns]
	cut       int  // of a fixed sample: see [search.cut]

	boundaries sprt.Boundaries
	value      float64 // least cost under the last prices, in trials: the share of the Lagrangian
	score      score
	band       *band        // around the boundaries that were found last; nil before that
	rows       [4][]float64 // memory: costs of Fail, Pass, a trial, and the best
	pool       []choice     // what the rounds and their variations came to, each once
	history    []int        // place in the pool, by round
}

// newColumn makes a column whose boundaries are not yet found. The mass is the probability of the outcome
// at each rate of the grid.
func newColumn(o Outcome, mass []float64, r *reference, trials int) *column {
	c := &column{outcomes: []Outcome{o}, mass: mass, reference: r, to: len(mass)}
	c.boundaries = sprt.Boundaries{PassAtOrBelow: make([]int, trials), FailAtOrAbove: make([]int, trials)}
	for i := range c.rows {
		c.rows[i] = make([]float64, trials+2)
	}
	return c
}

// narrow leaves out the rates at which the outcomes are next to impossible, where errors are added up and costs that
// only choose boundaries. No bound or proof leaves them out.
func (c *column) narrow() {
	const least = 1e-20 // far below what has no column at all
	for c.from < c.to && c.mass[c.from] < least {
		c.from++
	}
	for c.to > c.from && c.mass[c.to-1] < least {
		c.to--
	}
}

// addEnds adds to a row of end points, by failures, the weight times the likelihood
// ratio of each at a rate.
//
// Neighbours differ by the constant factor exp(down-up), so one exponential and one product a point are
// enough, where both ends of the row are within the range of a float64. Elsewhere each point has its own, and none is
// more than mostWeight: an infinite one would make all points dear that lead to it.
func (c *column) addEnds(row []float64, weight, rate float64) {
	if weight == 0 {
		return
	}
	n := len(row) - 1
	if rate >= 1 {
		// A rate of 1 has paths without failures alone; its logarithm of a failure would be -Inf.
		row[0] += math.Min(weight*math.Pow(1/c.reference.pass, float64(n)), mostWeight)
		return
	}
	up, down := math.Log(rate/c.reference.pass), math.Log((1-rate)/c.reference.fail)
	first, last := math.Log(weight)+up*float64(n), math.Log(weight)+down*float64(n)
	if max(first, last) > math.Log(mostWeight) || first < -math.Log(mostWeight) {
		for f := range row {
			row[f] += math.Min(math.Exp(first+(last-first)*float64(f)/float64(n)), mostWeight)
		}
		return
	}
	x, step := weight*math.Exp(up*float64(n)), math.Exp(down-up)
	for f := range row {
		row[f] += x
		x *= step
	}
}

// mostWeight is the largest weight of an end at one rate. Ends with more are next to impossible under the reference; a
// lower cost of theirs leaves the bound a bound.
const mostWeight = 1e280

// induce finds the boundaries of least cost under prices, and their cost, by backward
// induction. A cost at a point is per path that arrives there:
//
//	Fail     Σ price of a false Fail · mass of the baseline · likelihood at p
//	Pass     Σ price of a false Pass · mass of the baseline · likelihood at p - delta
//	a trial  Σ saving · mass of the baseline · (½ at p, ¼ at p - delta/2, ¼ at p - delta)
//
// Each is a mixture of likelihoods, so at a point it is the sum of those at the two
// points after it, and only the last row needs the rates.
//
// The value of a point is the least of three: Fail, Pass, or a trial plus the mean of the values after it,
//
//	V(n,f) = min(Fail, Pass, trial(n,f) + r·V(n+1,f) + (1-r)·V(n+1,f+1)),
//
// which is the recursion of Bayes tests (Arrow, Blackwell and Girshick 1949), with prices where those have
// losses times prior. The masses of the baseline's outcome are in the weights: what it tells of the rate is
// a prior of this column.
//
// Where boundaries of prices that are near are known, what is far from them is left out: see [column.induceBand].
func (c *column) induce(s *search, p prices) {
	if c.band == nil || !c.induceBand(s, p) {
		c.induceAll(s, p)
		c.addBand(s)
	}
}

// induceAll is induce over all points.
func (c *column) induceAll(s *search, p prices) {
	trials := s.trials
	fail, pass, trial, value := c.rows[0][:trials+1], c.rows[1][:trials+1], c.rows[2][:trials+1], c.rows[3][:trials+1]
	clear(fail)
	clear(pass)
	for j, rate := range s.rates {
		c.addEnds(fail, p.fail[j]*c.mass[j], rate)
		c.addEnds(pass, p.pass[j]*c.mass[j], rate-s.h.Delta)
	}
	c.trialEnds(s, trial)
	c.decide(s, 0, trials, fail, pass, trial, value)
	last, lowest := c.boundaries.PassAtOrBelow, c.boundaries.FailAtOrAbove
	// Each row before is computed in place, from few failures to many.
	for n := trials - 1; n >= 1; n-- {
		low, high := c.induceRow(n, fail, pass, trial, value)
		if low > high {
			low, high = c.crossing(0, n, fail, pass)
		}
		last[n-1], lowest[n-1] = low-1, high+1
	}
	// The first trial is always run: the cost at the root is that of going on.
	c.value = c.reference.pass*(trial[0]+value[0]) + c.reference.fail*(trial[1]+value[1])
}

// trialEnds sets what a trial costs at the end points. Half of the savings go to a candidate that is as good, a
// quarter each to one half way to the drop and at the drop.
func (c *column) trialEnds(s *search, trial []float64) {
	clear(trial)
	for j, rate := range s.rates {
		saving := s.savings[j] * c.mass[j]
		c.addEnds(trial, saving/2, rate)
		c.addEnds(trial, saving/4, rate-s.h.Delta/2)
		c.addEnds(trial, saving/4, rate-s.h.Delta)
	}
}

// decide sets the boundaries and values of the last row, from the fewest failures to the largest number that is
// considered: Pass up to a number of failures, then giving up (if it is cheaper than both), then Fail.
func (c *column) decide(s *search, first, most int, fail, pass, trial, value []float64) {
	n := len(c.boundaries.PassAtOrBelow)
	for ; first <= most && c.passes(first, pass[first], fail[first], s.giveUp*trial[first]); first++ {
		value[first] = pass[first]
	}
	c.boundaries.PassAtOrBelow[n-1] = first - 1
	for ; first <= most && !c.fails(first, fail[first], s.giveUp*trial[first]); first++ {
		value[first] = s.giveUp * trial[first]
	}
	c.boundaries.FailAtOrAbove[n-1] = first
	for ; first <= most; first++ {
		value[first] = fail[first]
	}
}

// crossing is the empty range between Pass and Fail in a row in which no point goes on: where Pass becomes the dearer.
func (c *column) crossing(low, most int, fail, pass []float64) (from, to int) {
	for ; low <= most && (pass[low] <= fail[low] || low == 0 && c.neverBad); low++ {
	}
	return low, low - 1
}

// induceRow computes the values of one row in place of those of the row after it, and
// returns the first and the last number of failures at which going on is best.
//
// Boundaries have one range of points a row that go on. Should a point between them do better to stop, the
// boundaries go on there all the same, while the value keeps the better choice: the bound stays a bound.
func (c *column) induceRow(n int, fail, pass, trial, value []float64) (low, high int) {
	up, down := c.reference.pass, c.reference.fail
	low, high = n+1, -1
	// The values at f of the row after are overwritten one step before they are needed: they are kept
	// aside.
	f0, p0, t0, v0 := fail[0], pass[0], trial[0], value[0]
	for f := 0; f <= n; f++ {
		f1, p1, t1, v1 := fail[f+1], pass[f+1], trial[f+1], value[f+1]
		failed, passed, cost := up*f0+down*f1, up*p0+down*p1, up*t0+down*t1
		// Equal costs stop: of tests that are as good, the one with fewer points that go on.
		v := cost + up*v0 + down*v1
		stop := min(failed, passed)
		if f == 0 && c.neverBad {
			stop = passed
		}
		if v < stop {
			low, high = min(low, f), f
		} else {
			v = stop
		}
		fail[f], pass[f], trial[f], value[f] = failed, passed, cost, v
		f0, p0, t0, v0 = f1, p1, t1, v1
	}
	return low, high
}

// passes reports whether Pass costs least at an end point. Equal costs pass.
func (c *column) passes(failures int, pass, fail, giveUp float64) bool {
	return pass <= giveUp && (pass <= fail || failures == 0 && c.neverBad)
}

// fails reports whether Fail is allowed and costs less than to give up.
func (c *column) fails(failures int, fail, giveUp float64) bool {
	return fail < giveUp && !(failures == 0 && c.neverBad)
}

// evaluate computes the score of the boundaries.
//
// Errors are computed forwards from the boundaries, not taken from the induction, for the prices give their
// sum alone.
func (c *column) evaluate(s *search) {
	if i := c.stored(); i >= 0 {
		c.score = c.pool[i].score
		return
	}
	c.score = newScore(len(s.rates))
	same, lower := c.reference.ratios()
	mass := c.mass[c.from:c.to]
	// From the probability at the reference to those at the rates, by the likelihood ratio of the point.
	add := func(errors []float64, r *ratios, n, f int, probability float64) {
		errors = errors[c.from:c.to]
		pass, fail := r.at(n-f, f, c.from, c.to)
		for j, mass := range mass {
			errors[j] += mass * probability * pass[j] * fail[j]
		}
	}
	c.arrive(func(n, f int, probability float64, o sprt.Outcome) {
		average := probability * c.trialAt(s, n, f)
		c.score.expected += float64(n) * average
		switch o {
		case sprt.Fail:
			add(c.score.fail, &same, n, f, probability)
		case sprt.Pass:
			add(c.score.pass, &lower, n, f, probability)
		default:
			c.score.open += average
		}
	})
}

// arrive calls stop for each point at which the test ends, with its probability at the
// reference rate.
func (c *column) arrive(stop func(n, f int, probability float64, o sprt.Outcome)) {
	b := c.boundaries
	up, down := c.reference.pass, c.reference.fail
	going := c.rows[0]
	clear(going)
	going[0] = 1
	low, high := 0, 0
	for n := 1; n <= b.MaxTrials() && low <= high; n++ {
		going[high+1] = 0
		for f := high + 1; f > low; f-- {
			going[f] = going[f]*up + going[f-1]*down
		}
		going[low] *= up
		high++
		pass, fail := b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1]
		// What stops leaves the row: nothing of it reaches the next.
		for ; low <= high && low <= pass; low++ {
			stop(n, low, going[low], sprt.Pass)
			going[low] = 0
		}
		for ; high >= low && high >= fail; high-- {
			stop(n, high, going[high], sprt.Fail)
			going[high] = 0
		}
		if n == b.MaxTrials() {
			for f := low; f <= high; f++ {
				stop(n, f, going[f], sprt.Inconclusive)
			}
		}
	}
}
