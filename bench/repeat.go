package bench

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Repeat calls run for every number below runs, several at once.
//
// Which worker makes which run is not fixed: a run must depend on its number alone, and write
// where no other does, such as to its element of a slice. A worker ends at its first error; the
// others may make a few runs more. The error is the context's where that ended, else all errors
// that there were.
func Repeat(ctx context.Context, runs int, run func(i int) error) error {
	// the first run that nobody has taken
	var next atomic.Int64
	var workers sync.WaitGroup
	// One for each worker, so that no lock is needed.
	failures := make([]error, max(runtime.GOMAXPROCS(0), 1))
	for k := range failures {
		workers.Go(func() {
			for failures[k] == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= runs {
					return
				}
				failures[k] = run(i)
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(failures...)
}
