package listen

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// Wait waits until what is served is to end: after the length, where it is not 0, when it is broken, or with the
// context, of which it returns what [EndOf] does.
func Wait(ctx context.Context, length time.Duration, broken <-chan struct{}) error {
	var over <-chan time.Time
	if length > 0 {
		timer := time.NewTimer(length)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-broken:
	case <-ctx.Done():
		return EndOf(ctx)
	}
	return nil
}

// EndOf returns what is wrong with the end of a context. What has no other end is ended by an interrupt, and nothing is
// wrong with that; but that its terminal is gone is.
func EndOf(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	cause, signal := errors.AsType[*problem.SignalError](context.Cause(ctx))
	if !signal || cause.Signal == syscall.SIGHUP {
		return context.Cause(ctx)
	}
	return nil
}
