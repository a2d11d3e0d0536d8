package store_test

import (
	"fmt"
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// made are trials of a made-up system over 100 scenarios; traced ones have steps of about 3 KB, each its own.
func made(n int, traced bool) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		text := strings.Repeat("the order was found and its state is open; ", 8)
		for i := range n {
			t := &trial.Trial{
				Scenario: fmt.Sprintf("scenario %d", i%100), Index: trial.Some(i / 100), Outcome: trial.Pass,
				DurationSeconds: trial.Some(1.5), CostUSD: trial.Some(0.01), InputTokens: trial.Some[int64](900),
				OutputTokens: trial.Some[int64](100), Turns: trial.Some(4), ToolCalls: trial.Some(3),
			}
			if i%10 == 0 {
				t.Outcome = trial.Fail
			}
			if traced {
				for step := range 7 {
					t.Steps = append(t.Steps, trial.Step{
						Action: trial.CallTool, Tool: []string{"lookup", "search", "refund"}[step%3],
						Arguments: trial.Raw(fmt.Sprintf(`{"id":%d}`, i*7+step)), Output: trial.Raw(fmt.Sprintf(`"%d %s"`, i, text)),
					})
				}
			}
			if !yield(t, nil) {
				return
			}
		}
	}
}

// BenchmarkAdd adds trials to a store that is there: trials a second.
func BenchmarkAdd(b *testing.B) {
	for _, where := range []string{"sqlite", "postgres"} {
		for _, traced := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/traces=%v", where, traced), func(b *testing.B) {
				name := filepath.Join(b.TempDir(), "runs.db")
				if where == "postgres" {
					name = postgres(b)
				}
				s := open(b, name)
				const n = 100_000
				for i := 0; b.Loop(); i++ {
					if _, err := s.Add(b.Context(), store.Run{Suite: "shop", Build: fmt.Sprint(i)}, made(n, traced)); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "trials/s")
			})
		}
	}
}

// BenchmarkOpen opens a store that is there, reads one run of it and closes it.
func BenchmarkOpen(b *testing.B) {
	for _, where := range []string{"sqlite", "postgres"} {
		b.Run(where, func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "runs.db")
			if where == "postgres" {
				name = postgres(b)
			}
			if _, err := open(b, name).Add(b.Context(), store.Run{Suite: "shop"}, made(100, true)); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				s, err := store.Open(b.Context(), name, store.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := s.Runs(b.Context(), store.Query{}, 0, 1); err != nil {
					b.Fatal(err)
				}
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/op")
		})
	}
}

var _ = time.Now
