package store_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// made are trials of a made-up system over 100 scenarios; traced ones have steps of about 3 KB, each its own.
func made(n int, traced bool) iter.Seq2[*trial.Trial, error] { return madeFrom(0, n, traced) }

// madeFrom are those trials from one on.
func madeFrom(first, n int, traced bool) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		text := strings.Repeat("the order was found and its state is open; ", 8)
		for i := first; i < first+n; i++ {
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
					if _, err := s.Add(b.Context(), store.Run{Suite: "shop", Build: fmt.Sprint(i)}, madeFrom(i*n, n, traced)); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "trials/s")
			})
		}
	}
}

// BenchmarkBound writes as many bytes as BenchmarkAdd keeps of traces into a table of nothing else, in one transaction:
// row by row into SQLite, by COPY into PostgreSQL. Nothing adds more trials a second.
func BenchmarkBound(b *testing.B) {
	const n, kept = 100_000, 164 // bytes of a trace, compressed
	const table = "CREATE TABLE bound (digest %[1]s NOT NULL PRIMARY KEY, body %[1]s NOT NULL)"
	random := rand.NewChaCha8([32]byte{1})
	row := func() ([]any, error) {
		bytes := make([]byte, 32+kept)
		_, _ = random.Read(bytes)
		return []any{bytes[:32], bytes[32:]}, nil
	}
	each := func(name string, write func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := write(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
	file, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bound.db")+"?_pragma=journal_mode(WAL)")
	if err == nil {
		defer file.Close()
		_, err = file.Exec(fmt.Sprintf(table, "BLOB"))
	}
	if err != nil {
		b.Fatal(err)
	}
	each("sqlite", func() error {
		tx, err := file.Begin()
		if err != nil {
			return err
		}
		insert, err := tx.Prepare("INSERT INTO bound VALUES (?, ?)")
		for i := 0; i < n && err == nil; i++ {
			values, _ := row()
			_, err = insert.Exec(values...)
		}
		return errors.Join(err, tx.Commit())
	})
	server, err := pgx.Connect(b.Context(), postgres(b))
	if err == nil {
		defer server.Close(context.Background())
		_, err = server.Exec(b.Context(), fmt.Sprintf(table, "BYTEA"))
	}
	if err != nil {
		b.Fatal(err)
	}
	each("postgres", func() error {
		_, err := server.CopyFrom(b.Context(), pgx.Identifier{"bound"}, []string{"digest", "body"},
			pgx.CopyFromSlice(n, func(int) ([]any, error) { return row() }))
		return err
	})
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

var size = flag.Int("trials", 1_000_000, "trials of the store that BenchmarkFind looks in")

// large fills a store with runs of 100 trials without traces, each of another version, an hour apart: by the
// database itself, which takes seconds where adding them takes minutes.
func large(b *testing.B, name string, trials int) *store.Store {
	s := open(b, name)
	if _, err := s.Add(b.Context(), store.Run{Suite: "shop", Started: day}, made(100, false)); err != nil {
		b.Fatal(err)
	}
	driver, series := "sqlite", "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
	if store.IsURL(name) {
		driver, series = "pgx", "WITH n(i) AS (SELECT generate_series(2, %d)) "
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var first int64
	if err := db.QueryRow("SELECT number FROM run").Scan(&first); err != nil {
		b.Fatal(err)
	}
	copied := func(table, columns string, changed map[string]string) {
		into, from := "", ""
		for c := range strings.FieldsSeq(strings.ReplaceAll(columns, ",", " ")) {
			expression := "t." + c
			if e, is := changed[c]; is {
				expression = e
			}
			into, from = into+", "+c, from+", "+expression
		}
		text := fmt.Sprintf("INSERT INTO %s (%s) ", table, into[2:])
		if driver == "pgx" && table == "run" {
			text += "OVERRIDING SYSTEM VALUE "
		}
		query := fmt.Sprintf(series, trials/100) + "SELECT " + from[2:] + fmt.Sprintf(" FROM n CROSS JOIN %s t", table)
		if table != "run" {
			query += fmt.Sprintf(" WHERE t.run = %d", first)
		} else {
			query += fmt.Sprintf(" WHERE t.number = %d", first)
		}
		text += query
		if driver == "sqlite" {
			text = fmt.Sprintf("INSERT INTO %s (%s) %s", table, into[2:], query)
		}
		if _, err := db.Exec(text); err != nil {
			b.Fatal(err)
		}
	}
	number := fmt.Sprintf("%d + n.i", first)
	started := "t.started + n.i * 3600000000"
	copied("run", "number, whole, touched, id, content, kind, suite, task, agent, revision, branch, build, started, "+
		"added, judgement, details",
		map[string]string{"number": number, "id": "'r' || n.i", "started": started})
	sums := "trials, passes, failures, errors, cost_known, cost, cost_squares, seconds_known, seconds, seconds_squares, " +
		"tokens_known, tokens, tokens_squares, turns_known, turns, turns_squares, calls_known, calls, calls_squares"
	copied("part", "run, part, version, suite, started, "+sums+", behaviour, kept",
		map[string]string{"run": number, "version": "'v' || n.i", "started": started})
	copied("trial", "run, part, position, scenario, number, outcome, score, started, duration, cost, tokens_in, "+
		"tokens_out, turns, tool_calls, trace",
		map[string]string{"run": number})
	if driver == "pgx" {
		if _, err := db.Exec("ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkFind reads the trials of one version among those of a large store, and lists its latest runs.
func BenchmarkFind(b *testing.B) {
	for _, where := range []string{"sqlite", "postgres"} {
		b.Run(where, func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "runs.db")
			if where == "postgres" {
				name = postgres(b)
			}
			s := large(b, name, *size)
			b.Run("version", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					n := 0
					for _, err := range s.Trials(b.Context(), store.Query{Version: fmt.Sprint("v", 2+(i*7919)%(*size/100-2))}, 0) {
						if err != nil {
							b.Fatal(err)
						}
						n++
					}
					if n != 100 {
						b.Fatalf("%d trials", n)
					}
				}
			})
			b.Run("latest", func(b *testing.B) {
				for b.Loop() {
					if list, err := s.Runs(b.Context(), store.Query{Suite: "shop"}, 0, 50); err != nil || len(list) != 50 {
						b.Fatal(len(list), err)
					}
				}
			})
			b.Run("sample", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					n := 0
					o := store.SampleOptions{Trials: 100, Seed: uint64(i)}
					if err := s.Sample(b.Context(), store.Query{Version: "v77"}, o, 0,
						func(*trial.Trial) error { n++; return nil }); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
