package calibration

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync/atomic"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/bench-calibration/v1"

// Options say how the error rates of the decisions are measured.
type Options struct {
	Short bool   // fewer settings and runs
	Long  bool   // ten times as many runs; Short is not set then
	Seed  uint64 // of what is simulated
	// Progress, if not nil, is told how many of the groups are done and which is next.
	Progress func(done, all int, group string)
}

// Result holds the error rates of every decision that this module takes, next to
// what is promised of them.
type Result struct {
	Schema   string `json:"schema"`         // [Schema]
	Short    bool   `json:"short"`          // as in [Options]
	Long     bool   `json:"long,omitempty"` // as in [Options]
	Seed     uint64 `json:"seed"`           // as in [Options]
	Holds    bool   `json:"holds"`          // no row breaks its promise
	ExitCode int    `json:"exit_code"`      // 1 where a row does, otherwise 0
	// FalseAlarm bounds the probability, over seeds, that a simulated row breaks a
	// promise that it just keeps.
	FalseAlarm float64 `json:"false_alarm"`
	Rows       []Row   `json:"rows"` // by group, in the order in which they are measured
}

// Measure measures the error rates of every decision, by enumeration where that can
// be had and by simulation elsewhere. What it counts with is its own: binomial
// probabilities and walks on the lattice are recursions that package stats and package
// sprt do not use. It returns the context's error where that ends.
func Measure(ctx context.Context, o Options) (*Result, error) {
	return calibrate(ctx, o, groups())
}

// group measures the decisions of one kind.
type group struct {
	name    string
	measure func(*calibrator) error
}

// groups are all groups, each in a file of its own.
func groups() []group {
	return []group{
		{"threshold", calibrateThreshold},
		{"comparison", calibrateComparison},
		{"pairs", calibratePairs},
		{"scenarios", calibrateScenarios},
		{"suites", calibrateSuites},
		{"sequential", calibrateSequential},
		{"runs", calibrateRuns},
		{"estimates", calibrateEstimates},
		{"baseline", calibrateBaseline},
		{"gate", calibrateGate},
		{"regression", calibrateRegression},
		{"behaviour", calibrateBehaviour},
		{"audited behaviour", calibrateAuditBehaviour},
		{"metrics", calibrateMetrics},
		{"contract", calibrateContract},
		{"power", calibratePower},
		{"intervals", calibrateIntervals},
		{"audited intervals", calibrateAuditIntervals},
		{"interim analyses", calibrateLooks},
		{"within", calibrateWithin},
		{"attempts", calibrateAttempts},
		{"coverage", calibrateCoverage},
		{"gate power", calibrateGatePower},
		{"stopped", calibrateStopped},
		{"labels", calibrateLabels},
		{"mutation", calibrateMutation},
		{"relations", calibrateRelations},
		{"monitoring", calibrateMonitoring},
		{"race", calibrateRace},
		{"ratchet", calibrateRatchet},
		{"history", calibrateHistory},
		{"rank", calibrateRank},
	}
}

func calibrate(ctx context.Context, o Options, groups []group) (*Result, error) {
	r := &Result{Schema: Schema, Short: o.Short, Long: o.Long, Seed: o.Seed, Holds: true, Rows: []Row{}}
	for i, g := range groups {
		if o.Progress != nil {
			o.Progress(i, len(groups), g.name)
		}
		c := &calibrator{ctx: ctx, short: o.Short, long: o.Long, seed: o.Seed, group: g.name}
		if err := g.measure(c); err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		r.Rows = append(r.Rows, c.rows...)
	}
	// Rows are judged last, as some have their standard error set after they were added. The sum
	// of the chances bounds that of any false alarm, whether rows depend on each other or not.
	for i := range r.Rows {
		row := &r.Rows[i]
		row.judge()
		r.FalseAlarm += row.falseAlarm()
		if row.broken() {
			r.Holds, r.ExitCode = false, 1
		}
	}
	r.FalseAlarm = min(r.FalseAlarm, 1)
	return r, nil
}

