package ingest

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// TestRecordedCases compares what other tools wrote with the right values beside it.
func TestRecordedCases(t *testing.T) {
	text, err := os.ReadFile(sample(t, "cases3", "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		File    string
		Options []string
		Expect  map[string]any
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 20 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		t.Run(c.File, func(t *testing.T) {
			o := Options{Options: trial.Options{Unjudged: true}}
			if len(c.Options) == 2 && c.Options[0] == "--pass-when" {
				o.Pass = mustPassRule(t, c.Options[1])
			} else if len(c.Options) != 0 {
				t.Fatalf("options %q", c.Options)
			}
			checkCase(t, sample(t, "cases3", c.File), o, c.Expect)
		})
	}
}

// checkCase compares the sums of the trials of a file or a folder with those that are told.
func checkCase(t *testing.T, file string, o Options, expect map[string]any) {
	t.Helper()
	got := map[string]float64{}
	scenarios := map[string]bool{}
	files := []string{file}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		folder, err := ListFolder(t.Context(), file, Auto)
		if err != nil {
			t.Fatal(err)
		}
		files = folder.Files
	}
	for x, err := range Open(files, o).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got["trials"]++
		got[x.Outcome.String()]++
		scenarios[x.Scenario] = true
		for _, s := range x.Steps {
			if s.Action == trial.CallTool {
				got["tool_calls"]++
				if s.Error != "" {
					got["tool_errors"]++
				}
			}
		}
		got["input_tokens"] += float64(x.InputTokens.Value)
		got["output_tokens"] += float64(x.OutputTokens.Value)
		got["cost_usd"] += x.CostUSD.Value
	}
	got["scenarios"] = float64(len(scenarios))
	for name, want := range expect {
		if scenario, ok := want.(string); ok && name == "scenario" {
			if !scenarios[scenario] {
				t.Errorf("scenarios %v, want %s", scenarios, scenario)
			}
			continue
		}
		if number, ok := want.(float64); !ok || math.Abs(number-got[name]) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
}
