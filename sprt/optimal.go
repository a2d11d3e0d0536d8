package sprt

import (
	"context"
	"math"
)

// OptimalOptions shape the search for an optimal design.
type OptimalOptions struct {
	// MaxTrials is the number of trials after which a test ends in any case, from 1 to
	// 20,000.
	MaxTrials int
	// Weighting says at which pass rates trials are saved; the zero value is [Stable].
	Weighting Weighting
	// Group looks only after multiples of this many trials, and at the end; 0 and 1 look
	// after every trial.
	Group int
	// Progress, if not nil, is told now and then what share of the work is done, from 0
	// to 1.
	Progress func(share float64)
}

// Plan is an optimal design with what the search learned about it.
type Plan struct {
	Design   Design  // of the kind [OptimalKind]
	Errors   Errors  // exact; at most their targets
	Expected float64 // trials, averaged over the weighting
	// Objective is what was minimised, in trials: Expected, and MaxTrials more for every
	// Inconclusive where MaxTrials is below the fixed sample size.
	Objective float64
	// Bound is a lower bound of the objective of every test with these hypotheses
	// and limits, from Lagrangian duality.
	Bound float64
	// Gap is Objective/Bound - 1: how much less, at most, another design could need.
	Gap float64
	// Inconclusive is the probability of no decision, averaged over the weighting.
	// It is 0 where MaxTrials is at least the fixed sample size.
	Inconclusive float64
}

// Optimal returns the design with the fewest expected trials, averaged over the
// weighting, among those that keep the exact errors within alpha and beta and end
// after at most MaxTrials. Where MaxTrials is at least the fixed sample size every
// test ends with a decision; below, an Inconclusive costs as much as MaxTrials more
// trials.
//
// The design is found by backward induction under Lagrange multipliers for the two
// errors, which are raised until both constraints hold, and by a local search over
// single boundary points that uses up what the lattice leaves. Its errors never
// exceed their targets. Optimal returns a [HypothesesError] where there is nothing
// to test, an [InfeasibleError] where no Pass or no Fail is reachable within
// MaxTrials, and the context's error when it ends.
func Optimal(ctx context.Context, h Hypotheses, o OptimalOptions) (Plan, error) {
	if err := h.Validate(); err != nil {
		return Plan{}, err
	}
	if err := checkMaxTrials(o.MaxTrials); err != nil {
		return Plan{}, err
	}
	if err := checkReachable(h, o.MaxTrials); err != nil {
		return Plan{}, err
	}
	if o.Weighting.kind == worstWeighting {
		return worst(ctx, h, o)
	}
	return optimise(ctx, h, o, true)
}

// optimise searches the multipliers and, if asked to refine, around what they give.
func optimise(ctx context.Context, h Hypotheses, o OptimalOptions, refine bool) (Plan, error) {
	s := newSearch(ctx, h, o)
	if err := s.dual(); err != nil {
		return Plan{}, err
	}
	if refine {
		if err := s.refine(); err != nil {
			return Plan{}, err
		}
	}
	best := s.candidates[0]
	return Plan{
		Design:       Design{Kind: OptimalKind, Hypotheses: h, Boundaries: best.boundaries},
		Errors:       best.score.errors,
		Expected:     best.score.expected,
		Objective:    best.score.objective,
		Bound:        s.bound,
		Gap:          best.score.objective/s.bound - 1,
		Inconclusive: best.score.inconclusive,
	}, nil
}

// search holds the state of one optimisation.
type search struct {
	ctx        context.Context
	h          Hypotheses
	band       *latticeBand
	bound      float64     // the largest lower bound of the objective so far
	candidates []candidate // feasible, best first
	progress   func(share float64)
}

// candidate is a feasible set of boundaries.
type candidate struct {
	boundaries Boundaries
	score      score
}

// kept is how many candidates go into the local search.
const kept = 4

// newSearch computes the band for all multipliers that the search may try.
func newSearch(ctx context.Context, h Hypotheses, o OptimalOptions) *search {
	giveUp := math.Inf(1)
	if fixed, ok := h.FixedSample(); !ok || o.MaxTrials < fixed.Trials {
		giveUp = float64(o.MaxTrials)
	}
	w := o.Weighting.resolve(h)
	return &search{
		ctx:      ctx,
		h:        h,
		band:     newLatticeBand(h, w, o.MaxTrials, max(o.Group, 1), giveUp, maxMultiplier(h, o.MaxTrials)),
		bound:    math.Inf(-1),
		progress: o.Progress,
	}
}

// maxMultiplier is a multiplier that no search needs to exceed: at it an error costs
// many times the longest test, divided by how often it may happen.
func maxMultiplier(h Hypotheses, trials int) float64 {
	return 200 * float64(trials) / math.Min(h.Alpha, h.Beta)
}

