package runner

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// group is the tests of the same scenarios and different variants: one test where there are
// no variants. Its tests take turns in rounds. In a round each of them that goes on has one
// trial, or one of each side, of the same scenario and number and so of the same seed: what
// changes over time meets all variants and sides alike.
//
// Whose turn it is follows from how many trials each test has and from the seed, so that a run
// that is resumed continues the round that it was in.
type group struct {
	name  string // that the orders within its rounds are drawn by
	seed  uint64 // of the run
	tests []*testRun
	round int   // that turns is of
	turns []int // of the tests in a round; nil: not drawn yet
}

// groups puts together the tests of the same scenarios, in the order of their first tests.
func groups(tests []Test) (list [][]int) {
	at := map[string]int{}
	for i, t := range tests {
		key := scenariosKey(t)
		place, known := at[key]
		if !known {
			place = len(list)
			at[key] = place
			list = append(list, nil)
		}
		list[place] = append(list[place], i)
	}
	return list
}

// scenariosKey names the scenarios of a test, in their order. A name is on one line.
func scenariosKey(t Test) string { return strings.Join(t.Scenarios, "\n") }

// next returns the test whose turn it is; nil if it has no room, or none goes on. A round is
// over when every test that goes on has launched its trial: one without room for it has the
// others wait, for a few trials at most.
func (g *group) next(eager bool) *testRun {
	round := -1
	for _, t := range g.tests {
		if t.goesOn() && (round < 0 || t.rounds() < round) {
			round = t.rounds()
		}
	}
	if round < 0 {
		return nil
	}
	for _, i := range g.order(round) {
		if t := g.tests[i]; t.goesOn() && t.rounds() == round {
			if t.room(eager) {
				return t
			}
			return nil
		}
	}
	return nil
}

// within reports whether the group is within a round: one of its tests that go on is within
// one, or ahead of another.
func (g *group) within() bool {
	least, most := -1, -1
	for _, t := range g.tests {
		if t.goesOn() {
			if t.within() {
				return true
			}
			n := t.rounds()
			if least < 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
	}
	return least < most
}

// order returns the turns of the tests in a round, which follow from the seed.
func (g *group) order(round int) []int {
	if g.turns == nil || g.round != round {
		g.turns = drawn(g.seed, "variants", g.name, round, len(g.tests))
		g.round = round
	}
	return g.turns
}

// drawn returns 0 to n-1 in an order that follows from the seed, a purpose, a name and a round
// and from nothing else.
func drawn(seed uint64, purpose, name string, round, n int) []int {
	random := rand.New(rand.NewPCG(seed, derive(seed, purpose, name, round)))
	return random.Perm(n)
}

// newGroups makes the tests of the options, and the groups of them.
func newGroups(o *Options) (list []*group, tests []*testRun, err error) {
	inputs := map[string]Scenario{}
	for _, s := range o.Scenarios {
		inputs[s.Name] = s
	}
	deciders, err := o.deciders()
	if err != nil {
		return nil, nil, err
	}
	tests = make([]*testRun, len(o.Tests))
	beside := map[*runs.Joint][]*testRun{}
	for _, members := range groups(o.Tests) {
		first := o.Tests[members[0]]
		g := &group{name: scenariosKey(first), seed: o.Seed}
		// Tests that take turns draw from their scenarios in the same order.
		order := g.name
		if len(members) == 1 && first.Variant == "" {
			order = first.Name
		}
		for _, i := range members {
			tests[i] = newTestRun(o.Tests[i], deciders[i], o, inputs, order)
			if j := o.Tests[i].Joint; j != nil {
				beside[j] = append(beside[j], tests[i])
			}
			g.tests = append(g.tests, tests[i])
		}
		list = append(list, g)
	}
	for _, t := range tests {
		t.beside = beside[t.spec.Joint]
	}
	return list, slices.Clip(tests), nil
}
