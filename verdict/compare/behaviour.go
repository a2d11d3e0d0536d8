package compare

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// AddBehaviour puts the behaviour beside the comparison. Where it is to count, a
// change makes the verdict Fail, and a Pass needs a test.
func (c *Result) AddBehaviour(b *behaviour.Comparison, counts bool) {
	c.Behaviour, c.BehaviourCounts = b, counts
	if !counts {
		return
	}
	if c.Family != nil {
		c.Family.addBehaviour(c.Alpha)
	}
	// Pass rates may agree while the work changed: that is what counting is for. A shown
	// change outweighs any verdict of the rates; a behaviour that could not be tested only
	// takes back a Pass, since nothing is shown by it.
	switch {
	case b.Changed:
		c.Verdict = verdict.Fail
		c.Reasons = append([]verdict.Reason{b.Reason()}, c.Reasons...)
	case !b.Tested && c.Verdict == verdict.Pass:
		c.Verdict = verdict.Inconclusive
		c.Reasons = append([]verdict.Reason{b.Reason()}, c.Reasons...)
	}
	c.ExitCode = c.Verdict.ExitCode()
}
