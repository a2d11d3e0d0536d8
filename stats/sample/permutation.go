package sample

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// MeansResult is the outcome of [CompareMeans].
type MeansResult struct {
	Difference float64 // of the weighted means, candidate minus baseline; NaN where no stratum has both sides
	P          float64 // two-sided
	// Interval at two-sided level 1-alpha leaves 0 out where P is at most alpha, and nowhere else; nil where
	// there are too few values for one.
	Interval *stats.Interval
	// Draws is how many assignments were drawn; 0 where all were gone through, or there were so many values that
	// the normal distribution stands for them.
	Draws int
	// Aggregates are what it was computed from, where the normal distribution stands for the assignments; nil else.
	Aggregates *Aggregates
}

// How much is computed. Chosen: ten thousand assignments put p within 0.4 points at 5 %, and the sums of 5,000
// values are normal.
const (
	firstAssignments = 999    // of which more are drawn where p is small after them
	drawnAssignments = 9999   // with the observed one 10,000
	mostAssignments  = 10_000 // that are all gone through
	mostPermuted     = 5000   // values; beyond it the normal distribution
	largeP           = 0.2    // above it, and above alpha, no further assignment is drawn
)

// CompareMeans tests within strata whether the means of both sides differ, and gives the interval of the difference
// that the same test leaves: P is at most alpha where 0 is outside of the interval, and nowhere else. The difference
// is that of [StratifiedMeanDifference]; a pair is a stratum of one value a side.
//
// P is the larger of two. One is the share of the assignments of the values to the sides, within strata, at which the
// difference is as large (Pitman 1937, JRSS suppl. 4:119): where both sides are exchangeable within strata it is
// exact, whatever the distribution. Up to 10,000 assignments are all gone through; of more, 9,999 are drawn by the
// seed, which keeps it valid (Dwass 1957, Annals of Mathematical Statistics 28:181), or 999 where p is above 0.2
// after them; with more than 5,000 values the normal distribution with the variance over all assignments stands for
// them. The other is the smallest level at which the interval of the means, [StratifiedMeanDifference], leaves 0 out:
// that one holds for means of skewed values that differ, too. The interval is the hull of the two that belong to
// them; that of the assignments is of all shifts of the candidate that they do not reject.
func CompareMeans(strata []Stratum, alpha float64, seed uint64) (MeansResult, error) {
	return compareMeans(view{list: strata}, alpha, seed)
}

// CompareMeansWithin is [CompareMeans] of strata that stand in less memory.
func CompareMeansWithin(strata *Strata, alpha float64, seed uint64) (MeansResult, error) {
	return compareMeans(view{packed: strata}, alpha, seed)
}

func compareMeans(strata view, alpha float64, seed uint64) (MeansResult, error) {
	none := MeansResult{Difference: math.NaN(), P: 1}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return none, err
	}
	if err := checkStrata(strata); err != nil {
		return none, err
	}
	w := weigh(strata)
	if w.strata.len() == 0 {
		return none, nil
	}
	if w.values() > mostPermuted {
		return w.aggregates().result(alpha), nil
	}
	shifts := w.shifts(alpha, seed)
	r := MeansResult{Difference: w.difference(), Draws: shifts.drawn}
	r.combine(shifts, w.means(), alpha)
	return r, nil
}

// fromAssignments is what the assignments leave: a p-value, and the interval that belongs to it.
type fromAssignments interface {
	p() float64
	interval(alpha float64) stats.Interval
}

// combine sets P to the larger of two, and the interval to the hull of those that belong to them.
func (r *MeansResult) combine(shifts fromAssignments, means meansOf, alpha float64) {
	r.P = shifts.p()
	at, err := means.intervals()
	if err != nil {
		return // no interval of means, and none that could differ from P
	}
	interval, by := at(alpha), shifts.interval(alpha)
	r.P = math.Max(r.P, levelOf(at))
	if low, high := math.Min(interval.Low, by.Low), math.Max(interval.High, by.High); !math.IsInf(high-low, 0) {
		r.Interval = &stats.Interval{Low: low, High: high}
	}
}

// levelOf is the smallest level at which an interval leaves 0 out, by bisection: intervals shrink as alpha grows.
func levelOf(at func(alpha float64) stats.Interval) float64 {
	out := func(alpha float64) bool {
		i := at(alpha)
		return !i.Contains(0)
	}
	const least = 1e-9
	low, high := math.Log(least), 0.0
	if out(least) {
		return least
	}
	for range 40 {
		if middle := (low + high) / 2; out(math.Exp(middle)) {
			high = middle
		} else {
			low = middle
		}
	}
	return math.Exp(high)
}

