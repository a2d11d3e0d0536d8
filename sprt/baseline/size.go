package baseline

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// fixedTrials returns the fewest trials of the candidate with which a fixed sample keeps
// both errors at every guarded rate, up to MostTrials, and of a guarded range that is chosen up to mostFold times those
// of the baseline; 0 if none does.
//
// A fixed sample of the candidate is a family with one look, at the end: it fails from a
// number of failures on that depends on the baseline's outcome.
//
// The number has two uses: a sequential test may be longer than it by the factor overhead, and below it a
// test must be allowed to be Inconclusive. Doubling finds a number that does, halving the fewest.
// Feasibility is taken to rise with the trials, which holds but for steps of the boundary.
//
// In a chain of tiers the outcomes that are settled keep their tests.
func fixedTrials(ctx context.Context, p problem) (int, error) {
	feasible := func(trials int) bool { return fixedFeasible(ctx, p, trials) }
	most := MostTrials
	if p.gamma > 0 {
		most = min(most, max(mostFold*p.sample.mostTrials(), 16))
	}
	high := 16
	for !feasible(high) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if high == most {
			return 0, nil
		}
		high = min(2*high, most)
	}
	low := high / 2
	if high == 16 {
		low = 0
	}
	// To within 1 %: the errors of fixed samples move in steps.
	for high-low > max(1, high/100) {
		if middle := (low + high) / 2; feasible(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, ctx.Err()
}

// fixedFeasible reports whether a fixed sample of so many trials keeps both errors at
// the rates of a grid. Prices move as in the search; if the cost of the errors that the
// best sample makes is above that of the targets, no sample keeps them. That is weak duality with no trials
// to pay: a sample within the targets would cost no more than they do.
func fixedFeasible(ctx context.Context, problem problem, trials int) bool {
	s := newSearch(problem, trials, 0, math.Inf(1), fixedDensity)
	if s.room.least() <= 0 {
		return false
	}
	p := firstPrices(len(s.rates))
	last := s.lastRow()
	for round := range fixedPrices {
		if ctx.Err() != nil {
			return false
		}
		total, cost := s.cut(last, p)
		if total.excess(s.room) <= 1 {
			return true
		}
		if cost > p.allowed(s.room)*(1+1e-9) {
			return false
		}
		// The steps fall more slowly than in the search: all that counts is whether the errors fit.
		p.move(s.room, total, 1.5/(1+float64(round)/12), 1)
	}
	return false
}

const (
	// Both are chosen. A coarse grid is enough, for only a number of trials is sought: the family is proved
	// on its own.
	fixedDensity = 2   // rates of the grid to a standard deviation
	fixedPrices  = 150 // rounds of prices before giving up: then the sample counts as too small
)

// lastRow is the probabilities of the failures of a fixed sample, by failures and rate, with the candidate as good, and
// lower by delta; and their sums: of so many failures or more where it is as good, and of fewer where it is lower. A
// candidate's failures are binomial here. The rates are those of passing, so f failures are trials-f passes.
type lastRow struct{ same, lower, more, fewer [][]float64 }

// lastRow computes the probabilities once; every round of prices uses them.
func (s *search) lastRow() (l lastRow) {
	for f := range s.trials + 1 {
		same, lower := make([]float64, len(s.rates)), make([]float64, len(s.rates))
		for j, rate := range s.rates {
			same[j] = dist.Binomial{N: s.trials, P: rate}.Prob(s.trials - f)
			lower[j] = dist.Binomial{N: s.trials, P: rate - s.h.Delta}.Prob(s.trials - f)
		}
		l.same, l.lower = append(l.same, same), append(l.lower, lower)
	}
	l.more, l.fewer = make([][]float64, s.trials+2), make([][]float64, s.trials+2)
	l.more[s.trials+1], l.fewer[0] = make([]float64, len(s.rates)), make([]float64, len(s.rates))
	for f := range s.trials + 1 {
		l.fewer[f+1] = sum(l.fewer[f], l.lower[f])
		l.more[s.trials-f] = sum(l.more[s.trials+1-f], l.same[s.trials-f])
	}
	return l
}

// sum adds up two lists.
func sum(a, b []float64) []float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] + b[i]
	}
	return list
}

