package stats

import (
	"cmp"
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// Region is the critical region of a test of two independent pass rates: the set
// of tables in which the test rejects at its level. It gives exact power by
// enumeration. A Region may be used by one goroutine at a time.
type Region struct {
	stairs *staircase
	fails  bool // rows and columns of the staircase count failures, not passes
}

// Region returns the tables of so many independent trials in which the test finds the
// candidate worse at level alpha: its p-value is at most alpha. It returns an
// [ArgumentError] for a test that needs pairs: see [Test.PairedRegion].
//
// It takes the region to be closed as Barnard (1947) asks: a table stays in it with
// more passes of the baseline, and with fewer of the candidate.
func (t Test) Region(ctx context.Context, baselineTrials, candidateTrials int, alpha float64) (*Region, error) {
	if err := validateBoth(Counts{0, baselineTrials}, Counts{0, candidateTrials}); err != nil {
		return nil, err
	}
	if err := argument.OpenUnit("alpha", alpha); err != nil {
		return nil, err
	}
	row := t.row()
	switch {
	case row.p == nil || row.paired:
		return nil, argument.Wrong("test", t, "has no critical region for independent trials")
	case row.region == nil:
		stairs, err := regionByP(ctx, row.p, baselineTrials, candidateTrials, alpha)
		return &Region{stairs: stairs}, err
	}
	stairs, err := row.region(ctx, baselineTrials, candidateTrials, alpha)
	return &Region{stairs: stairs}, err
}

// regionByP asks a test for its p-value along the edge of its region. An error of the test counts as no
// rejection; one of the context ends it.
func regionByP(
	ctx context.Context, p pValue, baselineTrials, candidateTrials int, alpha float64,
) (*staircase, error) {
	s := newStaircase(baselineTrials, candidateTrials)
	rejects := func(baselinePasses, candidatePasses int) bool {
		result, err := p(ctx, Table{
			Baseline:  Counts{baselinePasses, baselineTrials},
			Candidate: Counts{candidatePasses, candidateTrials},
		})
		return err == nil && result.P <= alpha
	}
	s.walk(rejects, func(int, int) {})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return s, nil
}

// validateRegion returns an error for what no region is of.
func validateRegion(baselineTrials, candidateTrials int, delta, beta float64) error {
	return cmp.Or(
		validateBoth(Counts{0, baselineTrials}, Counts{0, candidateTrials}),
		argument.OpenUnit("delta", delta), argument.OpenUnit("beta", beta),
	)
}

// NonInferiorityRegion returns the tables in which [NonInferiority] finds the
// candidate not worse by delta, with a p-value of at most beta.
func NonInferiorityRegion(
	ctx context.Context, baselineTrials, candidateTrials int, delta, beta float64,
) (*Region, error) {
	if err := validateRegion(baselineTrials, candidateTrials, delta, beta); err != nil {
		return nil, err
	}
	event := newNonInferiorityEvent(baselineTrials, candidateTrials, delta)
	if err := growToLevel(ctx, event, -dist.NormalUpperQuantile(beta), 0.25, beta); err != nil {
		return nil, err
	}
	return &Region{stairs: event.staircase, fails: true}, nil
}

// following is the ordering value of the next table that would join: see [orderedEvent].
func (n *nonInferiorityEvent) following() float64 { return n.next }

// Contains reports whether the test rejects at these passes of each side.
func (r *Region) Contains(baselinePasses, candidatePasses int) bool {
	row, column := baselinePasses, candidatePasses
	if r.fails {
		row, column = r.stairs.row.n-row, r.stairs.col.n-column
	}
	return row >= 0 && row <= r.stairs.row.n && column >= 0 && column <= r.stairs.cut(row)
}

// Probability returns the exact probability that the test rejects where the
// baseline and the candidate pass at the given rates: the power of the test. It
// is NaN where a rate is not a probability.
func (r *Region) Probability(baselineRate, candidateRate float64) float64 {
	if argument.Probability("rate", baselineRate) != nil || argument.Probability("rate", candidateRate) != nil {
		return math.NaN()
	}
	chance := 0.0
	if r.fails {
		chance = r.stairs.chance(1-baselineRate, baselineRate, 1-candidateRate, candidateRate)
	} else {
		chance = r.stairs.chance(baselineRate, 1-baselineRate, candidateRate, 1-candidateRate)
	}
	return min(max(chance, 0), 1)
}

// SmallestDrop returns the smallest fall of the pass rate from the baseline's
// that the test finds with at least the given probability, to 1e-9, and false if
// even a candidate that never passes would be missed too often.
func (r *Region) SmallestDrop(baselineRate, power float64) (float64, bool) {
	if argument.Probability("rate", baselineRate) != nil || !(r.Probability(baselineRate, 0) >= power) {
		return math.NaN(), false
	}
	// Halving needs power that rises with the drop, which a closed region has.
	low, high := 0.0, baselineRate
	for high-low > 1e-9 {
		middle := (low + high) / 2
		if r.Probability(baselineRate, baselineRate-middle) >= power {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}

// EitherProbability returns the exact probability that this test of "worse" rejects,
// or one of non-inferiority, or both: the probability of any decision where the one
// can Fail and the other can Pass. Both must be for the same numbers of trials.
func (r *Region) EitherProbability(nonInferiority *Region, baselineRate, candidateRate float64) (float64, error) {
	worse, fine := r.stairs, nonInferiority.stairs
	if r.fails || !nonInferiority.fails || worse.row.n != fine.row.n || worse.col.n != fine.col.n {
		return math.NaN(), argument.Wrong("regions", "given",
			"must be a regression and a non-inferiority region of the same trials")
	}
	if err := argument.Probability("baseline rate", baselineRate); err != nil {
		return math.NaN(), err
	}
	if err := argument.Probability("candidate rate", candidateRate); err != nil {
		return math.NaN(), err
	}
	worse.row.fill(baselineRate, 1-baselineRate)
	worse.fillCumulated(candidateRate, 1-candidateRate)
	undecided := 0.0
	for i := worse.row.low; i <= worse.row.high; i++ {
		least := worse.cut(i) + 1                         // fewer passes: worse
		most := worse.col.n - fine.cut(worse.row.n-i) - 1 // more passes: not worse by delta
		undecided += worse.row.mass[i] * math.Max(worse.below(most)-worse.below(least-1), 0)
	}
	return min(max(1-undecided, 0), 1), nil
}

// staircase turns cuts by the total of passes into cuts by the baseline's passes.
func (d *diagonals) staircase() *staircase {
	s := newStaircase(d.baseline, d.candidate)
	s.walk(
		func(row, column int) bool { return column <= d.cut[row+column] },
		func(int, int) {},
	)
	return s
}