// calibrator collects the rows of a group.
//
// A method of it measures one kind of decision and ends with calls of exact, counted or simulate,
// each of which makes one row: which decision, in which setting, which error, what is promised.
type calibrator struct {
	// ends enumerations and simulations early; in a struct, as every step of every group needs it
	ctx   context.Context
	short bool
	// ten times the runs of every simulated row; the settings are those of the full form
	long  bool
	seed  uint64
	group string
	// in the order in which they were measured, not yet judged
	rows []Row
}

// exact adds a rate that is known.
func (c *calibrator) exact(decision, setting, err string, rate float64, p promise) {
	c.add(Row{Decision: decision, Setting: setting, Error: err, Rate: rate, Exact: true}, p)
}

// counted adds a rate that was counted in independent runs.
func (c *calibrator) counted(decision, setting, err string, count, runs int, p promise) {
	c.add(Row{Decision: decision, Setting: setting, Error: err, Rate: float64(count) / float64(runs), Runs: runs}, p)
}

// add completes a row by its group and its promise. [Row.Promise] points at a copy of its own.
func (c *calibrator) add(row Row, p promise) {
	row.Group, row.Nominal, row.Printed = c.group, p.rate, p.kind == printed
	if p.kind != nothing {
		row.Promise = &p.rate
	}
	c.rows = append(c.rows, row)
}

// before says what an audit measured in the setting of the row that was added last, at a version
// before what it found was repaired.
func (c *calibrator) before(rate float64) { c.rows[len(c.rows)-1].Before = &rate }

// simulate adds a rate: that of the runs in which something happens. The random numbers
// of a run follow from the seed, the row and the number of the run, so that no row
// depends on which others there are.
//
// The count is one number that all workers add to, so its order does not matter, and the result
// is the same for any number of processors. After an error the row holds what was counted so far,
// which nobody sees: the error ends the calibration.
func (c *calibrator) simulate(decision, setting, err string, runs int, p promise,
	happens func(*rand.Rand) (bool, error)) error {
	var count atomic.Int64
	seed := c.rowSeed(decision, setting, err)
	failure := bench.Repeat(c.ctx, runs, func(i int) error {
		yes, err := happens(seeded.Stream(seed, uint64(i)))
		if yes {
			count.Add(1)
		}
		return err
	})
	c.counted(decision, setting, err, int(count.Load()), runs, p)
	return failure
}

// rowSeed is the seed of a row.
// Each word goes in with its length before it, so that "ab", "c" and "a", "bc" are two seeds.
func (c *calibrator) rowSeed(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range append([]string{c.group}, words...) {
		fmt.Fprintf(h, "%d:%s", len(w), w)
	}
	return seeded.Scramble(c.seed) ^ h.Sum64()
}

// each measures so many settings, several at once, and keeps the order of their rows.
func (c *calibrator) each(settings int, measure func(c *calibrator, i int) error) error {
	// A part for each setting: nothing is shared while they run, and the order is that of the
	// settings, not that in which they end.
	parts := make([]calibrator, settings)
	err := bench.Repeat(c.ctx, settings, func(i int) error {
		parts[i] = calibrator{ctx: c.ctx, short: c.short, long: c.long, seed: c.seed, group: c.group}
		return measure(&parts[i], i)
	})
	for _, part := range parts {
		c.rows = append(c.rows, part.rows...)
	}
	return err
}

// pick returns the value for the form of the benchmark.
func pick[T any](c *calibrator, short, full T) T {
	if c.short {
		return short
	}
	return full
}

// runs returns how many runs there are of a simulated row.
//
// The numbers are chosen by what a run costs, since the error that is left is known. Of a promise
// of 5 %, what is allowed beyond it is three standard errors: 6.5 points at 100 runs, 2.1 at 1000,
// 1.5 at 2000, 0.65 at 10,000, 0.46 at 20,000, 0.15 at 200,000 and 0.10 at 400,000. Walks along
// one test get hundreds of thousands of runs, whole comparisons with permutations a few thousand.
func (c *calibrator) runs(short, full int) int {
	if c.long {
		return 10 * full
	}
	return pick(c, short, full)
}
