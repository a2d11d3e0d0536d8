package growth

import (
	"context"
	"runtime"
	"runtime/metrics"
	"time"
)

// What is measured again: sizes that take little, three times at most. Chosen: the least of three is hardly disturbed.
const (
	repetitions = 3
	soon        = 3.0 // seconds that all repetitions may take
)

// measure does the work of a size.
func measure(ctx context.Context, w work, in *inputs, size int) (Point, error) {
	run, err := w.prepare(ctx, in, size)
	if err != nil {
		return Point{}, err
	}
	best := Point{Size: size}
	for i, all := 0, 0.0; i < repetitions && (i == 0 || all+best.Seconds < soon); i++ {
		p, err := once(func() error { return run(ctx) })
		if err != nil {
			return best, err
		}
		all += p.Seconds
		// The first time makes what is kept for later ones.
		if i == 0 || p.Allocated < best.Allocated {
			best.Allocated, best.Objects = p.Allocated, p.Objects
		}
		if i == 0 || p.Seconds < best.Seconds {
			best.Seconds = p.Seconds
		}
		if i == 0 || p.CPU < best.CPU {
			best.CPU = p.CPU
		}
		best.Peak = max(best.Peak, p.Peak)
	}
	return best, nil
}

// once does the work, and measures it.
func once(run func() error) (Point, error) {
	var before, after runtime.MemStats
	var took time.Duration
	var spent float64
	peak, err := Peak(func() error {
		runtime.ReadMemStats(&before)
		began, start := cpuSeconds(), time.Now()
		err := run()
		took, spent = time.Since(start), cpuSeconds()-began
		runtime.ReadMemStats(&after)
		return err
	})
	return Point{
		Seconds: took.Seconds(), CPU: spent, Allocated: after.TotalAlloc - before.TotalAlloc,
		Objects: after.Mallocs - before.Mallocs,
		Peak:    peak,
	}, err
}

// Peak does the work, and returns by how many bytes the heap was larger than where it began, at the largest of looks
// every millisecond.
func Peak(run func() error) (uint64, error) {
	runtime.GC()
	began := heapBytes()
	ended, peak := make(chan struct{}), make(chan uint64)
	go func() {
		look := time.NewTicker(time.Millisecond)
		defer look.Stop()
		largest := began
		for {
			select {
			case <-look.C:
				largest = max(largest, heapBytes())
			case <-ended:
				peak <- max(largest, heapBytes())
				return
			}
		}
	}()
	err := run()
	close(ended)
	return <-peak - began, err
}

// heapBytes are those of the objects on the heap, with what is free between them.
func heapBytes() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
