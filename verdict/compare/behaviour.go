package compare

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// AddBehaviour puts the behaviour beside the comparison. Where it is to count, a
// change makes the verdict Fail, and a Pass needs that a shift which matters is excluded.
func (c *Result) AddBehaviour(b *behaviour.Comparison, counts bool) {
	c.Behaviour, c.BehaviourCounts = b, counts
	if !counts {
		return
	}
	if c.Family != nil {
		c.Family.addBehaviour(c.Alpha)
	}
	// Pass rates may agree while the work changed: that is what counting is for. A shown
	// change outweighs any verdict of the rates; where neither a change is shown nor
	// one excluded, a Pass is taken back.
	switch {
	case b.Changed:
		// What keeps the rates open does not open a change of behaviour.
		if c.Verdict != verdict.Fail && c.Edition >= pairsOfScenarios {
			ofRatesAlone(c.Reasons)
		}
		c.Verdict = verdict.Fail
		c.Reasons = append([]verdict.Reason{b.Reason()}, c.Reasons...)
	case !b.Same() && c.Verdict == verdict.Pass:
		c.Verdict = verdict.Inconclusive
		c.Reasons = append([]verdict.Reason{b.Reason()}, c.Reasons...)
	}
	c.ExitCode = c.Verdict.ExitCode()
}
