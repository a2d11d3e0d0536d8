package oracle

import (
	"context"
	"fmt"
	"time"
)

// mostTime bounds what an evaluator may take that asks no program: a small schema or expression can take hours over an
// output. It is chosen, as long as a judge has by default.
const mostTime = defaultCommandTimeout

// timed is the same with a bound of time. What takes longer, or is not wanted any more, is an error of the judging.
// It is left to itself then: only what its context says can end it.
func timed(judge judgement) judgement { return withinTime(mostTime, judge) }

type judgement = func(context.Context, Evidence) Result

func withinTime(most time.Duration, judge judgement) judgement {
	return func(ctx context.Context, e Evidence) Result {
		ctx, end := context.WithTimeoutCause(ctx, most, fmt.Errorf("it takes longer than %v", most))
		defer end()
		done := make(chan Result, 1)
		go func() { done <- judge(ctx, e) }()
		select {
		case r := <-done:
			return r
		case <-ctx.Done():
			return unjudged("it was stopped: %v", context.Cause(ctx))
		}
	}
}
