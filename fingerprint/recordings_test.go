package fingerprint

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// recording reads a recording of real trials, or skips the test where the folder of
// recordings is not beside the project.
func recording(t testing.TB, name string) (trials []*trial.Trial) {
	t.Helper()
	file, err := os.Open(refdata.Recorded(t, "trials", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for one, err := range trial.Read(file, trial.Options{File: name}) {
		if err != nil {
			t.Fatal(err)
		}
		trials = append(trials, one.Clone())
	}
	return trials
}

// Four trials of each of 50 scenarios by one system, split at random two against
// two: that is no change.
func TestRecordingSplitInHalves(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	trials := recording(t, "tau-airline-gpt-4o.jsonl.gz")
	splits := thorough.Draws(30, 100)
	found := 0
	for i := range splits {
		random := seeded.Stream(9, uint64(i))
		random.Shuffle(len(trials), func(a, b int) { trials[a], trials[b] = trials[b], trials[a] })
		var sides [2]Sample
		seen := make(map[string]int)
		for _, one := range trials {
			sides[seen[one.Scenario]%2].Add(one)
			seen[one.Scenario]++
		}
		c, err := Compare(t.Context(), &sides[0], &sides[1], Options{Seed: uint64(i), Permutations: 199})
		if err != nil {
			t.Fatal(err)
		}
		if c.Scenarios != 50 || c.BaselineTrials != 100 || c.CandidateTrials != 100 {
			t.Fatalf("%d scenarios, %d and %d trials", c.Scenarios, c.BaselineTrials, c.CandidateTrials)
		}
		if c.Changed {
			found++
		}
	}
	t.Logf("a change found in %d of %d splits", found, splits)
	if n := float64(splits); float64(found) > 0.05*n+3*math.Sqrt(0.05*0.95*n) {
		t.Errorf("a change found in %d of %d splits", found, splits)
	}
}

// The same model in another harness calls goto_node, which the first one lacks.
func TestRecordingOfAnotherHarness(t *testing.T) {
	var baseline, candidate Sample
	for _, one := range recording(t, "retail-gemini-3-flash-base.jsonl.gz") {
		baseline.Add(one)
	}
	for _, one := range recording(t, "retail-gemini-3-flash-harness.jsonl.gz") {
		candidate.Add(one)
	}
	c, err := Compare(t.Context(), &baseline, &candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range c.Warnings {
		t.Log(w.Code, w.Text)
	}
	var names []string
	for _, change := range c.ChangedColumns() {
		names = append(names, fmt.Sprintf("%s, p %.4f", change, change.AdjustedP))
	}
	t.Logf("p %.4f, shrinkage %.3f, dimension %.1f\n%s", c.P, c.Shrinkage, c.Participation, strings.Join(names, "\n"))
	if !c.Changed || !strings.Contains(strings.Join(c.NewTools, " "), "goto_node") {
		t.Errorf("p = %v, new tools %v", c.P, c.NewTools)
	}
	if !strings.Contains(strings.Join(names, "\n"), "calls of goto_node 0 -> ") {
		t.Errorf("goto_node is not named among\n%s", strings.Join(names, "\n"))
	}
}

// The same agent before and after a change, one trial of each scenario: the pairs
// show it, while T² without the scenarios does not.
func TestRecordingOfAChangedAgent(t *testing.T) {
	var sides [2]Sample
	for i, name := range []string{"retail-gpt-4.1-mini-before.jsonl.gz", "retail-gpt-4.1-mini-after.jsonl.gz"} {
		for _, one := range recording(t, name) {
			sides[i].Add(one)
		}
	}
	paired, err := Compare(t.Context(), &sides[0], &sides[1], Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Compare(t.Context(), &sides[0], &sides[1], Options{Test: HotellingT2})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("paired p = %.4f, %v; Hotelling on %d components p = %.4f", paired.P, paired.ChangedColumns(),
		plain.Hotelling.Components, plain.P)
	if paired.Scenarios != 114 || !paired.Changed || plain.Changed {
		t.Errorf("%d scenarios, p = %v; without them %v", paired.Scenarios, paired.P, plain.P)
	}
}
