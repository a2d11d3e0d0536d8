package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// drawnSide draws trials of few scenarios and inputs: in any order, with repeats, and with gaps.
func drawnSide(t *rapid.T, name string, inputs bool) *recording.Recording {
	r := &recording.Recording{Name: name}
	r.PutAside(rapid.SampledFrom([]int{1, 5, 1000}).Draw(t, name+" beyond"))
	for i := range rapid.IntRange(1, 40).Draw(t, name+" trials") {
		x := &trial.Trial{
			Scenario: fmt.Sprint("s", rapid.IntRange(0, 5).Draw(t, "scenario")), Index: trial.Some(i),
			Outcome: trial.Outcome(rapid.IntRange(1, 3).Draw(t, "outcome")),
		}
		if inputs {
			x.Input = trial.RawString(fmt.Sprint(rapid.IntRange(0, 6).Draw(t, "input")))
		}
		r.Add(x)
	}
	return r
}

// kindOf names the kind of a trial as it is defined.
func kindOf(g *groups, o recording.Observation) string {
	if g.byInput {
		return fmt.Sprint(o.Scenario, " ", o.Input)
	}
	return o.Scenario
}

// Kinds, their counts and the pairs are those that maps of all trials give.
func TestGroupsAreThoseOfMaps(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		inputs := rapid.Bool().Draw(t, "inputs")
		sides := [2]*recording.Recording{drawnSide(t, "baseline", inputs), drawnSide(t, "candidate", inputs)}
		g := groupBoth(sides[0], sides[1])
		number := map[string]int{}
		trials := map[string][2][]int{}
		rest := map[string][2][]int{} // by scenario, of kinds that one side alone tried
		for side, r := range sides {
			for i, o := range r.Observations() {
				name := kindOf(g, o)
				if _, known := number[name]; !known {
					number[name] = len(number)
				}
				if int(g.kind[side][i]) != number[name] {
					t.Fatalf("trial %d of side %d is of kind %d; want %d", i, side, g.kind[side][i], number[name])
				}
				both := trials[name]
				both[side] = append(both[side], i)
				trials[name] = both
			}
		}
		for side, r := range sides {
			for i, o := range r.Observations() {
				if both := trials[kindOf(g, o)]; len(both[0]) == 0 || len(both[1]) == 0 {
					places := rest[o.Scenario]
					places[side] = append(places[side], i)
					rest[o.Scenario] = places
				}
			}
		}
		var want []match
		for i, o := range sides[0].Observations() {
			both, left := trials[kindOf(g, o)], rest[o.Scenario]
			switch {
			case len(both[0]) == 1 && len(both[1]) == 1:
				want = append(want, matchOf(uint32(i), uint32(both[1][0]), g.byInput))
			case len(both[1]) == 0 && len(left[0]) == 1 && len(left[1]) == 1:
				want = append(want, matchOf(uint32(i), uint32(left[1][0]), false))
			}
		}
		if have := g.pairs(edition); !slices.Equal(have, want) {
			t.Fatalf("pairs %v; want %v", have, want)
		}
		for name, both := range trials {
			if n := g.trials(uint32(number[name])); n != [2]int{len(both[0]), len(both[1])} {
				t.Fatalf("%s: %d trials; want %d and %d", name, n, len(both[0]), len(both[1]))
			}
		}
	})
}

// Trials of a kind are counted whatever their number: those of few and of many are kept in different ways.
func TestKindsOfFewAndOfMany(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		const kinds = 5
		g := &groups{few: make([]smallTally, kinds)}
		var want [kinds][2]map[trial.Outcome]int
		for i := range want {
			want[i] = [2]map[trial.Outcome]int{{}, {}}
		}
		for range rapid.IntRange(0, 40).Draw(t, "additions") {
			kind, side := rapid.IntRange(0, kinds-1).Draw(t, "kind"), rapid.IntRange(0, 1).Draw(t, "side")
			outcome := rapid.SampledFrom([]trial.Outcome{trial.Pass, trial.Fail, trial.Error}).Draw(t, "outcome")
			n := rapid.SampledFrom([]int{1, 1, 2, 100, 253, 254, 255, 256, 100_000}).Draw(t, "trials")
			g.add(uint32(kind), side, outcome, n)
			want[kind][side][outcome] += n
		}
		for kind := range want {
			for side, o := range g.outcomes(uint32(kind)) {
				counts := want[kind][side]
				if (o != outcomes{counts[trial.Pass], counts[trial.Fail], counts[trial.Error]}) {
					t.Fatalf("kind %d, side %d: %+v; want %v", kind, side, o, counts)
				}
			}
		}
	})
}

// A table of kinds that has to grow finds what it found before.
func TestKindTableGrows(t *testing.T) {
	table := newKindTable(4)
	for place := range uint32(5000) {
		if first := table.first(seeded.Scramble(uint64(place%1000)+1), place); first != place%1000 {
			t.Fatalf("key %d first at %d", place%1000, first)
		}
	}
}

// Whether columns are put aside makes no difference to a comparison.
func TestComparisonOfWhatIsPutAside(t *testing.T) {
	side := func(name string, beyond int) *recording.Recording {
		r := &recording.Recording{Name: name}
		if beyond > 0 {
			r.PutAside(beyond)
		}
		for i := range 20_000 {
			x := &trial.Trial{Scenario: fmt.Sprint("s", i%20), Index: trial.Some(i / 20), Outcome: trial.Pass,
				CostUSD: trial.Some(float64(1+i%97) / 8), Input: trial.RawString(fmt.Sprint(i))}
			if (i+len(name))%11 == 0 {
				x.Outcome = trial.Fail
			}
			r.Add(x)
		}
		return r
	}
	var texts [2]string
	for i, beyond := range []int{0, 10} {
		result, err := Judge(t.Context(), side("baseline", beyond), side("candidate", beyond), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if result.Edition != shortOfMany || result.Pairs.Pairs != 20_000 {
			t.Errorf("edition %d, %d pairs", result.Edition, result.Pairs.Pairs)
		}
		text, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] {
		t.Error("the results differ")
	}
}