// cut finds for every column the number of failures from which on Fail costs less than
// Pass, which is where the likelihood ratio crosses a level, and returns the errors of
// these cuts and what they cost. It looks from where the last one was.
//
// For prices that are Lagrange multipliers this is the test of Neyman and Pearson between two mixtures over
// rates, one for each outcome of the baseline.
func (s *search) cut(l lastRow, p prices) (total score, cost float64) {
	total = newScore(len(s.rates))
	for _, c := range s.columns {
		fails := func(f int) bool {
			fail, pass := 0.0, 0.0
			same, lower := l.same[f], l.lower[f]
			for j := c.from; j < c.to; j++ {
				fail += p.fail[j] * c.mass[j] * same[j]
				pass += p.pass[j] * c.mass[j] * lower[j]
			}
			return fail < pass && !(f == 0 && c.neverBad)
		}
		for c.cut > 0 && fails(c.cut-1) {
			c.cut--
		}
		for c.cut <= s.trials && !fails(c.cut) {
			c.cut++
		}
		more, fewer := l.more[c.cut], l.fewer[c.cut]
		for j, mass := range c.mass {
			total.fail[j] += mass * more[j]
			total.pass[j] += mass * fewer[j]
		}
	}
	return total, p.cost(total)
}

// tooSmall returns the error of a baseline with which no number of trials does, with the number that would
// do by the normal approximation, n = 2 z² p(1-p)/delta² for each of two samples of n, at the guarded rate
// nearest to one half, where the variance is largest.
func tooSmall(h Hypotheses, sample Sample) error {
	most := sample.mostTrials()
	rate := math.Max(h.Guarded.Low, 0.5)
	if h.Guarded.High < 0.5 {
		rate = h.Guarded.High
	}
	z := dist.NormalUpperQuantile(h.Alpha) + dist.NormalUpperQuantile(h.Beta)
	needed := int(math.Ceil(2 * z * z * rate * (1 - rate) / (h.Delta * h.Delta)))
	return &TooSmallError{Trials: most, Delta: h.Delta, Needed: max(needed, most+1)}
}

// Enough is about how many trials of a baseline make the test of a candidate possible where so large a share of them
// pass: by the normal approximation. It is 0 where no number does.
func (q Question) Enough(share float64) int { return q.needed(share, q.gamma()) }

// needed is about how many trials of a baseline would do for a share of passes: those with which as many trials of a
// candidate do, by the normal approximation at the worst rate of the tier that the share belongs to. 0: more than
// any baseline has.
func (q Question) needed(share, gamma float64) int {
	z := dist.NormalUpperQuantile(q.Alpha) + dist.NormalUpperQuantile(q.Beta)
	enough := func(trials int) bool {
		sample, err := Fixed(trials)
		if err != nil {
			return false
		}
		interval, err := sample.Guard(Outcome{trials, int(math.Round((1 - share) * float64(trials)))}, gamma)
		if err != nil {
			return false
		}
		guards, first := guardsOf(sample, q.Delta, gamma)
		for tier, low := range guards {
			rate := math.Max(low, 0.5)
			// What belongs to a tier before the first is tested with the first if that can be planned, and what belongs to
			// none with the last, at a rate that is guarded.
			if low <= interval.Low && tier >= first || tier == len(guards)-1 && low < share {
				return 2*z*z*rate*(1-rate) <= q.Delta*q.Delta*float64(trials)
			}
		}
		return false
	}
	high := 1
	for !enough(high) {
		if high == mostBaseline {
			return 0
		}
		high = min(2*high, mostBaseline)
	}
	low := high / 2
	for high-low > max(1, high/100) {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
