package app

import (
	"context"
	"iter"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// StoredTrials are the trials that a query of a store means, as package ingest reads them. Runs number their trials
// alike: those of a later run go on from those before.
type StoredTrials struct {
	Store *store.Store
	Query store.Query
	Name  string // as a person wrote it, for messages

	sampled []ingest.Sampling
}

// Trials hands out the trials, run by run. That there are none is an error.
func (s *StoredTrials) Trials(ctx context.Context, fields trial.Fields) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		var numbers RunNumbers
		some := false
		for f, err := range s.Store.Find(ctx, s.Query, fields) {
			if err != nil {
				yield(nil, err)
				return
			}
			some = true
			numbers.GoOn(f.ID.Run, f.Trial)
			f.Trial.Place = trial.Place{File: s.Name}
			if !yield(f.Trial, nil) {
				return
			}
		}
		if !some {
			yield(nil, NoTrials(ctx, s.Store, s.Query))
			return
		}
		stops, err := s.Store.Stops(ctx, s.Query)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, stop := range stops {
			s.sampled = append(s.sampled, sampledOf(stop))
		}
	}
}

// Sampled says how tests stopped the trials.
func (s *StoredTrials) Sampled() []ingest.Sampling { return s.sampled }

// sampledOf is a test as [Stops] reads it back.
func sampledOf(s recording.Stop) ingest.Sampling {
	t := ingest.Sampling{Test: s.Test, Variant: s.Variant, Scenarios: s.Scenarios, Design: s.Design, Judged: s.Judged,
		Outcome: s.Outcome}
	switch r := s.Sample; {
	case r == nil:
	case r.Sequential != nil:
		t.MaxTrials, t.Boundaries = r.Sequential.MaxTrials, r.Sequential.Boundaries
	default:
		t.Fixed = r.Fixed
	}
	return t
}

// RunNumbers lets the numbers of trials go on from run to run, as runs number theirs alike. The zero value is that
// before the first run.
type RunNumbers struct {
	run   string
	next  map[numberedTrials]int // behind the numbers of all runs so far
	shift map[numberedTrials]int // of the run that is read
}

// numberedTrials are those that are numbered together.
type numberedTrials struct{ version, scenario string }

// GoOn moves the number of a trial of a run.
func (n *RunNumbers) GoOn(run string, t *trial.Trial) {
	if !t.Index.Known {
		return
	}
	if n.next == nil {
		n.next = map[numberedTrials]int{}
	}
	if run != n.run || n.shift == nil {
		n.run, n.shift = run, map[numberedTrials]int{}
	}
	key := numberedTrials{t.Variant, t.Scenario}
	shift, known := n.shift[key]
	if !known {
		shift = n.next[key]
		n.shift[key] = shift
	}
	t.Index.Value += shift
	n.next[key] = max(n.next[key], t.Index.Value+1)
}
