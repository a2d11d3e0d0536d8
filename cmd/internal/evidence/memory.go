package evidence

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is kept of a trial, in bytes. They were measured, and are rounded up.
const (
	// countedTrial is what is kept of a trial that is only counted: its key and a digest.
	countedTrial = 64
	// keptTrial is what a comparison keeps of a trial and makes of it: an observation and a fingerprint, twice, as lists
	// grow.
	keptTrial = 1 << 10
	// keptStep is what a fingerprint keeps of a step.
	keptStep = 64
	// keptScenario is what a page has of a scenario, beside its name: a row with its verdict and reasons.
	keptScenario = 2 << 10
)

// What stays in memory of a trial that is compared once its side is put aside on disk, more of one that may be paired
// by its input, and how many trials of a side are kept whole before that. Ten million a side took 42 bytes of each, and
// a million with inputs 75.
const (
	asideTrial = 48
	asideInput = 48
	KeptWhole  = 50_000
	// How much garbage there may be then: while trials are read, which makes much of it, so many bytes, and while they
	// are compared a percentage of what is kept. That is columns of numbers, through which the collector does not look, so
	// that it may work often.
	garbageOfReading   = 12 << 20
	garbageOfComparing = 10
	// The same of a run, whose trials stay in memory till they are judged, with how often what it keeps is looked at.
	garbageOfRunning      = 8 << 20
	garbageOfJudging      = 2 << 20 // of its judgement, which is a moment and makes its document
	leastGarbageOfRunning = 20
	lookAtRunning         = time.Second
)

// KeptCompared is what is kept of a trial that is compared, of which so many came before.
func KeptCompared(a *world.World) func(*trial.Trial) int64 {
	seen := 0
	return func(t *trial.Trial) int64 {
		if seen++; seen > KeptWhole {
			if seen%KeptWhole == 1 && a.OwnProcess {
				boundGarbage(garbageOfReading, garbageOfComparing)
			}
			if len(t.Input) > 0 {
				return asideTrial + asideInput
			}
			return asideTrial
		}
		return Kept(t)
	}
}

// Runs bounds the garbage of a run, which keeps more and more, until the function is called that it returns: then all
// trials are there, and are judged.
func Runs(a *world.World) (judged func()) {
	if !a.OwnProcess {
		return func() {}
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(lookAtRunning):
				boundGarbage(garbageOfRunning, leastGarbageOfRunning)
			}
		}
	}()
	return func() {
		close(over)
		boundGarbage(garbageOfJudging, leastGarbageOfRunning)
	}
}

// boundGarbage has the collector begin when there are so many bytes of garbage, and not when there is as much as is
// kept; at least it may be a percentage of that.
func boundGarbage(bytes, least uint64) {
	kept := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(kept)
	if kept[0].Value.Kind() == metrics.KindUint64 {
		percent := bytes * 100 / max(1, kept[0].Value.Uint64())
		debug.SetGCPercent(int(max(least, min(100, percent))))
	}
}

// ReadAside says that all trials were read of which some were put aside, and that they are compared now.
func ReadAside(a *world.World) {
	if a.OwnProcess {
		debug.SetGCPercent(garbageOfComparing)
	}
}

// Counted is what is kept of a trial that is only counted.
func Counted(*trial.Trial) int64 { return countedTrial }

// Kept is what is kept of a trial that is compared.
func Kept(t *trial.Trial) int64 { return keptTrial + keptStep*int64(len(t.Steps)+len(t.ModelUsage)) }

// charge takes what trials are kept for from the budget.
type charge struct {
	budget    *memory.Budget
	scenarios ordinal.Keys[string]
}

func newCharge(ctx context.Context) *charge {
	return &charge{budget: memory.From(ctx)}
}

// take takes so many bytes for a trial, and more for a scenario that is new.
func (c *charge) take(t *trial.Trial, bytes int64) error {
	if _, isNew := c.scenarios.Place(t.Scenario); isNew {
		bytes += keptScenario + int64(len(t.Scenario))
	}
	return c.budget.Take(bytes, t.Place.File)
}
