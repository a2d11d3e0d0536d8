package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/bench"
)

// calibrated runs the command with a measurement in place of the real one, which takes
// half a minute; package bench tests that.
func calibrated(t *testing.T, found *bench.Calibration, failure error, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	r := newRun(App{Stdout: &out, Stderr: &problems})
	r.calibrate = func(_ context.Context, o bench.CalibrationOptions) (*bench.Calibration, error) {
		if o.Progress == nil {
			t.Error("nobody is told how far it is")
		}
		found.Short, found.Seed = o.Short, o.Seed
		return found, failure
	}
	err := r.execute(t.Context(), append([]string{"bench", "calibration"}, args...))
	return exitCode(err), out.String(), problems.String()
}

// aCalibration has a row that keeps its promise, and one that may break it.
func aCalibration(rate float64) *bench.Calibration {
	promise, holds, first := .05, rate <= .05, true
	c := &bench.Calibration{Schema: bench.CalibrationSchema, Holds: holds, Rows: []bench.CalibrationRow{
		{Group: "g", Decision: "kept", Setting: "n 10", Error: "false fail", Nominal: .05, Promise: &promise, Rate: .01, Exact: true, Holds: &first},
		{Group: "g", Decision: "doubtful", Setting: "n 20", Error: "false pass", Nominal: .05, Promise: &promise, Rate: rate, Exact: true, Holds: &holds},
	}}
	if !holds {
		c.ExitCode = 1
	}
	return c
}

func TestBenchCalibrationExitCode(t *testing.T) {
	for _, form := range []string{"", "--json", "--csv"} {
		args := []string{"--short"}
		if form != "" {
			args = append(args, form)
		}
		for rate, want := range map[float64]int{.04: ExitPass, .06: ExitFail} {
			code, stdout, stderr := calibrated(t, aCalibration(rate), nil, args...)
			if code != want || stdout == "" || stderr != "" {
				t.Errorf("%q with a rate of %v: exit code %d, want %d; stdout %q, stderr %q", args, rate, code, want, stdout, stderr)
			}
			if says := strings.Contains(stdout, "BROKEN"); form == "" && says != (want == ExitFail) {
				t.Errorf("a rate of %v: %s", rate, stdout)
			}
		}
	}
	if code, stdout, _ := calibrated(t, &bench.Calibration{}, errors.New("it broke")); code != ExitInternal || stdout != "" {
		t.Errorf("a failure: exit code %d, stdout %q", code, stdout)
	}
}

func TestBenchCalibrationForms(t *testing.T) {
	_, stdout, _ := calibrated(t, aCalibration(.06), nil, "--json", "--seed", "7")
	var document struct {
		Schema   string
		Holds    bool
		ExitCode int `json:"exit_code"`
		Seed     uint64
		Rows     []struct{ Holds *bool }
	}
	if err := json.Unmarshal([]byte(stdout), &document); err != nil {
		t.Fatal(err)
	}
	if document.Schema != "tribunal/bench-calibration/v1" || document.Holds || document.ExitCode != 1 || document.Seed != 7 || len(document.Rows) != 2 || *document.Rows[1].Holds {
		t.Errorf("%+v", document)
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if code, stdout, stderr := calibrated(t, aCalibration(.06), nil, "--csv", "-o", path); code != ExitFail || stdout != "" || stderr != "" {
		t.Errorf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(records) != 3 || records[2][1] != "doubtful" || records[2][len(records[2])-1] != "false" {
		t.Errorf("%v, %v", records, err)
	}
}
