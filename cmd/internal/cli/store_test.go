package cli

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
)

// databaseServer is the PostgreSQL that tests use.
const databaseServer = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"

// database is the URL of an empty database schema that goes away with the test. Without a server the test is skipped by
// name.
func database(t *testing.T) string {
	t.Helper()
	db, err := sql.Open("pgx", databaseServer)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		db.Close()
		t.Skipf("no PostgreSQL at 127.0.0.1:5432: %v", err)
	}
	name := fmt.Sprintf("cli%d", time.Now().UnixNano())
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.Exec("DROP SCHEMA " + name + " CASCADE"); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	u, err := url.Parse(databaseServer)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return u.String()
}

// TestRunsOfADatabase does with a database what transcripts do with files: a run, a recording twice, queries, and
// results that are read back.
func TestRunsOfADatabase(t *testing.T) {
	name := database(t)
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"tribunal.yaml": "version: 1\nname: coin\nlimits: none\nagent: {command: [sh, -c, \"echo " +
			"'{\\\"outcome\\\":\\\"pass\\\"}'\"], output: trial}\n" +
			"test: {threshold: 0.9, delta: 0.1, max_trials: 152}\nscenarios: [{name: heads, input: 1}]\n",
		"night.jsonl": `{"scenario":"heads","trial":0,"outcome":"fail"}` + "\n" +
			`{"scenario":"heads","trial":1,"outcome":"pass"}` + "\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := clitest.Environment(map[string]string{"TRIBUNAL_STORE": name, "TRIBUNAL_LEDGER": "off"})
	for _, c := range []struct {
		args, out, err string
		code           int
	}{
		{"run", "PASS", "trials, is in postgres://postgres@127.0.0.1", 0},
		{"run --resume", "PASS", "goes on in postgres://", 0},
		{"import night.jsonl --suite nightly --as v1", "", "2 trials, is in postgres://", 0},
		{"import night.jsonl --suite nightly --as v1", "", "2 trials, was already in postgres://", 0},
		{"verdict store:suite=nightly --threshold 0.5", "1 of 2 trials passed", "", 2},
		{"verdict store:suite=coin --threshold 0.9", "", "its trials were not a fixed number: 1 test ended", 65},
		{"compare store:suite=coin .tribunal/coin.journal.jsonl", "heads", "", 2},
		{"verify store:kind=run", "the verdict is Pass", "", 0},
		{"gate --results store:kind=run", "DEPLOY", "", 0},
		{"traces query --version v1 --outcome fail --json", `{"scenario":"heads","trial":0,"variant":"v1","outcome":"fail"}`,
			"", 0},
		{"traces query suite=nightly --search nowhere", "", "holds no trials", 65},
		{"traces sample --version v1 -n 1 --stratified", "/0/", "", 0},
	} {
		code, stdout, stderr := tribunal(t.Context(), App{Env: env}, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout, c.out) || !strings.Contains(stderr, c.err) {
			t.Errorf("%s: exit code %d\n%s\n%s", c.args, code, stdout, stderr)
		}
	}
}

// TestNoPasswordIsTold: a variable that sets a flag is told of, and the URL of a database holds a password.
func TestNoPasswordIsTold(t *testing.T) {
	t.Chdir(t.TempDir())
	// That it is no URL which the driver takes is told at once.
	env := clitest.Environment(
		map[string]string{"TRIBUNAL_STORE": "postgres://me:secretword@127.0.0.1:1/runs?sslmode=odd"})
	for _, args := range []string{"verdict store: --threshold 0.5", "report store:last=1", "traces query",
		"import store: -o x.jsonl"} {
		code, stdout, stderr := tribunal(t.Context(), App{Env: env}, strings.Fields(args)...)
		if code != ExitInput || !strings.Contains(stderr, "postgres://me:xxxxx@127.0.0.1:1/runs") ||
			strings.Contains(stdout+stderr, "secretword") {
			t.Errorf("%s: exit code %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
}

// TestGuestsHaveNoStore: what asks on behalf of an agent reads files of its folder, and a store may be anywhere.
func TestGuestsHaveNoStore(t *testing.T) {
	t.Chdir(t.TempDir())
	name, err := filepath.Abs("runs.db")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("x.jsonl", []byte(`{"scenario":"a","outcome":"pass"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	importedRun(t, "x.jsonl", name)
	a := completed(App{})
	a.Guest = &world.Guest{}
	for _, f := range []app.StoreChoice{{Name: name}, {}} {
		if s, err := f.Open(t.Context(), a, nil, true); s != nil || err != nil {
			t.Errorf("%v: %v, %v", f, s, err)
		}
	}
	ctx, done := app.WithStore(t.Context(), a, app.StoreChoice{Name: name})
	defer done()
	if ctx != t.Context() {
		t.Error("a guest reads stores")
	}
}

// TestInterruptedRunsAreKept: what was gathered until the first interrupt is in the store, also where the second one
// ends everything.
func TestInterruptedRunsAreKept(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("tribunal.yaml",
		[]byte("version: 1\nname: slow\nlimits: none\nconcurrency: 1\nstore: runs.db\n"+
			"agent: {command: [sh, -c, \"if [ -e second ]; then touch third; sleep 60; fi; if [ -e first ]; then touch second; "+
			"fi; touch first; echo pass\"], output: lines}\n"+
			"test: {threshold: 0.9, delta: 0.1, max_trials: 152}\nscenarios: [{name: one, input: 1}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat("third"); err == nil {
				cancel()
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	code, _, stderr := tribunal(ctx, App{}, "run", "--ledger", "off")
	if code != ExitInterrupted || !strings.Contains(stderr, "2 trials, is in runs.db") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	s, err := store.Open(t.Context(), "runs.db", store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs(t.Context(), store.Query{}, 0, 0)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	if r := runs[0]; r.Kind != "run" || r.Suite != "slow" || r.Parts[0].Passes != 2 || r.Verdict != "" ||
		r.Started.IsZero() {
		t.Errorf("%+v", r)
	}
}
