package store

import (
	"context"
	"time"
)

// Info says what a store holds.
type Info struct {
	Version  int       `json:"schema_version"` // of its tables
	Runs     int       `json:"runs"`
	Suites   int       `json:"suites"`
	Trials   int       `json:"trials"`              // that are counted
	Kept     int       `json:"trials_kept"`         // of them, those that were not pruned
	Earliest time.Time `json:"earliest,omitzero"`   // start of a run; the zero time where none is known
	Latest   time.Time `json:"latest,omitzero"`     // likewise
	Bytes    int64     `json:"bytes"`               // on disk, with indexes
	Names    []string  `json:"baselines,omitempty"` // of baselines, sorted
}

// Info returns what the store holds.
func (s *Store) Info(ctx context.Context) (i Info, err error) {
	i.Version = Version
	err = s.again(ctx, "cannot be read", func() error {
		var earliest, latest int64
		if err := s.db.QueryRowContext(ctx,
			"SELECT count(*), count(DISTINCT suite), coalesce(min(CASE WHEN started > 0 THEN started END), 0), "+
				"coalesce(max(started), 0) FROM run WHERE whole = 1").Scan(&i.Runs, &i.Suites, &earliest, &latest); err != nil {
			return err
		}
		i.Earliest, i.Latest = timeOf(earliest), timeOf(latest)
		if err := s.db.QueryRowContext(ctx,
			"SELECT coalesce(sum(trials), 0), coalesce(sum(kept), 0) FROM part").Scan(&i.Trials, &i.Kept); err != nil {
			return err
		}
		size := "SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)"
		if s.dialect == postgres {
			size = "SELECT coalesce(sum(pg_total_relation_size(to_regclass(name))), 0)::bigint FROM unnest(ARRAY['run', " +
				"'result', 'part', 'tally', 'scenario', 'trial', 'trace', 'baseline', 'label', 'look']) AS t(name)"
		}
		return s.db.QueryRowContext(ctx, size).Scan(&i.Bytes)
	})
	if err != nil {
		return i, err
	}
	list, err := s.Baselines(ctx)
	for at, b := range list {
		if at == 0 || list[at-1].Name != b.Name {
			i.Names = append(i.Names, b.Name)
		}
	}
	return i, err
}
