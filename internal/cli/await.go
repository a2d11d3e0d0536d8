package cli

import "context"

// await runs f, which nothing can interrupt, such as a read from a pipe, and
// returns its error, or the cause of the context's end if that comes first. f is
// left to itself then, so its caller must not go on to use what f writes to. A
// panic of f becomes one of await.
func await(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	var mistake *panicked
	go func() {
		defer func() {
			if value := recover(); value != nil {
				mistake = panickedWith(value)
				close(done)
			}
		}()
		done <- f()
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err, ok := <-done:
		if !ok {
			panic(mistake)
		}
		return err
	}
}
