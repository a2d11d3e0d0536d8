package sprt

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// latticeBand is the part of the lattice of (trials, failures) in which a test may
// still be undecided, with the probabilities of its points under the two hypotheses
// and the weighting. It lies around the line on which both hypotheses are equally
// likely. All that the search for an optimal design computes is computed on it.
//
// Outside the band stopping is optimal for all multipliers up to those the band was
// made for: one more trial costs at least the predictive probability of the point,
// and stopping costs less than that.
//
// The probability of a point is that of so many failures in so many trials, whether
// or not a test can get there; the share of paths that do is kept apart, since it
// alone depends on the boundaries (see [Boundaries.Lattice]).
type latticeBand struct {
	h      Hypotheses
	w      Weighting
	trials int // most trials of a test
	group  int // looks come after multiples of this many trials, and at the end

	// giveUp is the cost of an Inconclusive, in trials; +Inf if it must not be.
	giveUp float64

	// The band, by the number of trials from 0 to the most. The slices of
	// probabilities run over the failures low..high.
	low, high  []int
	upper      [][]float64 // P(point) at the threshold
	lower      [][]float64 // P(point) at the lower rate
	predictive [][]float64 // P(point), averaged over the weighting
}

// margin is how many failures beyond the band boundaries may be moved by the local
// search.
const margin = 3

// newLatticeBand computes the band for multipliers up to the given one, row by row:
// from the points of a row at which going on may pay follow those of the next.
func newLatticeBand(h Hypotheses, w Weighting, trials, group int, giveUp, multiplier float64) *latticeBand {
	l := &latticeBand{h: h, w: w, trials: trials, group: group, giveUp: giveUp}
	l.low = make([]int, trials+1)
	l.high = make([]int, trials+1)
	low, high := 0, 0
	for n := 0; n <= trials; n++ {
		// The band moves up by at most one failure a trial.
		l.low[n] = low
		l.high[n] = min(high, n)
		l.fill(n)
		first, last := l.undecided(n, multiplier)
		switch {
		case !l.look(n):
			high = l.high[n] + 1
		case first > last:
			low, high = 0, 0 // every test has ended
		default:
			low = max(0, l.low[n]+first-margin)
			high = l.low[n] + last + margin + 1
		}
	}
	return l
}

// forced reports whether every test must end with Pass or Fail.
func (l *latticeBand) forced() bool { return math.IsInf(l.giveUp, 1) }

// look reports whether the test may end after n trials.
func (l *latticeBand) look(n int) bool { return n > 0 && n%l.group == 0 || n == l.trials }

// fill computes the probabilities of one row of the band.
func (l *latticeBand) fill(n int) {
	width := l.high[n] - l.low[n] + 1
	rows := make([]float64, 3*width)
	upper, lower, predictive := rows[:width], rows[width:2*width], rows[2*width:]
	for i := range width {
		failures := l.low[n] + i
		upper[i] = dist.Binomial{N: n, P: l.h.Threshold}.Prob(n - failures)
		lower[i] = dist.Binomial{N: n, P: l.h.Lower()}.Prob(n - failures)
		predictive[i] = l.w.mass(n, failures)
	}
	l.upper = append(l.upper, upper)
	l.lower = append(l.lower, lower)
	l.predictive = append(l.predictive, predictive)
}

// undecided returns the first and last index of a row at which going on may be
// better than stopping: there even the cheaper of the two errors costs more than one
// trial. Where there is none, first is above last.
func (l *latticeBand) undecided(n int, multiplier float64) (first, last int) {
	first, last = math.MaxInt, -1
	for i, trial := range l.predictive[n] {
		if multiplier*math.Min(l.upper[n][i], l.lower[n][i]) > trial {
			first = min(first, i)
			last = i
		}
	}
	return first, last
}

// multipliers are the Lagrange multipliers of the two constraints: what an error
// costs, in trials.
type multipliers struct {
	fail float64 // of P(Fail) at the threshold
	pass float64 // of P(Pass) at the lower rate
}

// best returns the boundaries that minimise the Lagrangian
//
//	expected trials + fail·P_threshold(Fail) + pass·P_lower(Pass),
//
// and that minimum, by backward induction from the last trial: a point's cost-to-go
// is the least of what Pass, Fail and one more trial cost.
func (l *latticeBand) best(m multipliers) (Boundaries, float64) {
	b := open(l.trials)
	widest := 0
	for _, row := range l.predictive {
		widest = max(widest, len(row))
	}
	// Two rows are enough: the one that is computed and the one after it.
	memory := make([]float64, 2*widest)
	values, spare := memory[:widest], memory[widest:]
	stops := make([]Outcome, widest)
	var next []float64
	for n := l.trials; n >= 1; n-- {
		width := len(l.predictive[n])
		l.induce(n, m, next, values[:width], stops[:width], &b)
		next = values[:width]
		values, spare = spare, values
	}
	return b, 1 + l.after(0, 0, next)
}

