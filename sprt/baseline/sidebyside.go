package baseline

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
)

// SideBySide plans a test that runs the baseline and the candidate, a trial of each in
// every round. The trials of both are independent given their scenario; what changes over
// time, such as the load of a provider, meets both alike.
//
// [Options.MaxTrials] is a number of rounds here, at most MostRounds. Guarding
// [EveryRate] costs next to nothing where agents mostly are, for a test ends the earlier the
// fewer fail; what is longer is the test at most. Where the rounds do not suffice at some
// rates, it may be Inconclusive there, and errs no more often.
//
// SideBySide returns a [HypothesesError] where there is nothing to test, an
// [InfeasibleError] if no test keeps the errors within so many rounds, and the context's
// error when it ends.
func SideBySide(ctx context.Context, h Hypotheses, o Options) (RoundsPlan, error) {
	if err := h.validateSides(); err != nil {
		return RoundsPlan{}, err
	}
	favour, err := o.check(MostRounds)
	if err != nil {
		return RoundsPlan{}, err
	}
	low, high := angles(h.Guarded)
	// Both sides have as many trials: the variance of the difference is twice that of one, hence rounds/2.
	return planRounds(ctx, h, o, sideKind(h, favour), func(rounds int) int {
		return max(int(math.Ceil((high-low)*2*planeDensity*math.Sqrt(float64(rounds)/2))), fewestSteps)
	})
}

// angles are the ends of a range of rates on the scale of the arcsine, as in [search.grid].
func angles(guarded stats.Interval) (low, high float64) {
	return math.Asin(math.Sqrt(guarded.Low)), math.Asin(math.Sqrt(guarded.High))
}

// sideKind is the form of two sides that are independent.
func sideKind(h Hypotheses, favour float64) kind {
	same := onAngles(h.Guarded)
	lower := onAngles(h.lowered())
	return kind{
		every: h.Guarded == EveryRate(),
		at: func(x float64) model {
			p, q := same(x), lower(x)
			return model{independent(p, p), independent(q, q-h.Delta/2), independent(q, q-h.Delta)}
		},
		saving: func(x float64) float64 {
			// A step on the scale of the arcsine is one of √(p(1-p)) on that of rates.
			p := same(x)
			return (math.Pow(p, favour) + leastSaving) * math.Max(math.Sqrt(p*(1-p)), 0.02)
		},
	}
}

// leastSaving is what a round counts at rates that are unlikely, beside 1 at the likeliest: enough that a test stops
// there too once it may. It is chosen.
const leastSaving = 0.002

// onAngles walks over a range of rates on the scale of the arcsine, from 0 to 1.
func onAngles(over stats.Interval) func(x float64) float64 {
	low, high := angles(over)
	return func(x float64) float64 {
		// The ends as they are given, without rounding.
		switch x {
		case 0:
			return over.Low
		case 1:
			return over.High
		}
		root := math.Sin(low + (high-low)*x)
		return root * root
	}
}

// lowered are the guarded rates that can drop by delta.
func (h Hypotheses) lowered() stats.Interval {
	return stats.Interval{Low: math.Max(h.Guarded.Low, h.Delta), High: h.Guarded.High}
}

// validateSides checks hypotheses of two sides in rounds, of which every rate may be guarded.
func (h Hypotheses) validateSides() error {
	if h.Guarded == EveryRate() {
		h.Guarded.Low = (1 + h.Delta) / 2 // any that is valid
	}
	return h.Validate()
}

// EveryRate guards every rate of the baseline in a test in rounds: no candidate as good as the baseline fails more
// often than alpha, whatever the rate, and none that is lower by delta passes more often than beta.
func EveryRate() stats.Interval { return stats.Interval{Low: 0, High: 1} }

// planeDensity is how many rates of the grid there are to a standard deviation of the
// difference. It is chosen, coarser than for columns: a plane costs more for each rate.
const planeDensity = 2.25

// independent are the cells of two sides with pass rates.
func independent(baseline, candidate float64) cells {
	return cells{
		neither: baseline * candidate, x: (1 - baseline) * candidate,
		y: baseline * (1 - candidate), both: (1 - baseline) * (1 - candidate),
	}
}

// check returns the exponent of the savings. It checks the options against the most trials, or rounds, that
// are planned for.
func (o Options) check(mostTrials int) (favour float64, err error) {
	if o.MaxTrials < 0 || o.MaxTrials > mostTrials {
		return 0, &HypothesesError{"max trials", float64(o.MaxTrials), fmt.Sprintf("must be from 0 to %d", mostTrials)}
	}
	if !(o.Favour >= 0 && o.Favour <= 1000) {
		return 0, &HypothesesError{"favour", o.Favour, "must be from 0 to 1000"}
	}
	if o.Favour == 0 {
		return defaultFavour, nil
	}
	return o.Favour, nil
}
