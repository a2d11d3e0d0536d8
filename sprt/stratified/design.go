package stratified

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/sprt"
)

// Design is a test of a suite. [New] makes it, the same for the same question, and its methods do not change it.
type Design struct {
	question Question
	mean     meanRule
	floors   []floorRule // by scenario
	promise  Promise
}

// meanRule decides about the mean. The round is the one that it is in, or that decided, from 1 on.
type meanRule interface {
	decide(v view) (o sprt.Outcome, round int)
}

// floorRule decides about a scenario. Trials after it is cleared count up to so many.
type floorRule interface {
	stand(v view, scenario, counted int) (s Standing, used int)
	most() int
}

// Promise is what is proved of a design, for every vector of rates, and how good it is.
type Promise struct {
	// FalseFail bounds the chance of a Fail where the mean holds and no scenario is below its floor: MeanFails and
	// Collapses together.
	FalseFail float64 `json:"false_fail"`
	MeanFails float64 `json:"mean_fails"`
	Collapses float64 `json:"collapses"` // of any scenario
	// FalsePass bounds the chance of a Pass where the mean is too low, or any scenario is: the larger one of MeanPasses
	// and Clears.
	FalsePass  float64 `json:"false_pass"`
	MeanPasses float64 `json:"mean_passes"`
	Clears     float64 `json:"clears"` // of one scenario
	// Rounds are the trials in whole rounds that the mean test takes, averaged over the rates for which trials are
	// saved. Bound is a lower bound of that (weak duality) over all tests that look between rounds and keep the same
	// errors, fail only where more failed than H0 expects, and do not pass before every scenario may be cleared. Both
	// are 0 where the mean is decided by betting.
	Rounds float64 `json:"rounds,omitempty"`
	Bound  float64 `json:"bound,omitempty"`
}

// Shares of alpha; chosen. What is left is for the mean.
const (
	floorShare = 0.1 // of all floors together, against a threshold
	ownShare   = 0.2 // of all own floors together
	pairShare  = 0.4 // of all floors, against a baseline: a loss is harder to show beside one
)

// New plans the test of a suite. It returns a [sprt.HypothesesError] where there is nothing to
// ask, a [sprt.InfeasibleError] where no test of the mean keeps the errors within the rounds, and the context's error.
func New(ctx context.Context, q Question) (*Design, error) {
	q = q.complete()
	if err := q.check(); err != nil {
		return nil, err
	}
	d := &Design{question: q, floors: make([]floorRule, q.Scenarios)}
	if q.Sides != Threshold {
		return d, d.planPairs()
	}
	if err := d.planFloors(ctx); err != nil {
		return nil, err
	}
	alpha := q.Alpha - d.promise.Collapses
	if q.Anytime {
		d.mean = newBetting(q, alpha)
		d.promise.MeanFails, d.promise.MeanPasses = alpha, q.Beta
	} else if err := d.planMean(ctx, alpha); err != nil {
		return nil, err
	}
	d.promise.FalseFail = d.promise.Collapses + d.promise.MeanFails
	d.promise.FalsePass = max(d.promise.Clears, d.promise.MeanPasses)
	return d, nil
}

// planFloors makes the tests of all floors against a threshold.
func (d *Design) planFloors(ctx context.Context) error {
	q := d.question
	var common []int // weights of scenarios without a floor of their own
	made := map[Floor]*floorTest{}
	for i := range q.Scenarios {
		own, ok := q.Own[i]
		if !ok {
			common = append(common, q.Weight(i))
			continue
		}
		share := ownShare * q.Alpha / float64(len(q.Own))
		if made[own] == nil {
			t, err := ownFloor(ctx, own, share, q.Beta)
			if err != nil {
				return err
			}
			made[own] = t
		}
		d.floors[i] = made[own]
		if err := d.count(made[own], own, made[own].collapses(own.From)); err != nil {
			return err
		}
	}
	if len(common) == 0 {
		return nil
	}
	t, any, err := q.commonFloor(common)
	if err != nil {
		return err
	}
	for i := range d.floors {
		if _, ok := q.Own[i]; !ok {
			d.floors[i] = t
		}
	}
	return d.count(t, q.Floor, any)
}

// count adds the errors of a test to the promise.
func (d *Design) count(t *floorTest, f Floor, collapses float64) error {
	c, err := t.boundaries.Characteristics(f.To)
	d.promise.Collapses += collapses
	d.promise.Clears = max(d.promise.Clears, c.Pass)
	return err
}

