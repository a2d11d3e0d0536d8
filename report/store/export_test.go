package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// filled adds three runs, of which the second is baseline, a day apart from day on.
func filled(t *testing.T, s *store.Store) (ids []string) {
	t.Helper()
	for i := range 3 {
		r := store.Run{Kind: "run", Suite: "shop", Started: day.AddDate(0, 0, i).Add(1234 * time.Nanosecond),
			Key:   []string{"", "k", ""}[i],
			Build: fmt.Sprint(i), Result: &store.Result{Name: "tribunal/run/v1",
				Text: []byte("{\"schema\": \"tribunal/run/v1\"}\n")},
			Labels: map[string]string{"n": fmt.Sprint(i)}, Changed: []string{"model: <a> & \u2028b"}}
		added, err := s.Add(t.Context(), r, each(shop(t)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, added.ID)
	}
	if _, err := s.SetBaseline(t.Context(), store.Baseline{Name: "main", Who: "ann", At: day,
		Runs: ids[1:2]}); err != nil {
		t.Fatal(err)
	}
	return ids
}

// everything is what a store says of its runs.
func everything(t *testing.T, s *store.Store) (runs []*store.Run, tallies [][]store.Tally, baselines []store.Baseline) {
	t.Helper()
	list, err := s.Runs(t.Context(), store.Query{}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		run, err := s.Run(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		own, err := s.Tallies(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		runs, tallies = append(runs, run), append(tallies, own)
	}
	if baselines, err = s.Baselines(t.Context()); err != nil {
		t.Fatal(err)
	}
	return runs, tallies, baselines
}

// What is exported from one kind of store comes back from the other, pruned runs too, and once.
func TestExportAndImport(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		filled(t, s)
		if _, err := s.Prune(t.Context(), store.PruneOptions{Trials: day.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if n, err := s.Export(t.Context(), &text, store.Query{}); err != nil || n != 3 {
			t.Fatalf("%d, %v", n, err)
		}
		other := filepath.Join(t.TempDir(), "other.db")
		if !store.IsURL(name) {
			other = postgres(t)
		}
		o := open(t, other)
		for i, want := range []store.ImportResult{{Runs: 3}, {Known: 3}} {
			got, err := o.Import(t.Context(), bytes.NewReader(text.Bytes()))
			if err != nil || got != want {
				t.Errorf("import %d: %+v, %v", i, got, err)
			}
		}
		runs, tallies, baselines := everything(t, s)
		runs2, tallies2, baselines2 := everything(t, o)
		byName := cmpopts.SortSlices(func(a, b store.Tally) bool { return a.Version+a.Scenario < b.Version+b.Scenario })
		if diff := cmp.Diff([]any{runs, tallies, baselines}, []any{runs2, tallies2, baselines2},
			cmpopts.IgnoreFields(store.Run{}, "Added"), byName); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(collect(t, s, store.Query{}), collect(t, o, store.Query{}),
			cmpopts.IgnoreFields(trial.Trial{}, "Place")); diff != "" {
			t.Error(diff)
		}
		var again bytes.Buffer
		if _, err := o.Export(t.Context(), &again, store.Query{Suite: "shop"}); err != nil {
			t.Fatal(err)
		}
		if len(strings.Split(again.String(), "\n")) != len(strings.Split(text.String(), "\n")) {
			t.Error("another export")
		}
	})
}

// An export that was changed, or is none, adds nothing of the run that is wrong.
func TestBadExports(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "a.db"))
	filled(t, s)
	var b bytes.Buffer
	if _, err := s.Export(t.Context(), &b, store.Query{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for name, c := range map[string]struct {
		text, problem string
		runs          int
	}{
		"empty":         {"", "line 1", 0},
		"no export":     {`{"scenario":"a","outcome":"pass"}`, "line 1", 0},
		"later":         {`{"tribunal_store":{"version":99}}`, "version 99", 0},
		"an outcome":    {strings.Replace(text, `"outcome":"pass"`, `"outcome":"fail"`, 1), "line 2", 0},
		"no trial":      {strings.Replace(text, `"outcome":"fail"`, `"outcome":"odd"`, 1), "line 4", 0},
		"cut off":       {text[:len(text)-20], "no line of an export", 2},
		"something":     {text + "{}\n", "nothing of a store", 3},
		"trial at last": {text + `{"trial":{}}`, "nothing of a store", 3},
	} {
		t.Run(name, func(t *testing.T) {
			o := open(t, filepath.Join(t.TempDir(), "b.db"))
			_, err := o.Import(t.Context(), strings.NewReader(c.text))
			if _, ok := errors.AsType[*store.LineError](err); !ok || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%v, want %s", err, c.problem)
			}
			if n, err := o.Count(t.Context(), store.Query{}); n != c.runs || err != nil {
				t.Errorf("%d runs, %v", n, err)
			}
		})
	}
}

func TestPrune(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		filled(t, s)
		runs, tallies, _ := everything(t, s)
		p := store.PruneOptions{Traces: day.AddDate(0, 0, 3), Trials: day.Add(time.Hour), DryRun: true}
		// The first run loses its trials, the second is a baseline, the third loses what happened in its trials.
		want := store.PruneResult{Runs: 2, Traces: 3, Trials: 4}
		for _, dry := range []bool{true, false} {
			p.DryRun = dry
			if got, err := s.Prune(t.Context(), p); err != nil || got != want {
				t.Errorf("%+v, %v", got, err)
			}
		}
		if got, err := s.Prune(t.Context(), p); err != nil || got != (store.PruneResult{}) {
			t.Errorf("again: %+v, %v", got, err)
		}
		runs2, tallies2, _ := everything(t, s)
		if diff := cmp.Diff([]any{runs, tallies}, []any{runs2, tallies2}); diff != "" {
			t.Errorf("counts and results are kept: %s", diff)
		}
		got := collect(t, s, store.Query{})
		steps := 0
		for _, r := range got {
			if r.Steps != nil {
				steps++
			}
		}
		if len(got) != 8 || steps != 2 {
			t.Errorf("%d trials, %d with steps", len(got), steps)
		}
		var traces int
		if err := raw(t, name).QueryRow("SELECT count(*) FROM trace").Scan(&traces); err != nil || traces != 3 {
			t.Errorf("%d traces, %v", traces, err)
		}
		n := 0
		if err := s.Sample(t.Context(), store.Query{}, store.SampleOptions{Trials: 100}, 0,
			func(*trial.Trial) error { n++; return nil }); err != nil || n != 8 {
			t.Errorf("%d sampled, %v", n, err)
		}
	})
}

func TestNamesThatAreNoTextAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		_, err := s.Add(t.Context(), store.Run{Suite: "a\x00"}, each(nil))
		refused(t, err, "no text")
		bad := shop(t)[:1]
		bad[0].Scenario = "a\x00b"
		_, err = s.Add(t.Context(), store.Run{}, each(bad))
		refused(t, err, "no text")
	})
}

func TestInfo(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		filled(t, s)
		if _, err := s.Prune(t.Context(), store.PruneOptions{Trials: day.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		got, err := s.Info(t.Context())
		if err != nil || got.Bytes < 10_000 {
			t.Errorf("%d bytes, %v", got.Bytes, err)
		}
		want := store.Info{Version: store.Version, Runs: 3, Suites: 1, Trials: 12, Kept: 8, Names: []string{"main"},
			Earliest: day.Add(time.Microsecond), Latest: day.AddDate(0, 0, 2).Add(time.Microsecond)}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(store.Info{}, "Bytes")); diff != "" {
			t.Error(diff)
		}
	})
}
