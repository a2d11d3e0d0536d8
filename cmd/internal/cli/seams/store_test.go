package seams_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/report/store"
)

// storeCase is a command whose trials are kept in a store, and what is known of the run.
type storeCase struct {
	kind    string // of the run
	args    string
	code    int
	most    int    // after so many answers it is ended; 0 is never
	verdict string // "" is none
	suite   string
	trials  int    // 0 are those that the agent answered
	passes  int    // of them, where trials says how many
	schema  string // of the result that is kept; "" is none
}

// kept are all commands that keep what they judge.
func kept() []storeCase {
	return []storeCase{
		{kind: "run", args: "run --fresh --ledger off", verdict: "pass", suite: "shop", schema: "run"},
		{
			kind: "run", args: "run fails.yaml --fresh --ledger off", code: 1, verdict: "fail", suite: "fails",
			schema: "run",
		},
		{
			kind: "run", args: "run open.yaml --fresh --ledger off", code: 130, most: 5, suite: "open", trials: 4,
			passes: 2,
		},
		{
			kind: "run", args: "run open.yaml --resume --ledger off", code: 2, verdict: "inconclusive", suite: "open",
			schema: "run", trials: 16, passes: 7,
		},
		{
			kind: "run", args: "run merge --fresh --ledger off -o again.json", verdict: "pass", suite: "shop",
			schema: "run", trials: 6, passes: 6,
		},
		{kind: "gate", args: "gate --fresh --ledger off", verdict: "pass", suite: "shop", schema: "gate"},
		{kind: "conform", args: "run conformance --fresh --ledger off corpus", verdict: "pass", suite: "corpus",
			schema: "run"},
		{
			kind: "repeat", args: "repeat --fresh --stdout --name cat -- cat main.jsonl", code: 1, verdict: "fail",
			suite: "cat", schema: "run", trials: 6,
		},
		{
			kind: "mutate", args: "run mutants mutate.yaml --operators prompt.drop --fresh --record 40 --kill-delta 0.5",
			suite: "mutate", schema: "run", trials: 40, passes: 40,
		},
		{
			kind: "relate", args: "run relations --fresh", verdict: "pass", suite: "shop", schema: "relations", trials: 20,
			passes: 20,
		},
		{
			kind: "race", args: "improve race race.yaml --delta 0.4 --fresh --ledger off", code: 1, verdict: "fail",
			suite: "race", schema: "race",
		},
		{
			kind: "verdict", args: "verdict main.jsonl --threshold 0.8 --ledger off", verdict: "pass", suite: "shop",
			schema: "verdict", trials: 80, passes: 72,
		},
		{
			kind: "compare", args: "compare main.jsonl worse.jsonl --ledger off", code: 1, verdict: "fail",
			suite: "shop", schema: "compare", trials: 160, passes: 96,
		},
		{
			kind: "judge", args: "judge tribunal.yaml worse.jsonl -o worse-judged.jsonl", suite: "shop", trials: 80,
			passes: 24,
		},
		{kind: "import", args: "import main.jsonl --suite shop", suite: "shop", trials: 80, passes: 72},
		{kind: "baseline record", args: "store baseline record first open.yaml --trials 4", suite: "open", schema: "run"},
	}
}

// served are the pages of a store, until the test ends.
func served(t *testing.T, name string) string {
	t.Helper()
	from, out := io.Pipe()
	ctx, end := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		app := cli.App{Stdout: out, Version: "seams"}
		app.Run(ctx, []string{"store", "serve", "--store", name})
	})
	t.Cleanup(func() { end(); ended.Wait() })
	var address string
	if _, err := fmt.Fscanln(from, &address); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(address, "/")
}

