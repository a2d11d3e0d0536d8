package fingerprint

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// DefaultMostTrials is how many trials of both sides together are compared unless the options say otherwise. With ten
// thousand a side a shift of 0.06 standard deviations of a trial, in one of forty columns, is found four times of five:
// (3.42 + 0.84)·√(2/10,000), at α 5 % and a multiplicity of eighty. The number is chosen.
const DefaultMostTrials = 20_000

// leastDrawn is how many trials of a scenario and input are drawn, where there are so many: rather fewer inputs than
// trials that have none to change sides with. It is chosen.
const leastDrawn = 20

// drawing is the trials of both sides that are compared, as places among those of the sample.
type drawing [2][]int

// draw draws about so many trials of both samples, or takes all where there are no more.
//
// Trials change sides with those of the same scenario and input, and those that are of one are drawn with one share, so
// that each such group keeps what it is of the whole; where a group is small it is drawn as a whole, or
// not at all. Which are drawn depends on the seed and on how many there are of each group and side, and never on what
// they did: trials that are exchangeable stay so, and the test keeps its level.
func draw(baseline, candidate *Sample, o Options, random *rand.Rand) drawing {
	var drawn drawing
	groups := groupsOf([]*Sample{baseline, candidate}, o.Pooled)
	share := float64(o.MostTrials) / float64(baseline.Len()+candidate.Len())
	// In the order of their names, whichever side came first, and then in one that the seed says.
	slices.SortFunc(groups, func(a, b *drawnGroup) int {
		return cmp.Or(cmp.Compare(a.scenario, b.scenario), cmp.Compare(a.input, b.input))
	})
	random.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	// Systematic sampling (Cochran 1977, chapter 8): a group is taken with the chance that is its step.
	at := random.Float64()
	for _, g := range groups {
		size := len(g.trials[0]) + len(g.trials[1])
		within := math.Min(1, math.Max(share, leastDrawn/float64(size)))
		before := math.Floor(at)
		at += math.Min(1, share/within)
		if share < within && math.Floor(at) == before {
			continue
		}
		for side, trials := range g.trials {
			drawn[side] = append(drawn[side], some(trials, within, random)...)
		}
	}
	for side := range drawn {
		slices.Sort(drawn[side])
	}
	return drawn
}

// some returns a share of the trials, rounded up, each as likely as any other.
func some(trials []int, share float64, random *rand.Rand) []int {
	count := min(len(trials), int(math.Ceil(share*float64(len(trials))*(1-1e-12))))
	if count == len(trials) {
		return trials
	}
	for i := range count {
		j := i + random.IntN(len(trials)-i)
		trials[i], trials[j] = trials[j], trials[i]
	}
	return trials[:count]
}

// drawnGroup is the trials of one scenario and input, as places among those of the sample of each side.
type drawnGroup struct {
	scenario, input string
	trials          [2][]int
}

// groupsOf returns the groups, in no order. Trials that are pooled are all of one scenario; those whose input is
// unknown are of one input.
func groupsOf(samples []*Sample, pooled bool) []*drawnGroup {
	type name struct{ scenario, input string }
	known := make(map[name]*drawnGroup)
	var groups []*drawnGroup
	for side, s := range samples {
		for i := range s.trials {
			r := &s.trials[i]
			var key name
			if !pooled {
				key.scenario = s.scenarios.words[r.scenario]
			}
			if r.input > 0 {
				key.input = s.inputs.words[r.input-1]
			}
			g := known[key]
			if g == nil {
				g = &drawnGroup{scenario: key.scenario, input: key.input}
				known[key] = g
				groups = append(groups, g)
			}
			g.trials[side] = append(g.trials[side], i)
		}
	}
	return groups
}
