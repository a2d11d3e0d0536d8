package sprt

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats/dist"
)

// field is the part of the lattice in which a test may still be undecided, with
// the probabilities of its points under the two hypotheses and the weighting. It
// is a band around the line on which both hypotheses are equally likely.
//
// Outside the band stopping is optimal for all multipliers up to those the field
// was made for: one more trial costs the predictive mass of the point at least,
// and stopping costs less than that.
type field struct {
	h         Hypotheses
	w         Weighting
	trials    int
	group     int         // looks come after multiples of this many trials, and at the end
	low, high []int       // failures of the band by trials 0..trials
	upper     [][]float64 // P_threshold(point)
	lower     [][]float64 // P_lower(point)
	mass      [][]float64 // predictive probability of the point
	giveUp    float64     // cost of an Inconclusive in trials; +Inf if it must not be
}

// margin is how far beyond the band boundaries may be moved by the local search.
const margin = 3

func newField(h Hypotheses, w Weighting, trials, group int, giveUp, multiplier float64) *field {
	f := &field{h: h, w: w, trials: trials, group: group, giveUp: giveUp}
	f.low, f.high = make([]int, trials+1), make([]int, trials+1)
	low, high := 0, 0
	for n := 0; n <= trials; n++ {
		// The band moves up by at most one failure a trial.
		f.low[n], f.high[n] = low, min(high, n)
		f.fill(n)
		first, last := f.undecided(n, multiplier)
		switch {
		case !f.look(n):
			high = f.high[n] + 1
		case first > last:
			low, high = 0, 0 // every test has ended
		default:
			low, high = max(0, f.low[n]+first-margin), f.low[n]+last+margin+1
		}
	}
	return f
}

// forced reports whether every test must end with Pass or Fail.
func (f *field) forced() bool { return math.IsInf(f.giveUp, 1) }

// look reports whether the test may end after n trials.
func (f *field) look(n int) bool { return n > 0 && n%f.group == 0 || n == f.trials }

// fill computes the probabilities of one row of the band.
func (f *field) fill(n int) {
	width := f.high[n] - f.low[n] + 1
	rows := make([]float64, 3*width)
	upper, lower, mass := rows[:width], rows[width:2*width], rows[2*width:]
	for i := range width {
		failures := f.low[n] + i
		upper[i] = dist.Binomial{N: n, P: f.h.Threshold}.Prob(n - failures)
		lower[i] = dist.Binomial{N: n, P: f.h.Lower()}.Prob(n - failures)
		mass[i] = f.w.mass(n, failures)
	}
	f.upper, f.lower, f.mass = append(f.upper, upper), append(f.lower, lower), append(f.mass, mass)
}

// undecided returns the first and last index of a row at which going on may be
// better than stopping.
func (f *field) undecided(n int, multiplier float64) (first, last int) {
	first, last = math.MaxInt, -1
	for i, m := range f.mass[n] {
		if multiplier*math.Min(f.upper[n][i], f.lower[n][i]) > m {
			first, last = min(first, i), i
		}
	}
	return first, last
}

// multipliers price the two errors, in trials.
type multipliers struct{ fail, pass float64 }

// best returns the boundaries that minimise expected trials + fail·P_threshold(Fail)
// + pass·P_lower(Pass), and that minimum, by backward induction.
func (f *field) best(m multipliers) (Boundaries, float64) {
	b := open(f.trials)
	widest := 0
	for _, row := range f.mass {
		widest = max(widest, len(row))
	}
	memory, stops := make([]float64, 2*widest), make([]Outcome, widest)
	var next []float64
	values, spare := memory[:widest], memory[widest:]
	for n := f.trials; n >= 1; n-- {
		width := len(f.mass[n])
		f.induce(n, m, next, values[:width], stops[:width], &b)
		next = values[:width]
		values, spare = spare, values
	}
	return b, 1 + f.after(0, 0, next)
}

// after returns the value of taking a trial from a point.
func (f *field) after(n, failures int, next []float64) float64 {
	i, value := failures-f.low[n+1], 0.0
	if i >= 0 && i < len(next) {
		value = float64(n+1-failures) / float64(n+1) * next[i]
	}
	if i+1 >= 0 && i+1 < len(next) {
		value += float64(failures+1) / float64(n+1) * next[i+1]
	}
	return value
}

// induce computes the values of one row from the next and sets its boundaries.
func (f *field) induce(n int, m multipliers, next, values []float64, stops []Outcome, b *Boundaries) {
	if !f.look(n) {
		for i := range values {
			values[i] = f.mass[n][i] + f.after(n, f.low[n]+i, next)
		}
		return
	}
	for i := range values {
		failing, passing := m.fail*f.upper[n][i], m.pass*f.lower[n][i]
		going := f.goingOn(n, i, next)
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
	f.bound(n, stops, b)
}

// either stands for a point at which both verdicts cost the same, as where its
// probability is too small for a float64.
const either = Inconclusive

// goingOn is the cost of not deciding at a point.
func (f *field) goingOn(n, i int, next []float64) float64 {
	switch {
	case n < f.trials:
		return f.mass[n][i] + f.after(n, f.low[n]+i, next)
	case f.forced():
		return math.Inf(1)
	}
	return f.giveUp * f.mass[n][i]
}

// bound sets the boundaries of a row: Pass up to the last of the points that pass
// from the bottom of the band, Fail from the first of those that fail to its top.
func (f *field) bound(n int, stops []Outcome, b *Boundaries) {
	passing := 0
	for passing < len(stops) && (stops[passing] == Pass || stops[passing] == either) {
		passing++
	}
	failing := len(stops)
	for failing > passing && (stops[failing-1] == Fail || stops[failing-1] == either) {
		failing--
	}
	b.PassAtOrBelow[n-1] = f.low[n] + passing - 1
	if fail := f.low[n] + failing; fail <= n {
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

// evaluate runs boundaries over the field. Boundaries beyond the band stop there.
func (f *field) evaluate(b Boundaries) score {
	var s score
	going := make([]float64, f.trials+2)
	going[0] = 1
	low, high := 0, 0
	s.expected = 1
	for n := 1; n <= f.trials && low <= high; n++ {
		advance(going, n, low, high)
		high++
		pass, fail := b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1]
		for ; low <= high && low <= pass; low++ {
			s.errors.Beta += going[low] * f.probability(f.lower, f.h.Lower(), n, low)
			going[low] = 0
		}
		for ; high >= low && high >= fail; high-- {
			s.errors.Alpha += going[high] * f.probability(f.upper, f.h.Threshold, n, high)
			going[high] = 0
		}
		rest := 0.0
		for i := low; i <= high; i++ {
			rest += going[i] * f.predictive(n, i)
		}
		if n < f.trials {
			s.expected += rest
		} else {
			s.inconclusive = rest
		}
	}
	s.objective = s.expected
	if s.inconclusive > 0 && f.giveUp > 0 {
		s.objective += f.giveUp * s.inconclusive
	}
	return s
}

// probability reads a row of the field, or computes the point beyond its band.
func (f *field) probability(rows [][]float64, p float64, n, failures int) float64 {
	if i := failures - f.low[n]; i >= 0 && i < len(rows[n]) {
		return rows[n][i]
	}
	return dist.Binomial{N: n, P: p}.Prob(n - failures)
}

func (f *field) predictive(n, failures int) float64 {
	if i := failures - f.low[n]; i >= 0 && i < len(f.mass[n]) {
		return f.mass[n][i]
	}
	return f.w.mass(n, failures)
}
