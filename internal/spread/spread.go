// Package spread does work on all processors.
package spread

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Over calls do for the places from 0 to a count, side by side, and returns when all are done. What do writes must be
// its place's own.
func Over(count int, do func(place int)) {
	var next atomic.Int64
	AtOnce(min(runtime.GOMAXPROCS(0), count), func(int) {
		for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
			do(i)
		}
	})
}

// AtOnce is Over with all places at the same time, of which each may wait for others.
func AtOnce(count int, do func(place int)) {
	var group sync.WaitGroup
	for i := range count - 1 {
		group.Go(func() { do(i + 1) })
	}
	if count > 0 {
		do(0)
	}
	group.Wait()
}
