package bench

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// SpeedSchema names the document that a [SpeedReport] is as JSON.
const SpeedSchema = "tribunal/bench-speed/v1"

// SpeedOptions say how thoroughly speed is measured.
type SpeedOptions struct {
	Short    bool                             // smaller sizes and fewer rounds: seconds, not minutes
	Seed     uint64                           // of what is simulated
	Progress func(done, all int, part string) // told what is measured next; may be nil
}

// SpeedReport is how long the hot paths take on this machine, and how time and memory
// grow with the size of the work.
type SpeedReport struct {
	Schema  string        `json:"schema"`
	Machine Machine       `json:"machine"`
	Short   bool          `json:"short"`
	Seed    uint64        `json:"seed"`
	Rounds  int           `json:"rounds"`
	Paths   []PathSpeed   `json:"paths"`
	Growth  []SpeedGrowth `json:"growth"`
}

// PathSpeed is how long one operation of a hot path takes.
type PathSpeed struct {
	Name      string  `json:"name"`
	MedianNS  float64 `json:"median_ns"` // over the rounds
	LeastNS   float64 `json:"least_ns"`  // of the rounds
	Unit      string  `json:"unit"`      // what is counted, such as "trials"
	Amount    float64 `json:"amount"`    // of units in an operation
	PerSecond float64 `json:"per_second"`
}

// pace is how many rounds there are, and how long one lasts at least.
type pace struct {
	rounds int
	round  time.Duration
}

func (o SpeedOptions) pace() pace {
	if o.Short {
		return pace{rounds: 3, round: 2 * time.Millisecond}
	}
	return pace{rounds: 9, round: 100 * time.Millisecond}
}

// Speed times the hot paths of the program in rounds of all of them, so that a machine
// that is busy for a while slows none alone, and then measures the growth curves.
func Speed(ctx context.Context, o SpeedOptions) (*SpeedReport, error) {
	pace := o.pace()
	r := &SpeedReport{Schema: SpeedSchema, Machine: ThisMachine(), Short: o.Short, Seed: o.Seed, Rounds: pace.rounds}
	paths, err := hotPaths(ctx, o.Seed)
	if err != nil {
		return nil, err
	}
	cases := growthCases(ctx, o)
	all, done := pace.rounds, 0
	for _, c := range cases {
		all += len(c.sizes)
	}
	next := func(part string) {
		if o.Progress != nil {
			o.Progress(done, all, part)
		}
		done++
	}
	times := make([][]float64, len(paths))
	for round := range pace.rounds {
		next(fmt.Sprintf("hot paths, round %d", round+1))
		for i, path := range paths {
			perOperation, err := timed(ctx, pace.round, path.run)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path.name, err)
			}
			times[i] = append(times[i], float64(perOperation))
		}
	}
	for i, path := range paths {
		r.Paths = append(r.Paths, path.speed(times[i]))
	}
	for _, c := range cases {
		g, err := c.measure(ctx, pace, next)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		r.Growth = append(r.Growth, *g)
	}
	return r, nil
}

// speed sums up the rounds, in nanoseconds for an operation.
func (p hotPath) speed(times []float64) PathSpeed {
	slices.Sort(times)
	median := times[len(times)/2]
	if len(times)%2 == 0 {
		median = (median + times[len(times)/2-1]) / 2
	}
	return PathSpeed{
		Name: p.name, MedianNS: median, LeastNS: times[0],
		Unit: p.unit, Amount: p.amount, PerSecond: p.amount / median * 1e9,
	}
}

// nanoseconds of one operation, which is more exact than a [time.Duration].
type nanoseconds float64

// timed runs an operation again and again for at least so long, once at least.
func timed(ctx context.Context, atLeast time.Duration, run func() error) (nanoseconds, error) {
	count := 0
	batch := 1
	start := time.Now()
	for {
		for range batch {
			if err := run(); err != nil {
				return 0, err
			}
		}
		count += batch
		elapsed := max(time.Since(start), 1) // a coarse clock may stand still
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if elapsed >= atLeast {
			return nanoseconds(float64(elapsed) / float64(count)), nil
		}
		// As many as fill the time, but no more than so far and a few: looking at the
		// clock must not be what is timed.
		batch = min(int(float64(count)*float64(atLeast-elapsed)/float64(elapsed))+1, 10*count)
	}
}
