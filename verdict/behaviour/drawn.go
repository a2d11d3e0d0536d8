package behaviour

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// mostDrawn is how many trials of a side a [Drawing] keeps. Chosen: with as many a side a shift of a twentieth of a
// standard deviation is found, a comparison takes half a second, and mostly a result holds what it was made of.
const mostDrawn = 5000

// Drawing is the behaviour of one side of which, where it has many trials, a part is drawn at random: memory and time
// do not grow with their number. Which trials are drawn follows from a seed and from what names a trial, its scenario,
// input and number, never from what it did; so a test of the drawn trials is as exact as one of all, and trials of both
// sides with the same names are drawn together. Up to [mostDrawn] trials all are kept. The zero value has the seed 0.
type Drawing struct {
	Sample fingerprint.Sample // the trials that are kept
	Seed   uint64

	seen   int      // trials without an error
	errors int      // all of them
	ranks  []uint64 // of the trials of the sample, and below of those with an error
	failed []uint64
	below  uint64 // the rank from which on no trial is kept; 0 is none
	// Ranks by scenario and input alone, until it is known whether these name single trials.
	inputs, failedInputs []uint64
	byInput              bool
	most                 int // in place of mostDrawn; 0 is that
}

// DrawnCounts says that a comparison is of trials that were drawn.
type DrawnCounts struct {
	Baseline  int `json:"baseline_of"`  // trials of the baseline without an error, of which its part was drawn
	Candidate int `json:"candidate_of"` // of the candidate
}

// Add takes a trial, if its turn is drawn.
func (d *Drawing) Add(t *trial.Trial) {
	rank, input := d.rank(t, d.byInput), uint64(0)
	if d.below == 0 { // it may be chosen
		input = d.rank(t, true)
	}
	if t.Outcome == trial.Error {
		d.errors++
		if d.isBelow(rank) {
			d.Sample.Add(t) // which counts it
			d.failed = append(d.failed, rank)
			if d.below == 0 {
				d.failedInputs = append(d.failedInputs, input)
			}
			d.shrink(len(d.failed))
		}
		return
	}
	d.seen++
	if !d.isBelow(rank) {
		return
	}
	d.Sample.Add(t)
	d.ranks = append(d.ranks, rank)
	if d.below == 0 {
		d.inputs = append(d.inputs, input)
	}
	d.shrink(len(d.ranks))
}

func (d *Drawing) isBelow(rank uint64) bool { return d.below == 0 || rank < d.below }

func (d *Drawing) limit() int {
	if d.most > 0 {
		return d.most
	}
	return mostDrawn
}

// shrink leaves out what ranks highest once a list is twice as long as it may be.
func (d *Drawing) shrink(n int) {
	if n >= 2*d.limit() {
		d.cut()
	}
}

// cut keeps the trials of the lowest ranks.
func (d *Drawing) cut() {
	if d.below == 0 {
		d.chooseKey()
	}
	d.keepBelow(d.bound())
}

// bound is the rank below which so many trials, or somewhat fewer, are as may be kept; 0 where all are.
func (d *Drawing) bound() uint64 {
	least := d.below
	for _, ranks := range [][]uint64{d.ranks, d.failed} {
		if len(ranks) > d.limit() {
			sorted := slices.Sorted(slices.Values(ranks))
			if at := sorted[d.limit()]; least == 0 || at < least {
				least = at
			}
		}
	}
	return least
}

// keepBelow keeps what ranks below a bound.
func (d *Drawing) keepBelow(bound uint64) {
	if bound == 0 {
		return
	}
	errors := 0
	for _, rank := range d.failed {
		if rank < bound {
			d.failed[errors] = rank
			errors++
		}
	}
	d.failed = d.failed[:errors]
	d.Sample.Keep(func(i int) bool { return d.ranks[i] < bound }, errors)
	d.ranks = slices.DeleteFunc(d.ranks, func(rank uint64) bool { return rank >= bound })
	d.below, d.inputs, d.failedInputs = bound, nil, nil
}

// chooseKey draws inputs, with all of their trials, where inputs name trials rather than scenarios: then like trials
// are kept together, also where the other side tried them in another order. It looks at the first trials.
func (d *Drawing) chooseKey() {
	distinct := map[uint64]bool{}
	for _, input := range d.inputs {
		distinct[input] = true
	}
	if d.byInput = len(distinct) > d.limit(); d.byInput {
		d.ranks, d.failed = d.inputs, d.failedInputs
	}
}

// Draw cuts both sides to what is drawn, and returns nil where all trials are kept. Sides of about the same number
// of trials get one bound, so that of pairs both are drawn.
func Draw(baseline, candidate *Drawing) *DrawnCounts {
	bounds := [2]uint64{}
	for i, d := range []*Drawing{baseline, candidate} {
		if len(d.ranks) > d.limit() && d.below == 0 {
			d.chooseKey()
		}
		bounds[i] = d.bound()
	}
	if low, high := min(bounds[0], bounds[1]), max(bounds[0], bounds[1]); low > high/2 {
		bounds = [2]uint64{low, low}
	}
	baseline.keepBelow(bounds[0])
	candidate.keepBelow(bounds[1])
	if baseline.Sample.Len() == baseline.seen && candidate.Sample.Len() == candidate.seen {
		return nil
	}
	return &DrawnCounts{Baseline: baseline.seen, Candidate: candidate.seen}
}

// rank is a number that looks random, from 1 on, of what names a trial: its scenario and input, and its number unless
// the input is all that counts.
func (d *Drawing) rank(t *trial.Trial, input bool) uint64 {
	h := seeded.Scramble(d.Seed ^ 0x62656861766f7572)
	h = seeded.Text(h, t.Scenario)
	h = seeded.Text(h, t.Input)
	if !input || len(t.Input) == 0 {
		if t.Index.Known {
			h = seeded.Scramble(h ^ uint64(t.Index.Value))
		} else {
			h = seeded.Scramble(h ^ uint64(d.seen+d.errors) ^ math.MaxUint64)
		}
	}
	return max(h, 1)
}
