package sprt

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Boundaries say when a test of pass/fail trials stops. Both slices hold failure
// counts by number of trials; index 0 is one trial, the length is the largest
// number of trials. After n trials with f failures the test passes if
// f <= PassAtOrBelow[n-1], fails if f >= FailAtOrAbove[n-1], and goes on otherwise;
// what is left at the end is Inconclusive.
type Boundaries struct {
	PassAtOrBelow []int // -1: no Pass at this number of trials
	FailAtOrAbove []int // Never: no Fail at this number of trials
}

// Never stands for a failure count that is out of reach.
const Never = int(^uint32(0) >> 1)

// MaxTrials is the number of trials after which a test ends in any case.
func (b Boundaries) MaxTrials() int { return len(b.PassAtOrBelow) }

// mostTrials bounds the size of a design: the lattice of a larger one does not fit
// into memory.
const mostTrials = 20_000

// Validate returns an error unless both slices have the same length, from 1 to
// 20,000, and no failure count both passes and fails.
func (b Boundaries) Validate() error {
	if len(b.PassAtOrBelow) != len(b.FailAtOrAbove) {
		return fmt.Errorf("boundaries: %d failure counts to pass and %d to fail",
			len(b.PassAtOrBelow), len(b.FailAtOrAbove))
	}
	if n := b.MaxTrials(); n < 1 || n > mostTrials {
		return fmt.Errorf("boundaries: %d trials, must be from 1 to %d", n, mostTrials)
	}
	for i, pass := range b.PassAtOrBelow {
		if fail := b.FailAtOrAbove[i]; pass < -1 || pass >= fail {
			return fmt.Errorf("boundaries: after %d trials, pass at %d failures or fewer and fail at %d or more",
				i+1, pass, fail)
		}
	}
	return nil
}

// Clone returns a copy that shares no memory.
func (b Boundaries) Clone() Boundaries {
	return Boundaries{append([]int(nil), b.PassAtOrBelow...), append([]int(nil), b.FailAtOrAbove...)}
}

// NewBoundaries returns boundaries for so many trials at which no test ever stops, to
// be lowered and raised where it is to. It returns a [HypothesesError] unless the
// trials are from 1 to 20,000.
func NewBoundaries(maxTrials int) (Boundaries, error) {
	if err := checkMaxTrials(maxTrials); err != nil {
		return Boundaries{}, err
	}
	return open(maxTrials), nil
}

// open returns boundaries at which no test ever stops.
func open(trials int) Boundaries {
	b := Boundaries{make([]int, trials), make([]int, trials)}
	for i := range trials {
		b.PassAtOrBelow[i] = -1
		b.FailAtOrAbove[i] = Never
	}
	return b
}

// Outcome is where a test stands or how it ended. The zero value is Undecided.
type Outcome uint8

const (
	Undecided    Outcome = iota // more trials are needed
	Pass                        // the rate is not as low as H1 says
	Fail                        // the rate is below H0
	Inconclusive                // the trials are used up
)

var outcomes = enum.Of[Outcome]("outcome", "undecided", "pass", "fail", "inconclusive")

// String returns "undecided", "pass", "fail" or "inconclusive".
func (o Outcome) String() string {
	return outcomes.String(o)
}

// at returns the outcome after so many trials and failures.
func (b Boundaries) at(trials, failures int) Outcome {
	switch {
	case trials < 1:
		return Undecided
	case failures <= b.PassAtOrBelow[trials-1]:
		return Pass
	case failures >= b.FailAtOrAbove[trials-1]:
		return Fail
	case trials == b.MaxTrials():
		return Inconclusive
	}
	return Undecided
}
