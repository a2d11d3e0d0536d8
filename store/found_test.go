package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// A trial is at its position among all of its run, part by part, also where a query leaves others out.
func TestTrialsHavePlaces(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		interleaved := shop(t)
		interleaved[1], interleaved[2] = interleaved[2], interleaved[1]
		added, err := s.Add(t.Context(), store.Run{Kind: "import", Suite: "shop"}, each(interleaved))
		if err != nil {
			t.Fatal(err)
		}
		all := map[int]string{}
		for _, q := range []store.Query{{}, {Version: "large"}, {Outcome: trial.Error}, {Scenario: "refund"}} {
			var places []string
			for f, err := range s.Find(t.Context(), q, 0) {
				if err != nil {
					t.Fatal(err)
				}
				if f.Run != added.ID {
					t.Errorf("%q: run %s", q, f.Run)
				}
				what := f.Trial.Variant + " " + f.Trial.Scenario + " " + f.Trial.Outcome.String()
				if q.String() == "" {
					all[f.Position] = what
				} else if all[f.Position] != what {
					t.Errorf("%q: %d is %s, not %s", q, f.Position, all[f.Position], what)
				}
				places = append(places, fmt.Sprint(f.Position))
			}
			if len(places) == 0 {
				t.Errorf("%q means no trial", q)
			}
			if q.Version == "large" && !slices.Equal(places, []string{"2", "3"}) {
				t.Errorf("the second part begins at %v", places)
			}
		}
		for position, what := range all {
			x, err := s.TrialAt(t.Context(), added.ID[:8], position)
			if err != nil || x.Variant+" "+x.Scenario+" "+x.Outcome.String() != what {
				t.Errorf("%d: %v, %v", position, x, err)
			}
		}
		for _, position := range []int{-1, 4} {
			x, err := s.TrialAt(t.Context(), added.ID, position)
			if problem, ok := errors.AsType[*store.Error](err); !ok || problem.Hint() == "" {
				t.Errorf("%d: %v, %v", position, x, err)
			}
		}
	})
}

// How tests stopped the trials comes back for the variant and the scenarios that are asked for, the earliest run first.
func TestStopsOfAQuery(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		stop := func(test, variant string, judged int) recording.Stop {
			return recording.Stop{Test: test, Variant: variant, Scenarios: []string{test}, Design: "sha256:0", Judged: judged, Outcome: "pass",
				Sample: &baseline.SampleRecord{Sequential: &baseline.StopsRecord{MaxTrials: 9, Boundaries: "p3"}}}
		}
		later := []recording.Stop{stop("refund", "small", 1), stop("order", "large", 2)}
		earlier := []recording.Stop{stop("refund", "", 3)}
		for _, r := range []store.Run{
			{Suite: "shop", Started: day.AddDate(0, 0, 1), Stops: later}, {Suite: "shop", Started: day, Stops: earlier}, {Suite: "fixed"},
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
		for _, r := range []store.Run{{Suite: "shop", Started: day, Result: result}, {Suite: "shop", Started: day.AddDate(0, 0, -1)}} {
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