// commonFloor is the test of scenarios without a floor of their own, and the proved chance that any collapses by
// mistake.
func (q Question) commonFloor(weights []int) (*floorTest, float64, error) {
	budget := floorShare * q.Alpha
	sum := (1 - q.Threshold) * float64(q.Round())
	alpha := budget / min(float64(len(weights)), sum/(1-q.Floor.From))
	for range 20 {
		t, err := floorWithin(q.Floor, min(alpha, budget), q.Beta)
		if err != nil {
			return nil, 0, err
		}
		any := t.anyCollapse(q.Floor, weights, sum)
		if any <= budget {
			return t, any, nil
		}
		alpha *= min(budget/any, 0.99)
	}
	return nil, 0, q.Floor.close()
}

// planMean makes the test of the mean against a threshold.
func (d *Design) planMean(ctx context.Context, alpha float64) error {
	q := d.question
	trials := q.Round()
	upper, lower := 1-q.Threshold, 1-q.hypotheses().Lower()
	m := newMeanTest(ctx, trials, q.MaxRounds, d.passFrom(), upper, lower, []weight{
		{upper / 2, 0.5}, {upper, 0.25}, {lower, 0.25},
	})
	m.alpha, m.beta = alpha, q.Beta
	// No vector with a scenario beyond H0 or at H1 of its floor counts: those are the floors' promise.
	most, least := 0.0, 0.0
	for i := range q.Scenarios {
		most, least = max(most, 1-q.FloorOf(i).From), max(least, 1-q.FloorOf(i).To)
	}
	m.fail, m.pass = newAdversary(trials, upper*float64(trials), most), newAdversary(trials, lower*float64(trials), least)
	if err := m.search(); err != nil {
		return err
	}
	if !m.found {
		return &sprt.InfeasibleError{Hypotheses: q.hypotheses(), MaxTrials: q.MaxRounds * trials,
			Problem: fmt.Sprintf("no test of the mean in %d rounds keeps both errors", q.MaxRounds)}
	}
	d.mean = &sumRule{q, m.best.boundaries}
	d.promise.MeanFails, d.promise.MeanPasses = m.best.alpha, m.best.beta
	d.promise.Rounds, d.promise.Bound = m.best.expected, m.bound
	return nil
}

// passFrom is the first round after which every scenario could be cleared: a mean that passes earlier saves nothing.
func (d *Design) passFrom() int {
	first := d.question.MaxRounds
	for i, f := range d.floors {
		for n, pass := range f.(*floorTest).boundaries.PassAtOrBelow {
			if pass >= 0 {
				w := d.question.Weight(i)
				first = min(first, (n+w)/w)
				break
			}
		}
	}
	return first
}

// Question is what the design answers, with its defaults.
func (d *Design) Question() Question { return d.question }

// Promise is what is proved of it.
func (d *Design) Promise() Promise { return d.promise }

// Mean are the boundaries of the mean test by rounds: failures of all trials so far. They are empty where the mean is
// decided by betting.
func (d *Design) Mean() sprt.Boundaries {
	if rule, ok := d.mean.(*sumRule); ok {
		return rule.boundaries.Clone()
	}
	return sprt.Boundaries{}
}

// MaxTrials is how many trials of a scenario can count, on each side where both are run.
func (d *Design) MaxTrials(scenario int) int {
	return max(d.question.MaxRounds*d.question.Weight(scenario), d.floors[scenario].most())
}

// Floor are the boundaries of the test of a scenario's floor, by its own trials and failures; false against a baseline,
// where those of the baseline matter too.
func (d *Design) Floor(scenario int) (sprt.Boundaries, bool) {
	t, ok := d.floors[scenario].(*floorTest)
	if !ok {
		return sprt.Boundaries{}, false
	}
	return t.boundaries.Clone(), true
}

// sumRule decides by the failures of whole rounds.
type sumRule struct {
	question   Question
	boundaries sprt.Boundaries
}

// decide looks after each round, and before its end where what is missing of it makes no difference any more: the
// decision is the same as at the end.
func (r *sumRule) decide(v view) (sprt.Outcome, int) {
	for round := 1; round <= r.boundaries.MaxTrials(); round++ {
		failures, missing := 0, 0
		for i, list := range v.candidate {
			n := round * r.question.Weight(i)
			for _, failed := range list[:min(n, len(list))] {
				if failed {
					failures++
				}
			}
			missing += max(n-len(list), 0)
		}
		switch {
		case failures >= r.boundaries.FailAtOrAbove[round-1]:
			return sprt.Fail, round
		case failures+missing <= r.boundaries.PassAtOrBelow[round-1]:
			return sprt.Pass, round
		case missing > 0:
			return sprt.Undecided, round
		}
	}
	return sprt.Inconclusive, r.boundaries.MaxTrials()
}
