package verdict

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
)

// ErrorPolicy says how trials count that ended in an error, without a verdict on
// the system.
type ErrorPolicy uint8

const (
	// RobustErrors, the default, decides only what holds whether the errors are
	// scored as passes or as failures.
	RobustErrors  ErrorPolicy = iota
	ExcludeErrors             // errors are left out
	FailErrors                // errors are failures
)

var errorPolicyNames = enum.Of[ErrorPolicy]("errors", "robust", "exclude", "fail")

// String returns "robust", "exclude" or "fail".
func (p ErrorPolicy) String() string { return errorPolicyNames.String(p) }

// MarshalText writes the policy's name.
func (p ErrorPolicy) MarshalText() ([]byte, error) { return errorPolicyNames.MarshalText(p) }

// UnmarshalText reads a policy's name.
func (p *ErrorPolicy) UnmarshalText(text []byte) error {
	return errorPolicyNames.UnmarshalText(text, p)
}

// Grouping says whether the pooled trials are judged, or every scenario.
type Grouping uint8

const (
	BySuite    Grouping = iota // the pooled trials decide
	ByScenario                 // every scenario must hold
)

var groupingNames = enum.Of[Grouping]("by", "suite", "scenario")

// String returns "suite" or "scenario".
func (g Grouping) String() string { return groupingNames.String(g) }

// MarshalText writes the grouping's name.
func (g Grouping) MarshalText() ([]byte, error) { return groupingNames.MarshalText(g) }

// UnmarshalText reads a grouping's name.
func (g *Grouping) UnmarshalText(text []byte) error {
	return groupingNames.UnmarshalText(text, g)
}

// Tally counts the outcomes of one scenario.
type Tally struct {
	Scenario string // name
	Passes   int    // trials that passed
	Fails    int    // trials that failed
	Errors   int    // trials without a verdict
	Cost     Cost   // of all of them
	Unrun    int    // of the errors, those that stand for tests that did not run, as of a package that was not built
}

// mostCounted bounds the trials of a tally: what package stats takes, and a quarter of it where an int has 32 bits, so
// that sums of a few counts still fit.
const mostCounted = stats.MaxTrials >> (2 * (1 - ^uint(0)>>63))

// Validate returns an [OptionError] if a count is negative or the total too large
// for the statistics.
func (t Tally) Validate() error {
	all := int64(0)
	for _, count := range []struct {
		name  string
		value int
	}{{"passes", t.Passes}, {"failures", t.Fails}, {"errors", t.Errors}} {
		if all += int64(count.value); count.value < 0 || count.value > mostCounted || all > mostCounted {
			return &OptionError{
				Option:  count.name,
				Value:   count.value,
				Problem: fmt.Sprintf("must be a count that is not negative, of at most %d trials in all", mostCounted),
			}
		}
	}
	if t.Unrun < 0 || t.Unrun > t.Errors {
		return &OptionError{Option: "unrun", Value: t.Unrun, Problem: "must be a count of at most the errors"}
	}
	return nil
}

// Counts returns the passes and trials that are shown under the policy.
func (t Tally) Counts(policy ErrorPolicy) stats.Counts {
	c := stats.Counts{Passes: t.Passes, Trials: t.Passes + t.Fails}
	if policy == FailErrors {
		c.Trials += t.Errors
	}
	return c
}

// scorings returns every way of counting the errors that must lead to the
// verdict. The first is the one that is shown.
func (t Tally) scorings(policy ErrorPolicy) []stats.Counts {
	shown := t.Counts(policy)
	if policy != RobustErrors || t.Errors == 0 {
		return []stats.Counts{shown}
	}
	all := shown.Trials + t.Errors
	// All errors as failures, and all as passes: any other way lies between these two.
	return []stats.Counts{shown, {Passes: t.Passes, Trials: all}, {Passes: t.Passes + t.Errors, Trials: all}}
}

// Pool adds tallies up.
func Pool(name string, tallies []Tally) Tally {
	sum := Tally{Scenario: name}
	for _, t := range tallies {
		sum.Passes += t.Passes
		sum.Fails += t.Fails
		sum.Errors += t.Errors
		sum.Unrun += t.Unrun
		sum.Cost = sum.Cost.Plus(t.Cost)
	}
	return sum
}
