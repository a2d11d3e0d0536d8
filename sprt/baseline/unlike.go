package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Trials of several scenarios that are pooled come to a binomial number where all of them pass equally often. Where
// they are unlike the number varies less (Hoeffding 1956), and an error that is an average over many outcomes of the
// baseline becomes that of few. For scenarios with one trial each, of all vectors of rates with the same mean one has
// the largest error that has 0, 1 and one other rate: an error is linear in each rate, and symmetric.

// planLike plans a problem, and again with lower targets while the errors of unlike scenarios are above those that were
// asked for. Where they stay above, it returns an error.
func (p *problem) planLike(ctx context.Context, scenarios int, o Options) (Plan, error) {
	return p.planUnlike(ctx, o, func(f *Family) Errors {
		if scenarios < 2 || !p.sample.fixed() {
			return Errors{}
		}
		return f.unlike(scenarios)
	})
}

// planUnlike is planLike with the largest errors of unlike scenarios as shares of their targets.
func (p *problem) planUnlike(ctx context.Context, o Options, unlike func(f *Family) Errors) (Plan, error) {
	var excess Errors
	for range mostLower {
		plan, err := p.plan(ctx, o)
		if err != nil {
			return plan, err
		}
		excess = unlike(plan.Family)
		if excess.Alpha <= 1 && excess.Beta <= 1 {
			return plan, nil
		}
		for _, x := range []struct{ spare, excess *float64 }{{&p.spare.alpha, &excess.Alpha}, {&p.spare.beta, &excess.Beta}} {
			if *x.excess > 1 {
				*x.spare = 1 - (1-*x.spare)*(1-lowerBy)/(*x.excess)
			}
		}
	}
	return Plan{}, fmt.Errorf("no test of all scenarios together was found that keeps both errors where they pass unlike "+
		"often: the last has a false Fail of %.3g and a false Pass of %.3g; test each scenario by itself, or record more "+
		"trials of the baseline", excess.Alpha*(p.h.Alpha-p.gamma), excess.Beta*(p.h.Beta-p.gamma))
}

const (
	mostLower   = 6    // plans, at most: targets that were lowered twice were low enough in all that was tried
	lowerBy     = 2e-3 // by how much more targets are lowered; chosen
	unlikeRates = 120  // rates of the grid; chosen
	unlikeSteps = 40   // numbers of scenarios with a rate of 0, and of 1, that are looked at, at most; chosen
)

// Unlike returns the largest errors where so many scenarios are pooled on both sides, each with as many trials of the
// baseline, and pass unlike often: over a grid of mean rates of the baseline, and over vectors of rates that have 0, 1
// and one other. They are computed and not proved, and may lie below those of [Family.Errors], which are for equal
// rates. False says that they are not known: of one scenario, and of a baseline whose number of trials was not fixed.
func (f *Family) Unlike(scenarios int) (Errors, bool) {
	if scenarios < 2 || !f.sample.fixed() {
		return Errors{}, false
	}
	e := f.unlike(scenarios)
	e.Alpha, e.Beta = e.Alpha*(f.hypotheses.Alpha-f.gamma), e.Beta*(f.hypotheses.Beta-f.gamma)
	return e, true
}

// unlike is what largestUnlike computes, once for each number of scenarios.
func (f *Family) unlike(scenarios int) Errors {
	f.cache.lock.Lock()
	defer f.cache.lock.Unlock()
	e, known := f.cache.unlike[scenarios]
	if !known {
		e = f.largestUnlike(scenarios)
		if f.cache.unlike == nil {
			f.cache.unlike = map[int]Errors{}
		}
		f.cache.unlike[scenarios] = e
	}
	return e
}

// largestUnlike are the largest errors as shares of their targets, over a grid of mean rates of the baseline and over
// vectors of rates of so many scenarios that have 0, 1 and one other rate. The trials of the candidate have the mean
// rate each: scenarios are drawn in a random order.
func (f *Family) largestUnlike(scenarios int) (most Errors) {
	h := f.hypotheses
	trials := f.sample.mostTrials()
	each := trials / scenarios
	ends := map[int][]candidateStop{} // by the failures of the baseline
	for _, m := range f.members {
		walk(m.boundaries, func(n, failures int, logPaths float64, o sprt.Outcome) {
			if o != sprt.Inconclusive {
				ends[m.outcome.Failures] = append(ends[m.outcome.Failures], candidateStop{n - failures, failures, logPaths, o})
			}
		})
	}
	for i := range unlikeRates + 1 {
		rate := h.Guarded.Low + h.Guarded.Width()*float64(i)/unlikeRates
		fail, pass := make([]float64, trials+1), make([]float64, trials+1)
		for failures, list := range ends {
			fail[failures] = chanceOf(list, sprt.Fail, rate)
			pass[failures] = chanceOf(list, sprt.Pass, rate-h.Delta)
		}
		failing := (1 - rate) * float64(scenarios) // the mean, in scenarios
		for _, never := range stepsTo(int(failing)) {
			for _, always := range stepsTo(int(float64(scenarios) - failing)) {
				others := scenarios - never - always
				if others == 0 {
					continue
				}
				number := dist.Binomial{N: others * each, P: math.Min((failing-float64(never))/float64(others), 1)}
				for _, x := range []struct {
					most, at *float64
					target   float64
					errors   []float64
				}{{&most.Alpha, &most.AlphaAt, h.Alpha - f.gamma, fail}, {&most.Beta, &most.BetaAt, h.Beta - f.gamma, pass}} {
					if share := meanOver(number, x.errors[never*each:]) / x.target; share > *x.most {
						*x.most, *x.at = share, rate
					}
				}
			}
		}
	}
	return most
}

// candidateStop is an end of the candidate's test, with the logarithm of the number of sequences of trials to it.
type candidateStop struct {
	passes, failures int
	logPaths         float64
	outcome          sprt.Outcome
}

// chanceOf is the probability of an outcome at a rate.
func chanceOf(list []candidateStop, outcome sprt.Outcome, rate float64) (sum float64) {
	pass, fail := math.Log(rate), math.Log1p(-rate)
	for _, x := range list {
		if x.outcome == outcome {
			sum += math.Exp(x.logPaths + times(x.passes, pass) + times(x.failures, fail))
		}
	}
	return sum
}

// meanOver is the mean of values by a number, but for what has a chance below 1e-12.
func meanOver(number dist.Binomial, values []float64) (sum float64) {
	middle := int(float64(number.N) * number.P)
	for _, step := range []int{-1, 1} {
		for k := middle + max(step, 0); k >= 0 && k <= number.N; k += step {
			x := number.Prob(k)
			sum += x * values[k]
			if x < 1e-12 {
				break
			}
		}
	}
	return sum
}

// stepsTo are numbers from 0 to the most, that included: all of them, or unlikeSteps.
func stepsTo(most int) (list []int) {
	for i := range min(most, unlikeSteps) + 1 {
		list = append(list, most*i/max(min(most, unlikeSteps), 1))
	}
	return list
}