// try runs the induction at multipliers, and keeps the boundaries if they are feasible.
//
// Whatever the multipliers, the least Lagrangian less what they charge for the errors
// that are allowed anyway is at most the objective of every feasible design (weak
// duality): the largest such value is the bound of the plan.
func (s *search) try(m multipliers) score {
	b, value := s.band.best(m)
	s.bound = math.Max(s.bound, value-m.fail*s.h.Alpha-m.pass*s.h.Beta)
	result := s.band.evaluate(b)
	s.keepBest(b, result)
	return result
}

// keepBest keeps boundaries if they are among the best feasible ones.
func (s *search) keepBest(b Boundaries, result score) {
	if !s.feasible(result) {
		return
	}
	at := len(s.candidates)
	for at > 0 && result.objective < s.candidates[at-1].score.objective {
		at--
	}
	if at > 0 && result.objective == s.candidates[at-1].score.objective || at >= kept {
		return
	}
	s.candidates = append(s.candidates, candidate{})
	copy(s.candidates[at+1:], s.candidates[at:])
	s.candidates[at] = candidate{b.Clone(), result}
	s.candidates = s.candidates[:min(len(s.candidates), kept)]
}

// slack keeps a feasible design feasible when its errors are summed in another
// order.
const slack = 1e-12

// feasible reports whether boundaries keep both errors within their targets, and
// always decide where every test must.
func (s *search) feasible(result score) bool {
	return result.errors.Alpha <= s.h.Alpha*(1-slack) && result.errors.Beta <= s.h.Beta*(1-slack) &&
		(result.inconclusive == 0 || !s.band.forced())
}

// dual maximises the dual function: an outer bisection on the multiplier of a false
// Fail, an inner one on that of a false Pass, each on a logarithmic scale. At the
// optimum both constraints are just met.
func (s *search) dual() error {
	top := math.Log(maxMultiplier(s.h, s.band.trials))
	outer := bisection{low: 0, high: top}
	inner := top / 2
	for step := 0; outer.open(); step++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		s.report(0.5 * float64(step) / dualSteps)
		fail := outer.middle()
		var result score
		result, inner = s.inner(math.Exp(fail), inner, top)
		outer.move(result.errors.Alpha > s.h.Alpha)
	}
	if len(s.candidates) == 0 {
		// The largest multipliers make both errors negligible.
		s.try(multipliers{fail: math.Exp(top), pass: math.Exp(top)})
	}
	s.tryNearby(outer.high, inner)
	if len(s.candidates) == 0 {
		return &InfeasibleError{Hypotheses: s.h, MaxTrials: s.band.trials, Problem: "no design was found"}
	}
	return nil
}

// dualSteps is how often each bisection halves its interval.
const dualSteps = 34

// inner finds the multiplier of a false Pass at which its constraint is just met, given
// that of a false Fail. It starts from a narrow interval around a guess, the logarithm
// of the last one that was found, and returns what the boundaries achieve there and the
// logarithm of the multiplier.
func (s *search) inner(fail, guess, top float64) (score, float64) {
	pass := bisection{low: 0, high: top}
	for _, reach := range []float64{0.05, 0.5} {
		low := math.Max(guess-reach, 0)
		high := math.Min(guess+reach, top)
		if s.try(multipliers{fail, math.Exp(high)}).errors.Beta <= s.h.Beta &&
			s.try(multipliers{fail, math.Exp(low)}).errors.Beta > s.h.Beta {
			pass = bisection{low: low, high: high}
			break
		}
	}
	for pass.open() && s.ctx.Err() == nil {
		result := s.try(multipliers{fail, math.Exp(pass.middle())})
		pass.move(result.errors.Beta > s.h.Beta)
	}
	return s.try(multipliers{fail, math.Exp(pass.high)}), pass.high
}

// bisection halves an interval of the logarithm of a multiplier.
type bisection struct{ low, high float64 }

func (b *bisection) open() bool      { return b.high-b.low > 1e-7 }
func (b *bisection) middle() float64 { return (b.low + b.high) / 2 }

// move raises the multiplier if the error was too frequent, and lowers it if not.
func (b *bisection) move(raise bool) {
	if raise {
		b.low = b.middle()
	} else {
		b.high = b.middle()
	}
}

// tryNearby tries multipliers near the optimum, given by their logarithms: with the
// lattice's steps, feasible designs next to it differ in which error they have to
// spare.
func (s *search) tryNearby(fail, pass float64) {
	const steps, reach = 6, 0.12
	for i := -steps; i <= steps; i++ {
		for j := -steps; j <= steps; j++ {
			if s.ctx.Err() != nil {
				return
			}
			s.try(multipliers{
				fail: math.Exp(fail + reach*float64(i)/steps),
				pass: math.Exp(pass + reach*float64(j)/steps),
			})
		}
	}
}

// report tells whoever asked what share of the work is done.
func (s *search) report(share float64) {
	if s.progress != nil {
		s.progress(math.Min(share, 1))
	}
}
