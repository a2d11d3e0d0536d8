package baseline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Chain plans the tests of a question, for every outcome that a baseline can have. A
// guarded range that is chosen by the outcome alone would break the promise: for each
// outcome its own family would be used, and the errors of none of these are those of the
// mixture. So the ranges are tiers, fixed before the baseline is looked at, each within
// the next. An outcome belongs to the first tier that holds its exact interval at gamma
// (see [Sample.Guard]). The first tier is planned as [Stored] does. A later one is planned
// with the boundaries of the outcomes that belong to tiers before as they are, and all
// others free; of these only those of its own outcomes are ever used.
//
// Where no further tier can be planned, the last one is for outcomes beyond it too: as many,
// from the highest down, as leave the errors within the targets at every rate below its
// guarded ones, by proof.
//
// The errors of the whole procedure, over all outcomes, are then within the targets at
// every rate. Outcomes of tiers that cannot be planned have no test, which is no error.
//
// A Chain may be used by several goroutines; each tier is planned once, when it is first
// needed.
type Chain struct {
	question Question
	sample   Sample
	options  Options
	guards   []float64 // lowest guarded rates, falling
	gamma    float64   // 0 where the guard is given

	lock   sync.Mutex
	first  int    // tier of guards that is planned first; those before are part of it
	plans  []Plan // from the first on
	ended  error  // of the tier after the last plan, which cannot be planned
	spare  slack  // of the tiers so far
	closed bool   // the last plan is for every rate
}

// NewChain returns the chain of a question. It returns a [HypothesesError] where there is
// nothing to ask.
func NewChain(q Question, sample Sample, options Options) (*Chain, error) {
	if len(sample.outcomes) == 0 {
		return nil, &HypothesesError{"the number of outcomes of the baseline", 0, "must be at least 1"}
	}
	if _, err := options.check(MostTrials); err != nil {
		return nil, err
	}
	c := &Chain{question: q, sample: sample, options: options, guards: []float64{q.Guard}}
	if q.Guard == 0 {
		if c.gamma = q.gamma(); !(c.gamma > 0 && c.gamma < 1) {
			return nil, &HypothesesError{"gamma", c.gamma, "must lie strictly between 0 and 1"}
		}
		// Any guard will do to check the others.
		q.Guard = (1 + q.Delta) / 2
	}
	if err := q.hypotheses(q.Guard).Validate(); err != nil {
		return nil, err
	}
	if c.gamma > 0 {
		// Both errors are lower than their targets by gamma.
		for _, x := range []float64{q.Alpha, q.Beta} {
			if c.gamma >= x/2 {
				return nil, &HypothesesError{"gamma", c.gamma, "must be less than half of alpha and of beta"}
			}
		}
		c.guards, c.first = guardsOf(sample, q.Delta, c.gamma)
	}
	return c, nil
}

// hypotheses are those of a lowest guarded rate.
func (q Question) hypotheses(guard float64) Hypotheses {
	return Hypotheses{Delta: q.Delta, Alpha: q.Alpha, Beta: q.Beta, Guarded: stats.Interval{Low: guard, High: 1}}
}

// guardsOf returns the lowest guarded rates of the tiers, falling, and which of them is the first to try: that of
// a share of failures of half of delta. Each further one doubles the share, those before halve it, to none; the
// range is the exact interval of that share of a fixed number of trials, as many as the baseline can have, to two
// digits of delta; the last one is nearly all. It depends on nothing that the baseline came to.
func guardsOf(sample Sample, delta, gamma float64) (guards []float64, first int) {
	trials := sample.mostTrials()
	grid := math.Pow(10, math.Ceil(-math.Log10(delta)-0.5)+1)
	start := delta / 2
	for _, share := range []float64{0, start / 4, start / 2, start, 2 * start, 4 * start, 8 * start, 16 * start,
		32 * start, 64 * start, 128 * start} {
		if share > 1 {
			break
		}
		failures := int(math.Round(share * float64(trials)))
		guard, err := stats.ClopperPearson(stats.Counts{Passes: trials - failures, Trials: trials}, gamma)
		if err != nil {
			break
		}
		low := math.Floor(guard.Low*grid) / grid
		if low <= delta {
			break
		}
		if len(guards) == 0 || low < guards[len(guards)-1] {
			guards = append(guards, low)
		}
		if share == start {
			first = len(guards) - 1
		}
	}
	// The last tier is for every rate that can drop by delta.
	if last := math.Floor(delta*grid+1.5) / grid; len(guards) > 0 && last < guards[len(guards)-1] && last > delta {
		guards = append(guards, last)
	}
	return guards, min(first, max(len(guards)-1, 0))
}

