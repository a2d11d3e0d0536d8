package bench

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
)

// Repeat calls run for every number below runs, several at once.
func Repeat(ctx context.Context, runs int, run func(i int) error) error {
	var next atomic.Int64
	var workers sync.WaitGroup
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
