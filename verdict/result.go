package verdict

import (
	"context"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Result is what a judge found, with the options and the evidence that it was decided
// from. The kinds of results are those of this module, [ThresholdResult] and [Coverage]
// here and others in the packages below; verify.Kinds lists all. They are pointers to
// structs whose JSON holds everything; package verify reads it back.
type Result interface {
	// Header returns what every result has.
	Header() Header
	// Rejudge judges again from what the result holds; see package verify, which
	// compares the two.
	Rejudge(ctx context.Context) (*rejudged.Result, error)
}

// Header is what every [Result] has.
type Header struct {
	Schema   string    // names its JSON form, such as "tribunal/run/v1"
	Judged   bool      // it has a verdict; a plan or a forecast has none
	Verdict  Verdict   // Inconclusive where it has none
	ExitCode int       // of the process that shows it; 0 where it has no verdict
	Reasons  []Reason  // of the verdict, the most important first; empty where it has none
	Warnings []Warning // what to know before relying on it; may be empty
}

// Header returns what every result has.
func (r *ThresholdResult) Header() Header {
	return Header{r.Schema, true, r.Verdict, r.ExitCode, r.Reasons, r.Warnings}
}

// Coverage is measured coverage as a [Result]. It has a verdict where a minimum was asked
// for.
type Coverage coverage.Result

// Header returns what every result has.
func (c *Coverage) Header() Header {
	h := Header{Schema: c.Schema, Judged: c.Met != nil}
	switch {
	// Measured, and no minimum asked for: no verdict.
	case c.Met == nil:
	case *c.Met:
		h.Verdict = Pass
	default:
		h.Verdict = Fail
	}
	if h.Judged {
		h.ExitCode = h.Verdict.ExitCode()
	}
	for _, w := range c.Warnings {
		h.Warnings = append(h.Warnings, Warning{Code(w.Code), w.Text})
	}
	return h
}

// Rejudge measures again from the counts.
func (c *Coverage) Rejudge(context.Context) (*rejudged.Result, error) {
	if c.Counts == nil {
		return nil, ErrNoOutcomes
	}
	if err := c.Counts.Validate(); err != nil {
		return nil, &DifferenceError{"counts", err.Error(), "counts of trials"}
	}
	// The counts are the evidence: they are not compared with themselves.
	return &rejudged.Result{Again: (*Coverage)(c.Counts.Measure()), Given: []string{"counts"}}, nil
}
