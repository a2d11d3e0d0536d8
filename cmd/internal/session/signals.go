package session

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

// WithSignals returns a context that SIGINT, SIGTERM or SIGHUP ends, so that the command
// cleans up and exits with the code of the signal. A second SIGINT or SIGTERM ends the
// process at once. SIGHUP comes when a terminal is closed, often twice, from the kernel and from the shell:
// only the first counts, and none where it was ignored at the start, as with nohup. While a run lets its
// trials end, the first SIGINT is one more. A write to a closed pipe becomes an error of the write rather
// than the end of the process without a word.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	d := &drains{}
	ctx = context.WithValue(ctx, drainsKey{}, d)
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, os.Interrupt, syscall.SIGTERM)
	hangups := make(chan os.Signal, 1)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hangups, syscall.SIGHUP)
	}
	go func() {
		for {
			select {
			case <-hangups:
				signal.Stop(stops)
				cancel(&problem.SignalError{Signal: syscall.SIGHUP})
			case received := <-stops:
				number, _ := received.(syscall.Signal)
				if d.drain(number) {
					continue
				}
				// From here on the next signal has its usual effect.
				signal.Stop(stops)
				cancel(&problem.SignalError{Signal: number})
			case <-ctx.Done():
			}
			return
		}
	}()
	// Caught, not ignored: a program that is started inherits what is ignored.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return ctx, func() {
		signal.Stop(stops)
		signal.Stop(hangups)
		signal.Stop(pipes)
		cancel(nil)
	}
}

// drains is how a first SIGINT reaches a run that lets its trials end: what is killed may have been slow
// because it was about to fail, and its trial is an error.
type drains struct {
	mutex sync.Mutex
	// Closed by the first SIGINT; nil where nothing drains, or it came already.
	interrupt chan struct{}
	atLast    bool // SIGTERM drains as well
}

// drainsKey is that of the drains in a context of [WithSignals].
type drainsKey struct{}

// Draining returns a channel that the first SIGINT closes in place of ending the context, until done is
// called. It is nil in a context without signals.
func Draining(ctx context.Context) (interrupt <-chan struct{}, done func()) {
	d, _ := ctx.Value(drainsKey{}).(*drains)
	if d == nil {
		return nil, func() {}
	}
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.interrupt = make(chan struct{})
	return d.interrupt, func() {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.interrupt = nil
	}
}

// DrainingAtLast is draining for what is ended by the signals of those that run services: SIGTERM as well.
func DrainingAtLast(ctx context.Context) (interrupt <-chan struct{}, done func()) {
	interrupt, done = Draining(ctx)
	if d, _ := ctx.Value(drainsKey{}).(*drains); d != nil {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		d.atLast = true
	}
	return interrupt, done
}

// drain reports whether a run was there to be interrupted for the first time, by such a signal.
func (d *drains) drain(by syscall.Signal) bool {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.interrupt == nil || by != syscall.SIGINT && !d.atLast {
		return false
	}
	close(d.interrupt)
	d.interrupt = nil
	return true
}
