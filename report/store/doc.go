// Package store keeps runs: their trials with what happened in them, their results, and baselines with names. A store
// is one file, of SQLite, or a database of PostgreSQL that several machines share; both have the same tables and the
// same tests.
//
//	s, err := store.Open(ctx, "runs.db", store.Options{})
//	added, err := s.Add(ctx, store.Run{Suite: "shop", Commit: "4f0c2d1"}, trials)
//	query, err := store.ParseQuery("suite=shop,since=30d", time.Now())
//	for t, err := range s.Trials(ctx, query, 0) { ... }
//
// A run is what one command gathered. Its trials are in parts, one a version of the system. A run is there whole or not
// at all: while it is added its trials are invisible, whoever is killed. Adding the same run again changes nothing.
//
// Sums of every part are kept beside the trials, so that a history of years is read without them, and stays when trials
// are pruned.
package store
