package behaviour

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// numbered is a trial that is told by its scenario, its number and, where it has one, its input.
func numbered(scenario string, number int, input string) *trial.Trial {
	t := &trial.Trial{Scenario: scenario, Index: trial.Some(number), Outcome: trial.Pass,
		OutputTokens: trial.Some(int64(number)),
		Steps:        []trial.Step{{Action: trial.CallTool, Tool: fmt.Sprint("tool-", number%3)}, {Action: trial.Respond}}}
	if input != "" {
		t.Input = trial.RawString(input)
	}
	return t
}

// Few trials are all kept, as a sample has them without drawing.
func TestFewTrialsAreAllKept(t *testing.T) {
	var baseline, candidate Drawing
	var want fingerprint.Sample
	for i := range 40 {
		x := numbered("s", i, "")
		if i%9 == 0 {
			x.Outcome = trial.Error
		}
		baseline.Add(x)
		candidate.Add(x)
		want.Add(x)
	}
	if drawn := Draw(&baseline, &candidate); drawn != nil {
		t.Errorf("drawn: %+v", drawn)
	}
	if have, want := fmt.Sprintf("%+v", baseline.Sample.Counts()), fmt.Sprintf("%+v", want.Counts()); have != want {
		t.Error("the sample is not that of all trials")
	}
}

// What is drawn are the trials of the lowest ranks, whenever the others were left out, and of pairs both.
func TestDrawnTrialsAreThoseOfTheLowestRanks(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 400).Draw(t, "trials")
		most := rapid.IntRange(1, 60).Draw(t, "most")
		inputs := rapid.SampledFrom([]int{0, 3, 1000}).Draw(t, "inputs")
		seed := rapid.Uint64().Draw(t, "seed")
		baseline, candidate := Drawing{Seed: seed, most: most}, Drawing{Seed: seed, most: most}
		for i := range n {
			input := ""
			if inputs > 0 {
				input = fmt.Sprint(i % inputs)
			}
			baseline.Add(numbered(fmt.Sprint("s", i%5), i, input))
			// The other side tries them in another order.
			j := n - 1 - i
			if inputs > 0 {
				input = fmt.Sprint(j % inputs)
			}
			candidate.Add(numbered(fmt.Sprint("s", j%5), j, input))
		}
		drawn := Draw(&baseline, &candidate)
		if n <= most {
			if drawn != nil || baseline.Sample.Len() != n {
				t.Fatalf("%d of %d trials are drawn", baseline.Sample.Len(), n)
			}
			return
		}
		if drawn == nil || drawn.Baseline != n || drawn.Candidate != n {
			t.Fatalf("%+v", drawn)
		}
		ranks := slices.Sorted(slices.Values(baseline.ranks))
		if !slices.Equal(ranks, slices.Sorted(slices.Values(candidate.ranks))) {
			t.Fatalf("the sides drew %d and %d trials, not the same", len(ranks), len(candidate.ranks))
		}
		if len(ranks) > most || len(ranks) != baseline.Sample.Len() {
			t.Fatalf("%d ranks, %d trials, at most %d", len(ranks), baseline.Sample.Len(), most)
		}
		// Inputs that name single trials, and numbers, have ranks of their own.
		if inputs != 3 && len(ranks) != most {
			t.Fatalf("%d of %d trials", len(ranks), most)
		}
	})
}

// Every trial has about the same chance to be drawn, whatever its number.
func TestDrawnTrialsAreSpread(t *testing.T) {
	const most, trials = 500, 4000
	d, other := Drawing{Seed: 7, most: most}, Drawing{}
	for i := range trials {
		d.Add(numbered("s", i, ""))
	}
	Draw(&d, &other)
	early := 0
	for _, x := range d.Sample.Counts().OutputTokens {
		if x.Value < trials/2 {
			early++
		}
	}
	if math.Abs(float64(early)-most/2) > 4*math.Sqrt(most)/2 {
		t.Errorf("%d of %d drawn trials are of the first half", early, most)
	}
}

// Names that no trial uses any longer are not in the sample.
func TestWhatIsNotKeptLeavesNoTrace(t *testing.T) {
	var all, some fingerprint.Sample
	for i := range 30 {
		x := numbered(fmt.Sprint("s", i%4), i, fmt.Sprint(i))
		all.Add(x)
		if i%3 == 1 {
			some.Add(x)
		}
	}
	all.Keep(func(i int) bool { return i%3 == 1 }, 0)
	if have, want := fmt.Sprintf("%+v", all.Counts()), fmt.Sprintf("%+v", some.Counts()); have != want {
		t.Error("the sample is not that of the kept trials")
	}
}
