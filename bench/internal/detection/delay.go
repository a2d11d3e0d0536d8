package detection

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats/change"
)

// Drop is a pass rate that falls.
type Drop struct{ Before, After float64 }

// Delay is how many trials a detector takes to find a drop, from the first trial after it.
type Delay struct {
	Detector string
	Drop     Drop
	Mean     float64
	Median   int
}

// delayRunLength is the average run length of all detectors, at the rate before.
const delayRunLength = change.DefaultRunLength

// quietBefore is how many trials come before the drop; alarms in them start again.
const quietBefore = 200

// windowTrials is the size of windows and of batches.
const windowTrials = 100

// watcher takes in trials and reports an alarm.
type watcher func(pass bool) bool

// delayDetectors are the detectors for a rate before a drop, each with at least the run length: the window's limit is
// found by simulation, the others' run lengths are proved or exact.
func delayDetectors(before float64) ([]string, []func() watcher, error) {
	tuned, err := change.NewCUSUM(before, 0.1, delayRunLength)
	if err != nil {
		return nil, nil, err
	}
	if _, err := change.NewShiryaevRoberts(before); err != nil {
		return nil, nil, err
	}
	mixture := func() watcher {
		d, _ := change.NewShiryaevRoberts(before) // was tried above
		return func(pass bool) bool { return d.Add(pass) >= delayRunLength }
	}
	cusum := func() watcher {
		sum := 0
		return func(pass bool) (alarm bool) {
			sum, alarm = tuned.Next(sum, pass)
			return alarm
		}
	}
	batchLimit := 0
	for windowTrials/max(dist.Binomial{N: windowTrials, P: 1 - before}.Survival(batchLimit-1), 1e-300) < delayRunLength {
		batchLimit++
	}
	names := []string{"e-detector", "CUSUM for a drop of .1", "window of 100", "batches of 100"}
	return names, []func() watcher{mixture, cusum, windowWithRunLength(before), batches(batchLimit)}, nil
}

// batches raises an alarm after a batch with so many failures.
func batches(limit int) func() watcher {
	return func() watcher {
		n, failures := 0, 0
		return func(pass bool) bool {
			if n == windowTrials {
				n, failures = 0, 0
			}
			n++
			if !pass {
				failures++
			}
			return n == windowTrials && failures >= limit
		}
	}
}

// window raises an alarm while so many of the last trials failed.
func window(limit int) func() watcher {
	return func() watcher {
		var failed [windowTrials]bool
		n, failures := 0, 0
		return func(pass bool) bool {
			if failed[n%windowTrials] {
				failures--
			}
			failed[n%windowTrials] = !pass
			if !pass {
				failures++
			}
			n++
			return failures >= limit
		}
	}
}

// windowWithRunLength is the window with the lowest limit whose mean run length in 400 simulated streams is enough.
func windowWithRunLength(before float64) func() watcher {
	const streams = 400
	for limit := int(windowTrials * (1 - before)); ; limit++ {
		total := 0
		for k := range uint64(streams) {
			random, watch := seeded.Stream(k, 17), window(limit)()
			for n := 1; ; n++ {
				// Long runs are cut: a limit is only taken for longer than it should.
				if watch(random.Float64() < before) || n == 10*delayRunLength {
					total += n
					break
				}
			}
		}
		if total >= streams*delayRunLength || limit == windowTrials {
			return window(limit)
		}
	}
}

// Delays measures how long the detectors take, in so many streams each.
func Delays(ctx context.Context, drops []Drop, streams int, seed uint64) ([]Delay, error) {
	var all []Delay
	for _, drop := range drops {
		names, made, err := delayDetectors(drop.Before)
		if err != nil {
			return nil, err
		}
		for i, name := range names {
			lengths := make([]int, streams)
			err := bench.Repeat(ctx, streams, func(k int) error {
				lengths[k] = delayOf(made[i], drop, seed, uint64(k))
				return nil
			})
			if err != nil {
				return nil, err
			}
			slices.Sort(lengths)
			sum := 0
			for _, n := range lengths {
				sum += n
			}
			all = append(all, Delay{name, drop, float64(sum) / float64(streams), lengths[streams/2]})
		}
	}
	return all, nil
}

// delayOf is the delay in one stream: all detectors see the same.
func delayOf(detector func() watcher, drop Drop, seed, stream uint64) int {
	random, watch := seeded.Stream(seed, stream), detector()
	for n := 1; ; n++ {
		rate := drop.Before
		if n > quietBefore {
			rate = drop.After
		}
		alarm := watch(random.Float64() < rate)
		switch {
		case alarm && n > quietBefore:
			return n - quietBefore
		case alarm:
			watch = detector()
		}
	}
}

// DelayTable writes delays as a table in Markdown: a row for each detector, a column for each drop, the mean and in
// brackets the median.
func DelayTable(delays []Delay) string {
	var drops []Drop
	var names []string
	cells := map[string]map[Drop]string{}
	for _, d := range delays {
		if !slices.Contains(drops, d.Drop) {
			drops = append(drops, d.Drop)
		}
		if cells[d.Detector] == nil {
			names, cells[d.Detector] = append(names, d.Detector), map[Drop]string{}
		}
		cells[d.Detector][d.Drop] = fmt.Sprintf("%.0f (%d)", d.Mean, d.Median)
	}
	var b strings.Builder
	b.WriteString("| |")
	for _, d := range drops {
		fmt.Fprintf(&b, " %.0f → %.0f %% |", 100*d.Before, 100*d.After)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(drops)) + "\n")
	for _, name := range names {
		fmt.Fprintf(&b, "| %s |", name)
		for _, d := range drops {
			fmt.Fprintf(&b, " %s |", cells[name][d])
		}
		b.WriteByte('\n')
	}
	return b.String()
}
