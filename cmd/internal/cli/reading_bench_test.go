package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// BenchmarkVerdictOnAMillionTrials reads and judges a million trials of one line, as
// tribunal verdict does, and reports the memory that Go took from the system.
func BenchmarkVerdictOnAMillionTrials(b *testing.B) {
	path := filepath.Join(b.TempDir(), "trials.jsonl")
	size := writeTrials(b, path, 1_000_000)
	b.SetBytes(size)
	b.ResetTimer()
	for b.Loop() {
		app := App{Stdin: os.Stdin, Stdout: io.Discard, Stderr: io.Discard}
		if code := app.Run(context.Background(), []string{"verdict", path, "--threshold", "0.85"}); code != ExitPass {
			b.Fatalf("exit code %d", code)
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "sys-MB")
}

func writeTrials(b *testing.B, path string, trials int) int64 {
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	for i := range trials {
		outcome := "pass"
		if i%10 == 0 {
			outcome = "fail"
		}
		fmt.Fprintf(w, `{"scenario":"s%d","trial":%d,"variant":"v","outcome":%q,"cost_usd":0.01,"input_tokens":123,"output_tokens":45}`+"\n", i%50, i/50, outcome)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return info.Size()
}
