// Package refdata holds the values, computed by other software, that tests
// compare this project's statistics with.
//
// testdata/statistics.json was made with SciPy 1.10.1 and statsmodels 0.13.5 by
// testdata/make_reference.py; every row names the routine it came from.
package refdata

import (
	_ "embed"
	"encoding/json"
	"math"
	"testing"
)

//go:embed testdata/statistics.json
var statistics []byte

// Row is one reference value: the arguments, the expected result and the
// routine of the other software that computed it.
type Row struct {
	Kind   string          `json:"kind"`
	Args   json.RawMessage `json:"args"`
	Want   json.RawMessage `json:"want"`
	Source string          `json:"source"`
}

// Each runs check for every row of the kind, decoded into fresh values of the
// two types, and fails the test if there is no such row.
func Each[Args, Want any](t *testing.T, kind string, check func(t *testing.T, args Args, want Want)) {
	t.Helper()
	var file struct{ Rows []Row }
	if err := json.Unmarshal(statistics, &file); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, row := range file.Rows {
		if row.Kind != kind {
			continue
		}
		found++
		var args Args
		var want Want
		decode(t, row.Args, &args)
		decode(t, row.Want, &want)
		check(t, args, want)
		if t.Failed() {
			t.Fatalf("row %s %s (%s)", kind, row.Args, row.Source)
		}
	}
	if found == 0 {
		t.Fatalf("no reference rows of kind %q", kind)
	}
}

func decode(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}

// Close fails the test unless got is within the relative tolerance of want.
// Values that are both below the smallest normal number count as equal.
func Close(t *testing.T, name string, got, want, relative float64) {
	t.Helper()
	const tiny = 1e-300
	if got == want || math.Abs(got-want) <= relative*math.Max(math.Abs(want), tiny) {
		return
	}
	t.Errorf("%s = %.17g, want %.17g (relative error %.2g)", name, got, want, math.Abs(got-want)/math.Abs(want))
}

// Near fails the test unless got is within an absolute tolerance of want.
func Near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.15g, want %.15g", name, got, want)
	}
}
