package compare

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// groups are the trials of both sides by kinds, those of one scenario and one input: inputs count where all trials
// of both sides have one. They are numbers in a few arrays, so that a million trials take some megabytes, and what is
// made of them, pairs, layouts and groups of values, goes over them in order.
type groups struct {
	sides     [2]*recording.Recording
	byInput   bool
	scenarios []string      // of the baseline, in the order in which they come, and those that the candidate alone has
	common    [2][]uint32   // the scenarios of a side, by their numbers in its recording
	kind      [2][]uint32   // of each observation: numbers in the order in which kinds come
	scenario  []uint32      // the scenario of a kind
	few       []smallTally  // the trials of a kind
	many      [][2]outcomes // those of kinds that have more of them than a tallied has room for
}

// smallTally counts the trials of a kind on both sides by outcome. Of a million kinds most have one trial a side, for
// which a byte is enough; one that is full has its place among the many instead.
type smallTally [2]struct{ passes, fails, errors uint8 }

// full stands for a place among the many, in the passes of the baseline; the other five bytes hold it.
const full = math.MaxUint8

func (t *smallTally) isFull() bool { return t[0].passes == full }

func (t *smallTally) place() int {
	return int(uint32(t[0].fails) | uint32(t[0].errors)<<8 | uint32(t[1].passes)<<16 | uint32(t[1].fails)<<24)
}

// outcomes are the trials of a kind on both sides.
func (g *groups) outcomes(kind uint32) [2]outcomes {
	t := &g.few[kind]
	if t.isFull() {
		return g.many[t.place()]
	}
	return [2]outcomes{
		{int(t[0].passes), int(t[0].fails), int(t[0].errors)}, {int(t[1].passes), int(t[1].fails), int(t[1].errors)},
	}
}

// trials is how many trials of a kind each side has.
func (g *groups) trials(kind uint32) [2]int {
	o := g.outcomes(kind)
	return [2]int{o[0].trials(), o[1].trials()}
}

// add counts trials of a kind on a side.
func (g *groups) add(kind uint32, side int, outcome trial.Outcome, trials int) {
	t := &g.few[kind]
	if !t.isFull() {
		at := &t[side].errors
		switch outcome {
		case trial.Pass:
			at = &t[side].passes
		case trial.Fail:
			at = &t[side].fails
		}
		if trials < full-int(*at) {
			*at += uint8(trials)
			return
		}
		n := len(g.many)
		g.many = append(g.many, g.outcomes(kind))
		*t = smallTally{{full, uint8(n), uint8(n >> 8)}, {uint8(n >> 16), uint8(n >> 24), 0}}
	}
	switch counts := &g.many[t.place()][side]; outcome {
	case trial.Pass:
		counts.passes += trials
	case trial.Fail:
		counts.fails += trials
	default:
		counts.errors += trials
	}
}

// put adds a kind of a scenario with so many trials.
func (g *groups) put(scenario uint32, trials [2]outcomes) {
	kind := uint32(len(g.scenario))
	g.scenario, g.few = append(g.scenario, scenario), append(g.few, smallTally{})
	for side, o := range trials {
		g.add(kind, side, trial.Pass, o.passes)
		g.add(kind, side, trial.Fail, o.fails)
		g.add(kind, side, trial.Error, o.errors)
	}
}

// groupBoth groups the trials of both sides.
func groupBoth(baseline, candidate *recording.Recording) *groups {
	g := &groups{sides: [2]*recording.Recording{baseline, candidate}}
	g.byInput = baseline.HasInputs() && candidate.HasInputs()
	at := map[string]uint32{}
	for side, r := range g.sides {
		for _, name := range r.ScenarioNames() {
			number, known := at[name]
			if !known {
				number = uint32(len(g.scenarios))
				at[name] = number
				g.scenarios = append(g.scenarios, name)
			}
			g.common[side] = append(g.common[side], number)
		}
		g.kind[side] = make([]uint32, r.Places())
	}
	if g.byInput {
		g.findByInput()
	} else {
		g.findByScenario()
	}
	g.number()
	return g
}

