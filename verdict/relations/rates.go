package relations

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// confidence is the error of intervals, whatever alpha decides: readers expect 95 %.
const confidence = 0.05

// limits are those of a rate of violations.
type limits func(violations, pairs int) (stats.Interval, error)

// whenever are limits that hold whenever a run stopped.
func whenever(violations, pairs int) (stats.Interval, error) {
	return sprt.ConfidenceSequence(stats.Counts{Passes: violations, Trials: pairs}, confidence, 1, 1)
}

// fixed are limits after a number of pairs that was fixed before.
func fixed(violations, pairs int) (stats.Interval, error) {
	if pairs == 0 {
		return stats.Interval{Low: 0, High: 1}, nil
	}
	return stats.ClopperPearson(stats.Counts{Passes: violations, Trials: pairs}, confidence)
}

// rated is the rate of so many pairs, with limits that hold whatever its errors would have been.
func rated(pairs, violations, errors int, interval limits) (Rate, error) {
	r := Rate{Pairs: pairs, Violations: violations, Errors: errors}
	if known := pairs - errors; known > 0 {
		r.Rate = new(float64(violations) / float64(known))
	}
	low, err := interval(violations, pairs)
	if err != nil {
		return r, err
	}
	high, err := interval(violations+errors, pairs)
	r.Low, r.High = low.Low, high.High
	return r, err
}

// text is such as "3 of 20 pairs (15%)".
func (r Rate) text(noun string) string {
	text := fmt.Sprintf("%d of %s", r.Violations, prose.Count(r.Pairs, noun))
	if r.Errors == 0 && r.Violations > 0 && r.Violations < r.Pairs {
		text += " (" + phrase.Rate(float64(r.Violations)/float64(r.Pairs)) + ")"
	}
	if r.Errors > 0 {
		text += " with " + prose.Count(r.Errors, "error")
	}
	return text
}

// beside is such as "violated by 3 of 20 pairs (15%), and by 0 of 20 of equal inputs".
func (c *Cell) beside(earlier bool) string {
	text := "violated by " + c.FollowUp.text("pair")
	if c.Control == nil {
		return text
	}
	if earlier {
		return text + ", and before by " + c.Control.text("pair")
	}
	return text + ", and by " + c.Control.text("pair") + " of equal inputs"
}

// leastAgreement is how often controls must hold so that a Pass says something: twice delta, and at most nine in ten.
// It is chosen. Where a relation hardly holds between an agent and itself, follow-ups cannot violate it much more
// often.
func leastAgreement(delta float64) float64 { return math.Min(2*delta, 0.9) }

// noisy reports whether controls hold too seldom.
func (c *Cell) noisy(delta float64) bool {
	return c.Control != nil && c.Control.Rate != nil && 1-*c.Control.Rate < leastAgreement(delta)
}

// Claims are the verdicts of the cells with the intervals of what they are about: the rate of violations, or its excess
// over controls. Less of either is better.
func (r *Result) Claims() (list []verdict.Claim) {
	for i, relation := range r.Relations {
		for j, c := range relation.Scenarios {
			claim := verdict.Claim{Path: fmt.Sprintf("relations[%d].scenarios[%d].", i, j), Verdict: c.Verdict}
			switch {
			// Beside a bound on the rate a Fail may be one of either.
			case c.Excess != nil && relation.MaxViolationRate != nil && c.Verdict == verdict.Fail:
				continue
			case c.Excess != nil:
				claim.Path += "excess"
				claim.Low, claim.High, claim.Bad = -c.Excess.High, -c.Excess.Low, -relation.Delta
			case c.Control == nil:
				claim.Path += "follow_up"
				claim.Low, claim.High = -c.FollowUp.High, -c.FollowUp.Low
				claim.Bad, claim.Good = -relation.most()-relation.Delta, -relation.most()
			default:
				continue
			}
			list = append(list, claim)
		}
	}
	return list
}
