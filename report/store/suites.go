package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// SuiteRuns says which runs of a suite a store holds.
type SuiteRuns struct {
	Name string    // "" is that of runs without a suite
	Runs int       // how many
	Last time.Time // when the latest of them started; the zero time is not known
}

// Suites returns the suites that a store has runs of, that of the latest run first. Skip leaves out the first so many,
// and most bounds how many there are; 0 is no bound.
func (s *Store) Suites(ctx context.Context, skip, most int) (list []SuiteRuns, err error) {
	if most <= 0 {
		most = 1<<31 - 1
	}
	err = s.again(ctx, "cannot be read", func() error {
		rows, err := s.db.QueryContext(ctx, fmt.Sprintf(`SELECT suite, count(*), max(started) FROM run WHERE whole = 1
			GROUP BY suite ORDER BY max(started) DESC, suite LIMIT %d OFFSET %d`, most, skip))
		if err != nil {
			return err
		}
		list, err = collect(rows, func(rows *sql.Rows) (r SuiteRuns, err error) {
			var last int64
			err = rows.Scan(&r.Name, &r.Runs, &last)
			r.Last = timeOf(last)
			return r, err
		})
		return err
	})
	return list, err
}
