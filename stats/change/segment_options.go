package change

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Unit says what is exchangeable while nothing changes, and so is put in other orders. The zero value is Trials.
type Unit uint8

// The units.
const (
	// Trials are independent of each other, whichever run they are of. It finds most.
	Trials Unit = iota
	// Runs are, with all their trials together: where a run has a day, a machine or a version of a model to itself
	// that moves its trials together. It takes eight runs at least to find anything at 5 %.
	Runs
)

var units = enum.Of[Unit]("unit", "trials", "runs")

// String returns "trials" or "runs".
func (u Unit) String() string { return units.String(u) }

// MarshalText writes the name.
func (u Unit) MarshalText() ([]byte, error) { return units.MarshalText(u) }

// UnmarshalText reads the name.
func (u *Unit) UnmarshalText(text []byte) error { return units.UnmarshalText(text, u) }

// SegmentOptions says how a series is divided. The zero value has the defaults.
type SegmentOptions struct {
	// Alpha is the probability of finding any change in a series without one, and the error of intervals and places;
	// 0 is 0.05.
	Alpha        float64
	Unit         Unit   // what is exchangeable
	Permutations int    // orders drawn for each test, at most 99,999; 0 is 999
	Seed         uint64 // of the orders
}

// The defaults, and the limits.
const (
	defaultAlpha        = 0.05
	defaultPermutations = 999
	mostPermutations    = 99_999

	// maxSegmentTrials is how many trials of a series can be put in other orders; [Runs] have no such limit.
	maxSegmentTrials = 1 << 20
)

// withDefaults returns the options with the defaults in place of zeros.
func (o SegmentOptions) withDefaults() (SegmentOptions, error) {
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	if o.Permutations == 0 {
		o.Permutations = defaultPermutations
	}
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return o, argument.Wrong("alpha", o.Alpha, "must lie strictly between 0 and 1")
	case o.Permutations < 1 || o.Permutations > mostPermutations:
		return o, argument.Wrong("permutations", o.Permutations, fmt.Sprintf("must be from 1 to %d", mostPermutations))
	case !units.Has(o.Unit):
		return o, argument.Wrong("unit", o.Unit, "is no unit")
	}
	return o, nil
}
