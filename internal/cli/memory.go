package cli

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/trial"
)

// memoryFlag is of all commands.
const memoryFlag = "max-memory"

// memorySize is how much memory a command may take, in bytes; 0 is the default.
type memorySize int64

func (m *memorySize) Set(text string) error {
	// No machine has more.
	bytes, err := parseSize(text, 1<<50)
	switch {
	case err != nil:
		return err
	case bytes < memory.Least:
		return fmt.Errorf("must be at least %dMiB", memory.Least>>20)
	}
	*m = memorySize(bytes)
	return nil
}

func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return sizeText(int64(*m))
}

func (m *memorySize) Type() string { return "SIZE" }

// registerMemory registers the flag for a tree of commands.
func registerMemory(flags *pflag.FlagSet) {
	flags.Var(new(memorySize), memoryFlag,
		"memory to keep to; what needs more is refused (default 2GiB, or half of the machine's)")
	flags.Lookup(memoryFlag).DefValue = ""
}

// ceiling is what the flag says, or the default.
func ceiling(flags *pflag.FlagSet) int64 {
	if flag := flags.Lookup(memoryFlag); flag != nil {
		if size, ok := flag.Value.(*memorySize); ok && *size > 0 {
			return int64(*size)
		}
	}
	return memory.DefaultCeiling()
}

// withinMemory gives a command its budget. Where the process is the command's own, the runtime is told as well, and
// what no budget has foreseen ends the command before the system ends the process.
func (a *App) withinMemory(ctx context.Context, flags *pflag.FlagSet) context.Context {
	most := ceiling(flags)
	if a.OwnProcess {
		keepTo(most)
		if s := sessionOf(ctx); s != nil {
			go watchMemory(ctx, most, s.end)
		}
	}
	return memory.With(ctx, memory.New(most))
}

// keepTo lets the runtime collect garbage more often near the ceiling. Who has set a lower limit by the variable
// GOMEMLIMIT keeps it.
func keepTo(most int64) {
	if limit := most / 8 * 7; limit < debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
}

// watchInterval is how often the memory is looked at. Chosen: a program fills some 100 MiB in the meantime.
const watchInterval = 50 * time.Millisecond

// watchMemory ends a command whose memory, garbage that is not yet collected included, goes beyond the
// ceiling.
func watchMemory(ctx context.Context, most int64, end func(error)) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(watchInterval):
		}
		metrics.Read(samples)
		if taken := samples[0].Value.Uint64() - samples[1].Value.Uint64(); taken > uint64(most) {
			end(&memory.Error{Ceiling: most})
			return
		}
	}
}

// What is kept of a trial, in bytes. They were measured, and are rounded up.
const (
	// countedTrial is what is kept of a trial that is only counted: its key and a digest.
	countedTrial = 64
	// keptTrial is what a comparison keeps of a trial and makes of it: an observation and a fingerprint, twice, as lists grow.
	keptTrial = 1 << 10
	// keptStep is what a fingerprint keeps of a step.
	keptStep = 64
	// keptScenario is what a page has of a scenario, beside its name: a row with its verdict and reasons.
	keptScenario = 2 << 10
)

// What stays in memory of a trial that is compared once its side is put aside on disk, and how many trials of a side
// are kept whole before that.
const (
	asideTrial = 96
	keptWhole  = 50_000
	// oftenCollected is how much garbage there may be then, as a percentage of what is kept: that is
	// columns of numbers, through which the collector does not look.
	oftenCollected = 20
)

// keptCompared is what is kept of a trial that is compared, of which so many came before.
func (a *App) keptCompared() func(*trial.Trial) int64 {
	seen := 0
	return func(t *trial.Trial) int64 {
		if seen++; seen > keptWhole {
			if seen == keptWhole+1 && a.OwnProcess {
				debug.SetGCPercent(oftenCollected)
			}
			return asideTrial
		}
		return kept(t)
	}
}

// counted is what is kept of a trial that is only counted.
func counted(*trial.Trial) int64 { return countedTrial }

// kept is what is kept of a trial that is compared.
func kept(t *trial.Trial) int64 { return keptTrial + keptStep*int64(len(t.Steps)) }

// charge takes what trials are kept for from the budget.
type charge struct {
	budget    *memory.Budget
	scenarios map[string]bool
	last      string
}

func newCharge(ctx context.Context) *charge {
	return &charge{budget: memory.From(ctx), scenarios: map[string]bool{}}
}

// take takes so many bytes for a trial, and more for a scenario that is new.
func (c *charge) take(t *trial.Trial, bytes int64) error {
	// Trials of one scenario often follow each other.
	if t.Scenario != c.last && !c.scenarios[t.Scenario] {
		c.scenarios[t.Scenario] = true
		bytes += keptScenario + int64(len(t.Scenario))
	}
	c.last = t.Scenario
	return c.budget.Take(bytes, t.Place.File)
}

// sizeText uses the largest binary unit that gives a whole number.
func sizeText(bytes int64) string {
	for _, unit := range []int{2, 1, 0} {
		if size := int64(byteUnits[unit].size); bytes >= size && bytes%size == 0 {
			return strconv.FormatInt(bytes/size, 10) + byteUnits[unit].name
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// mostInt is the largest size that is an int everywhere.
const mostInt = math.MaxInt32
