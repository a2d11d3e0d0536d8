package web_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// sizeOf is how many runs the stores of the benchmark have, each of a hundred trials: TRIBUNAL_BENCH_RUNS, or 500.
func sizeOf(b *testing.B) int {
	text := os.Getenv("TRIBUNAL_BENCH_RUNS")
	if text == "" {
		return 500
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 200 {
		b.Fatalf("TRIBUNAL_BENCH_RUNS=%s", text)
	}
	return n
}

// server is the PostgreSQL that the benchmark uses.
const server = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"

// large is a store with so many runs of ten suites, one every ten minutes, each of a hundred trials of twenty scenarios
// with a trace of 3 KB, each its own, and with a result; and with thirty baselines of a hundred runs. TRIBUNAL_BENCH_STORE
// names a folder, and the schema of a database, in which it is kept for the next time.
func large(b *testing.B, kind string, runs int) *store.Store {
	b.Helper()
	kept := os.Getenv("TRIBUNAL_BENCH_STORE")
	name := filepath.Join(cmp.Or(kept, b.TempDir()), "runs.db")
	if kind == "postgres" {
		schema := fmt.Sprint("b", time.Now().UnixNano())
		if kept != "" {
			schema = filepath.Base(kept)
		}
		name = server + "&" + url.Values{"search_path": {schema}}.Encode()
		db, err := sql.Open("pgx", server)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := db.Exec("CREATE SCHEMA IF NOT EXISTS " + schema); err != nil {
			b.Skipf("no PostgreSQL at 127.0.0.1:5432: %v", err)
		}
		b.Cleanup(func() {
			if kept == "" {
				if _, err := db.Exec("DROP SCHEMA " + schema + " CASCADE"); err != nil {
					b.Error(err)
				}
			}
			db.Close()
		})
	}
	s, err := store.Open(b.Context(), name, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	if n, err := s.Count(b.Context(), store.Query{}); err != nil {
		b.Fatal(err)
	} else if n == 0 {
		fill(b, s, runs)
	}
	return s
}

// fill adds the runs and the baselines.
func fill(b *testing.B, s *store.Store, runs int) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("the order was shipped found cancelled its state open refund of payment address customer")
	var prose strings.Builder
	for prose.Len() < 1<<20 {
		fmt.Fprint(&prose, words[random.IntN(len(words))], " ", random.IntN(1000), " ")
	}
	var ids []string
	for i := range runs {
		var trials []*trial.Trial
		for k := range 20 {
			trials = append(trials, trialsOf(fmt.Sprint("scenario ", k), "v1", 5, 5-(i+k)%4)...)
		}
		passes := 0
		for n, t := range trials {
			at := random.IntN(1<<20 - 2200)
			t.Steps[0].Output = trial.RawString(prose.String()[at : at+2200])
			t.Input = trial.RawString(fmt.Sprint("cancel order ", i*100+n))
			if t.Outcome == trial.Pass {
				passes++
			}
		}
		judged, err := verdict.JudgeThreshold(b.Context(), []verdict.Tally{{Passes: passes, Fails: len(trials) - passes}},
			verdict.ThresholdOptions{Threshold: .7})
		if err != nil {
			b.Fatal(err)
		}
		var saved bytes.Buffer
		if err := report.Write(&saved, judged, report.JSONFormat, report.Options{}); err != nil {
			b.Fatal(err)
		}
		added, err := s.Add(b.Context(), store.Run{Kind: []string{"run", "gate"}[i/10%7/6], Suite: fmt.Sprint("suite ", i%10),
			Commit: fmt.Sprintf("%08x%032x", i, i), Branch: []string{"main", "side"}[i%101/100], Verdict: judged.Verdict.String(),
			Started: now.Add(time.Duration(i-runs) * 10 * time.Minute), Result: &store.Result{Name: judged.Schema,
				Text: saved.Bytes()}, Labels: map[string]string{"model": "small"}}, each(trials))
		if err != nil {
			b.Fatal(err)
		}
		ids = append(ids, added.ID)
	}
	for i := range 30 {
		if _, err := s.SetBaseline(b.Context(), store.Baseline{Name: fmt.Sprint("baseline ", i), Runs: ids[i : i+100],
			Who: "ada", At: now}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPages asks for each page of a store of 500 runs with 50,000 trials; TRIBUNAL_BENCH_RUNS=10000 makes it one of
// a million. What it tells besides the mean is the longest time, mostly that of the first request.
func BenchmarkPages(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(kind, func(b *testing.B) { pages(b, large(b, kind, sizeOf(b))) })
	}
}

// pages asks for each page of a store.
func pages(b *testing.B, s *store.Store) {
	latest, err := s.Runs(b.Context(), store.Query{Suite: "suite 1"}, 0, 2)
	if err != nil || len(latest) < 2 {
		b.Fatal(err)
	}
	runs, err := s.Count(b.Context(), store.Query{})
	if err != nil {
		b.Fatal(err)
	}
	middle, err := s.Runs(b.Context(), store.Query{}, runs/2, 1)
	if err != nil {
		b.Fatal(err)
	}
	address, _ := started(b, web.Options{Store: s})
	run := latest[0].ID
	const suite = "suite=suite+1"
	for _, path := range []string{
		"/", "/style.css", "/page.js", "/nowhere",
		"/runs", "/runs?page=" + strconv.Itoa(runs/30-1), "/runs?" + suite, "/runs?" + suite + "&page=" +
			strconv.Itoa(runs/300-1), "/runs?branch=main", "/runs?branch=side", "/runs?branch=nowhere", "/runs?kind=mutate",
		"/runs?kind=gate", "/runs?version=v1", "/runs?version=nowhere", "/runs?commit=0000007", "/runs?baseline=baseline+7",
		"/runs?since=2d", "/runs?until=2d&" + suite,
		"/runs/" + run, "/runs/" + run[:12],
		"/compare", "/compare?baseline=" + latest[1].ID + "&candidate=" + run,
		"/traces", "/traces?outcome=fail", "/traces?outcome=error", "/traces?scenario=nowhere", "/traces?scenario=scenario+7",
		"/traces?scenario=*7&outcome=fail&" + suite, "/traces?run=" + run + "&version=v1&scenario=scenario+3",
		"/traces?version=nowhere", "/traces?since=2d&until=1d", "/traces?branch=side", "/traces?baseline=baseline+7",
		"/traces?text=nowhere", "/traces?text=shipped&" + suite, "/traces?text=nowhere&outcome=fail",
		"/traces?after=" + middle[0].ID + "/0/50", "/traces?text=nowhere&after=" + middle[0].ID + "/0/50",
		"/traces/" + run + "/0/7", "/traces/" + run + "/0/99", "/traces/" + run + "/0/7?from=2", "/traces/" + run + "/0/7.json",
		"/history", "/history?" + suite, "/history?version=v1&" + suite, "/history/report?" + suite,
		"/history/report?metric=distance&" + suite, "/history/report?metric=cost&since=9d&" + suite,
		"/history/report?scenario=scenario+7&" + suite, "/baselines",
	} {
		b.Run(path, func(b *testing.B) {
			size, longest := 0, time.Duration(0)
			for b.Loop() {
				began := time.Now()
				answer, text := get(b, address+path)
				if answer.StatusCode != http.StatusOK && path != "/nowhere" {
					b.Fatal(answer.Status, text)
				}
				size, longest = len(text), max(longest, time.Since(began))
			}
			b.ReportMetric(float64(size), "bytes")
			b.ReportMetric(float64(longest.Microseconds())/1000, "ms-longest")
		})
	}
}
