// Package heap measures how much of the heap tests and benchmarks take.
package heap

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// Growth calls a function, and returns by how many bytes the heap was larger than before at its largest, as it is seen
// every two milliseconds. Garbage is collected more often meanwhile, so that what is seen is in use, more or less. One
// function at a time is measured.
func Growth(f func()) (bytes uint64) {
	defer debug.SetGCPercent(debug.SetGCPercent(40))
	debug.FreeOSMemory()
	before := size()
	most, over := before, make(chan struct{})
	var sampling sync.WaitGroup
	sampling.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(2 * time.Millisecond):
				most = max(most, size())
			}
		}
	})
	f()
	close(over)
	sampling.Wait()
	return max(most, size()) - before
}

// size is that of all objects of the heap, in bytes.
func size() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
