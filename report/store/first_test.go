package store_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

var makeFirst = flag.Bool("first", false,
	"make testdata/first.db, the store of the first version of the tables; it is never made again")

// A store of the first version of the tables is opened by every later one, with all that is in it.
func TestFirstVersionIsOpened(t *testing.T) {
	const kept = "testdata/first.db"
	if *makeFirst {
		if store.Version != 1 {
			t.Fatal("the first version is 1")
		}
		s, err := store.Open(t.Context(), kept, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		filled(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "first.db")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, name)
	// The same in a store of this version.
	now := open(t, filepath.Join(t.TempDir(), "now.db"))
	ids := filled(t, now)
	runs, tallies, baselines := everything(t, s)
	runs2, tallies2, baselines2 := everything(t, now)
	if diff := cmp.Diff([]any{runs2, tallies2, baselines2}, []any{runs, tallies, baselines},
		cmpopts.IgnoreFields(store.Run{}, "Added")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(collect(t, now, store.Query{}), collect(t, s, store.Query{}),
		cmpopts.IgnoreFields(trial.Trial{}, "Place")); diff != "" {
		t.Error(diff)
	}
	if len(runs) != len(ids) {
		t.Errorf("%d runs", len(runs))
	}
	// And it is written to.
	if again := filled(t, s); !cmp.Equal(again, ids) {
		t.Errorf("runs that are there are others: %v", again)
	}
	if added, err := s.Add(t.Context(), store.Run{Suite: "new"}, made(10, true)); err != nil || added.Known {
		t.Errorf("%+v, %v", added, err)
	}
}
