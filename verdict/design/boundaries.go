package design

import "github.com/tribunal-dev/tribunal/sprt"

// Boundaries are failure counts by number of trials; index 0 is one trial.
type Boundaries struct {
	PassAtOrBelow []int  `json:"pass_at_or_below"` // -1: no Pass here
	FailAtOrAbove []*int `json:"fail_at_or_above"` // null: no Fail here
}

// StraightPasses returns after how many passes without a failure the test ends
// with Pass; 0 if it never does.
func (b Boundaries) StraightPasses() int {
	for i, pass := range b.PassAtOrBelow {
		if pass >= 0 {
			return i + 1
		}
		// With no failure so far, a boundary of 0 ends the test with Fail.
		if i < len(b.FailAtOrAbove) && b.FailAtOrAbove[i] != nil && *b.FailAtOrAbove[i] <= 0 {
			return 0 // it has failed
		}
	}
	return 0
}

// StraightFailures returns after how many failures without a pass the test ends
// with Fail; 0 if it never does.
func (b Boundaries) StraightFailures() int {
	for i, fail := range b.FailAtOrAbove {
		if fail != nil && *fail <= i+1 {
			return i + 1
		}
		// With nothing but failures so far, the number of trials is that of failures.
		if i < len(b.PassAtOrBelow) && b.PassAtOrBelow[i] >= i+1 {
			return 0 // it has passed
		}
	}
	return 0
}

// Lattice returns the lattice of the boundaries: the paths that a test may take through
// them, from which probabilities at any pass rate follow.
func (b Boundaries) Lattice() (*sprt.Lattice, error) {
	return b.Test().Lattice()
}

// Of returns the boundaries in the form of results: where no number of failures fails, a
// test has [sprt.Never], and JSON has null. It is the reverse of [Boundaries.Test].
func Of(b sprt.Boundaries) Boundaries {
	p := Boundaries{PassAtOrBelow: b.PassAtOrBelow, FailAtOrAbove: make([]*int, len(b.FailAtOrAbove))}
	for i, fail := range b.FailAtOrAbove {
		if fail != sprt.Never {
			p.FailAtOrAbove[i] = new(fail)
		}
	}
	return p
}

// Test returns the boundaries as the test has them.
func (b Boundaries) Test() sprt.Boundaries {
	boundaries := sprt.Boundaries{PassAtOrBelow: b.PassAtOrBelow, FailAtOrAbove: make([]int, len(b.FailAtOrAbove))}
	for i, fail := range b.FailAtOrAbove {
		boundaries.FailAtOrAbove[i] = sprt.Never
		if fail != nil {
			boundaries.FailAtOrAbove[i] = *fail
		}
	}
	return boundaries
}
