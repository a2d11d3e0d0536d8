package store

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkHistory reads a history of 90,000 runs, ten years of one an hour, as a page shows it; of all of it, of
// three weeks, and of one scenario. The server is the one that tests use.
func BenchmarkHistory(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(kind, func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "runs.db")
			if kind == "postgres" {
				name = emptySchema(b)
			}
			s, err := Open(b.Context(), name, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			started := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
			fill(b, s, started, 90_000)
			q := Query{Suite: "shop", Version: "agent"}
			weeks := q
			weeks.Since = started.Add(89_500 * time.Hour)
			scenario := q
			scenario.Scenario = "scenario 1"
			for name, q := range map[string]Query{"all": q, "weeks": weeks, "scenario": scenario} {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						list, err := s.History(b.Context(), q, HistoryOptions{Most: 200, Behaviour: true})
						if err != nil || len(list) < 100 {
							b.Fatalf("%d points, %v", len(list), err)
						}
					}
				})
			}
		})
	}
}

// fill adds runs of one trial each of two scenarios, one an hour, many in a transaction.
func fill(b *testing.B, s *Store, started time.Time, runs int) {
	b.Helper()
	behaviour := &Behaviour{Trials: 2, Columns: map[string]Sum{"steps": {2, 9, 41}, "tool a": {2, 5, 13}}}
	kept, err := behaviour.encode()
	if err != nil {
		b.Fatal(err)
	}
	err = s.inside(b.Context(), func(tx *sql.Tx) error {
		if err := s.numbered(b.Context(), tx, map[string]int64{"scenario 0": 0, "scenario 1": 0}); err != nil {
			return err
		}
		var number int64
		for i := range runs {
			at := started.Add(time.Duration(i) * time.Hour)
			if err := tx.QueryRow(s.bind(`INSERT INTO run (whole, touched, id, content, kind, suite, task, agent, revision, branch,
				build, started, added, judgement, details)
				VALUES (1, 0, ?, '', 'run', 'shop', '', '', ?, 'main', '', ?, 0, '', '{}') RETURNING number`),
				fmt.Sprintf("%032x", i), fmt.Sprintf("%040x", i), micro(at)).Scan(&number); err != nil {
				return err
			}
			sums := Sums{Trials: 2, Passes: 2 - i%2, Failures: i % 2, Cost: Sum{2, 0.5, 0.125}, Turns: Sum{2, 8, 32}}
			row := append(append([]any{number, 0, "agent", "shop", micro(at)}, sums.values()...), kept, 2)
			if err := s.insert(b.Context(), tx, partColumns, 7+sumCount, row); err != nil {
				return err
			}
			for k := range 2 {
				one := Sums{Trials: 1, Passes: (i + k) % 2, Cost: Sum{1, 0.25, 0.0625}}
				if err := s.insert(b.Context(), tx, tallyColumns, 3+sumCount,
					append([]any{number, 0, k + 1}, one.values()...)); err != nil {
					return err
				}
			}
			if err := s.count(b.Context(), tx, number); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && s.dialect == postgres {
		_, err = s.db.Exec("ANALYZE")
	}
	if err != nil {
		b.Fatal(err)
	}
}

// emptySchema is the URL of an empty schema of the server, which goes away with the benchmark.
func emptySchema(b *testing.B) string {
	const server = "postgres://postgres@127.0.0.1:5432/test?sslmode=disable"
	db, err := sql.Open("pgx", server)
	if err != nil {
		b.Fatal(err)
	}
	name := fmt.Sprintf("b%d", time.Now().UnixNano())
	if _, err := db.Exec("CREATE SCHEMA " + name); err != nil {
		b.Skipf("no PostgreSQL at 127.0.0.1:5432: %v", err)
	}
	b.Cleanup(func() {
		if _, err := db.Exec("DROP SCHEMA " + name + " CASCADE"); err != nil {
			b.Error(err)
		}
		db.Close()
	})
	return server + "&" + url.Values{"search_path": {name}}.Encode()
}
