package postgres_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/postgres"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// server is the PostgreSQL that tests use.
const server = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"

// schema is an empty schema of the server, which goes away with the test: a connection to it, and its URL.
func schema(t testing.TB) (*pgx.Conn, *url.URL) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c, err := pgx.Connect(ctx, server)
	if err != nil {
		t.Skipf("no PostgreSQL at 127.0.0.1:5432: %v", err)
	}
	name := fmt.Sprintf("warehouse_%d_%d", os.Getpid(), time.Now().UnixNano())
	if _, err := c.Exec(ctx, "CREATE SCHEMA "+name+"; SET search_path = "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := c.Exec(context.Background(), "DROP SCHEMA "+name+" CASCADE"); err != nil {
			t.Error(err)
		}
		c.Close(context.Background())
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", name)
	u.RawQuery = q.Encode()
	return c, u
}

// asking is the URL with a query.
func asking(u *url.URL, query string) string {
	with := *u
	q := with.Query()
	q.Set("query", query)
	with.RawQuery = q.Encode()
	return with.String()
}

// fill replaces what the schema holds.
func fill(t testing.TB, c *pgx.Conn, d *database) {
	t.Helper()
	var drop strings.Builder
	for _, table := range d.tables {
		fmt.Fprintf(&drop, "DROP TABLE IF EXISTS %s;", table.name)
	}
	if _, err := c.Exec(t.Context(), drop.String()+d.sql("JSONB"), pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// counted runs the query that tribunal import sql prints.
func counted(t testing.TB, u *url.URL, q warehouse.Query) *rows.Rows {
	t.Helper()
	q.Dialect = warehouse.Postgres
	text, err := q.SQL()
	if err != nil {
		t.Fatal(err)
	}
	all, err := postgres.Rows(t.Context(), asking(u, text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all
}

// forms are the ways in which runs are written down.
var forms = []struct {
	name   string
	format string // of package ingest
	errors bool
	write  func(runs []run) (database, map[string][]string)
}{
	{"table", "trials", true, func(runs []run) (database, map[string][]string) { return asTable(runs, false) }},
	{"table by input", "trials", true, func(runs []run) (database, map[string][]string) { return asTable(runs, true) }},
	{"otel", "otlp", false, asSpans},
	{"langfuse", "langfuse", false, func(runs []run) (database, map[string][]string) { return asLangfuse(runs, true) }},
}

// What PostgreSQL counts is judged as the trials are, of many random sets of trials.
func TestPostgreSQLCountsAsTrialsAreJudged(t *testing.T) {
	c, u := schema(t)
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			for seed := range uint64(8) {
				random := rand.New(rand.NewPCG(seed, 1))
				d, variants := form.write(drawRuns(random, form.errors))
				fill(t, c, &d)
				trials := map[string][]*trial.Trial{}
				for variant, lines := range variants {
					trials[variant] = readTrials(t, form.format, lines, ingest.Options{})
				}
				judgedAlike(t, random, counted(t, u, d.query), trials)
			}
		})
	}
}

// A score and no outcome is judged by --pass-score, of each form.
func TestPostgreSQLJudgesScores(t *testing.T) {
	c, u := schema(t)
	random := rand.New(rand.NewPCG(5, 1))
	runs := drawRuns(random, false)
	for i := range runs {
		runs[i].outcome = ""
	}
	d, variants := asLangfuse(runs, true)
	// What is true of a bad answer judges nothing.
	fill(t, c, &d)
	if _, err := counted(t, u, d.query).Recording("base"); err == nil ||
		!strings.Contains(err.Error(), "nothing tells the outcome of") {
		t.Errorf("without an outcome: %v", err)
	}
	d.query.PassScore = new(0.5)
	trials := map[string][]*trial.Trial{}
	for variant, lines := range variants {
		o := ingest.Options{}
		o.PassScore = trial.Some(0.5)
		trials[variant] = readTrials(t, "langfuse", lines, o)
	}
	judgedAlike(t, random, counted(t, u, d.query), trials)
}

// A sample is drawn by its seed, of each row, and names trials that there are.
func TestPostgreSQLDrawsASample(t *testing.T) {
	c, u := schema(t)
	runs := drawRuns(rand.New(rand.NewPCG(4, 1)), true)
	d, _ := asTable(runs, false)
	fill(t, c, &d)
	known := map[string]bool{}
	for _, r := range runs {
		known[r.id] = true
	}
	draw := func(seed uint64, n int) []string {
		q := d.query
		q.Seed, q.Sample = seed, n
		return counted(t, u, q).Samples("base")
	}
	first := draw(1, 2)
	for _, id := range first {
		if !known[id] {
			t.Errorf("no trial is %s", id)
		}
	}
	if again := draw(1, 2); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("the same seed draws %v and %v", first, again)
	}
	if other := draw(2, 2); fmt.Sprint(other) == fmt.Sprint(first) {
		t.Errorf("another seed draws the same: %v", first)
	}
	if none := draw(1, 0); len(none) > 0 {
		t.Errorf("a sample of 0 is %v", none)
	}
}