// findByScenario sets the kind of each observation to the first place of its scenario.
func (g *groups) findByScenario() {
	const none = ^uint32(0)
	first := make([]uint32, len(g.scenarios))
	for i := range first {
		first[i] = none
	}
	place := uint32(0)
	for side, r := range g.sides {
		for i := range g.kind[side] {
			f := &first[g.common[side][r.Scenario(i)]]
			if *f == none {
				*f = place
			}
			g.kind[side][i] = *f
			place++
		}
	}
}

// partWords is how many kinds are looked for at a time, about. Chosen: the tables of them take a few megabytes, and the
// inputs are read some ten times of a million trials a side.
const partWords = 1 << 17

// findByInput sets the kind of each observation to the first place of its scenario and input. It goes over the
// inputs part by part, on all processors, so that the tables of kinds stay small.
func (g *groups) findByInput() {
	trials := len(g.kind[0]) + len(g.kind[1])
	parts := uint64(trials)/partWords + 1
	var next atomic.Uint64
	var all sync.WaitGroup
	for range min(uint64(runtime.GOMAXPROCS(0)), parts) {
		all.Go(func() {
			table := newKindTable(partWords)
			for part := next.Add(1) - 1; part < parts; part = next.Add(1) - 1 {
				table.clear()
				g.findPart(table, part, parts)
			}
		})
	}
	all.Wait()
}

// findPart is findByInput for one of the parts.
func (g *groups) findPart(table *kindTable, part, parts uint64) {
	place := uint32(0)
	for side, r := range g.sides {
		for i, input := range r.Inputs() {
			key := seeded.Scramble(input ^ seeded.Scramble(uint64(g.common[side][r.Scenario(i)])+1))
			if key%parts == part {
				g.kind[side][i] = table.first(key, place)
			}
			place++
		}
	}
}

// kindTable finds the first place of keys, by open addressing.
type kindTable struct {
	keys   []uint64
	places []uint32 // and 1; 0 is free
	used   int
}

func newKindTable(kinds int) *kindTable {
	return &kindTable{keys: make([]uint64, 2*kinds), places: make([]uint32, 2*kinds)}
}

func (t *kindTable) clear() {
	clear(t.places)
	t.used = 0
}

// first returns the place of a key's first appearance, which is the given one where there was none.
func (t *kindTable) first(key uint64, place uint32) uint32 {
	if 4*t.used > 3*len(t.keys) {
		t.grow()
	}
	at := t.slot(key)
	if t.places[at] == 0 {
		t.keys[at], t.places[at] = key, place+1
		t.used++
	}
	return t.places[at] - 1
}

func (t *kindTable) slot(key uint64) int {
	mask := uint64(len(t.keys) - 1)
	// The low bits say which part it is.
	at := key >> 24 & mask
	for t.places[at] != 0 && t.keys[at] != key {
		at = (at + 1) & mask
	}
	return int(at)
}

func (t *kindTable) grow() {
	old := *t
	*t = *newKindTable(len(old.keys))
	t.used = old.used
	for i, place := range old.places {
		if place != 0 {
			at := t.slot(old.keys[i])
			t.keys[at], t.places[at] = old.keys[i], place
		}
	}
}

// number numbers the kinds in the order of their first places, and counts their trials.
func (g *groups) number() {
	before := uint32(len(g.kind[0]))
	all := 0
	for side, offset := range [2]uint32{0, before} {
		for i, first := range g.kind[side] {
			if first == offset+uint32(i) {
				all++
			}
		}
	}
	g.scenario, g.few = make([]uint32, 0, all), make([]smallTally, 0, all)
	place := uint32(0)
	for side, r := range g.sides {
		kinds := g.kind[side]
		for i, first := range kinds {
			switch {
			case first == place:
				kinds[i] = uint32(len(g.scenario))
				g.scenario = append(g.scenario, g.common[side][r.Scenario(i)])
				g.few = append(g.few, smallTally{})
			case first < before:
				kinds[i] = g.kind[0][first] // which has its number by now
			default:
				kinds[i] = g.kind[1][first-before]
			}
			g.add(kinds[i], side, r.Outcome(i), r.Count(i))
			place++
		}
	}
}

