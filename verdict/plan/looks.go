package plan

import "github.com/tribunal-dev/tribunal/verdict/design"

// PlannedLook is one of the looks of a test that is looked at a few times only: what it says
// there, by the number of failures. Between the two it goes on, or after the last look ends
// undecided.
type PlannedLook struct {
	Trials        int  `json:"trials"`           // that have run by then
	PassAtOrBelow int  `json:"pass_at_or_below"` // failures; -1 where no number passes
	FailAtOrAbove *int `json:"fail_at_or_above"` // failures; nil where no number fails
}

// groupOf is how many trials lie between so many looks.
func groupOf(trials, looks int) int { return (trials + looks - 1) / looks }

// schedule lists the looks of a design after every group of trials, and at its end.
func schedule(b design.Boundaries, group int) (looks []PlannedLook) {
	most := len(b.PassAtOrBelow)
	for n := group; ; n += group {
		n = min(n, most)
		if n < 1 || n > len(b.FailAtOrAbove) {
			return looks
		}
		looks = append(looks, PlannedLook{n, b.PassAtOrBelow[n-1], b.FailAtOrAbove[n-1]})
		if n == most {
			return looks
		}
	}
}
