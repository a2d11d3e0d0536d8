package growth

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"

	"github.com/tribunal-dev/tribunal/bench"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/bench-growth/v1"

// Options say how far operations are followed.
type Options struct {
	Short bool // sizes that take seconds
	Long  bool // up to 10,000,000 trials, 100,000 scenarios and 500 workers; Short is not set then
	// Folder is where inputs are made, in a folder of their own that is removed at the end; "" is that of the system.
	Folder string
	// Progress, if not nil, is told which of so many parts is next.
	Progress func(done, all int, part string)
}

// Result says how operations grow.
type Result struct {
	Schema  string `json:"schema"`         // [Schema]
	Short   bool   `json:"short"`          // as in [Options]
	Long    bool   `json:"long,omitempty"` // as in [Options]
	System  string `json:"system"`         // such as linux/amd64
	CPUs    int    `json:"cpus"`           // that Go programs may use at once
	Version string `json:"go"`             // of Go
	Rows    []Row  `json:"rows"`
}

// Row is one operation, over its sizes.
type Row struct {
	Operation string  `json:"operation"` // such as "report html"
	Against   string  `json:"against"`   // what a size counts: trials, traces, scenarios, runs or workers
	Points    []Point `json:"points"`    // by size, two at least
	// LeftOut says that larger sizes were not tried, as they would have taken minutes.
	LeftOut bool `json:"left_out,omitempty"`

	// The exponent b of n^b: the slope in log-log of all sizes by least squares, or, at the end, that of the last two.
	// Where the CPU time is not known, that at the end is the time's.
	Time      float64 `json:"time"`
	CPU       float64 `json:"cpu_at_the_end"`
	Allocated float64 `json:"allocated_at_the_end"`   // of the bytes
	Objects   float64 `json:"allocations_at_the_end"` // of their number
	Peak      float64 `json:"peak_at_the_end"`
}

// Point is an operation of one size.
type Point struct {
	Size      int     `json:"size"`
	Seconds   float64 `json:"seconds"`     // the least of the repetitions
	CPU       float64 `json:"cpu_seconds"` // of all processors, likewise; 0 is not known
	Allocated uint64  `json:"allocated"`   // bytes, in all
	Objects   uint64  `json:"allocations"` // their number
	Peak      uint64  `json:"peak"`        // bytes of the heap at its largest, above where it began
}

// slow is the time, in seconds, that a size must not be expected to take. Chosen: all of it ends in minutes.
const slow = 30

// Measure goes through all operations. It returns the context's error where that ends.
func Measure(ctx context.Context, o Options) (*Result, error) {
	folder, err := os.MkdirTemp(o.Folder, "growth-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	r := &Result{
		Schema: Schema, Short: o.Short, Long: o.Long, System: runtime.GOOS + "/" + runtime.GOARCH,
		CPUs: runtime.GOMAXPROCS(0), Version: runtime.Version(),
	}
	in := &inputs{folder: folder}
	all := works()
	for i, w := range all {
		row, err := follow(ctx, w, in, w.sizes(o), func(size int) {
			if o.Progress != nil {
				o.Progress(i, len(all), fmt.Sprintf("%s, %s %s", w.name, grouped(size), w.against))
			}
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// follow measures an operation at its sizes, in their order.
func follow(ctx context.Context, w work, in *inputs, sizes []int, next func(size int)) (Row, error) {
	row := Row{Operation: w.name, Against: w.against}
	for _, size := range sizes {
		if row.LeftOut = tooSlow(row.Points, size); row.LeftOut {
			break
		}
		next(size)
		point, err := measure(ctx, w, in, size)
		if err != nil {
			return row, err
		}
		row.Points = append(row.Points, point)
	}
	end := row.Points[len(row.Points)-2:]
	row.Time, row.CPU = slope(row.Points, seconds), slope(end, func(p Point) float64 { return p.CPU })
	if end[1].CPU == 0 {
		row.CPU = slope(end, seconds)
	}
	row.Allocated = slope(end, func(p Point) float64 { return float64(p.Allocated) })
	row.Objects = slope(end, func(p Point) float64 { return float64(p.Objects) })
	row.Peak = slope(end, func(p Point) float64 { return float64(p.Peak) })
	return row, nil
}

// tooSlow reports whether a size is likely to take too long, as time grows at least as it did. Of fewer than two sizes
// that is not known.
func tooSlow(points []Point, size int) bool {
	n := len(points)
	if n < 2 {
		return false
	}
	last := points[n-1]
	times := float64(size) / float64(last.Size)
	return last.Seconds*math.Pow(times, max(slope(points[n-2:], seconds), 0)) > slow
}

func seconds(p Point) float64 { return p.Seconds }

// slope is that of a value against the size in log-log, by least squares. A value of 0 counts as next to nothing.
func slope(points []Point, measure func(Point) float64) float64 {
	x, y := make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		x[i], y[i] = math.Log(float64(p.Size)), math.Log(max(measure(p), 1e-9))
	}
	return bench.Slope(x, y)
}
