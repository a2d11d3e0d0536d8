package verify

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Verification says that a saved result is what its raw outcomes come to.
type Verification = recheck.Verification

// Verify recomputes a saved result, as [Decode] returns it, from the raw outcomes and
// counts that it holds, and compares every figure and text. What cannot be recomputed
// is named. It returns a [verdict.DifferenceError] for the first difference, and the cause of the
// context's end.
func Verify(ctx context.Context, result any) (*Verification, error) {
	switch r := result.(type) {
	case *runs.Result:
		return runs.Verify(r)
	case *gate.Result:
		if r.Run == nil {
			return nil, fmt.Errorf("%w: the gate holds no run", verdict.ErrNoOutcomes)
		}
		return gate.Verify(ctx, r)
	case *verdict.ThresholdResult:
		return verifyThreshold(r)
	case *compare.Result:
		return compare.Verify(ctx, r)
	case *sequential.Result:
		return sequential.Verify(r)
	case *behaviour.Result:
		return behaviour.Verify(ctx, r)
	}
	return nil, fmt.Errorf("%T is no saved result", result)
}
