package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// numberedRun is a run with the number of its row.
type numberedRun struct {
	number int64
	Run
}

// runColumns are those of a run, for scan.
const runColumns = "r.number, r.id, r.kind, r.suite, r.task, r.agent, r.revision, r.branch, r.build, r.started, " +
	"r.added, r.judgement, r.details"

// scanRun reads the columns.
func scanRun(rows *sql.Rows) (f numberedRun, err error) {
	var started, added int64
	var text string
	if err := rows.Scan(&f.number, &f.ID, &f.Kind, &f.Suite, &f.Task, &f.Agent, &f.Commit, &f.Branch, &f.Build, &started,
		&added, &f.Verdict, &text); err != nil {
		return f, err
	}
	f.Started, f.Added = timeOf(started), timeOf(added)
	var d details
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return f, err
	}
	f.Key, f.Changed = d.Key, d.Changed
	if d.Stops != nil {
		err = json.Unmarshal(d.Stops, &f.Stops)
	}
	return f, err
}

// Runs returns the runs that a query means, the latest first, with their parts and labels and without their results.
// Skip leaves out the first so many, and most bounds how many there are; 0 is no bound.
func (s *Store) Runs(ctx context.Context, q Query, skip, most int) (list []Run, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		runs, err := s.find(ctx, q, skip, most)
		if err != nil {
			return err
		}
		list = make([]Run, len(runs))
		if err := s.fill(ctx, q, runs); err != nil {
			return err
		}
		for i := range runs {
			list[i] = runs[i].Run
		}
		return nil
	})
	return list, err
}

// Heads is [Store.Runs] without parts and labels: for who asks for many runs, and only for what came of them.
func (s *Store) Heads(ctx context.Context, q Query, skip, most int) (list []Run, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		runs, err := s.find(ctx, q, skip, most)
		if err != nil {
			return err
		}
		list = make([]Run, len(runs))
		for i := range runs {
			list[i] = runs[i].Run
		}
		return nil
	})
	return list, err
}

// find returns the runs that a query means, without parts and labels.
func (s *Store) find(ctx context.Context, q Query, skip, most int) ([]numberedRun, error) {
	where, args, err := s.where(ctx, q, false)
	if err != nil {
		return nil, err
	}
	if q.Last > 0 && (most == 0 || most > q.Last-skip) {
		most = max(0, q.Last-skip)
		if most == 0 {
			return nil, nil
		}
	}
	text := "SELECT " + runColumns + " FROM run r WHERE " + where + " ORDER BY r.started DESC, r.number DESC"
	if most > 0 || skip > 0 {
		if most == 0 {
			most = 1<<31 - 1
		}
		text += fmt.Sprintf(" LIMIT %d OFFSET %d", most, skip)
	}
	rows, err := s.db.QueryContext(ctx, s.bind(text), args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, scanRun)
}

// where is the condition on runs, and on the runs of a baseline.
func (s *Store) where(ctx context.Context, q Query, parts bool) (string, []any, error) {
	where, args := q.conditions(parts)
	if q.Version != "" && !parts {
		narrow, values, err := s.ofVersion(ctx, q.Version)
		if err != nil {
			return "", nil, err
		}
		where, args = where+narrow, append(args, values...)
	}
	if q.Baseline == "" {
		return where, args, nil
	}
	b, err := s.baseline(ctx, q.Baseline)
	if err != nil {
		return "", nil, err
	}
	// As a list of rows, for each of which PostgreSQL looks into the index: of a list of values it reads all runs.
	where += " AND r.id IN (VALUES " + strings.TrimSuffix(strings.Repeat("(?),", len(b.Runs)), ",") + ")"
	for _, id := range b.Runs {
		args = append(args, id)
	}
	return where, args, nil
}

// Count returns how many runs a query means.
func (s *Store) Count(ctx context.Context, q Query) (n int, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		where, args, err := s.where(ctx, q, false)
		if err != nil {
			return err
		}
		return s.db.QueryRowContext(ctx, s.bind("SELECT count(*) FROM run r WHERE "+where), args...).Scan(&n)
	})
	if q.Last > 0 {
		n = min(n, q.Last)
	}
	return n, err
}

