package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// mostNamed is the number of scenarios that a statement names; of more, all are read and looked at here.
const mostNamed = 500

// Trials returns the trials that a query means: run by run, the earliest first, each in the order in which its trials
// count. Their variant is the version. The fields are those that are kept of each trial; 0 is all. A trial shares no
// memory with the next one. After an error there is no more.
func (s *Store) Trials(ctx context.Context, q Query, fields trial.Fields) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		for p, err := range s.Find(ctx, q, fields) {
			if !yield(p.Trial, err) {
				return
			}
		}
	}
}

// piece is a part that trials are read of.
type piece struct {
	run     int64
	part    int
	version string
	id      string
}

// pieces are the parts that a query means, the earliest first.
func (s *Store) pieces(ctx context.Context, q Query) ([]piece, error) {
	where, args, err := s.where(ctx, q, true)
	if err != nil {
		return nil, err
	}
	text := "SELECT r.number, p.part, p.version, r.id FROM run r JOIN part p ON p.run = r.number WHERE " + where
	if q.Last > 0 {
		last, err := s.find(ctx, q, 0, q.Last)
		if err != nil || len(last) == 0 {
			return nil, err
		}
		numbers := make([]string, len(last))
		for i := range last {
			numbers[i] = fmt.Sprint(last[i].number)
		}
		text += " AND r.number IN (" + strings.Join(numbers, ",") + ")"
	}
	rows, err := s.db.QueryContext(ctx, s.bind(text+" ORDER BY r.started, r.number, p.part"), args...)
	if err != nil {
		return nil, err
	}
	return collect(rows, func(rows *sql.Rows) (p piece, err error) {
		return p, rows.Scan(&p.run, &p.part, &p.version, &p.id)
	})
}

// meant are the scenarios that a query means: a condition on trials where they are few, and what says it of a name
// where they are many.
func (s *Store) meant(ctx context.Context, q Query) (condition string, matches func(string) bool, err error) {
	matches, all, err := q.scenario()
	if err != nil || all {
		return "", nil, err
	}
	rows, err := s.db.QueryContext(ctx, "SELECT number, name FROM scenario ORDER BY number")
	if err != nil {
		return "", nil, err
	}
	var numbers []string
	if _, err := collect(rows, func(rows *sql.Rows) (none struct{}, err error) {
		var number int64
		var name string
		if err := rows.Scan(&number, &name); err != nil {
			return none, err
		}
		if matches(name) {
			numbers = append(numbers, fmt.Sprint(number))
		}
		return none, nil
	}); err != nil {
		return "", nil, err
	}
	switch {
	case len(numbers) == 0:
		return " AND 1 = 0", nil, nil
	case len(numbers) <= mostNamed:
		return " AND t.scenario IN (" + strings.Join(numbers, ",") + ")", nil, nil
	}
	return "", matches, nil
}

// trialsOf hands over the trials of a part. It continues where it stopped when the server is away for a while.
func (s *Store) trialsOf(
	ctx context.Context, p piece, condition string, fields trial.Fields, meant func(string) bool,
	visit func(*trial.Trial) bool,
) (stopped bool, err error) {
	next := int64(0) // position
	err = s.again(ctx, "cannot be read", func() error {
		rows, err := s.db.QueryContext(ctx, s.bind(`SELECT t.position, c.name, t.number, t.outcome, t.score, t.started, t.duration,
			t.cost, t.tokens_in, t.tokens_out, t.turns, t.tool_calls, b.body FROM trial t
			JOIN scenario c ON c.number = t.scenario LEFT JOIN trace b ON b.digest = t.trace
			WHERE t.run = ? AND t.part = ? AND t.position >= ?`+condition+` ORDER BY t.position`), p.run, p.part, next)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			position, r, err := scanTrial(rows)
			if err != nil {
				return err
			}
			next = position + 1
			if meant != nil && !meant(r.scenario) {
				continue
			}
			t, err := r.trial(p.version, fields)
			if err != nil {
				return &Error{Store: s.name,
					Problem: fmt.Sprintf("holds a trial that cannot be read: %d of run %s (%v)", position, p.id, err),
					Advice:  "restore it from a copy, or export what can be read", Err: err}
			}
			t.Place = trial.Place{File: s.name, Line: int(position) + 1}
			if stopped = !visit(t); stopped {
				return nil
			}
		}
		return rows.Err()
	})
	return stopped, err
}

// scanTrial reads the columns of a trial, and those before it.
func scanTrial(rows *sql.Rows, before ...any) (position int64, r row, err error) {
	var number, in, out, turns, calls sql.NullInt64
	var score, duration, cost sql.NullFloat64
	var started sql.NullString
	var outcome int
	err = rows.Scan(append(before, &position, &r.scenario, &number, &outcome, &score, &started, &duration, &cost, &in,
		&out, &turns, &calls, &r.trace)...)
	r.number, r.turns, r.calls = whole(number), whole(turns), whole(calls)
	r.in, r.out = trial.Optional[int64]{Value: in.Int64, Known: in.Valid},
		trial.Optional[int64]{Value: out.Int64, Known: out.Valid}
	r.score, r.duration, r.cost = real(score), real(duration), real(cost)
	r.started, r.outcome = started.String, trial.Outcome(outcome)
	return position, r, err
}

// whole is an integer that may be unknown.
func whole(n sql.NullInt64) trial.Optional[int] {
	return trial.Optional[int]{Value: int(n.Int64), Known: n.Valid}
}

// real is a number that may be unknown.
func real(x sql.NullFloat64) trial.Optional[float64] {
	return trial.Optional[float64]{Value: x.Float64, Known: x.Valid}
}

// None is the error of a query that means no trials.
func (s *Store) None(q Query) error {
	problem := "holds no trials"
	if text := q.String(); text != "" {
		problem += " of " + prose.Printable(text)
	}
	advice := "tribunal store history lists its runs"
	if q.Own && q.Kind == "" {
		problem += "; those of " + prose.And(experiments) + " are left out"
		advice = "--kind of tribunal store history, and kind=KIND in a query, take those of one of them"
	}
	return &Error{Store: s.name, Problem: problem, Advice: advice}
}