// shifts are the shifts of the candidate at which an assignment and the observed one give the same difference:
// with a larger shift of it that assignment's is the larger one. So the assignments with a shift of at most x are
// those at which the difference is no smaller than the observed one, if the candidate's values are larger by x.
type shifts struct {
	sorted []float64 // of the assignments that differ from the observed one
	same   int       // assignments that do not, the observed one among them
	drawn  int
}

// values is how many values the strata have.
func (w weightedStrata) values() (n int) {
	for i := range w.strata.len() {
		s := w.strata.at(i)
		n += len(s.Baseline) + len(s.Candidate)
	}
	return n
}

// shifts goes through the assignments, or draws them.
func (w weightedStrata) shifts(alpha float64, seed uint64) *shifts {
	ways := 1.0
	for i := range w.strata.len() {
		s := w.strata.at(i)
		n, k := len(s.Baseline)+len(s.Candidate), len(s.Candidate)
		for i := range k {
			ways *= float64(n-i) / float64(i+1)
		}
	}
	every := math.Round(ways) <= mostAssignments
	a := w.assignments(!every)
	if every {
		a.all(0)
		a.found.same-- // the observed one came twice: it is among all
	} else {
		random := rand.New(rand.NewPCG(seed, 0x6d65616e73))
		for a.found.drawn < drawnAssignments {
			a.draw(random)
			// What p is after the first of them does not depend on those that would follow.
			if a.found.drawn++; a.found.drawn == firstAssignments {
				slices.Sort(a.found.sorted)
				if a.found.p() > math.Max(largeP, alpha) {
					return a.found
				}
			}
		}
	}
	slices.Sort(a.found.sorted)
	return a.found
}

// total is the number of assignments, the observed one with them.
func (s *shifts) total() int { return len(s.sorted) + s.same }

// p is two-sided: twice the smaller share.
func (s *shifts) p() float64 {
	below, _ := slices.BinarySearch(s.sorted, 0)
	atMost, _ := slices.BinarySearch(s.sorted, math.SmallestNonzeroFloat64)
	return s.twice(min(atMost, len(s.sorted)-below))
}

// twice is p where so many others are as extreme.
func (s *shifts) twice(others int) float64 {
	return math.Min(1, 2*float64(s.same+others)/float64(s.total()))
}

