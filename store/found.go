package store

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Shown is the name of a store as it may be shown: a URL has no password.
func Shown(name string) string { return shown(name) }

// Found is a trial with its place in a store.
type Found struct {
	Run      string       // ID
	Position int          // in the run, from 0: part by part, each in the order in which its trials count
	Trial    *trial.Trial // its variant is the version
}

// Find is [Store.Trials] with the place of each trial.
func (s *Store) Find(ctx context.Context, q Query, fields trial.Fields) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		stopped := false
		err := s.eachFound(ctx, q, fields, func(f Found) bool {
			stopped = !yield(f, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(Found{}, err)
		}
	}
}

// eachFound hands the trials with their places to a function until it returns false.
func (s *Store) eachFound(ctx context.Context, q Query, fields trial.Fields, of func(Found) bool) error {
	var pieces []piece
	var condition string
	var meant func(string) bool
	if err := s.again(ctx, "cannot be read", func() (err error) {
		if pieces, err = s.pieces(ctx, q); err == nil {
			condition, meant, err = s.meant(ctx, q)
		}
		return err
	}); err != nil {
		return err
	}
	if q.Outcome != trial.Unjudged {
		condition += fmt.Sprintf(" AND t.outcome = %d", q.Outcome)
	}
	for _, p := range pieces {
		before, err := s.before(ctx, p)
		if err != nil {
			return err
		}
		stopped, err := s.trialsOf(ctx, p, condition, fields, meant, func(t *trial.Trial) bool {
			return of(Found{p.id, before + t.Place.Line - 1, t})
		})
		if err != nil || stopped {
			return err
		}
	}
	return nil
}

// before is how many trials the parts of a run before this one have.
func (s *Store) before(ctx context.Context, p piece) (n int, err error) {
	if p.part == 0 {
		return 0, nil
	}
	err = s.again(ctx, "cannot be read", func() error {
		return s.db.QueryRowContext(ctx, s.bind("SELECT CAST(coalesce(sum(trials), 0) AS BIGINT) FROM part WHERE run = ? AND part < ?"),
			p.run, p.part).Scan(&n)
	})
	return n, err
}

// TrialAt returns the trial at a position of the run whose ID begins so. That there is none is an [Error].
func (s *Store) TrialAt(ctx context.Context, id string, position int) (*trial.Trial, error) {
	r, err := s.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	at, part := position, 0
	for part < len(r.Parts) && at >= r.Parts[part].Trials {
		at -= r.Parts[part].Trials
		part++
	}
	none := &Error{Store: s.name, Problem: fmt.Sprintf("holds no trial %d of run %s", position, r.ID),
		Advice: "traces query lists them"}
	if part == len(r.Parts) || at < 0 {
		return nil, none
	}
	var found *trial.Trial
	err = s.again(ctx, "cannot be read", func() error {
		pieces, err := s.pieces(ctx, Query{Run: r.ID, Version: r.Parts[part].Version})
		if err != nil || len(pieces) != 1 {
			return err
		}
		_, err = s.trialsOf(ctx, pieces[0], fmt.Sprintf(" AND t.position = %d", at), 0, nil, func(t *trial.Trial) bool {
			found = t
			return false
		})
		return err
	})
	if err == nil && found == nil {
		err = none
	}
	return found, err
}

// Stops returns how tests stopped the trials of the runs that a query means, the earliest first: nil of runs whose
// numbers of trials were fixed. Of a scenario that is asked for they are the tests that drew from it.
func (s *Store) Stops(ctx context.Context, q Query) (list []recording.Stop, err error) {
	matches, _, err := q.scenario()
	if err != nil {
		return nil, err
	}
	err = s.again(ctx, "cannot be read", func() error {
		list = nil
		runs, err := s.find(ctx, q, 0, 0)
		for _, r := range slices.Backward(runs) {
			for _, stop := range r.Stops {
				if (q.Version == "" || stop.Variant == "" || stop.Variant == q.Version) && slices.ContainsFunc(stop.Scenarios, matches) {
					list = append(list, stop)
				}
			}
		}
		return err
	})
	return list, err
}

// Saved returns the saved result of the one run that a query means. That there is none, that there are several, and that
// it has no result, are an [Error].
func (s *Store) Saved(ctx context.Context, q Query) (*Result, error) {
	runs, err := s.Runs(ctx, q, 0, 2)
	switch {
	case err != nil:
		return nil, err
	case len(runs) == 0:
		return nil, s.None(q)
	case len(runs) > 1:
		return nil, &Error{Store: s.name, Problem: "holds several runs of that query, and a saved result is of one",
			Advice: "add last=1 for the latest, or name it by run=ID"}
	}
	r, err := s.Run(ctx, runs[0].ID)
	if err == nil && r.Result == nil {
		err = &Error{Store: s.name, Problem: "holds no saved result of run " + r.ID, Advice: "its trials can be judged: verdict, compare",
			Err: sql.ErrNoRows}
	}
	if err != nil {
		return nil, err
	}
	return r.Result, nil
}
