package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// PlacedTrial is a trial with its place in a store.
type PlacedTrial struct {
	ID    TrialID
	Trial *trial.Trial // its variant is the version
}

// Find is [Store.Trials] with the place of each trial.
func (s *Store) Find(ctx context.Context, q Query, fields trial.Fields) iter.Seq2[PlacedTrial, error] {
	return func(yield func(PlacedTrial, error) bool) {
		stopped := false
		err := s.eachPlaced(ctx, q, fields, func(p PlacedTrial) bool {
			stopped = !yield(p, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(PlacedTrial{}, err)
		}
	}
}

// eachPlaced hands the trials with their places to a function until it returns false.
func (s *Store) eachPlaced(ctx context.Context, q Query, fields trial.Fields, visit func(PlacedTrial) bool) error {
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
		stopped, err := s.trialsOf(ctx, p, condition, fields, meant, func(t *trial.Trial) bool { return visit(p.placed(t)) })
		if err != nil || stopped {
			return err
		}
	}
	return nil
}

// placed is a trial of the part with its place.
func (p piece) placed(t *trial.Trial) PlacedTrial {
	return PlacedTrial{TrialID{p.id, p.part, int64(t.Place.Line) - 1}, t}
}

// SampleWithPlaces is [Store.Sample] with the place of each trial.
func (s *Store) SampleWithPlaces(
	ctx context.Context, q Query, o SampleOptions, fields trial.Fields, visit func(PlacedTrial) error,
) error {
	return s.sampled(ctx, q, o, fields, func(p piece, t *trial.Trial) error { return visit(p.placed(t)) })
}

// idOfKey is the ID of a run that has a key.
func idOfKey(key string) string {
	sum := sha256.Sum256([]byte("key " + key))
	return hex.EncodeToString(sum[:16])
}

// RunOfKey returns the run that has a key; nil is none.
func (s *Store) RunOfKey(ctx context.Context, key string) (*Run, error) {
	runs, err := s.Runs(ctx, Query{Run: idOfKey(key)}, 0, 1)
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
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
				if (q.Version == "" || stop.Variant == "" || stop.Variant == q.Version) &&
					slices.ContainsFunc(stop.Scenarios, matches) {
					list = append(list, stop)
				}
			}
		}
		return err
	})
	return list, err
}

// Saved returns the saved result of the one run that a query means. That there is none, that there are several, and
// that it has no result, are an [Error].
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
		err = &Error{Store: s.name, Problem: "holds no saved result of run " + r.ID,
			Advice: "its trials can be judged: verdict, compare",
			Err:    sql.ErrNoRows}
	}
	if err != nil {
		return nil, err
	}
	return r.Result, nil
}
