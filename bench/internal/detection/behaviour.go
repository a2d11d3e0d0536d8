package detection

import (
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
)

// DefaultRuns is what 0 of Options.Runs stands for.
const DefaultRuns = 2000

// Options says how comparisons are measured.
type Options struct {
	Runs int    // comparisons; 0 is [DefaultRuns]
	Seed uint64 // of the trials, the splits and the permutations

	// Compare are the options of the comparisons. Their test and seed are not used.
	Compare fingerprint.Options
}

func (o Options) withDefaults() (Options, error) {
	if o.Runs == 0 {
		o.Runs = DefaultRuns
	}
	if o.Runs < 0 {
		return o, fmt.Errorf("runs %d must not be negative", o.Runs)
	}
	if o.Compare.Alpha == 0 {
		o.Compare.Alpha = 0.05
	}
	return o, nil
}

// Rate counts in how many runs a test found a change.
type Rate struct {
	Found   int // runs in which the test found a change
	Refused int // runs with too few trials for the test, or none that vary: it found nothing
	Runs    int // all of them
}

// Share returns the share of the runs in which a change was found; 0 without runs.
func (r Rate) Share() float64 { return float64(r.Found) / float64(max(r.Runs, 1)) }

// Within reports whether the share is at most p plus three of the standard errors
// that a probability of p would have.
func (r Rate) Within(p float64) bool {
	return r.Share() <= p+3*math.Sqrt(p*(1-p)/float64(max(r.Runs, 1)))
}

// String returns the share in percent: "4.9 %".
func (r Rate) String() string {
	if r.Runs > 0 && r.Refused == r.Runs {
		return "refused"
	}
	return fmt.Sprintf("%.1f %%", 100*r.Share())
}

// add counts a run.
func (r *Rate) add(f finding) {
	r.Runs++
	if f.found {
		r.Found++
	}
	if f.refused {
		r.Refused++
	}
}

// finding is what a test said of two samples.
type finding struct{ found, refused bool }

// findingOf tells the findings of a comparison from its failures: samples that a test
// cannot be computed for are a finding of nothing.
func findingOf(c *fingerprint.Comparison, err error) (finding, error) {
	switch {
	case err == nil:
		return finding{found: c.Changed}, nil
	case errors.Is(err, fingerprint.ErrTooFewTrials), errors.Is(err, hotelling.ErrSingular):
		return finding{refused: true}, nil
	}
	return finding{}, err
}

// Changed reports whether a comparison found a change. Samples that its test cannot be
// computed for, since they are too small or do not vary, show none.
func Changed(c *fingerprint.Comparison, err error) (bool, error) {
	f, err := findingOf(c, err)
	return f.found, err
}
