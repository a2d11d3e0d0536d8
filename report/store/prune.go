package store

import (
	"context"
	"database/sql"
	"time"
)

// PruneOptions says what is kept of old runs. Their counts, sums and results are kept for ever.
type PruneOptions struct {
	// Traces and Trials are from when on runs keep what happened in their trials, and their trials; the zero time keeps
	// all. Trials that go take their traces with them.
	Traces, Trials time.Time
	DryRun         bool // says what would go, and takes nothing away
}

// PruneResult is what went.
type PruneResult struct {
	Runs   int `json:"runs"`   // of which something went
	Traces int `json:"traces"` // trials without what happened in them
	Trials int `json:"trials"` // that are counted alone
}

// Prune takes away what is old. Runs of the last revision of a baseline are left alone, and so are runs whose
// beginning is not known.
func (s *Store) Prune(ctx context.Context, p PruneOptions) (pruned PruneResult, err error) {
	kept := make(map[string]bool)
	list, err := s.Baselines(ctx)
	if err != nil {
		return pruned, err
	}
	for i, b := range list {
		if i > 0 && list[i-1].Name == b.Name {
			continue
		}
		for _, id := range b.Runs {
			kept[id] = true
		}
	}
	until := p.Traces
	if p.Trials.After(until) {
		until = p.Trials
	}
	var runs []numberedRun
	if err := s.again(ctx, "cannot be read", func() (err error) {
		runs, err = s.find(ctx, Query{Until: until}, 0, 0)
		return err
	}); err != nil {
		return pruned, err
	}
	for _, r := range runs {
		if kept[r.ID] || r.Started.IsZero() {
			continue
		}
		var counts PruneResult
		if err := s.again(ctx, "cannot be written to", func() error {
			return s.inside(ctx, func(tx *sql.Tx) (err error) {
				counts, err = s.pruneRun(ctx, tx, r, p)
				return err
			})
		}); err != nil {
			return pruned, err
		}
		if counts.Traces+counts.Trials > 0 {
			pruned.Runs++
		}
		pruned.Traces += counts.Traces
		pruned.Trials += counts.Trials
	}
	if p.DryRun || pruned.Runs == 0 {
		return pruned, nil
	}
	return pruned, s.sweep(ctx)
}

// pruneRun takes away what is old of a run.
func (s *Store) pruneRun(
	ctx context.Context, tx *sql.Tx, r numberedRun, p PruneOptions,
) (counts PruneResult, err error) {
	count := func(n *int, where string) error {
		return tx.QueryRowContext(ctx, s.bind("SELECT count(*) FROM trial WHERE run = ?"+where), r.number).Scan(n)
	}
	do := func(statement string) error {
		if p.DryRun {
			return nil
		}
		_, err := tx.ExecContext(ctx, s.bind(statement), r.number)
		return err
	}
	switch {
	case r.Started.Before(p.Trials):
		if err := count(&counts.Trials, ""); err != nil || counts.Trials == 0 {
			return counts, err
		}
		if err := do("DELETE FROM trial WHERE run = ?"); err != nil {
			return counts, err
		}
		return counts, do("UPDATE part SET kept = 0 WHERE run = ?")
	case r.Started.Before(p.Traces):
		if err := count(&counts.Traces, " AND trace IS NOT NULL"); err != nil || counts.Traces == 0 {
			return counts, err
		}
		return counts, do("UPDATE trial SET trace = NULL WHERE run = ?")
	}
	return counts, nil
}

// sweep deletes traces that no trial has any more, and gives their room back to the disk.
func (s *Store) sweep(ctx context.Context) error {
	err := s.again(ctx, "cannot be written to", func() error {
		return s.inside(ctx, func(tx *sql.Tx) error {
			// Each database has a way to do it in one pass over the trials, and is slow in the other's.
			text := "DELETE FROM trace WHERE digest NOT IN (SELECT trace FROM trial WHERE trace IS NOT NULL)"
			if s.dialect == postgres {
				text = "DELETE FROM trace WHERE NOT EXISTS (SELECT 1 FROM trial WHERE trial.trace = trace.digest)"
				// Who adds a trial may have found its trace there: it must not go before the trial is seen.
				if _, err := tx.ExecContext(ctx, "LOCK TABLE trace IN EXCLUSIVE MODE"); err != nil {
					return err
				}
			}
			_, err := tx.ExecContext(ctx, text)
			return err
		})
	})
	if err != nil || s.dialect == postgres {
		return err // PostgreSQL gives room back by itself
	}
	return s.again(ctx, "cannot be written to", func() error {
		_, err := s.db.ExecContext(ctx, "VACUUM")
		return err
	})
}
