package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// The committed recordings are what this program writes.
func TestRecordingsAreReproduced(t *testing.T) {
	for _, a := range agents {
		again := filepath.Join(t.TempDir(), a.file)
		if err := record(again, a); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(again)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join("..", a.file))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the simulator writes; run it again", a.file)
		}
	}
}

// The recordings say what the example says of them.
func TestAgentsDifferAsDescribed(t *testing.T) {
	passes, cost := map[string]int{}, map[string]float64{}
	for _, a := range agents {
		for _, record := range a.trials() {
			if record.Outcome == trial.Pass {
				passes[a.variant]++
			}
			cost[a.variant] += record.CostUSD.Value
		}
	}
	if passes["new-prompt"] > passes["baseline"]-10 {
		t.Errorf("the worse candidate passes %d, the baseline %d", passes["new-prompt"], passes["baseline"])
	}
	if d := passes["large-model"] - passes["baseline"]; d < -4 || d > 4 {
		t.Errorf("the dearer candidate passes %d, the baseline %d", passes["large-model"], passes["baseline"])
	}
	if cost["large-model"] < 3*cost["baseline"] {
		t.Errorf("the dearer candidate costs %v, the baseline %v", cost["large-model"], cost["baseline"])
	}
}
