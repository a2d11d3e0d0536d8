package web_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/report/store"
)

// sizeOf is how many runs the store of the benchmark has, each of a hundred trials: TRIBUNAL_BENCH_RUNS, or a thousand.
func sizeOf(b *testing.B) int {
	text := os.Getenv("TRIBUNAL_BENCH_RUNS")
	if text == "" {
		return 1000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 200 {
		b.Fatalf("TRIBUNAL_BENCH_RUNS=%s", text)
	}
	return n
}

// large is a store with so many runs of ten suites, one every ten minutes, each of a hundred trials of twenty
// scenarios. A run is added as it is everywhere, and the others are copies of it, which the database makes.
func large(b *testing.B, name string, runs int) *store.Store {
	b.Helper()
	s, err := store.Open(b.Context(), name, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	trials := trialsOf("scenario 0", "v1", 5, 4)
	for i := 1; i < 20; i++ {
		trials = append(trials, trialsOf(fmt.Sprint("scenario ", i), "v1", 5, 4)...)
	}
	first := now.Add(-time.Duration(runs) * 10 * time.Minute)
	if _, err := s.Add(b.Context(), store.Run{Kind: "run", Suite: "suite 0", Commit: strings.Repeat("0", 32),
		Branch: "main", Started: first},
		each(trials)); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	columns := func(table string) []string {
		rows, err := db.Query(`SELECT name FROM pragma_table_info(?) WHERE name NOT IN ('run', 'number', 'id', 'suite', 'started',
			'length', 'start', 'earliest', 'latest', 'runs', 'revision')`, table)
		if err != nil {
			b.Fatal(err)
		}
		defer rows.Close()
		var list []string
		for rows.Next() {
			var column string
			if err := rows.Scan(&column); err != nil {
				b.Fatal(err)
			}
			list = append(list, column)
		}
		return list
	}
	all := func(table string) string { return strings.Join(columns(table), ", ") }
	const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
	const suite, started = "'suite ' || (i % 10)", "started + i * 600000000"
	statements := []string{
		"INSERT INTO run (id, revision, number, suite, started, " + all("run") + ") " + numbers +
			"SELECT printf('%032x', i), printf('%08x', i) || revision, number + i, " + suite + ", " + started + ", " +
			all("run") + " FROM n, run",
		"INSERT INTO part (run, suite, started, " + all("part") + ") " + numbers +
			"SELECT run + i, " + suite + ", " + started + ", " + all("part") + " FROM n, part",
		"INSERT INTO tally (run, " + all("tally") + ") " + numbers + "SELECT run + i, " + all("tally") + " FROM n, tally",
		// A trial has a number and a time of its own name.
		"INSERT INTO trial (run, number, started, " + all("trial") + ") " + numbers +
			"SELECT run + i, number, started, " + all("trial") + " FROM n, trial",
		"DELETE FROM period",
	}
	sums := columns("period")[2:] // behind the version and the branch
	for _, length := range []time.Duration{time.Hour, 24 * time.Hour} {
		statements = append(statements, fmt.Sprintf(`INSERT INTO period (length, suite, start, version, branch, runs, earliest, latest,
			%[2]s) SELECT %[1]d, p.suite, p.started - p.started %% %[1]d, p.version, r.branch, count(*), min(p.started),
			max(p.started), sum(p.%[3]s) FROM part p JOIN run r ON r.number = p.run GROUP BY 2, 3, 4, 5`, length.Microseconds(),
			strings.Join(sums, ", "), strings.Join(sums, "), sum(p.")))
	}
	for _, statement := range append(statements, "ANALYZE") {
		var args []any
		if strings.Contains(statement, "?") {
			args = []any{runs - 1}
		}
		if _, err := db.Exec(statement, args...); err != nil {
			b.Fatal(statement, err)
		}
	}
	return s
}

// BenchmarkPages asks for each page of a store of 1,000 runs with 100,000 trials; TRIBUNAL_BENCH_RUNS=100000 makes it
// one of ten million trials. TRIBUNAL_BENCH_STORE names a file in which the store is kept for the next time.
func BenchmarkPages(b *testing.B) {
	name, runs := os.Getenv("TRIBUNAL_BENCH_STORE"), sizeOf(b)
	if name == "" {
		name = filepath.Join(b.TempDir(), "runs.db")
	}
	var s *store.Store
	if _, err := os.Stat(name); err == nil {
		if s, err = store.Open(b.Context(), name, store.Options{ReadOnly: true}); err != nil {
			b.Fatal(err)
		}
		defer s.Close()
	} else {
		s = large(b, name, runs)
	}
	latest, err := s.Runs(b.Context(), store.Query{Suite: "suite 1"}, 0, 2)
	if err != nil || len(latest) < 2 {
		b.Fatal(err)
	}
	address, _ := started(b, web.Options{Store: s})
	run := latest[0].ID
	middle := fmt.Sprintf("%032x", runs/2)
	for _, path := range []string{
		"/", "/runs", "/runs?page=" + strconv.Itoa(runs/30-1), "/runs?suite=suite+1", "/runs?suite=suite+1&page=" +
			strconv.Itoa(runs/300-1),
		"/runs?branch=main", "/runs?branch=nowhere", "/runs?kind=mutate", "/runs?version=v1", "/runs?version=nowhere",
		"/runs?commit=0000007",
		"/runs/" + run, "/compare", "/compare?baseline=" + latest[1].ID + "&candidate=" + run,
		"/traces", "/traces?outcome=fail", "/traces?scenario=nowhere", "/traces?text=nowhere",
		"/traces?text=shipped&suite=suite+1",
		"/traces?version=nowhere", "/traces?after=" + middle + "/0/50", "/traces/" + run + "/0/7",
		"/history?suite=suite+1", "/history/report?suite=suite+1", "/baselines",
	} {
		b.Run(path, func(b *testing.B) {
			size := 0
			for b.Loop() {
				answer, text := get(b, address+path)
				if answer.StatusCode != http.StatusOK {
					b.Fatal(answer.Status, text)
				}
				size = len(text)
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
