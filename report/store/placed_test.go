package store_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// A trial is at its place among all of its part, also where a query leaves others out, and where it is drawn.
func TestTrialsHavePlaces(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		interleaved := shop(t)
		interleaved[1], interleaved[2] = interleaved[2], interleaved[1]
		added, err := s.Add(t.Context(), store.Run{Kind: "import", Suite: "shop"}, each(interleaved))
		if err != nil {
			t.Fatal(err)
		}
		said := func(x *trial.Trial) string { return x.Variant + " " + x.Scenario + " " + x.Outcome.String() }
		want := map[store.TrialID]string{}
		for i, x := range shop(t) { // the first two are of one version
			want[store.TrialID{Run: added.ID, Part: i / 2, Position: int64(i % 2)}] = said(x)
		}
		looked := 0
		look := func(q store.Query, p store.PlacedTrial) {
			looked++
			if want[p.ID] != said(p.Trial) {
				t.Errorf("%q: %v is %q, want %q", q, p.ID, said(p.Trial), want[p.ID])
			}
			kept, err := s.Trial(t.Context(), p.ID)
			if err != nil || said(kept.Trial) != said(p.Trial) {
				t.Errorf("%v: %v, %v", p.ID, kept, err)
			}
		}
		for _, q := range []store.Query{{}, {Version: "large"}, {Outcome: trial.Error}} {
			for p, err := range s.Find(t.Context(), q, 0) {
				if err != nil {
					t.Fatal(err)
				}
				look(q, p)
			}
			if err := s.SampleWithPlaces(t.Context(), q, store.SampleOptions{Trials: 9, Seed: 1}, 0,
				func(p store.PlacedTrial) error {
					look(q, p)
					return nil
				}); err != nil {
				t.Fatal(err)
			}
		}
		if looked != 2*(4+2+1) {
			t.Errorf("%d trials", looked)
		}
	})
}

// How tests stopped the trials comes back for the variant and the scenarios that are asked for, the earliest run first.
func TestStopsOfAQuery(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		stop := func(test, variant string, judged int) recording.Stop {
			return recording.Stop{Test: test, Variant: variant, Scenarios: []string{test}, Design: "sha256:0", Judged: judged,
				Outcome: "pass",
				Sample:  &baseline.SampleRecord{Sequential: &baseline.StopsRecord{MaxTrials: 9, Boundaries: "p3"}}}
		}
		later := []recording.Stop{stop("refund", "small", 1), stop("order", "large", 2)}
		earlier := []recording.Stop{stop("refund", "", 3)}
		for _, r := range []store.Run{
			{Suite: "shop", Started: day.AddDate(0, 0, 1), Stops: later}, {Suite: "shop", Started: day, Stops: earlier},
			{Suite: "fixed"},
		} {
			if _, err := s.Add(t.Context(), r, each(shop(t))); err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			query store.Query
			want  []recording.Stop
		}{
			{store.Query{Suite: "fixed"}, nil},
			{store.Query{}, []recording.Stop{earlier[0], later[0], later[1]}},
			{store.Query{Version: "large"}, []recording.Stop{earlier[0], later[1]}},
			{store.Query{Scenario: "ref*", Since: day.AddDate(0, 0, 1)}, later[:1]},
			{store.Query{Last: 1, Suite: "shop"}, later},
		} {
			got, err := s.Stops(t.Context(), c.query)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%q (-want +got):\n%s", c.query, diff)
			}
		}
	})
}

// A saved result is of one run.
func TestSavedResultOfAQuery(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		result := &store.Result{Name: "tribunal/run/v1", Text: []byte(`{"schema":"tribunal/run/v1"}`)}
		for _, r := range []store.Run{{Suite: "shop", Started: day, Result: result},
			{Suite: "shop", Started: day.AddDate(0, 0, -1)}} {
			if _, err := s.Add(t.Context(), r, each(shop(t))); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Saved(t.Context(), store.Query{Last: 1})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(result, got); diff != "" {
			t.Error(diff)
		}
		for _, q := range []store.Query{{}, {Suite: "nowhere"}, {Until: day}} {
			if got, err := s.Saved(t.Context(), q); err == nil {
				t.Errorf("%q: %v", q, got)
			}
		}
	})
}

// A run is found by its key, also by who adds it again.
func TestRunOfAKey(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		if r, err := s.RunOfKey(t.Context(), "journal 1"); r != nil || err != nil {
			t.Errorf("%v, %v", r, err)
		}
		for _, key := range []string{"journal 1", "journal 2"} {
			if _, err := s.Add(t.Context(), store.Run{Key: key, Suite: key, Started: day}, each(shop(t))); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.RunOfKey(t.Context(), "journal 1")
		if err != nil || r == nil || r.Suite != "journal 1" || !r.Started.Equal(day) {
			t.Errorf("%+v, %v", r, err)
		}
	})
}