// after returns the value of taking a trial from a point: of the paths to (n+1, f),
// the share f/(n+1) had a failure last. Points beyond the band are worth nothing, since
// stopping there costs next to nothing.
func (l *latticeBand) after(n, failures int, next []float64) float64 {
	i := failures - l.low[n+1]
	value := 0.0
	if i >= 0 && i < len(next) {
		value = float64(n+1-failures) / float64(n+1) * next[i]
	}
	if i+1 >= 0 && i+1 < len(next) {
		value += float64(failures+1) / float64(n+1) * next[i+1]
	}
	return value
}

// induce computes the values of one row from the next and sets its boundaries.
func (l *latticeBand) induce(n int, m multipliers, next, values []float64, stops []Outcome, b *Boundaries) {
	if !l.look(n) {
		for i := range values {
			values[i] = l.predictive[n][i] + l.after(n, l.low[n]+i, next)
		}
		return
	}
	for i := range values {
		failing := m.fail * l.upper[n][i]
		passing := m.pass * l.lower[n][i]
		going := l.goingOn(n, i, next)
		switch {
		case going < failing && going < passing:
			values[i], stops[i] = going, Undecided
		case passing < failing:
			values[i], stops[i] = passing, Pass
		case failing < passing:
			values[i], stops[i] = failing, Fail
		default:
			values[i], stops[i] = failing, either
		}
	}
	l.bound(n, stops, b)
}

// either stands for a point at which both verdicts cost the same, as where its
// probability is too small for a float64.
const either = Inconclusive

// goingOn is the cost of not deciding at a point: at the last trial that of giving up.
func (l *latticeBand) goingOn(n, i int, next []float64) float64 {
	switch {
	case n < l.trials:
		return l.predictive[n][i] + l.after(n, l.low[n]+i, next)
	case l.forced():
		return math.Inf(1)
	}
	return l.giveUp * l.predictive[n][i]
}

// bound sets the boundaries of a row: Pass up to the last of the points that pass
// from the bottom of the band, Fail from the first of those that fail to its top.
func (l *latticeBand) bound(n int, stops []Outcome, b *Boundaries) {
	passing := 0
	for passing < len(stops) && (stops[passing] == Pass || stops[passing] == either) {
		passing++
	}
	failing := len(stops)
	for failing > passing && (stops[failing-1] == Fail || stops[failing-1] == either) {
		failing--
	}
	b.PassAtOrBelow[n-1] = l.low[n] + passing - 1
	if fail := l.low[n] + failing; fail <= n {
		b.FailAtOrAbove[n-1] = fail
	}
}

// score is what a set of boundaries achieves.
type score struct {
	errors       Errors
	inconclusive float64 // predictive probability
	expected     float64 // trials, averaged over the weighting
	objective    float64 // expected, and the cost of giving up
}

// evaluate follows the paths of boundaries over the band. Boundaries beyond the band
// stop there.
func (l *latticeBand) evaluate(b Boundaries) score {
	var s score
	going := make([]float64, l.trials+2) // by failures: the share of paths that go on
	going[0] = 1
	low, high := 0, 0
	s.expected = 1
	for n := 1; n <= l.trials && low <= high; n++ {
		advance(going, n, low, high)
		high++
		pass := b.PassAtOrBelow[n-1]
		for ; low <= high && low <= pass; low++ {
			s.errors.Beta += going[low] * l.probability(l.lower, l.h.Lower(), n, low)
			going[low] = 0
		}
		fail := b.FailAtOrAbove[n-1]
		for ; high >= low && high >= fail; high-- {
			s.errors.Alpha += going[high] * l.probability(l.upper, l.h.Threshold, n, high)
			going[high] = 0
		}
		rest := 0.0
		for i := low; i <= high; i++ {
			rest += going[i] * l.predictiveAt(n, i)
		}
		if n < l.trials {
			s.expected += rest // each of them takes one more trial
		} else {
			s.inconclusive = rest
		}
	}
	s.objective = s.expected
	if s.inconclusive > 0 && l.giveUp > 0 {
		s.objective += l.giveUp * s.inconclusive
	}
	return s
}

// probability reads a row of the band, or computes the point beyond it at the rate
// that the rows are for.
func (l *latticeBand) probability(rows [][]float64, rate float64, n, failures int) float64 {
	if i := failures - l.low[n]; i >= 0 && i < len(rows[n]) {
		return rows[n][i]
	}
	return dist.Binomial{N: n, P: rate}.Prob(n - failures)
}

// predictiveAt is probability for the average over the weighting.
func (l *latticeBand) predictiveAt(n, failures int) float64 {
	if i := failures - l.low[n]; i >= 0 && i < len(l.predictive[n]) {
		return l.predictive[n][i]
	}
	return l.w.mass(n, failures)
}
