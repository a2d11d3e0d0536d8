package compare

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// endingContext is a context that ends once it was asked so many times whether it has.
type endingContext struct {
	context.Context
	left  atomic.Int64
	over  atomic.Bool // what it was handed to has returned
	late  atomic.Int64
	asked atomic.Int64
}

func (c *endingContext) Err() error {
	c.asked.Add(1)
	if c.over.Load() {
		c.late.Add(1)
	}
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever the context ends, a comparison ends with its cause, and nothing of it goes on after that.
func TestNothingRunsOnAfterAComparison(t *testing.T) {
	side := func(every int) *recording.Recording {
		r := &recording.Recording{}
		for i := range 60 {
			x := &trial.Trial{Scenario: fmt.Sprint("s", i%3), Outcome: trial.Pass,
				CostUSD: trial.Some(float64(1 + i%7)), DurationSeconds: trial.Some(float64(1 + i%5))}
			if i%every == 0 {
				x.Outcome = trial.Fail
			}
			r.Add(x)
		}
		return r
	}
	judge := func(asked int64) (*endingContext, *Result, error) {
		ctx := &endingContext{Context: t.Context()}
		ctx.left.Store(asked)
		result, err := Judge(ctx, side(7), side(5), Options{})
		ctx.over.Store(true)
		return ctx, result, err
	}
	const never = 1 << 40
	whole, want, err := judge(never)
	if err != nil || len(want.Metrics) != 2 || want.Heterogeneity == nil {
		t.Fatalf("%+v, %v", want, err)
	}
	all := whole.asked.Load()
	contexts := []*endingContext{whole}
	for asked := int64(0); asked < all; asked += 1 + all/int64(thorough.Draws(12, 40)) {
		ctx, result, err := judge(asked)
		contexts = append(contexts, ctx)
		// What asks twice at the same place may still finish with all that there is.
		if err == nil {
			if diff := cmp.Diff(want, result); diff != "" {
				t.Errorf("ended when it was asked for the %d. time of %d: %s", asked, all, diff)
			}
		} else if err != context.Canceled {
			t.Errorf("ended when it was asked for the %d. time: %v", asked, err)
		}
	}
	for i, ctx := range contexts {
		if n := ctx.late.Load(); n > 0 {
			t.Errorf("comparison %d asked %d times after it was over", i, n)
		}
	}
}
