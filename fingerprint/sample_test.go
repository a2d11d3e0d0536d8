package fingerprint

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// A trial whose vector is worked out by hand.
func travel() *trial.Trial {
	return &trial.Trial{
		Scenario: "lisbon", Outcome: trial.Pass,
		CostUSD: trial.Some(0.06), OutputTokens: trial.Some(int64(300)), DurationSeconds: trial.Some(12.5),
		Output: trial.RawString("aaaaaaaaaa"),
		Steps: []trial.Step{
			{Action: trial.Reason},
			{Action: trial.CallTool, Tool: "search", Error: "timeout", Depth: trial.Some(0)},
			{Action: trial.CallTool, Tool: "search", Depth: trial.Some(0)},
			{Action: trial.CallTool, Tool: "book", Error: "sold out", Depth: trial.Some(2)},
			{Action: trial.CallTool, Tool: "search"},
			{Action: trial.CallTool, Tool: "book", Error: "sold out"},
			{Action: trial.CallTool, Tool: "oracle"},
			{Action: trial.Respond},
		},
	}
}

func TestVectorByHand(t *testing.T) {
	plain := &trial.Trial{Scenario: "lisbon", Outcome: trial.Fail, Steps: []trial.Step{
		{Action: trial.CallTool, Tool: "search"}, {Action: trial.CallTool, Tool: "book"}, {Action: trial.Reason},
		{Action: trial.Respond},
	}}
	var s Sample
	for range 3 {
		s.Add(plain)
	}
	v := NewVocabulary(&s)
	got := make(map[string]float64)
	vector := v.Vector(travel())
	for j, c := range v.Columns() {
		if !vector.Values[j].Known {
			t.Errorf("%s is unknown", c.Name)
		}
		got[c.Name] = vector.Values[j].Value
	}
	want := map[string]float64{
		"tool.search": 3, "tool.book": 2, "other_tools": 1,
		"action.reason": 1, "action.call_tool": 6, "action.respond": 1, "other_actions": 0,
		"steps": 8, "depth": 2,
		"branches":          4, // search-search, search-book, book-search, book-oracle
		"output_tokens":     300,
		"output_complexity": 4.0 / 10, // a, aa, aaa, aaaa
		"any_error":         1,
		"recovered_share":   1.0 / 3, // search succeeds later, book never does
		"cost_usd":          0.06, "cost_per_step_usd": 0.06 / 8, "duration_s": 12.5,
		// Their tools are frequent, and they themselves are: three trials call them.
		"pair.search -> book": 2,
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })); diff != "" {
		t.Error(diff)
	}
}

func TestUnknownStaysUnknown(t *testing.T) {
	var s Sample
	for range 3 {
		s.Add(travel())
	}
	v := NewVocabulary(&s)
	for name, c := range map[string]struct {
		trial *trial.Trial
		known []string
	}{
		"nothing recorded": {&trial.Trial{Scenario: "x"}, nil},
		"no steps": {&trial.Trial{Scenario: "x", Steps: []trial.Step{}},
			[]string{"tool.book", "tool.oracle", "tool.search", "other_tools", "action.call_tool", "action.reason",
				"action.respond", "other_actions", "steps", "branches", "any_error", "recovered_share", "pair.book -> oracle",
				"pair.book -> search", "pair.search -> book", "pair.search -> search"}},
		"cost alone":      {&trial.Trial{Scenario: "x", CostUSD: trial.Some(0.0)}, []string{"cost_usd"}},
		"an empty output": {&trial.Trial{Scenario: "x", Output: trial.RawString("")}, []string{"output_complexity"}},
	} {
		var known []string
		for j, value := range v.Vector(c.trial).Values {
			if value.Known {
				known = append(known, v.columns[j].Name)
				if value.Value != 0 {
					t.Errorf("%s: %s is %v", name, v.columns[j].Name, value.Value)
				}
			}
		}
		if diff := cmp.Diff(c.known, known); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestErrorTrialsAreLeftOut(t *testing.T) {
	var baseline, candidate Sample
	for i := range 6 {
		one := travel()
		one.OutputTokens.Value += int64(i)
		baseline.Add(one)
		if i%3 == 0 {
			one.Outcome = trial.Error
		}
		candidate.Add(one)
	}
	if baseline.Len() != 6 || candidate.Len() != 4 || candidate.Errors() != 2 {
		t.Fatalf("%d, %d and %d trials", baseline.Len(), candidate.Len(), candidate.Errors())
	}
	c, err := Compare(t.Context(), &baseline, &candidate, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Warnings) != 1 || c.Warnings[0].Code != ErrorTrials {
		t.Errorf("warnings %v", c.Warnings)
	}
}

// Phrases by hand: a, b, ab, aba, b again and cut off.
func TestComplexity(t *testing.T) {
	var c complexity
	for text, phrases := range map[string]float64{
		"": 0, "a": 1, "aa": 2, "abab": 3, "ababab": 4, "ababababb": 5, "abcdefgh": 8, "aaaaaaaaaa": 4,
	} {
		if got := c.perByte(text) * float64(len(text)); math.Abs(got-phrases) > 1e-12 {
			t.Errorf("%q: %v phrases, want %v", text, got, phrases)
		}
	}
}

func TestCollect(t *testing.T) {
	broken := errors.New("cut off")
	s, err := Collect(func(yield func(*trial.Trial, error) bool) {
		for range 2 {
			if !yield(travel(), nil) {
				return
			}
		}
	})
	if err != nil || s.Len() != 2 {
		t.Errorf("%v, %v", s, err)
	}
	if diff := cmp.Diff([]string{"search", "book", "oracle"}, s.Tools()); diff != "" {
		t.Error(diff)
	}
	if _, err := Collect(func(yield func(*trial.Trial, error) bool) { yield(nil, broken) }); err != broken {
		t.Errorf("%v", err)
	}
}

// Rare names share a column: of 200 trials those with fewer than four, of few trials
// those with fewer than three.
func TestRareNamesShareAColumn(t *testing.T) {
	var s Sample
	add := func(n int, tool string) {
		for range n {
			s.Add(&trial.Trial{Scenario: "x", Steps: []trial.Step{{Action: trial.CallTool, Tool: tool}}})
		}
	}
	add(2, "two")
	add(3, "three")
	tools := func() (names []string) {
		for _, c := range NewVocabulary(&s).Columns() {
			if c.Kind == ToolCalls {
				names = append(names, c.Name)
			}
		}
		return names
	}
	if diff := cmp.Diff([]string{"tool.three"}, tools()); diff != "" {
		t.Error(diff)
	}
	add(4, "four")
	add(191, "usual")
	if diff := cmp.Diff([]string{"tool.four", "tool.usual"}, tools()); diff != "" {
		t.Error(diff)
	}
}