// shared reports whether both sides have trials of a kind.
func (g *groups) shared(kind uint32) bool {
	n := g.trials(kind)
	return n[0] > 0 && n[1] > 0
}

// pairs are the trials that have one partner alone, in the order of the baseline; see [pairing]. Counts say nothing of
// single trials: there is nothing to pair.
func (g *groups) pairs(edition int) (list []match) {
	if unknownTrials(g.sides[0]) || unknownTrials(g.sides[1]) {
		return nil
	}
	// The candidate's trial of a kind, the last one; and by scenario those of both sides of what the other did not try.
	partner := make([]uint32, len(g.scenario))
	for i, kind := range g.kind[1] {
		partner[kind] = uint32(i)
	}
	type rest struct {
		trials  [2]int
		partner uint32
	}
	left := make([]rest, len(g.scenarios))
	alone := 0
	for kind, scenario := range g.scenario {
		if g.shared(uint32(kind)) {
			if g.trials(uint32(kind)) == [2]int{1, 1} {
				alone++
			}
			continue
		}
		for side, n := range g.trials(uint32(kind)) {
			if n > 0 {
				left[scenario].trials[side] += n
				left[scenario].partner = max(left[scenario].partner, partner[kind])
			}
		}
	}
	list = make([]match, 0, alone+len(g.scenarios))
	for i, kind := range g.kind[0] {
		n := g.trials(kind)
		switch scenario := &left[g.scenario[kind]]; {
		case n == [2]int{1, 1}:
			list = append(list, matchOf(uint32(i), partner[kind], g.byInput))
		case n[1] == 0 && scenario.trials == [2]int{1, 1} && edition >= pairsOfScenarios:
			list = append(list, matchOf(uint32(i), scenario.partner, false))
		}
	}
	return list
}

// layout is how the trials are compared; see [layout].
func (g *groups) layout() layout {
	all := make([]scenarioLayout, len(g.scenarios))
	kinds := make([]int, len(g.scenarios)+1)
	for _, scenario := range g.scenario {
		kinds[scenario+1]++
	}
	for i := range g.scenarios {
		kinds[i+1] += kinds[i]
	}
	sorted := make([]uint32, len(g.scenario))
	next := append([]int(nil), kinds[:len(kinds)-1]...)
	for kind, scenario := range g.scenario {
		sorted[next[scenario]] = uint32(kind)
		next[scenario]++
	}
	l := layout{scenarios: all}
	for i, name := range g.scenarios {
		all[i] = g.layOut(name, sorted[kinds[i]:kinds[i+1]])
		l.byInput = l.byInput || all[i].within()
		l.clustered = l.clustered || all[i].clusters != nil
	}
	return l
}

// layOut decides how the trials of a scenario are compared, of which these are the kinds, in their order.
func (g *groups) layOut(name string, kinds []uint32) scenarioLayout {
	l := scenarioLayout{name: name, groups: g}
	var rest [2][]outcomes
	var all [2]outcomes
	again := false
	shared := kinds[:0] // in place: what was looked at is not needed again
	for _, kind := range kinds {
		if g.shared(kind) {
			shared = append(shared, kind)
			continue
		}
		for side, o := range g.outcomes(kind) {
			if o.trials() > 0 {
				rest[side] = append(rest[side], o)
				all[side].passes += o.passes
				all[side].fails += o.fails
				all[side].errors += o.errors
				again = again || o.trials() > 1
			}
		}
	}
	l.shared = shared
	switch {
	case len(rest[0]) == 0 && len(rest[1]) == 0:
	// One input a side is the scenario itself, worded in two ways.
	case again && (len(rest[0]) > 1 || len(rest[1]) > 1) && len(rest[0]) > 0 && len(rest[1]) > 0:
		l.clusters = &rest
	default:
		l.rest = &all
	}
	return l
}
