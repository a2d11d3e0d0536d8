package postgres_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse"
	"github.com/tribunal-dev/tribunal/cmd/internal/warehouse/rows"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// inNode runs a script of testdata, which reads a value as JSON and writes one. It is skipped by name where node is not
// there, or the modules are not.
func inNode(t *testing.T, script string, in, out any) {
	t.Helper()
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	node, err := exec.LookPath("node")
	if modules == "" || err != nil {
		t.Skip("node, or the folder that TRIBUNAL_TEST_NODE_MODULES names, is not there")
	}
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	// A script finds modules from its own folder upwards.
	source, err := os.ReadFile(filepath.Join("testdata", script))
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(filepath.Dir(modules), "warehouse-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	if err := os.WriteFile(filepath.Join(folder, script), source, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), node, filepath.Join(folder, script))
	command.Stdin = bytes.NewReader(text)
	var failed bytes.Buffer
	command.Stderr = &failed
	answer, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%.4000s", script, err, failed.String())
	}
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatalf("%s wrote %.1000s: %v", script, answer, err)
	}
}

// question is a database that a script makes, and what it asks.
type question struct {
	Setup string `json:"setup"`
	Query string `json:"query"`
}

// What DuckDB counts is judged as the trials are, of random sets of trials.
func TestDuckDBCountsAsTrialsAreJudged(t *testing.T) {
	type set struct {
		seed   uint64
		trials map[string][]string
		format string
	}
	var sets []set
	var questions []question
	for _, form := range forms {
		for seed := range uint64(6) {
			write := form.write
			if form.format == "langfuse" {
				write = func(runs []run) (database, map[string][]string) { return asLangfuse(runs, false) }
			}
			d, variants := write(drawRuns(rand.New(rand.NewPCG(seed, 2)), form.errors))
			d.query.Dialect = warehouse.DuckDB
			text, err := d.query.SQL()
			if err != nil {
				t.Fatal(err)
			}
			questions = append(questions, question{d.sql("JSON"), text})
			sets = append(sets, set{seed, variants, form.format})
		}
	}
	var answers []json.RawMessage
	inNode(t, "duckdb.cjs", questions, &answers)
	if len(answers) != len(sets) {
		t.Fatalf("%d answers", len(answers))
	}
	for i, s := range sets {
		all, err := rows.Read(bytes.NewReader(answers[i]), "duckdb.json")
		if err != nil {
			t.Fatalf("%v\n%s", err, answers[i])
		}
		trials := map[string][]*trial.Trial{}
		for variant, lines := range s.trials {
			trials[variant] = readTrials(t, s.format, lines, ingest.Options{})
		}
		judgedAlike(t, rand.New(rand.NewPCG(s.seed, 3)), all, trials)
	}
}

// Every query is one statement to parsers that others wrote: of all dialects one that follows their documentation,
// and of Spark its own grammar.
func TestQueriesAreParsedByOthers(t *testing.T) {
	type text struct {
		Dialect string `json:"dialect"`
		SQL     string `json:"sql"`
	}
	var texts []text
	for _, d := range warehouse.Dialects() {
		for _, q := range queries() {
			q.Dialect = d
			sql, err := q.SQL()
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text{d.String(), sql})
		}
	}
	var problems []string
	inNode(t, "parse.mjs", texts, &problems)
	if len(problems) != len(texts) {
		t.Fatalf("%d answers of %d", len(problems), len(texts))
	}
	for i, problem := range problems {
		if problem != "" {
			t.Errorf("%s: %s\n%s", texts[i].Dialect, problem, texts[i].SQL)
		}
	}
}

// queries are one of each form, with all that can be asked for.
func queries() []warehouse.Query {
	runs := drawRuns(rand.New(rand.NewPCG(1, 1)), true)
	var list []warehouse.Query
	for _, form := range forms {
		d, _ := form.write(runs)
		q := d.query
		q.PassScore, q.Since, q.Until = new(0.5), began, began.AddDate(0, 0, 1)
		list = append(list, q)
		if q.Format != warehouse.Table {
			q.Scenario, q.Variant, q.Input, q.Outcome, q.Score = `it's`, `"a"`, "b`", `c\`, "d;--"
			list = append(list, q)
		}
	}
	return list
}
