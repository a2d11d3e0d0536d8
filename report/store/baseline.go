package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Baseline is a name for runs that others are compared with.
type Baseline struct {
	Name     string    `json:"name"`
	Revision int       `json:"revision"` // from 1; the last one holds
	At       time.Time `json:"at"`       // when it was set
	Who      string    `json:"who"`      // set it; "" is not known
	Reason   string    `json:"reason,omitempty"`
	Policy   Policy    `json:"policy"`
	Runs     []string  `json:"runs"` // their IDs; several are pooled
}

// Policy is what holds for a baseline.
type Policy struct {
	MaxAge time.Duration `json:"max_age,omitempty"` // after which it is no baseline any more; 0 is for ever
}

// SetBaseline gives a name to runs, by their whole IDs, which must be there. It becomes the next revision of the name;
// the same again changes nothing.
func (s *Store) SetBaseline(ctx context.Context, b Baseline) (set *Baseline, err error) {
	if b.Name == "" || len(b.Runs) == 0 {
		return nil, &Error{Store: s.name, Problem: "takes no baseline without a name or runs"}
	}
	err = s.again(ctx, "cannot be written to", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			set, err = s.setBaseline(ctx, tx, b)
			return err
		})
	})
	return set, err
}

// setBaseline is SetBaseline in a transaction.
func (s *Store) setBaseline(ctx context.Context, tx *sql.Tx, b Baseline) (*Baseline, error) {
	if s.dialect == postgres {
		if _, err := tx.ExecContext(ctx, "LOCK TABLE baseline IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return nil, err
		}
	}
	for _, id := range b.Runs {
		var n int
		err := tx.QueryRowContext(ctx, s.bind("SELECT count(*) FROM run WHERE id = ? AND whole = 1"), id).Scan(&n)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return nil, &Error{Store: s.name, Problem: "holds no run " + prose.Quote(id)}
		}
	}
	runs, err := json.Marshal(b.Runs)
	if err != nil {
		return nil, err
	}
	policy, err := json.Marshal(b.Policy)
	if err != nil {
		return nil, err
	}
	before, err := scanBaseline(tx.QueryRowContext(ctx, s.bind(lastBaseline), b.Name))
	switch {
	case err == sql.ErrNoRows:
		b.Revision = 1
	case err != nil:
		return nil, err
	default:
		b.Revision = before.Revision + 1
		kept, err := json.Marshal(before.Runs)
		if err != nil {
			return nil, err
		}
		if string(kept) == string(runs) && before.Policy == b.Policy && before.Reason == b.Reason && before.Who == b.Who {
			return before, nil
		}
	}
	if b.At.IsZero() {
		b.At = time.Now()
	}
	_, err = tx.ExecContext(ctx, s.bind("INSERT INTO baseline ("+baselineColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)"),
		b.Name, b.Revision, micro(b.At), b.Who, b.Reason, string(policy), string(runs))
	b.At = timeOf(micro(b.At))
	return &b, err
}

const (
	baselineColumns = "name, revision, at, who, reason, policy, runs"
	lastBaseline    = "SELECT " + baselineColumns + " FROM baseline WHERE name = ? ORDER BY revision DESC LIMIT 1"
)

// scanner is a row or the rows of a query.
type scanner interface{ Scan(into ...any) error }

// scanBaseline reads the columns.
func scanBaseline(row scanner) (*Baseline, error) {
	var b Baseline
	var at int64
	var policy, runs string
	if err := row.Scan(&b.Name, &b.Revision, &at, &b.Who, &b.Reason, &policy, &runs); err != nil {
		return nil, err
	}
	b.At = timeOf(at)
	if err := json.Unmarshal([]byte(policy), &b.Policy); err != nil {
		return nil, err
	}
	return &b, json.Unmarshal([]byte(runs), &b.Runs)
}

// Baseline returns the last revision of a baseline. That there is none of the name is an [Error].
func (s *Store) Baseline(ctx context.Context, name string) (b *Baseline, err error) {
	err = s.again(ctx, "cannot be read", func() (err error) {
		b, err = s.baseline(ctx, name)
		return err
	})
	return b, err
}

// baseline is Baseline, tried once.
func (s *Store) baseline(ctx context.Context, name string) (*Baseline, error) {
	b, err := scanBaseline(s.db.QueryRowContext(ctx, s.bind(lastBaseline), name))
	if err == sql.ErrNoRows {
		names, err := s.baselineNames(ctx)
		if err != nil {
			return nil, err
		}
		advice := "tribunal store baseline set gives a name to runs"
		if len(names) > 0 {
			advice = prose.DidYouMean(name, names)
		}
		return nil, &Error{Store: s.name, Problem: "holds no baseline " + prose.Quote(name), Advice: advice}
	}
	return b, err
}

// baselineNames are those of all baselines, sorted.
func (s *Store) baselineNames(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT DISTINCT name FROM baseline ORDER BY name")
	if err != nil {
		return nil, err
	}
	return collect(rows, func(rows *sql.Rows) (name string, err error) { return name, rows.Scan(&name) })
}

// Baselines returns all revisions of all baselines, by name, the last revision of each first.
func (s *Store) Baselines(ctx context.Context) (list []Baseline, err error) {
	err = s.again(ctx, "cannot be read", func() error {
		rows, err := s.db.QueryContext(ctx, "SELECT "+baselineColumns+" FROM baseline ORDER BY name, revision DESC")
		if err != nil {
			return err
		}
		list, err = collect(rows, func(rows *sql.Rows) (Baseline, error) {
			b, err := scanBaseline(rows)
			if err != nil {
				return Baseline{}, err
			}
			return *b, nil
		})
		return err
	})
	return list, err
}
