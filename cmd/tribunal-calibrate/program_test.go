package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tribunal-dev/tribunal/bench/calibration"
	"github.com/tribunal-dev/tribunal/internal/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: main})
}

// TestScripts runs the transcripts in testdata/script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
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
	for rate, want := range map[float64]int{.04: cli.ExitPass, .06: cli.ExitFail} {
		var text bytes.Buffer
		found := calibrationFinding(aCalibration(rate))
		if err := found.Text(&text, 80); err != nil || found.ExitCode != want {
			t.Errorf("a rate of %v: exit code %d, want %d, %v", rate, found.ExitCode, want, err)
		}
		if says := strings.Contains(text.String(), "BROKEN"); says != (want == cli.ExitFail) {
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
	if err != nil || len(records) != 3 || records[2][1] != "doubtful" || records[2][len(records[2])-1] != "false" {
		t.Errorf("%v, %v", records, err)
	}
}
