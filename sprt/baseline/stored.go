package baseline

import (
	"context"
	"fmt"
	"math"
)

// Options shape the search for a family. The zero value is the default.
type Options struct {
	// MaxTrials is the largest number of trials of the candidate, from 1 to 5,000. 0: 1.4
	// times the fewest trials with which a fixed sample keeps both errors.
	MaxTrials int
	// Favour says at which rates trials are saved: the expected trials are averaged over
	// the guarded rates p with a density proportional to p^Favour, half of it with the
	// candidate as good as the baseline, a quarter each lower by delta/2 and by delta.
	// 0: 20. At least 0, and at most 1,000.
	Favour float64
	// Open has a test that may end Inconclusive planned where the baseline is too small for one that always decides:
	// both errors are kept, and no decision is as rare as the baseline allows. It is for [Against].
	Open bool
	// Progress, if not nil, is told now and then what share of the work is done.
	Progress func(share float64)
}

// Plan is a family with what the search learned about it.
type Plan struct {
	Family *Family
	Errors Errors // proved
	// Expected is the mean number of trials of the candidate, averaged as
	// [Options.Favour] says.
	Expected float64
	// Bound is a lower bound of what Expected, and MaxTrials for every Inconclusive, can
	// be for any family with these hypotheses and limits, from Lagrangian duality: any that
	// treats alike the outcomes of a large baseline that say the same. Gap is how far the
	// family is above it, as a share.
	Bound, Gap float64
	// Inconclusive is the probability of no decision, averaged as [Options.Favour] says.
	// It is 0, but for outcomes of the baseline that are as good as impossible, where
	// MaxTrials is at least what a fixed sample needs, and there is one.
	Inconclusive float64
	// FixedTrials is the fewest trials with which a fixed sample keeps both errors at
	// every guarded rate; 0 if no number up to MostTrials does.
	FixedTrials int
}

// MostTrials is the largest number of trials of a candidate that is planned for.
const MostTrials = 5000

// defaultFavour is the default of [Options.Favour].
const defaultFavour = 20

// overhead is by how much a sequential test may be longer than a fixed sample. It is chosen: a longer test
// can save more on average, and takes longer at worst.
const overhead = 1.4

// mostFold is how many times the trials of a baseline a fixed sample of a candidate may take before the baseline counts
// as too small: its own noise then leaves a quarter of the variance that may be. It is chosen.
const mostFold = 3

// openFold is how many times the trials of a baseline a test may take that need not decide: more of them tell little,
// for half of the noise is the baseline's then. It is chosen.
const openFold = 2

// searchDensity is how many rates of the grid there are to a standard deviation. It is chosen; the margin
// of the errors (firstMargin) covers what they may rise between two rates of the grid.
const searchDensity = 4

// Rounds of prices: first for the bound, and then with targets that are lowered step by
// step, so that every column has safer boundaries to choose from.
const (
	boundRounds = 26    // until the bound hardly rises; chosen, like the rest
	saferRounds = 60    // at most, after those for the bound
	saferStep   = 0.003 // of the targets
	fewestSafer = 16    // so that columns have a choice even where the first is feasible
)

// Stored plans the test of a candidate against a stored baseline. The family's errors
// are proved to be within their targets.
//
// It returns a [HypothesesError] where there is nothing to test, a [TooSmallError] if
// MaxTrials is left open and no number of trials of the candidate keeps the errors, an
// [InfeasibleError] if no family was found within MaxTrials, and the context's error
// when it ends.
func Stored(ctx context.Context, h Hypotheses, sample Sample, o Options) (Plan, error) {
	return problem{h: h, sample: sample}.plan(ctx, o)
}