// fill reads the parts and labels of runs, in blocks.
func (s *Store) fill(ctx context.Context, q Query, runs []numberedRun) error {
	const block = 500
	for from := 0; from < len(runs); from += block {
		some := runs[from:min(len(runs), from+block)]
		at := make(map[int64]*Run, len(some))
		numbers := make([]string, len(some))
		for i := range some {
			at[some[i].number], numbers[i] = &some[i].Run, fmt.Sprint(some[i].number)
		}
		condition := " IN (" + strings.Join(numbers, ",") + ")"
		text, args := "SELECT run, version, behaviour, "+sumColumns+" FROM part WHERE run"+condition, []any(nil)
		if q.Version != "" {
			text, args = text+" AND version = ?", append(args, q.Version)
		}
		rows, err := s.db.QueryContext(ctx, s.bind(text+" ORDER BY run, part"), args...)
		if err != nil {
			return err
		}
		if _, err := collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
			var number int64
			var p Part
			var kept []byte
			if err := rows.Scan(append([]any{&number, &p.Version, &kept}, p.into()...)...); err != nil {
				return none, err
			}
			p.Behaviour, err = behaviourOf(kept)
			at[number].Parts = append(at[number].Parts, p)
			return none, err
		}); err != nil {
			return err
		}
		if rows, err = s.db.QueryContext(ctx, "SELECT run, name, value FROM label WHERE run"+condition); err != nil {
			return err
		}
		if _, err := collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
			var number int64
			var name, value string
			if err := rows.Scan(&number, &name, &value); err != nil {
				return none, err
			}
			if at[number].Labels == nil {
				at[number].Labels = make(map[string]string)
			}
			at[number].Labels[name] = value
			return none, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Run returns the run whose ID begins so, with its result. That there is none, and that there are several, are an
// [Error].
func (s *Store) Run(ctx context.Context, id string) (r *Run, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		runs, err := s.find(ctx, Query{Run: id}, 0, 2)
		switch {
		case err != nil:
			return err
		case len(runs) == 0 || id == "":
			return &Error{Store: s.name, Problem: "holds no run " + prose.Quote(id),
				Advice: "tribunal store history lists its runs"}
		case len(runs) > 1:
			return &Error{Store: s.name, Problem: "holds several runs that begin with " + prose.Quote(id),
				Advice: "write more of it"}
		}
		if err := s.fill(ctx, Query{}, runs); err != nil {
			return err
		}
		r = &runs[0].Run
		var name string
		var body []byte
		err = s.db.QueryRowContext(ctx, s.bind("SELECT name, body FROM result WHERE run = ?"), runs[0].number).Scan(&name,
			&body)
		if err == sql.ErrNoRows {
			return nil
		}
		if err != nil {
			return err
		}
		text, err := expand(body)
		if err != nil {
			return fmt.Errorf("the result of run %s is broken: %w", r.ID, err)
		}
		r.Result = &Result{name, text}
		return nil
	})
	return r, err
}

// Tallies returns what the trials of a run come to, by version and scenario, in the order in which they were seen.
func (s *Store) Tallies(ctx context.Context, id string) (list []Tally, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		rows, err := s.db.QueryContext(ctx, s.bind(`SELECT p.version, c.name, `+prefixed("t.", sumColumns)+`
			FROM run r JOIN part p ON p.run = r.number JOIN tally t ON t.run = p.run AND t.part = p.part
			JOIN scenario c ON c.number = t.scenario WHERE r.id = ? AND r.whole = 1 ORDER BY p.part, c.number`), id)
		if err != nil {
			return err
		}
		list, err = collect(rows, func(rows *sql.Rows) (t Tally, err error) {
			return t, rows.Scan(append([]any{&t.Version, &t.Scenario}, t.into()...)...)
		})
		return err
	})
	return list, err
}

// prefixed writes a name in front of each column.
func prefixed(with, columns string) string {
	return with + strings.ReplaceAll(columns, ", ", ", "+with)
}

// Label sets a label of a run; the empty value takes it away.
func (s *Store) Label(ctx context.Context, id, name, value string) error {
	return s.again(ctx, "cannot be written to", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			var number int64
			err := tx.QueryRowContext(ctx, s.bind("SELECT number FROM run WHERE id = ? AND whole = 1"), id).Scan(&number)
			if err == sql.ErrNoRows {
				return &Error{Store: s.name, Problem: "holds no run " + prose.Quote(id)}
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, s.bind("DELETE FROM label WHERE run = ? AND name = ?"), number, name)
			}
			if err == nil && value != "" {
				_, err = tx.ExecContext(ctx, s.bind("INSERT INTO label (run, name, value) VALUES (?, ?, ?)"), number, name, value)
			}
			return err
		})
	})
}
