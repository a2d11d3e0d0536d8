//go:build unix

package runner

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/ingest"
)

// What a run spent is what the trials of its journal, read as a recording, cost in all: those that broke off by
// their own account too.
func TestRecordingCostsWhatTheRunSpent(t *testing.T) {
	o := prepared(t, scripted(t, `case $1 in *-[147]-0) echo '`+brokenOff+`';; *) echo '`+went+`';; esac`,
		"output: trial", "limits: none\nevaluate: [contains: billing]"))
	o.Journal = filepath.Join(t.TempDir(), "journal")
	found := mustRun(t, o)
	file, err := os.Open(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sum, trials := 0.0, 0
	for x, err := range ingest.NewStream(file, ingest.Options{From: "journal"}).Trials(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		cost := x.TotalCostUSD()
		if !cost.Known {
			t.Errorf("the cost of trial %d is not known", x.Index.Value)
		}
		sum += cost.Value
		trials++
	}
	// Each of the attempts says that it took 0.3 USD.
	if want := .3 * float64(trials); trials != len(found.Trials) || math.Abs(sum-want) > 1e-9 ||
		math.Abs(found.Spent.CostUSD-want) > 1e-9 {
		t.Errorf("%v in %d trials, the run spent %v in %d", sum, trials, found.Spent.CostUSD, len(found.Trials))
	}
}
