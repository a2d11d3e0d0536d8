package verify

import (
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/tribunal-dev/tribunal/verdict"
)

// What a document claims takes no memory: two million trials a side, of a comparison of
// some kilobytes.
func TestVerifyTakesNoMemoryForCounts(t *testing.T) {
	text, err := os.ReadFile("testdata/two-million.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		side  string // or "tests", of which a figure is changed
		field string
		to    any
		path  string // of the difference; none where it is verified
	}{
		{name: "as it is"},
		{"more passes", "candidate", "passes", 1_799_001, "candidate.rate"},
		{"fewer trials", "baseline", "trials", 1_999_999, "baseline.rate"},
		{"a p-value above Fisher's", "tests", "boschloo", map[string]any{"p": 0.9}, "tests.boschloo.p"},
		{"no p-value", "tests", "noninferiority", map[string]any{"p": 9}, "tests.noninferiority"},
		{"another verdict", "tests", "noninferiority", map[string]any{"p": 0.9}, "verdict"},
	} {
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		if c.field != "" {
			document[c.side].(map[string]any)[c.field] = c.to
		}
		changed, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		saved, err := Decode(changed)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		found, err := Verify(t.Context(), saved)
		runtime.ReadMemStats(&after)
		var different *verdict.DifferenceError
		switch errors.As(err, &different); {
		case c.path == "" && (err != nil || found.Verdict != verdict.Pass):
			t.Errorf("%s: %+v, %v", c.name, found, err)
		case c.path != "" && (different == nil || different.Path != c.path):
			t.Errorf("%s: %v", c.name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 5<<20 {
			t.Errorf("%s: %d bytes took %d bytes of memory", c.name, len(text), taken)
		}
	}
}

// A pass is one pass, and there are two passes.
func TestPassesAreSpelled(t *testing.T) {
	costs := []verdict.Tally{{Scenario: "a", Passes: 2, Cost: verdict.Cost{Trials: 2, Known: 2, Passes: 2, TotalUSD: 4}}}
	r, err := verdict.JudgeThreshold(t.Context(), costs, verdict.ThresholdOptions{Threshold: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	r.Reliability.CostPerSuccess = new(0.5)
	want := "reliability.cost_per_success is 0.5, and the outcomes give a cost over 2 passes"
	if _, err := Verify(t.Context(), r); err == nil || err.Error() != want {
		t.Errorf("%v; want %s", err, want)
	}
}
