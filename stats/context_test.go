package stats

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"
)

// ends is a context that ends when it was asked so many times whether it has.
type ends struct {
	context.Context
	cause context.CancelCauseFunc
	left  int
}

var errEnded = errors.New("ended by the test")

func endsAfter(questions int) *ends {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &ends{ctx, cancel, questions}
}

func (e *ends) Deadline() (time.Time, bool) { return time.Time{}, false }

func (e *ends) Err() error {
	if e.left--; e.left < 0 {
		e.cause(errEnded)
	}
	return e.Context.Err()
}

// What takes seconds with many trials ends with the context, in the midst of its work.
func TestContextEndsLongTests(t *testing.T) {
	b, c := Counts{930, 1000}, Counts{900, 1000}
	strata := []Stratum{{Baseline: b, Candidate: c}, {Baseline: c, Candidate: b}}
	for name, compute := range map[string]func(context.Context) error{
		"boschloo": func(ctx context.Context) error {
			p, err := Boschloo(ctx, b, c)
			if err != nil && !math.IsNaN(p) {
				t.Errorf("boschloo: p = %v beside an error", p)
			}
			return err
		},
		"non-inferiority": func(ctx context.Context) error { return errorOf(NonInferiority(ctx, b, c, 0.1)) },
		"paired non-inferiority": func(ctx context.Context) error {
			return errorOf(PairedNonInferiority(ctx, Pairs{90, 5, 3, 2}, 0.1))
		},
		"stratified": func(ctx context.Context) error { return errorOf(StratifiedExact(ctx, strata)) },
		"p": func(ctx context.Context) error {
			return errorOf(BoschlooTest.P(ctx, Table{Baseline: b, Candidate: c}))
		},
		"region": func(ctx context.Context) error {
			return errorOf(BoschlooTest.Region(ctx, 100, 100, 0.05))
		},
		"region of non-inferiority": func(ctx context.Context) error {
			return errorOf(NonInferiorityRegion(ctx, 100, 100, 0.1, 0.1))
		},
		"paired region": func(ctx context.Context) error {
			return errorOf(PairedNonInferiorityRegion(ctx, 100, 0.1, 0.1))
		},
	} {
		if err := compute(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, questions := range []int{0, 1, 10} {
			if err := compute(endsAfter(questions)); !errors.Is(err, errEnded) {
				t.Errorf("%s, ended after %d questions: %v", name, questions, err)
			}
		}
	}
}
