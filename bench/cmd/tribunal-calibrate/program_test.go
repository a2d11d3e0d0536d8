package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tribunal-dev/tribunal/bench/internal/calibration"
	"github.com/tribunal-dev/tribunal/bench/internal/growth"
	"github.com/tribunal-dev/tribunal/bench/internal/savings"
	"github.com/tribunal-dev/tribunal/cmd/experiment"
	"github.com/tribunal-dev/tribunal/report/chart"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tribunal-calibrate": main})
}

// TestScripts runs the transcripts in testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// Every form of the savings, of which nearly nothing is simulated: the exact figures are
// the same.
func TestSavingsForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures some seconds")
	}
	measured, err := savings.Measure(t.Context(), savings.Options{Short: true, Runs: 2, Seed: 1, Curves: true})
	if err != nil {
		t.Fatal(err)
	}
	found := savingsFinding(measured)
	var table, drawing bytes.Buffer
	if err := errors.Join(found.CSV(&table), found.SVG(&drawing)); err != nil || found.ExitCode != experiment.Pass {
		t.Fatalf("exit code %d, %v", found.ExitCode, err)
	}
	for text, patterns := range map[string][]string{
		table.String(): {
			`(?m)^kind,method,p,expected_trials,`,
			`(?m)^code generation,optimal,1,15,15,152,`,
		},
		drawing.String(): {
			`<title>How many trials a verdict takes`,
			`<desc>.*optimal: 55\.9 at 0\.8, 58\.2 at 0\.9, 15\.0 at 1\.`,
		},
	} {
		for _, pattern := range patterns {
			if !regexp.MustCompile(pattern).MatchString(text) {
				t.Errorf("%s is not in\n%s", pattern, text)
			}
		}
	}
	checkSavingsDocument(t, found.Document)
}

func checkSavingsDocument(t *testing.T, found any) {
	t.Helper()
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Schema      string
		Seed        int
		FixedTrials int `json:"fixed_trials"`
		Methods     []struct {
			Name   string
			Exact  bool
			Within bool `json:"within_targets"`
			Most   *int `json:"max_trials"`
			Rates  []struct {
				Trials float64 `json:"expected_trials"`
			}
		}
		Kinds []struct {
			Name string
			Cost float64 `json:"cost_of_paper_fixed_trials_usd"`
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if document.Schema != "tribunal/bench-savings/v1" || document.Seed != 1 || document.FixedTrials != 109 {
		t.Errorf("%+v", document)
	}
	optimal := document.Methods[4]
	if optimal.Name != "optimal" || !optimal.Exact || !optimal.Within || optimal.Rates[0].Trials != 15 {
		t.Errorf("%+v", optimal)
	}
	if document.Methods[2].Most != nil {
		t.Errorf("Wald's test ends after %d trials", *document.Methods[2].Most)
	}
	if document.Kinds[2].Name != "code generation" || math.Abs(document.Kinds[0].Cost-.17) > .005 {
		t.Errorf("%+v", document.Kinds)
	}
}

// aCalibration has a row that keeps its promise, and one that may break it.
func aCalibration(rate float64) *calibration.Result {
	promise, holds, first := .05, rate <= .05, true
	c := &calibration.Result{Schema: calibration.Schema, Seed: 7, Holds: holds, Rows: []calibration.Row{
		{Group: "g", Decision: "kept", Setting: "n 10", Error: "false fail", Nominal: .05, Promise: &promise,
			Rate: .01, Exact: true, Holds: &first},
		{Group: "g", Decision: "doubtful", Setting: "n 20", Error: "false pass", Nominal: .05, Promise: &promise,
			Rate: rate, Exact: true, Holds: &holds},
	}}
	if !holds {
		c.ExitCode = 1
	}
	return c
}

func TestCalibrationExitCode(t *testing.T) {
	for rate, want := range map[float64]int{.04: experiment.Pass, .06: experiment.Fail} {
		var text bytes.Buffer
		found := calibrationFinding(aCalibration(rate))
		if err := found.Text(&text, 80); err != nil || found.ExitCode != want {
			t.Errorf("a rate of %v: exit code %d, want %d, %v", rate, found.ExitCode, want, err)
		}
		if says := strings.Contains(text.String(), "BROKEN"); says != (want == experiment.Fail) {
			t.Errorf("a rate of %v: %s", rate, text.String())
		}
	}
}

func TestCalibrationForms(t *testing.T) {
	found := calibrationFinding(aCalibration(.06))
	text, err := json.Marshal(found.Document)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Schema   string
		Holds    bool
		ExitCode int `json:"exit_code"`
		Seed     uint64
		Rows     []struct{ Holds *bool }
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if document.Schema != "tribunal/bench-calibration/v1" || document.Holds || document.ExitCode != 1 ||
		document.Seed != 7 || len(document.Rows) != 2 || *document.Rows[1].Holds {
		t.Errorf("%+v", document)
	}
	var table bytes.Buffer
	if err := found.CSV(&table); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&table).ReadAll()
	if err != nil || len(records) != 3 || records[2][1] != "doubtful" || records[2][len(records[2])-2] != "false" {
		t.Errorf("%v, %v", records, err)
	}
}

// The drawing has a panel for each of what is counted; runs of a store stand in the table alone.
func TestGrowthIsDrawn(t *testing.T) {
	r := &growth.Result{}
	for _, pair := range [][2]string{{"verdict", "trials"}, {"fingerprint", "traces"}, {"verify", "scenarios"},
		{"history", "runs"},
		{"run program", "workers"}} {
		r.Rows = append(r.Rows, growth.Row{Operation: pair[0], Against: pair[1],
			Points: []growth.Point{{Size: 10, Seconds: 0.1}, {Size: 100, Seconds: 1.5}}})
	}
	g := growthChart(r)
	var drawing bytes.Buffer
	if err := chart.Growths(&drawing, g); err != nil {
		t.Fatal(err)
	}
	if len(g.Panels[0].Lines) != 1 || len(g.Panels[1].Lines) != 2 || len(g.Panels[2].Lines) != 1 {
		t.Errorf("%+v", g.Panels)
	}
	if text := drawing.String(); !strings.Contains(text, "verify: 1.5 s at 100 scenarios") ||
		strings.Contains(text, "history") {
		t.Error(text)
	}
}
