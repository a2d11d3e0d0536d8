package runs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What differs between two tasks is told by name, and by the part that differs.
func TestTaskSince(t *testing.T) {
	same := TaskScenario{Digest: "1", Input: "a", Evaluators: "b", Limits: "c"}
	input, both, strange := same, same, same
	input.Digest, input.Input = "2", "x"
	both.Digest, both.Contracts, both.Limits = "3", "y", "z"
	strange.Digest = "4"
	earlier := &Task{Scenarios: map[string]TaskScenario{"s": same, "i": same, "b": same, "d": same, "old": same}}
	later := &Task{Scenarios: map[string]TaskScenario{"s": same, "i": input, "b": both, "d": strange, "new": same}}
	want := TaskDifference{
		Changed: []string{"b (contracts, limits)", "d (digest)", "i (input)"}, Added: []string{"new"},
		Removed: []string{"old"},
	}
	if diff := cmp.Diff(want, later.Since(earlier)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(TaskDifference{}, later.Since(later)); diff != "" {
		t.Error(diff)
	}
}