// A period is that of the trials' beginning.
func TestPostgreSQLTakesAPeriod(t *testing.T) {
	c, u := schema(t)
	runs := drawRuns(rand.New(rand.NewPCG(4, 1)), false)
	for _, write := range []func() (database, map[string][]string){
		func() (database, map[string][]string) { return asTable(runs, false) },
		func() (database, map[string][]string) { return asSpans(runs) },
		func() (database, map[string][]string) { return asLangfuse(runs, true) },
	} {
		d, _ := write()
		fill(t, c, &d)
		d.query.Since, d.query.Until = began.Add(3*time.Hour), began.Add(6*time.Hour) // three runs, an hour apart
		n := 0
		all := counted(t, u, d.query)
		for _, variant := range all.Variants() {
			r, err := all.Recording(variant)
			if err != nil {
				t.Fatal(err)
			}
			n += r.Len()
		}
		if n != 3 {
			t.Errorf("%v: %d trials", d.query.Format, n)
		}
	}
}

// The database cannot be changed, is asked one thing, and its password is not shown.
func TestQueriesThatAreRefused(t *testing.T) {
	c, u := schema(t)
	if _, err := c.Exec(t.Context(),
		"CREATE TABLE kept (scenario TEXT, passes INT, fails INT); INSERT INTO kept VALUES ('a', 1, 1)",
		pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	secret := *u
	secret.User = url.UserPassword("postgres", "p@ss:w/rd")
	file := filepath.Join(t.TempDir(), "rows.sql")
	if err := os.WriteFile(file, []byte("SELECT * FROM kept;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, good := range []string{"SELECT * FROM kept", "@" + file} {
		all, err := postgres.Rows(t.Context(), asking(&secret, good))
		if err != nil || all.Len() != 1 || strings.Contains(all.Source, "p@ss") || strings.Contains(all.Source, "query") {
			t.Errorf("%s: %v, %v", good, all, err)
		}
	}
	nowhere := secret
	nowhere.Host = "127.0.0.1:1"
	for _, bad := range []struct{ url, want string }{
		{asking(&secret, ""), "has no query"},
		{asking(&secret, "@nowhere.sql"), "has a query that cannot be read"},
		{asking(&secret, "DELETE FROM kept RETURNING *"), "read-only transaction"},
		{asking(&secret, "WITH x AS (DELETE FROM kept RETURNING *) SELECT * FROM x"), "read-only transaction"},
		{asking(&secret, "SELECT * FROM kept; COMMIT; DROP TABLE kept"), "multiple commands"},
		{asking(&secret, "COMMIT"), "there is no column"},
		{asking(&secret, "SELECT nothing FROM kept"), `column "nothing" does not exist`},
		{asking(&secret, "SELECT 1 AS passes"), "there is no column scenario or fails"},
		{asking(&secret, "SELECT 'a' AS scenario, -1 AS passes, 0 AS fails"), "passes \"-1\" is no number of trials"},
		{asking(&nowhere, "SELECT 1"), "cannot be connected to"},
		{"postgres://postgres:p@ss:w/rd@127.0.0.1:port/test?query=x", "cannot be read as a URL"},
	} {
		_, err := postgres.Rows(t.Context(), bad.url)
		if err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%s: error %v", bad.url, err)
		} else if strings.Contains(err.Error(), "w/rd") || strings.Contains(err.Error(), "w%2Frd") {
			t.Errorf("the password is shown: %v", err)
		}
	}
	var left int
	if err := c.QueryRow(t.Context(), "SELECT count(*) FROM kept").Scan(&left); err != nil || left != 1 {
		t.Errorf("%d rows are left, %v", left, err)
	}
}
