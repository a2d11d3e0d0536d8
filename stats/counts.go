package stats

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// Counts is the number of passes among a number of independent trials.
type Counts struct {
	Passes int // from 0 to Trials
	Trials int // from 0 to [MaxTrials], all with an outcome
}

// Fails returns the trials that did not pass.
func (c Counts) Fails() int { return c.Trials - c.Passes }

// Rate returns Passes/Trials, the maximum-likelihood estimate of the pass rate.
// It is NaN without trials.
func (c Counts) Rate() float64 { return float64(c.Passes) / float64(c.Trials) }

// String returns "passes/trials".
func (c Counts) String() string { return fmt.Sprintf("%d/%d", c.Passes, c.Trials) }

// Validate returns an [ArgumentError] unless 0 <= Passes <= Trials <= [MaxTrials].
// Zero trials are valid counts; a function that needs a trial says so itself.
func (c Counts) Validate() error {
	switch {
	case c.Trials < 0:
		return argument.Wrong("trials", c.Trials, "must not be negative")
	case c.Trials > MaxTrials:
		return argument.Wrong("trials", c.Trials, fmt.Sprintf("must be at most %d", MaxTrials))
	case c.Passes < 0:
		return argument.Wrong("passes", c.Passes, "must not be negative")
	case c.Passes > c.Trials:
		return argument.Wrong("passes", c.Passes, fmt.Sprintf("must be at most the number of trials, %d", c.Trials))
	}
	return nil
}

// MaxTrials is the largest number of trials that the functions of counts accept:
// up to here n, n² and sums of n terms are exact or rounded harmlessly in
// float64 arithmetic.
const MaxTrials = 1 << 30

// validateNonEmpty is Validate for functions that need at least one trial.
func (c Counts) validateNonEmpty() error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Trials == 0 {
		return argument.Wrong("trials", 0, "must be at least 1")
	}
	return nil
}

// validateBoth checks the counts of a two-sample function, naming the side.
func validateBoth(baseline, candidate Counts) error {
	if err := baseline.validateNonEmpty(); err != nil {
		return fmt.Errorf("baseline: %w", err)
	}
	if err := candidate.validateNonEmpty(); err != nil {
		return fmt.Errorf("candidate: %w", err)
	}
	return nil
}

// Interval is a closed interval of a rate, a difference or another quantity.
type Interval struct {
	Low  float64 `json:"low"`  // the lower limit, which belongs to it
	High float64 `json:"high"` // the upper limit, which belongs to it; at least Low
}

// Contains reports whether Low <= x <= High.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Width returns High-Low.
func (i Interval) Width() float64 { return i.High - i.Low }
