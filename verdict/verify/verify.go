package verify

import (
	"context"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
)

// Verification says that a saved result is what its raw outcomes come to.
type Verification = recheck.Verification

// Verify recomputes a result, as [Decode] returns it, from the raw outcomes and counts
// that it holds, and compares every figure and text. What cannot be recomputed is named.
// It returns a [verdict.DifferenceError] for the first difference, and an error that is
// [verdict.ErrNoOutcomes] for a result that holds nothing to recompute it from.
func Verify(ctx context.Context, r verdict.Result) (*Verification, error) {
	return recheck.Verify(ctx, r)
}
