package process

import (
	"context"
	"errors"
	"time"
)

// killKey is that of the channel in a context whose end takes the grace of its programs away.
type killKey struct{}

// WithKill returns a context whose programs have no grace once the channel is closed: those that are to end are killed
// at once, and those that were asked to end before are not waited for any longer.
func WithKill(ctx context.Context, kill <-chan struct{}) context.Context {
	return context.WithValue(ctx, killKey{}, kill)
}

// killOf returns that channel; nil where the context has none.
func killOf(ctx context.Context) <-chan struct{} {
	kill, _ := ctx.Value(killKey{}).(<-chan struct{})
	return kill
}

// graceAt is the time that a program has once a context has ended.
func (c Command) graceAt(ctx context.Context) time.Duration {
	if errors.Is(context.Cause(ctx), ErrAtOnce) {
		return 0
	}
	return c.Grace
}

// patient waits for the end of a program that is asked to end, unless it is to be killed at once or has no grace.
func patient(grace time.Duration, kill <-chan struct{}, exited <-chan struct{}, ask func()) {
	if grace <= 0 {
		return
	}
	select {
	case <-kill:
		return
	default:
	}
	ask()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-exited:
	case <-kill:
	case <-timer.C:
	}
}