// plan solves the problem.
func (p problem) plan(ctx context.Context, o Options) (Plan, error) {
	h, sample := p.h, p.sample
	if err := h.Validate(); err != nil {
		return Plan{}, err
	}
	if len(sample.outcomes) == 0 {
		return Plan{}, &HypothesesError{"the number of outcomes of the baseline", 0, "must be at least 1"}
	}
	// A fixed sample first: it says whether the problem can be solved, and how long the test may be.
	favour, err := o.check(MostTrials)
	if err != nil {
		return Plan{}, err
	}
	question := p.question(o)
	if plan, ok := p.load(ctx, question); ok {
		return plan, nil
	}
	fixed, err := fixedTrials(ctx, p)
	if err != nil {
		return Plan{}, err
	}
	trials, giveUp := o.MaxTrials, math.Inf(1)
	switch {
	case fixed == 0 && o.Open:
		if trials == 0 {
			trials = min(openFold*sample.mostTrials(), MostTrials)
		}
		giveUp = float64(trials)
	case fixed == 0 && trials == 0:
		return Plan{}, tooSmall(h, sample)
	// Of a guarded range that is chosen a narrower one, or a larger baseline, does better.
	case fixed == 0 && p.gamma > 0:
		return Plan{}, tooSmall(h, sample)
	case trials == 0:
		trials = min(int(math.Ceil(overhead*float64(fixed))), MostTrials)
	// Too short to decide always: no decision is allowed, and costs as much as the whole test, so it is
	// kept rare.
	case fixed == 0 || trials < fixed:
		giveUp = float64(trials)
	}
	// A tier is no shorter than the one before, so that all tests end after so many trials.
	if p.before != nil {
		trials = max(trials, p.before.trials)
	}
	s := newSearch(p, trials, favour, giveUp, searchDensity)
	plan, err := s.run(ctx, o.Progress)
	plan.FixedTrials = fixed
	if err == nil {
		plan.save(ctx, question)
	}
	return plan, err
}

// run raises the bound for some rounds of prices, keeps the boundaries that each round
// gave each column, and then chooses one of them for every column. Further rounds with
// lower and lower targets end in a family that is feasible, and give every column safer
// boundaries to choose from; columns on which much depends get more of them.
func (s *search) run(ctx context.Context, progress func(share float64)) (Plan, error) {
	if s.room.least() <= 0 {
		return Plan{}, &InfeasibleError{Hypotheses: s.problem.h, MaxTrials: s.trials}
	}
	p := firstPrices(len(s.rates))
	plan := Plan{Bound: math.Inf(-1)}
	var best prices
	for round := range boundRounds + saferRounds {
		if err := ctx.Err(); err != nil {
			return Plan{}, err
		}
		if progress != nil {
			progress(float64(round) / (boundRounds + saferRounds))
		}
		if round == boundRounds {
			s.vary(p)
		}
		// Each round gives a bound; they do not rise evenly, so the best of them is kept.
		bound, total := s.round(p)
		if bound > plan.Bound {
			plan.Bound, best = bound, p.clone()
		}
		s.each(func(c *column) { c.keep() })
		safer := max(round-boundRounds+1, 0)
		// The family of this round is feasible by more than any margin asks for: there is enough to choose
		// from.
		if safer >= fewestSafer && total.excess(s.room) <= 1-lastMargin/2 {
			break
		}
		// The step falls as 1/round until the bound is done, then stays, while the targets are lowered step
		// by step.
		p.move(s.room, total, 1.5/(1+float64(min(round, boundRounds))/6), 1-saferStep*float64(safer))
	}
	// Nothing is left out of the bound that is shown.
	s.each(func(c *column) { c.induceAll(s, best) })
	plan.Bound = s.bound(best)
	// The margin doubles until the proved errors, which are over all rates and not the grid alone, are
	// within the targets.
	for margin := firstMargin; margin < lastMargin; margin *= 2 {
		total, ok := s.choose(margin)
		if err := ctx.Err(); err != nil {
			return Plan{}, err
		}
		if !ok {
			break
		}
		family := s.family()
		if plan.Errors = family.Errors(); plan.Errors.Within(s.h) {
			plan.Family, plan.Expected, plan.Inconclusive = family, total.expected, total.open
			plan.Gap = total.objective(s.giveUp)/plan.Bound - 1
			return plan, nil
		}
	}
	return Plan{}, &InfeasibleError{Hypotheses: s.problem.h, MaxTrials: s.trials}
}

// InfeasibleError says that no family keeps the errors within so many trials.
type InfeasibleError struct {
	Hypotheses Hypotheses
	MaxTrials  int
}

func (e *InfeasibleError) Error() string {
	return fmt.Sprintf("no test of at most %d trials was found that keeps a false Fail to %v and a false Pass to %v",
		e.MaxTrials, e.Hypotheses.Alpha, e.Hypotheses.Beta)
}

// TooSmallError says that a baseline is too small for the drop that is asked for: not
// even with any number of trials of the candidate are both errors kept.
type TooSmallError struct {
	Trials int     // of the baseline, at most
	Delta  float64 // the drop that is asked for
	Needed int     // trials of a baseline that would do, about
}

func (e *TooSmallError) Error() string {
	return fmt.Sprintf("a baseline of %d trials cannot tell a drop of %v at every rate that fits it: it takes about %d",
		e.Trials, e.Delta, e.Needed)
}
