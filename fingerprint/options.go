package fingerprint

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
)

// Test names a test of "both sides behave alike".
type Test uint8

// The tests. The zero value is the default.
const (
	// PermutationT2 exchanges trials within their scenarios. Its statistic takes
	// the smallest of three tail probabilities: that of T² on the covariance as it
	// is, if there are twice as many trials as columns, that of T² on the covariance
	// shrunk as Ledoit and Wolf do, and that of the column that differs most, times twice
	// the number of columns. Shrinking sees a shift along the wide axes sooner and one
	// along the narrow axes later; a shift of one column among many shows in that
	// column first. The smallest loses little to any. A column that is constant on
	// the baseline's side enters with its own exact probability.
	PermutationT2 Test = iota
	// ShrunkT2 is T² on the shrunk covariance alone, with the same permutations.
	ShrunkT2
	// HotellingT2 is [hotelling.Test] on the principal components that hold 95 % of
	// the variance or what the options say, as AgentAssay has it (Theorem 7.1). It knows no scenarios, and
	// its level is nominal for normal vectors only.
	HotellingT2
)

var testNames = enum.Of[Test]("test", "permutation-t2", "shrunk-t2", "hotelling-t2")

// String returns "permutation-t2", "shrunk-t2" or "hotelling-t2".
func (t Test) String() string { return testNames.String(t) }

// MarshalText writes the name; a value that is none of the constants is refused.
func (t Test) MarshalText() ([]byte, error) { return testNames.MarshalText(t) }

// UnmarshalText reads the name.
func (t *Test) UnmarshalText(text []byte) error { return testNames.UnmarshalText(text, t) }

// DefaultPermutations is how many permutations a comparison looks at unless its
// options say otherwise.
const DefaultPermutations = 9999

// What [Options] that say nothing mean.
const (
	defaultAlpha      = 0.05
	defaultBeta       = 0.1
	defaultMaxUnknown = 0.2
)

// maxPermutations bounds the time of a comparison.
const maxPermutations = 1 << 24

// Options says how two samples are compared.
type Options struct {
	Alpha        float64 // level of the test, between 0 and 1; 0 is 0.05
	Test         Test    // the zero value is [PermutationT2]
	Permutations int     // at most; 0 is [DefaultPermutations]
	Seed         uint64  // of the permutations
	// MostTrials is how many trials of both sides together are compared, about: of samples with more, [Compare] draws so
	// many at random, by the seed, and a warning says so. 0 is [DefaultMostTrials].
	MostTrials int
	// Explained is the share of the variance that the principal components hold which [HotellingT2] tests, above 0
	// and at most 1; 0 is 0.95, as AgentAssay has it (Equation 28).
	Explained float64

	// Shift is a difference of a column's means, in standard deviations of a trial, that the
	// comparison is to exclude; 0 asks for none. See [Equivalence].
	Shift float64
	Beta  float64 // probability of excluding such a shift that is there, between 0 and 1; 0 is 0.1

	// Pooled exchanges trials across scenarios: each trial drew its scenario at random, in
	// the same way on both sides.
	Pooled bool
	// IncludeDuration tests the wall time too; it says more about the provider of a model
	// than about the system.
	IncludeDuration bool
	// MaxUnknown is the largest share of the trials, from 0 to 1, in which a tested column
	// may be unknown; 0 is 0.2.
	MaxUnknown float64
	// Stopped says that a sequential test ended a side, so that the numbers of passes and
	// fails are its doing: trials are then exchanged with those of the same outcome alone. [Compare] sets
	// it where a sample says so.
	Stopped bool
	// Vocabulary fixes the columns; nil is that of both samples. See [NewVocabulary] for
	// what another must not depend on.
	Vocabulary *Vocabulary

	// All vectors are of one system, and stand on two sides for the form alone.
	oneSample bool
}

func (o Options) withDefaults() (Options, error) {
	if o.Alpha == 0 {
		o.Alpha = defaultAlpha
	}
	if o.Permutations == 0 {
		o.Permutations = DefaultPermutations
	}
	if o.MostTrials == 0 {
		o.MostTrials = DefaultMostTrials
	}
	if o.MaxUnknown == 0 {
		o.MaxUnknown = defaultMaxUnknown
	}
	if o.Beta == 0 {
		o.Beta = defaultBeta
	}
	if o.Explained == 0 {
		o.Explained = explained
	}
	if err := argument.OpenUnit("alpha", o.Alpha); err != nil {
		return o, err
	}
	if err := argument.OpenUnit("beta", o.Beta); err != nil {
		return o, err
	}
	if o.Shift != 0 {
		if err := argument.Positive("shift", o.Shift); err != nil {
			return o, err
		}
	}
	switch {
	case !(o.Explained > 0 && o.Explained <= 1):
		return o, argument.Wrong("explained share", o.Explained, "must lie above 0 and at most at 1")
	case !testNames.Has(o.Test):
		return o, argument.Wrong("test", int(o.Test), "is not known")
	case o.Permutations < 1 || o.Permutations > maxPermutations:
		return o, argument.Wrong("permutations", o.Permutations, "must lie between 1 and 16777216")
	case o.MostTrials < 2:
		return o, argument.Wrong("most trials", o.MostTrials, "must be 2 or more")
	case math.IsNaN(o.MaxUnknown) || o.MaxUnknown < 0 || o.MaxUnknown >= 1:
		return o, argument.Wrong("maximum unknown share", o.MaxUnknown, "must lie between 0 and 1")
	}
	return o, nil
}