// page is what a browser gets.
func page(t *testing.T, address string) (int, string) {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// keep runs the command, and returns what is new in the store.
func (k *storeCase) keep(t *testing.T, tried *agent, before map[string]store.Run) (found store.Run, sums store.Sums) {
	t.Helper()
	tried.forget()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	tried.most, tried.end = k.most, end
	args := strings.Fields(k.args)
	at := len(args)
	if i := slices.Index(args, "--"); i >= 0 {
		at = i
	}
	args = slices.Insert(args, at, "--store", "kept.db")
	if got := tribunal(ctx, "", args...); got.code != k.code {
		t.Fatalf("%s: exit code %d, want %d: %s%s", k.args, got.code, k.code, got.stdout, got.stderr)
	}
	s, err := store.Open(t.Context(), "kept.db", store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(t.Context(), store.Query{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		was, there := before[r.ID]
		if there && was.Verdict == r.Verdict {
			continue
		}
		before[r.ID] = r
		var all store.Sums
		for _, p := range r.Parts {
			all.Plus(p.Sums)
		}
		// A campaign keeps its runs one by one: the largest is looked at.
		if all.Trials > sums.Trials {
			found, sums = r, all
		}
	}
	trials, passes := k.trials, k.passes
	if trials == 0 {
		for _, n := range tried.counts() {
			trials, passes = trials+n[0]+n[1], passes+n[0]
		}
	}
	if found.Kind != k.kind || found.Suite != k.suite || found.Verdict != k.verdict || sums.Trials != trials ||
		sums.Passes != passes {
		t.Errorf("%s: it is kept as %s of %q, %q, %d of %d trials passed; want %+v, %d of %d", k.args, found.Kind,
			found.Suite, found.Verdict, sums.Passes, sums.Trials, k, passes, trials)
	}
	return found, sums
}

// Every run that is kept, before every reader of a store.
func everyRunBeforeEveryReader(t *testing.T, tried *agent, _ []*row) {
	// Every command that keeps what it judges has a row.
	for line := range strings.Lines(tribunal(t.Context(), "", "__complete", "").stdout) {
		name, _, is := strings.Cut(line, "\t")
		if is && regexp.MustCompile(`\bkeep (what|the)[a-z ]* in[\s]+this store`).MatchString(
			tribunal(t.Context(), "", name, "--help").stdout) &&
			!slices.ContainsFunc(kept(), func(k storeCase) bool { return strings.HasPrefix(k.args, name+" ") }) {
			t.Errorf("tribunal %s keeps what it judges, and has no row", name)
		}
	}
	before, address := map[string]store.Run{}, ""
	points, passes := map[string]int{}, map[string]int{}
	for _, k := range kept() {
		run, sums := k.keep(t, tried, before)
		if address == "" {
			address = served(t, "kept.db")
		}
		if k.kind != "compare" && !store.IsExperiment(k.kind) && k.code != cli.ExitInterrupted {
			points[k.suite]++
			passes[k.suite] += sums.Passes
		}
		for path, want := range map[string]string{"/runs/" + run.ID: k.verdict, "/runs?kind=" + k.kind: run.ID[:8],
			"/history?suite=" + k.suite: k.suite} {
			if code, text := page(t, address+strings.ReplaceAll(path, " ", "+")); code != http.StatusOK ||
				!strings.Contains(text, want) {
				t.Errorf("%s: the page %s is %d, without %q", k.args, path, code, want)
			}
		}
		query := "store:run=" + run.ID
		report := cell{says: "^(" + strings.ToUpper(k.verdict) + "|DEPLOY)"}
		verified := cell{code: exitOf(k.verdict), says: "verified: "}
		_, text := page(t, address+"/runs/"+run.ID+"/report") // which leads to the page of the run
		if k.schema == "" {
			report = cell{code: cli.ExitInput, says: "holds no saved result of run"}
			verified = report
		} else if !strings.Contains(text, "<!doctype html>") || !regexp.MustCompile(
			"(?i)<title>("+k.verdict+"|deploy)").MatchString(text) {
			t.Errorf("%s: the report is %.300s", k.args, text)
		}
		report.reader, verified.reader = "report", "verify"
		for _, c := range []cell{report, verified} {
			c.got = tribunal(t.Context(), "", c.reader, query, "--store", "kept.db")
			c.judge(t, k.args)
		}
		gate := tribunal(t.Context(), "", "gate", "--results", query, "--store", "kept.db", "-o", "decision.json")
		if deploys := k.suite == "shop" && (k.schema == "run" || k.schema == "gate"); (gate.code == 0) != deploys ||
			gate.code > cli.ExitInconclusive && gate.code != cli.ExitInput {
			t.Errorf("gate before %s: exit code %d: %s%s", k.args, gate.code, gate.stdout, gate.stderr)
		}
		traces := cell{reader: "store traces query", says: run.ID[:10],
			got: tribunal(t.Context(), "", "traces", "query", "run="+run.ID, "--limit", "1", "--store", "kept.db")}
		traces.judge(t, k.args)
	}
	// A history has the runs of its suite, and of experiments those that are asked for alone.
	for _, h := range []struct {
		args, suite, says string
		runs, passes      int
	}{
		{args: "shop --version agent", suite: "shop", runs: points["shop"], passes: passes["shop"]},
		{args: "open", suite: "open", runs: points["open"], passes: passes["open"]},
		{args: "fails", suite: "fails", runs: 1, passes: 3}, {args: "cat", suite: "cat", runs: 1},
		{
			args: "shop", says: `name one by --version`}, {args: "race",
			says: "those of mutate, race, relate and conform are left out",
		},
		{args: "race --kind race --version never", suite: "race", runs: 1},
		{args: "corpus --kind conform", suite: "corpus", runs: 1, passes: 3},
	} {
		got := tribunal(t.Context(), "", append(strings.Fields("store history "+h.args), "--store", "kept.db", "--json")...)
		if h.suite == "" {
			if got.code <= cli.ExitInconclusive || !strings.Contains(got.stderr, h.says) {
				t.Errorf("store history %s: exit code %d: %s", h.args, got.code, got.stderr)
			}
			continue
		}
		var r struct {
			Suite  string
			Runs   int
			Points []struct{ Passes int }
		}
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Errorf("store history %s: %v: %s", h.args, err, got.stderr)
		}
		all := 0
		for _, p := range r.Points {
			all += p.Passes
		}
		if got.code != 0 || r.Suite != h.suite || r.Runs != h.runs || all != h.passes {
			t.Errorf("store history %s: %d runs of %q, %d passes; want %d and %d: %s", h.args, r.Runs, r.Suite, all,
				h.runs, h.passes, got.stderr)
		}
	}
}