// interval holds all shifts with p above alpha. It has no limits where even the largest shift has.
func (s *shifts) interval(alpha float64) stats.Interval {
	// The fewest others at which p is above alpha.
	least := 0
	for least <= len(s.sorted) && s.twice(least) <= alpha {
		least++
	}
	if least == 0 || least > len(s.sorted) {
		return stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	return stats.Interval{Low: s.sorted[least-1], High: s.sorted[len(s.sorted)-least]}
}

// assignments goes through ways to hand the values of each stratum out to the sides.
type assignments struct {
	strata   []permutedStratum
	pairs    []pair  // of the strata with one value a side, where assignments are drawn
	observed float64 // difference
	unit     float64 // of rounding: shifts that are smaller are 0
	found    *shifts

	// of the strata that [assignments.all] has handed out
	difference, moved float64
}

// permutedStratum is one stratum.
type permutedStratum struct {
	values              []float64 // the baseline's, then the candidate's
	order               []int     // a permutation of their places
	baseline, candidate int       // numbers of values
	sum, weight         float64
}

// pair is a stratum of one value a side: its weighted difference, and its weight.
type pair struct{ difference, weight float64 }

// assignments prepares them. Pairs may be kept apart, whose sides change with one random bit.
func (w weightedStrata) assignments(pairsApart bool) *assignments {
	a := &assignments{observed: w.difference(), found: &shifts{same: 1}}
	for i := range w.strata.len() {
		s := w.strata.at(i)
		if pairsApart && len(s.Baseline) == 1 && len(s.Candidate) == 1 {
			a.pairs = append(a.pairs, pair{w.weights[i] * (s.Candidate[0] - s.Baseline[0]), w.weights[i]})
			a.unit = math.Max(a.unit, math.Max(math.Abs(s.Candidate[0]), math.Abs(s.Baseline[0]))*1e-11)
			continue
		}
		stratum := permutedStratum{
			values:   slices.Concat(s.Baseline, s.Candidate),
			baseline: len(s.Baseline), candidate: len(s.Candidate), weight: w.weights[i],
		}
		for at, x := range stratum.values {
			stratum.order = append(stratum.order, at)
			stratum.sum += x
			a.unit = math.Max(a.unit, math.Abs(x)*1e-11)
		}
		a.strata = append(a.strata, stratum)
	}
	return a
}

// of returns the weighted difference of a stratum whose candidate gets values of such a sum, so many of them its own,
// and the weighted share of a shift that it loses.
func (s *permutedStratum) of(sum float64, own int) (difference, moved float64) {
	b, c := float64(s.baseline), float64(s.candidate)
	return s.weight * (sum/c - (s.sum-sum)/b), s.weight * (c - float64(own)) * (1/c + 1/b)
}

// add keeps the shift of an assignment.
func (a *assignments) add(difference, moved float64) {
	if moved < 1e-12 {
		a.found.same++
		return
	}
	shift := (a.observed - difference) / moved
	if math.Abs(shift) <= a.unit {
		shift = 0
	}
	a.found.sorted = append(a.found.sorted, shift)
}

// draw takes one assignment, each with the same chance.
func (a *assignments) draw(random *rand.Rand) {
	difference, moved := 0.0, 0.0
	var bits uint64
	for i, p := range a.pairs {
		if i%64 == 0 {
			bits = random.Uint64()
		}
		// Without a branch, as no processor can foresee the bits.
		change := float64(bits & 1)
		bits >>= 1
		difference += p.difference * (1 - 2*change)
		moved += 2 * change * p.weight
	}
	for i := range a.strata {
		s := &a.strata[i]
		// The smaller side is drawn, and the other one has the rest.
		few := min(s.baseline, s.candidate)
		sum, own := 0.0, 0
		for at := range few {
			other := at + random.IntN(len(s.order)-at)
			s.order[at], s.order[other] = s.order[other], s.order[at]
			place := s.order[at]
			sum += s.values[place]
			if place >= s.baseline {
				own++
			}
		}
		if s.candidate > s.baseline {
			sum, own = s.sum-sum, s.candidate-own
		}
		d, m := s.of(sum, own)
		difference, moved = difference+d, moved+m
	}
	a.add(difference, moved)
}

// all goes through the assignments of the strata from one on.
func (a *assignments) all(stratum int) {
	if stratum == len(a.strata) {
		a.add(a.difference, a.moved)
		return
	}
	s := &a.strata[stratum]
	var choose func(from, left int, sum float64, own int)
	choose = func(from, left int, sum float64, own int) {
		if left == 0 {
			d, m := s.of(sum, own)
			a.difference, a.moved = a.difference+d, a.moved+m
			a.all(stratum + 1)
			a.difference, a.moved = a.difference-d, a.moved-m
			return
		}
		for at := from; at <= len(s.values)-left; at++ {
			if at >= s.baseline {
				choose(at+1, left-1, sum+s.values[at], own+1)
			} else {
				choose(at+1, left-1, sum+s.values[at], own)
			}
		}
	}
	choose(0, s.candidate, 0, 0)
}

// normalShifts takes the difference for normal, with its variance over all assignments. If the candidate's values are
// larger by x, that is constant + linear·x + square·x².
type normalShifts struct{ difference, constant, linear, square float64 }

// normal adds up the variances of the strata: N/(n₀n₁(N-1)) times the squares about the mean of both sides.
func (w weightedStrata) normal() *normalShifts {
	n := &normalShifts{difference: w.difference()}
	for i := range w.strata.len() {
		s := w.strata.at(i)
		b, c := float64(len(s.Baseline)), float64(len(s.Candidate))
		meanB, meanC := Mean(s.Baseline), Mean(s.Candidate)
		within := 0.0
		for _, x := range s.Baseline {
			within += (x - meanB) * (x - meanB)
		}
		for _, x := range s.Candidate {
			within += (x - meanC) * (x - meanC)
		}
		scale := w.weights[i] * w.weights[i] / (b + c - 1)
		d := meanC - meanB
		n.constant += scale * (within*(b+c)/(b*c) + d*d)
		n.linear -= scale * 2 * d
		n.square += scale
	}
	return n
}

// p is that of no shift.
func (n *normalShifts) p() float64 {
	if n.constant <= 0 {
		return 1
	}
	return math.Min(1, 2*dist.NormalSurvival(math.Abs(n.difference)/math.Sqrt(n.constant)))
}

// interval solves (difference - x)² = z²·variance(x).
func (n *normalShifts) interval(alpha float64) stats.Interval {
	z := dist.NormalUpperQuantile(alpha / 2)
	a := 1 - z*z*n.square
	b := -2*n.difference - z*z*n.linear
	c := n.difference*n.difference - z*z*n.constant
	if a <= 0 {
		return stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	root := math.Sqrt(math.Max(b*b-4*a*c, 0))
	return stats.Interval{Low: (-b - root) / (2 * a), High: (-b + root) / (2 * a)}
}