// mostTrials is the largest number of trials of an outcome.
func (s Sample) mostTrials() (most int) {
	for _, o := range s.outcomes {
		most = max(most, o.Trials)
	}
	return most
}

// Against returns the plan of the test against a baseline that came to an outcome: see
// the function [Against]. Of a tier the plan is the same for all of its outcomes.
func (c *Chain) Against(ctx context.Context, o Outcome) (Plan, error) {
	place := c.sample.place(o)
	if place < 0 {
		return Plan{}, &OutcomeError{Outcome: o}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	for i := 0; ; i++ {
		if i == len(c.plans) {
			if err := c.next(ctx); err != nil && (ctx.Err() != nil || i == len(c.plans)) {
				return Plan{}, c.explain(err, o)
			}
		}
		f := c.plans[i].Family
		if f.settled != nil && !f.settled[place] {
			continue
		}
		if _, ok := f.Boundaries(o); !ok {
			return Plan{}, &OutcomeError{Outcome: o, Guarded: f.hypotheses.Guarded}
		}
		return c.plans[i], nil
	}
}

// next plans one more tier. What cannot be planned ends the chain for good, with the last tier for every rate.
func (c *Chain) next(ctx context.Context) error {
	if c.closed {
		return c.ended
	}
	err := c.ended
	if err == nil {
		var plan Plan
		if plan, err = c.planned(ctx); err == nil {
			c.plans = append(c.plans, plan)
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.ended, c.closed = err, true
	if len(c.plans) > 0 && c.gamma > 0 {
		last := c.plans[len(c.plans)-1]
		last.Family = last.Family.forEveryRate()
		c.plans = append(c.plans, last)
	}
	return err
}

func (c *Chain) planned(ctx context.Context) (Plan, error) {
	if len(c.plans) > 0 {
		tier := c.first + len(c.plans)
		if tier >= len(c.guards) {
			return Plan{}, &TooSmallError{}
		}
		return c.planTier(ctx, tier, c.plans[len(c.plans)-1].Family, c.options.Open)
	}
	if len(c.guards) == 0 {
		return Plan{}, &TooSmallError{}
	}
	// Where a baseline is too small for the first tier, it may do for a narrower one, which is then the only one.
	for tier := c.first; ; tier-- {
		plan, err := c.planTier(ctx, tier, nil, false)
		if c.small(err) && tier > 0 {
			continue
		}
		if c.small(err) && c.options.Open {
			return c.planTier(ctx, c.first, nil, true)
		}
		if err == nil && tier < c.first && !c.options.Open {
			c.ended = &TooSmallError{}
		}
		c.first = tier
		return plan, err
	}
}

// planTier plans a tier after the one before: one that always decides, or else, where that may be, an open one.
func (c *Chain) planTier(ctx context.Context, tier int, before *Family, open bool) (Plan, error) {
	o := c.options
	o.Open = false
	p := c.tier(tier, before)
	plan, err := p.planLike(ctx, c.question.Scenarios, o)
	if open && c.small(err) {
		o.Open = true
		p.spare = c.spare
		plan, err = p.planLike(ctx, c.question.Scenarios, o)
	}
	if err == nil {
		c.spare = p.spare
	}
	return plan, err
}

// tier is the problem of a tier, after the one before.
func (c *Chain) tier(tier int, before *Family) problem {
	return problem{h: c.question.hypotheses(c.guards[tier]), sample: c.sample, before: before, gamma: c.gamma,
		spare: c.spare}
}

// small reports whether an error says that a baseline is too small for a guarded range that was chosen.
func (c *Chain) small(err error) bool {
	_, small := errors.AsType[*TooSmallError](err)
	_, none := errors.AsType[*InfeasibleError](err)
	return c.gamma > 0 && (small || none && (c.options.MaxTrials == 0 || len(c.plans) > 0))
}

// explain completes an error with what an outcome asks for.
func (c *Chain) explain(err error, o Outcome) error {
	if c.small(err) {
		// Of a run that could have been longer the trials that it had are what is too few.
		needed := c.question.needed(shareOf(o), c.gamma)
		if needed == 0 {
			return &HypothesesError{"delta", c.question.Delta,
				fmt.Sprintf("is more than a baseline with %d failures in %d trials can drop by", o.Failures, o.Trials)}
		}
		return &TooSmallError{Trials: o.Trials, Delta: c.question.Delta, Needed: max(needed, o.Trials+1)}
	}
	return err
}

// sort brings the members into the order of the sample.
func (f *Family) sort() {
	slices.SortFunc(f.members, func(a, b member) int { return a.outcome.compare(b.outcome) })
}

// depth is how many tiers there are up to this one.
func (f *Family) depth() int { return len(f.tiers()) }

// settledMembers are those whose boundaries a later tier keeps.
func (f *Family) settledMembers() (list []member) {
	if f == nil {
		return nil
	}
	for _, m := range f.members {
		if f.settled[f.sample.place(m.outcome)] {
			list = append(list, m)
		}
	}
	return list
}

// settle finds the outcomes that belong to the tier, or to one before: those from the highest down whose
// probability, together, is at most half of gamma at the lowest guarded rate and below. These are the outcomes
// whose exact intervals lie in the guarded range: see [Sample.Guard].
func (f *Family) settle() {
	if f.gamma == 0 {
		return
	}
	order := f.sample.fromHighest()
	rates := []float64{f.hypotheses.Guarded.Low}
	// Of pooled runs the tail need not rise with the rate everywhere.
	if f.sample.parts != nil {
		const steps = 200
		for i := 1; float64(i)/steps < f.hypotheses.Guarded.Low; i++ {
			rates = append(rates, float64(i)/steps)
		}
	}
	count := len(order)
	for _, rate := range rates {
		tail, i := 0.0, 0
		for ; i < count; i++ {
			if tail += f.sample.mass(order[i], rate); tail > f.gamma/2 {
				break
			}
		}
		count = i
	}
	f.settleFirst(order, count)
}

// settleFirst settles so many outcomes of an order, beside those of the tiers before.
func (f *Family) settleFirst(order []int, count int) {
	f.settled = make([]bool, len(order))
	if f.before != nil {
		copy(f.settled, f.before.settled)
	}
	for _, place := range order[:count] {
		f.settled[place] = true
	}
}

// forEveryRate is the family as the last of its chain: it settles as many outcomes more, from the highest down, as
// leave the errors of all that are settled within the targets at every rate below the guarded ones.
func (f *Family) forEveryRate() *Family {
	g := &Family{hypotheses: f.hypotheses, sample: f.sample, gamma: f.gamma, trials: f.trials, members: f.members,
		before: f.before, tier: f}
	order := f.sample.fromHighest()
	least := 0 // that f has settled
	for least < len(order) && f.settled[order[least]] {
		least++
	}
	g.settleFirst(order, least+sort.Search(len(order)-least, func(more int) bool {
		g.settleFirst(order, least+more+1)
		return !g.keepsBelow()
	}))
	return g
}

// keepsBelow reports whether the errors of the settled outcomes are within the targets at every rate below the guarded
// ones: of a false Pass at those that can drop by delta.
func (f *Family) keepsBelow() bool {
	h := f.hypotheses
	within := func(outcome sprt.Outcome, target, drop float64) bool {
		var e event
		for _, x := range f.event(outcome) {
			if f.settled[f.sample.place(Outcome{x.basePasses + x.baseFailures, x.baseFailures})] {
				e = append(e, x)
			}
		}
		return e.maximum(target, drop, stats.Interval{Low: drop, High: h.Guarded.Low}).bound <= target
	}
	return within(sprt.Fail, h.Alpha-f.gamma, 0) && within(sprt.Pass, h.Beta-f.gamma, h.Delta)
}

// fromHighest returns the places of all outcomes in the order of [Sample.Guard], what speaks for the highest rate
// first.
func (s Sample) fromHighest() []int {
	order := make([]int, 0, len(s.outcomes))
	if s.sequential != nil {
		ends := stageWise(*s.sequential)
		for i := len(ends) - 1; i >= 0; i-- {
			order = append(order, s.place(Outcome{ends[i].passes + ends[i].failures, ends[i].failures}))
		}
		return order
	}
	for i := range s.outcomes {
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := s.outcomes[i], s.outcomes[j]
		return cmp.Or(cmp.Compare(b.Passes()*a.Trials, a.Passes()*b.Trials), cmp.Compare(b.Trials, a.Trials))
	})
	return order
}
