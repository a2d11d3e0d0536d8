package bench_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// BenchmarkPeers is our side of what speed.py does by SciPy, statsmodels,
// NumPy and Python's json, under the same names. Where both compute the same number it
// is a metric of its own, so that a comparison shows whether they agree.
func BenchmarkPeers(b *testing.B) {
	b.Run("Fisher/n=100", benchmarkFisher)
	for n, passes := range boschlooTables {
		b.Run(fmt.Sprintf("Boschloo/n=%d", n), func(b *testing.B) { benchmarkBoschloo(b, n, passes) })
	}
	b.Run("Wilson/rows=1000000", benchmarkWilson)
	for readers, workers := range map[string]int{"one": 1, "all": 0} {
		b.Run("Judge/trials=1000000/readers="+readers, func(b *testing.B) { benchmarkJudge(b, 1_000_000, workers) })
	}
	for name, test := range map[string]fingerprint.Test{"T2": fingerprint.ShrunkT2,
		"Default": fingerprint.PermutationT2} {
		b.Run(name+"/changed", func(b *testing.B) { benchmarkRelabelling(b, test, 0.6) })
		b.Run(name+"/same", func(b *testing.B) { benchmarkRelabelling(b, test, 0) })
	}
	b.Run("Start", benchmarkStart)
}

func benchmarkFisher(b *testing.B) {
	baseline, candidate := stats.Counts{Passes: 93, Trials: 100}, stats.Counts{Passes: 85, Trials: 100}
	var p float64
	var err error
	for b.Loop() {
		if p, err = stats.FisherLess(baseline, candidate); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(p, "p")
}

// boschlooTables are the passes of baseline and candidate, by the trials of each.
var boschlooTables = map[int][][2]int{
	30:  {{28, 22}, {24, 20}, {29, 25}, {20, 15}},
	100: {{95, 85}, {91, 83}, {66, 55}, {89, 79}},
}

// benchmarkBoschloo tests all tables in one operation.
func benchmarkBoschloo(b *testing.B, n int, passes [][2]int) {
	var sum float64
	for b.Loop() {
		sum = 0
		for _, k := range passes {
			p, err := stats.Boschloo(context.Background(), stats.Counts{Passes: k[0], Trials: n},
				stats.Counts{Passes: k[1], Trials: n})
			if err != nil {
				b.Fatal(err)
			}
			sum += p
		}
	}
	b.ReportMetric(sum/float64(len(passes)), "p")
}

func benchmarkWilson(b *testing.B) {
	const rows = 1_000_000
	counts := make([]stats.Counts, rows)
	for i := range counts {
		trials := 50 + i%951
		counts[i] = stats.Counts{Passes: i * 7919 % (trials + 1), Trials: trials}
	}
	var low, high float64
	for b.Loop() {
		low, high = 0, 0
		for _, c := range counts {
			interval, err := stats.Wilson(c, 0.05)
			if err != nil {
				b.Fatal(err)
			}
			low += interval.Low
			high += interval.High
		}
	}
	b.ReportMetric(low/rows, "low")
	b.ReportMetric(high/rows, "high")
}

// benchmarkJudge is tribunal verdict without its report, on a file; 0 workers are one
// for each processor.
func benchmarkJudge(b *testing.B, trials, workers int) {
	path := filepath.Join(b.TempDir(), "trials.jsonl")
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	if _, err := io.Copy(w, &trialLines{trials: trials}); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	var interval *verdict.Interval
	for b.Loop() {
		if interval, err = judgeFile(path, workers); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(interval.Low, "low")
	b.ReportMetric(interval.High, "high")
}

func judgeFile(path string, workers int) (*verdict.Interval, error) {
	var tallies verdict.Tallies
	options := ingest.Options{Options: trial.Options{Fields: trial.BasicFields, Workers: workers}}
	for t, err := range ingest.Open([]string{path}, options).Trials(context.Background()) {
		if err != nil {
			return nil, err
		}
		tallies.Add(t)
	}
	result, err := verdict.JudgeThreshold(context.Background(), tallies.List(),
		verdict.ThresholdOptions{Threshold: 0.85})
	if err != nil {
		return nil, err
	}
	return result.Suite.Interval, nil
}

// benchmarkRelabelling compares a hundred vectors of twenty columns with as many, of
// which two columns are shifted.
func benchmarkRelabelling(b *testing.B, test fingerprint.Test, shift float64) {
	var columns []fingerprint.Column
	for j := range 20 {
		columns = append(columns, fingerprint.Column{Name: fmt.Sprint("column", j)})
	}
	random := rand.New(rand.NewPCG(1, 1))
	draw := func(shift float64) []fingerprint.Vector {
		vectors := make([]fingerprint.Vector, 100)
		for i := range vectors {
			for j := range columns {
				x := random.NormFloat64()
				if j < 2 {
					x += shift
				}
				vectors[i].Values = append(vectors[i].Values, trial.Some(x))
			}
		}
		return vectors
	}
	baseline, candidate := draw(0), draw(shift)
	options := fingerprint.Options{Test: test, Permutations: 9999, Seed: 1}
	for b.Loop() {
		if _, err := fingerprint.CompareVectors(b.Context(), columns, baseline, candidate, options); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkStart starts the program from nothing to its end.
func benchmarkStart(b *testing.B) {
	program := filepath.Join(b.TempDir(), "tribunal")
	build := exec.Command("go", "build", "-o", program, "../cmd/tribunal")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	for _, start := range []struct{ name, args string }{
		{"version", "version"},
		{"help", "--help"},
		{"verdict", "verdict --passes 50 --trials 50 --threshold 0.85"},
	} {
		b.Run(start.name, func(b *testing.B) {
			for b.Loop() {
				if err := exec.Command(program, strings.Fields(start.args)...).Run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
