package calibration

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
)

// calibrateRelations enumerates what becomes of metamorphic relations: of one that the agent keeps, how often it is
// called violated at each rate at which the agent agrees with itself; and of one that is violated by the excess that
// matters, how often it passes. It is AgentAssay's experiment E5b on agents whose rates are known. The row without a
// promise is the rule that one pair in which the answers differ is a violation.
func calibrateRelations(c *calibrator) error {
	const delta, alpha, beta = suite.DefaultRelationDelta, .05, .1
	plan, err := baseline.Matched(c.ctx, baseline.MatchedHypotheses{
		Delta: delta, Alpha: alpha, Beta: beta, MostDiscordant: (1 + delta*delta) / 2,
	}, baseline.Options{})
	if err != nil {
		return err
	}
	for _, p := range []float64{1, .95, .8, .5} {
		fail, _ := roundsOf(plan.Test, p, p)
		c.exact("controls", fmt.Sprintf("agrees with itself at %v", p), falseAlarm, fail, atMost(alpha))
	}
	for _, p := range []float64{1, .9, .7} {
		_, pass := roundsOf(plan.Test, p, p-delta)
		c.exact("controls", fmt.Sprintf("holds at %v and %.1f", p, p-delta), missed, pass, atMost(beta))
	}
	c.exact("one pair differs", "20 pairs, agrees with itself at 0.95", falseAlarm, 1-math.Pow(.95, 20), unpromised(alpha))
	return nil
}

// roundsOf walks a test in rounds, in each of which a control and a follow-up pair hold independently with these
// probabilities. It returns the probabilities of Fail and Pass.
func roundsOf(test *baseline.Rounds, control, followUp float64) (fail, pass float64) {
	fixed, broke := (1-control)*followUp, control*(1-followUp)
	most := test.MaxRounds()
	// By pairs that were fixed and broke, of the rounds so far.
	at := map[[2]int]float64{{}: 1}
	for n := 1; n <= most && len(at) > 0; n++ {
		next := map[[2]int]float64{}
		for state, mass := range at {
			next[state] += mass * (1 - fixed - broke)
			next[[2]int{state[0] + 1, state[1]}] += mass * fixed
			next[[2]int{state[0], state[1] + 1}] += mass * broke
		}
		at = map[[2]int]float64{}
		for state, mass := range next {
			switch {
			case mass == 0:
			case test.Outcome(n, state[0], state[1]) == sprt.Fail:
				fail += mass
			case test.Outcome(n, state[0], state[1]) == sprt.Pass:
				pass += mass
			case test.Outcome(n, state[0], state[1]) == sprt.Undecided:
				at[state] = mass
			}
		}
	}
	return fail, pass
}
