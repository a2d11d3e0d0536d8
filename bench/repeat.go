package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// repeat calls run for every number below runs, several at once.
func repeat(ctx context.Context, runs int, run func(i int) error) error {
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

// stream returns the random numbers of a run. PCG generators whose seeds are near each
// other begin alike, so the seeds are scrambled.
func stream(seed, run uint64) *rand.Rand {
	first := splitMix64(seed)
	return rand.New(rand.NewPCG(first, splitMix64(first^splitMix64(run))))
}

// splitMix64 is one step of the generator of Steele, Lea and Flood (2014).
func splitMix64(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
