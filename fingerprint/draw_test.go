package fingerprint

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// grouped is a sample whose trials are of these scenarios and inputs, such as "a" and "a/7".
func grouped(scenarios []string, steps func(i int) int) *Sample {
	s := &Sample{}
	for i, name := range scenarios {
		scenario, input, known := strings.Cut(name, "/")
		t := &trial.Trial{Scenario: scenario, Outcome: trial.Pass, Steps: make([]trial.Step, steps(i))}
		if known {
			t.Input = trial.RawString(input)
		}
		for k := range t.Steps {
			t.Steps[k].Action = trial.Reason
		}
		s.Add(t)
	}
	return s
}

func one(int) int { return 1 }

func repeated(name string, n int) []string { return slices.Repeat([]string{name}, n) }

func TestDrawTakesTheShareOfEachGroup(t *testing.T) {
	a := grouped(slices.Concat(repeated("a", 1000), repeated("b/1", 500), repeated("c", 30)), one)
	b := grouped(slices.Concat(repeated("a", 500), repeated("b/1", 1000), repeated("c", 10)), one)
	drawn := draw(a, b, Options{MostTrials: 304}, seeded.Stream(1, 2))
	count := func(s *Sample, places []int) map[string]int {
		n := map[string]int{}
		for _, i := range places {
			n[s.scenarios.words[s.trials[i].scenario]]++
		}
		return n
	}
	// A tenth of each, and of the small one its chance of a fifth: twenty trials of forty are drawn, or none.
	got, other := count(a, drawn[0]), count(b, drawn[1])
	if got["a"] != 100 || other["a"] != 50 || got["b"] != 50 || other["b"] != 100 {
		t.Errorf("drawn %v and %v", got, other)
	}
	if small := [2]int{got["c"], other["c"]}; small != [2]int{15, 5} && small != [2]int{} {
		t.Errorf("of the small group %v", small)
	}
	if !slices.IsSorted(drawn[0]) || len(slices.Compact(slices.Clone(drawn[0]))) != len(drawn[0]) {
		t.Error("not in the order of the sample, or twice")
	}
}

// Each group of two trials, one a side, is drawn with the share, as a whole.
func TestDrawTakesPairsTogether(t *testing.T) {
	var scenarios []string
	for i := range 1000 {
		scenarios = append(scenarios, fmt.Sprintf("s/%d", i))
	}
	drawn := draw(grouped(scenarios, one), grouped(scenarios, one), Options{MostTrials: 200}, seeded.Stream(7, 2))
	if !slices.Equal(drawn[0], drawn[1]) || len(drawn[0]) != 100 {
		t.Errorf("drawn %d and %d, of pairs", len(drawn[0]), len(drawn[1]))
	}
}

// What is drawn does not depend on which trial stands on which side, so that exchangeable trials stay exchangeable:
// trials of one group take each other's places, and inputs of one side alone change sides as a whole.
func TestDrawDoesNotLookAtTheSides(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		o := Options{MostTrials: rapid.IntRange(2, 60).Draw(t, "most"), Pooled: rapid.Bool().Draw(t, "pooled")}
		// Inputs that one side alone tried, each with its number of trials, in any order of the sides.
		sizes := map[string]int{}
		for i := range rapid.IntRange(2, 40).Draw(t, "inputs") {
			sizes[fmt.Sprintf("s%d/%d", i%3, i)] = 1 + random.IntN(30)
		}
		names := slices.Sorted(func(yield func(string) bool) {
			for name := range sizes {
				if !yield(name) {
					return
				}
			}
		})
		chosen := func() map[string]int {
			var scenarios [2][]string
			for _, name := range names {
				side := random.IntN(2)
				scenarios[side] = append(scenarios[side], repeated(name, sizes[name])...)
			}
			samples := [2]*Sample{grouped(scenarios[0], one), grouped(scenarios[1], one)}
			drawn := draw(samples[0], samples[1], o, seeded.Stream(5, 2))
			n := map[string]int{}
			for side, places := range drawn {
				for _, i := range places {
					n[scenarios[side][i]]++
				}
			}
			return n
		}
		want := chosen()
		for range 3 {
			if got := chosen(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("drawn %v, and with other sides %v", want, got)
			}
		}
	})
}

func TestCompareSaysWhatWasDrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	steps := func(more int) func(int) int {
		return func(int) int { return 1 + random.IntN(5) + more }
	}
	a, b := grouped(repeated("a", 400), steps(0)), grouped(repeated("a", 400), steps(1))
	text := func(o Options) string {
		c, err := Compare(t.Context(), a, b, o)
		if err != nil {
			t.Fatal(err)
		}
		if told := slices.ContainsFunc(c.Warnings,
			func(w Warning) bool { return w.Code == drawnTrials }); told != (o.MostTrials == 200) {
			t.Errorf("at most %d: %v", o.MostTrials, c.Warnings)
		}
		if want := [2]int{min(400, o.MostTrials/2), min(400, o.MostTrials/2)}; o.MostTrials > 0 &&
			want != [2]int{c.BaselineTrials, c.CandidateTrials} {
			t.Errorf("at most %d: %d and %d were compared", o.MostTrials, c.BaselineTrials, c.CandidateTrials)
		}
		if !c.Changed {
			t.Errorf("at most %d: no change is found", o.MostTrials)
		}
		text, _ := json.Marshal(c)
		return string(text)
	}
	if text(Options{Seed: 1}) != text(Options{Seed: 1, MostTrials: 800}) {
		t.Error("as many as there are make a difference")
	}
	drawn := text(Options{Seed: 1, MostTrials: 200})
	if again := text(Options{Seed: 1, MostTrials: 200}); again != drawn {
		t.Error("another result of the same seed")
	}
	if drawn == text(Options{Seed: 2, MostTrials: 200}) {
		t.Error("the seed makes no difference")
	}
	if _, err := Compare(t.Context(), a, b, Options{MostTrials: -1}); err == nil {
		t.Error("fewer than no trials")
	}
}
