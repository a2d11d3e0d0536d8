package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// TestToolsFigures compares what tools of this year wrote with the figures beside it: those of the suite that was run or
// of the model that answered, and of the tool's own summary, told before any of it was read. The other files are refused
// with a remedy.
func TestToolsFigures(t *testing.T) {
	text, err := os.ReadFile("testdata/tools.tsv")
	if err != nil {
		t.Fatal(err)
	}
	read, refused := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n")[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 4 {
			t.Fatalf("%q: %d cells", line, len(cells))
		}
		file := filepath.Join("testdata", cells[2])
		t.Run(cells[0]+" "+cells[1], func(t *testing.T) {
			o := Options{Options: trial.Options{Unjudged: true}, AllVariants: true}
			if cells[3] == "refused" {
				refused++
				_, err := written(Open([]string{file}, o))
				if e, ok := errors.AsType[*trial.FileError](err); !ok || e.Advice == "" {
					t.Errorf("%v, want a problem and a remedy", err)
				}
				return
			}
			read++
			expect := map[string]any{"pass": 0.0, "fail": 0.0, "error": 0.0}
			for _, figure := range strings.Fields(cells[3]) {
				name, value, _ := strings.Cut(figure, "=")
				number, err := strconv.ParseFloat(value, 64)
				if err != nil {
					t.Fatal(err)
				}
				expect[name] = number
			}
			checkCase(t, file, o, expect)
		})
	}
	said := fmt.Sprintf("%d of %d files are read, %d are refused with a remedy, none is misread", read, read+refused, refused)
	page, err := os.ReadFile("../docs/import.md")
	if err != nil || !strings.Contains(string(page), said) {
		t.Errorf("docs/import.md does not say: %s; %v", said, err)
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
		got["cached_tokens"] += float64(x.CachedTokens.Value)
		got["cost_usd"] += x.CostUSD.Value
		got["duration_s"] += x.DurationSeconds.Value
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
