package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// WithSignals returns a context that SIGINT or SIGTERM ends, so that [App.Run]
// cleans up and exits with the code of the signal. A second signal ends the
// process at once. A write to a closed pipe becomes an error of the write rather
// than the end of the process without a word.
func WithSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	stops := make(chan os.Signal, 1)
	signal.Notify(stops, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case received := <-stops:
			// From here on the next signal has its usual effect.
			signal.Stop(stops)
			number, _ := received.(syscall.Signal)
			cancel(&signalled{number})
		case <-ctx.Done():
		}
	}()
	// Caught, not ignored: a program that is started inherits what is ignored.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	return ctx, func() {
		signal.Stop(stops)
		signal.Stop(pipes)
		cancel(nil)
	}
}
