package bench

import (
	"context"
	"math"
	"runtime"
	"runtime/metrics"
	"time"
)

// SpeedGrowth is how time and memory grow with the size of the work. An exponent is nil
// where the points give none.
type SpeedGrowth struct {
	Name    string        `json:"name"`
	Against string        `json:"against"` // what the size counts, such as "trials"
	Points  []GrowthPoint `json:"points"`
	// TimeExponent and MemoryExponent are slopes in log-log over all sizes, of the
	// time and of the allocated bytes; the end is the slope of the time between the
	// last two sizes, where constants weigh least.
	TimeExponent    *float64 `json:"time_exponent"`
	TimeExponentEnd *float64 `json:"time_exponent_end"`
	MemoryExponent  *float64 `json:"memory_exponent"`
}

// GrowthPoint is one measurement of a growth curve.
type GrowthPoint struct {
	Size           int     `json:"size"`
	Seconds        float64 `json:"seconds"`         // the least of the rounds
	AllocatedBytes uint64  `json:"allocated_bytes"` // in all, while working
	PeakBytes      uint64  `json:"peak_bytes"`      // of the heap at its largest, above where it began
}

// growthCase is work of several sizes.
type growthCase struct {
	name, against string
	sizes         []int
	prepare       func(size int) (run func() error, err error)
}

func (c growthCase) measure(ctx context.Context, e pace, next func(part string)) (*SpeedGrowth, error) {
	g := &SpeedGrowth{Name: c.name, Against: c.against}
	for _, size := range c.sizes {
		next(c.name + ", " + inThousands(size) + " " + c.against)
		run, err := c.prepare(size)
		if err != nil {
			return nil, err
		}
		point, err := measurePoint(ctx, e, run)
		if err != nil {
			return nil, err
		}
		point.Size = size
		g.Points = append(g.Points, point)
	}
	g.fit()
	return g, nil
}

// measurePoint runs an operation once for its memory, and again for its time: in a few
// rounds, unless even those would take long.
func measurePoint(ctx context.Context, e pace, run func() error) (GrowthPoint, error) {
	point, elapsed, err := watchMemory(run)
	if err != nil {
		return point, err
	}
	least := float64(elapsed)
	began := time.Now()
	for round := 0; round < e.rounds && elapsed < 30*e.round && time.Since(began) < 30*e.round; round++ {
		perOperation, err := timed(ctx, e.round/3, run)
		if err != nil {
			return point, err
		}
		least = math.Min(least, float64(perOperation))
	}
	point.Seconds = least / 1e9
	return point, ctx.Err()
}

// fit fits the exponents to the points.
func (g *SpeedGrowth) fit() {
	var sizes, times, bytes []float64
	for _, p := range g.Points {
		sizes, times, bytes = append(sizes, float64(p.Size)), append(times, p.Seconds), append(bytes, float64(p.AllocatedBytes))
	}
	exponent := func(x, y []float64) *float64 {
		if b, ok := fitExponent(x, y); ok {
			return &b
		}
		return nil
	}
	end := max(len(sizes)-2, 0)
	g.TimeExponent, g.MemoryExponent = exponent(sizes, times), exponent(sizes, bytes)
	g.TimeExponentEnd = exponent(sizes[end:], times[end:])
}

// watchMemory runs an operation and looks at the heap every millisecond meanwhile.
func watchMemory(run func() error) (memory GrowthPoint, elapsed time.Duration, err error) {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
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
	start := time.Now()
	err = run()
	elapsed = max(time.Since(start), 1)
	close(ended)
	memory.PeakBytes = <-peak - began
	runtime.ReadMemStats(&after)
	memory.AllocatedBytes = after.TotalAlloc - before.TotalAlloc
	return memory, elapsed, err
}

// heapBytes are those of the objects on the heap, with what is free between them.
func heapBytes() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}
