package store_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// nightly are runs over some weeks, on two branches and of two versions, and one whose time is not known.
func nightly(t testing.TB, s *store.Store, runs int) {
	t.Helper()
	random := seeded.Stream(7, 0)
	for i := range runs {
		r := store.Run{Kind: "run", Suite: "shop", Commit: fmt.Sprintf("c%03d", i), Branch: []string{"main", "side"}[i%3/2],
			Key:     fmt.Sprint("night ", i),
			Started: day.Add(time.Duration(i)*7*time.Hour + time.Duration(random.IntN(3600))*time.Second)}
		if i == 0 {
			r.Started = time.Time{}
		}
		if _, err := s.Add(t.Context(), r, each(night(random.IntN(100), 3+random.IntN(4)))); err != nil {
			t.Fatal(err)
		}
	}
	other := store.Run{Kind: "run", Suite: "other", Started: day}
	if _, err := s.Add(t.Context(), other, each(night(1, 5))); err != nil {
		t.Fatal(err)
	}
}

// night is trials of two versions and three scenarios.
func night(seed, trials int) (list []*trial.Trial) {
	for i := range trials {
		for v, version := range []string{"small", "large"} {
			x := &trial.Trial{Scenario: fmt.Sprintf("s-%d", i%3), Variant: version, Index: trial.Some(i),
				Outcome: []trial.Outcome{trial.Pass, trial.Fail, trial.Pass, trial.Error}[(seed*i+v)%4],
				CostUSD: trial.Some(float64(seed+i) / 8), Turns: trial.Some(1 + i%2)}
			if i == 0 {
				x.Steps = []trial.Step{{Action: trial.CallTool, Tool: fmt.Sprint("tool ", seed%2)}}
			}
			list = append(list, x)
		}
	}
	return list
}

// byHand is the history of a query, from its trials and runs one by one.
func byHand(t testing.TB, s *store.Store, q store.Query) (list []store.Point) {
	t.Helper()
	runs, err := s.Runs(t.Context(), q, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		r := runs[len(runs)-1-i]
		p := store.Point{From: r.Started, Until: r.Started, Runs: 1, ID: r.ID, Commit: r.Commit, Branch: r.Branch}
		one := q
		one.Run = r.ID
		for _, x := range collect(t, s, one) {
			p.Trials++
			switch x.Outcome {
			case trial.Pass:
				p.Passes++
			case trial.Fail:
				p.Failures++
			case trial.Error:
				p.Errors++
			}
			for _, m := range []struct {
				sum   *store.Sum
				value float64
			}{{&p.Cost, x.CostUSD.Value}, {&p.Turns, float64(x.Turns.Value)}} {
				m.sum.Known++
				m.sum.Total += m.value
				m.sum.Squares += m.value * m.value
			}
		}
		if len(r.Parts) > 0 {
			p.Behaviour = r.Parts[0].Behaviour
		}
		if p.Trials > 0 {
			list = append(list, p)
		}
	}
	return list
}

// A history is what its runs come to, whichever way it is read.
func TestHistory(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		nightly(t, s, 60)
		weeks := func(n int) time.Time { return day.Add(time.Duration(n)*7*24*time.Hour + 5*time.Minute) }
		for _, q := range []store.Query{
			{Suite: "shop", Version: "small"}, {Suite: "shop", Version: "large", Branch: "main"}, {Suite: "shop"},
			{Suite: "shop", Version: "small", Since: weeks(1)}, {Suite: "shop", Version: "small", Since: weeks(0),
				Until: weeks(2)},
			{Suite: "shop", Version: "small", Since: weeks(1), Until: weeks(1).Add(40 * time.Minute)},
			{Suite: "shop", Version: "small", Scenario: "s-[12]"}, {Suite: "shop", Version: "small", Scenario: "none"},
			{Suite: "shop", Version: "large", Last: 7}, {Version: "agent"}, {Suite: "shop", Commit: "c01"},
		} {
			want := byHand(t, s, q)
			got, err := s.History(t.Context(), q, store.HistoryOptions{Behaviour: true})
			if err != nil {
				t.Fatal(err)
			}
			if q.Scenario != "" {
				for i := range want {
					want[i].Behaviour = nil // is of all scenarios
				}
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%v: %s", q, diff)
			}
			for _, o := range []store.HistoryOptions{{Most: 5, Behaviour: true}, {Most: 9, Behaviour: true, Apart: 1},
				{Most: 2, Apart: 1}} {
				got, err := s.History(t.Context(), q, o)
				if err != nil {
					t.Fatal(err)
				}
				// Three more where a time that is asked for cuts days in two, and where times are not known.
				if len(got) > o.Most+3 {
					t.Errorf("%v, %+v: %d points", q, o, len(got))
				}
				inPoints(t, fmt.Sprint(q, o), want, got, o.Behaviour)
			}
		}
	})
}

// inPoints checks that points are those of runs, taken together.
func inPoints(t *testing.T, name string, runs, points []store.Point, behaviour bool) {
	t.Helper()
	for i, p := range points {
		if p.Runs > len(runs) {
			t.Fatalf("%s: point %d has %d runs, and %d are left", name, i, p.Runs, len(runs))
		}
		want := runs[p.Runs-1]
		want.From, want.Runs = runs[0].From, p.Runs
		if !behaviour {
			want.Behaviour = nil
		}
		for _, r := range runs[:p.Runs-1] {
			want.Plus(r.Sums)
		}
		near := cmpopts.EquateApprox(1e-12, 0)
		if diff := cmp.Diff(want, p, near); diff != "" {
			t.Fatalf("%s: point %d: %s", name, i, diff)
		}
		runs = runs[p.Runs:]
	}
	if len(runs) > 0 {
		t.Errorf("%s: %d runs are in no point", name, len(runs))
	}
}

// What is replaced, and what is added twice, is counted once.
func TestStrands(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		nightly(t, s, 12)
		for i, trials := range []int{9, 9, 2} {
			r := store.Run{Kind: "run", Suite: "shop", Branch: "main", Key: "night 4",
				Started: day.Add(time.Duration(i/2) * time.Hour)}
			if _, err := s.Add(t.Context(), r, each(night(3, trials))); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Strands(t.Context(), store.Query{})
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 6 {
			t.Errorf("%d strands: %+v", len(got), got)
		}
		for _, strand := range got {
			q := store.Query{Suite: strand.Suite, Version: strand.Version, Branch: strand.Branch}
			want := byHand(t, s, q)
			if strand.Branch == "" {
				want = byHand(t, s, store.Query{Suite: "other", Version: strand.Version})
			}
			trials := 0
			for _, p := range want {
				trials += p.Trials
			}
			if strand.Runs != len(want) || strand.Trials != trials || !strand.Latest.Equal(want[len(want)-1].Until) ||
				!strand.First.Equal(want[0].From) {
				t.Errorf("%+v, and there are %d runs of %d trials", strand, len(want), trials)
			}
			points, err := s.History(t.Context(), q, store.HistoryOptions{Most: 1, Apart: 1})
			if err != nil {
				t.Fatal(err)
			}
			inPoints(t, fmt.Sprint(q), want, points, false)
		}
		one, err := s.Strands(t.Context(), store.Query{Suite: "other"})
		if err != nil || len(one) != 2 || one[0].Suite != "other" {
			t.Errorf("%+v, %v", one, err)
		}
	})
}

// The sums of scenarios are those of all runs together.
func TestScenarios(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		nightly(t, s, 9)
		for _, q := range []store.Query{
			{Suite: "shop", Version: "small"}, {Suite: "shop", Version: "large", Last: 3},
			{Suite: "shop", Version: "small", Scenario: "s-1"},
			{Suite: "shop", Version: "small", Since: day.Add(24 * time.Hour)},
		} {
			want := map[string]store.Sums{}
			runs, err := s.Runs(t.Context(), q, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range runs {
				list, err := s.Tallies(t.Context(), r.ID)
				if err != nil {
					t.Fatal(err)
				}
				for _, x := range list {
					if x.Version == q.Version && (q.Scenario == "" || q.Scenario == x.Scenario) {
						sums := want[x.Scenario]
						sums.Plus(x.Sums)
						want[x.Scenario] = sums
					}
				}
			}
			got := map[string]store.Sums{}
			list, err := s.Scenarios(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range list {
				got[x.Scenario] = x.Sums
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })); diff != "" {
				t.Errorf("%v: %s", q, diff)
			}
		}
	})
}

// Experiments are no points of a history that is a suite's own, be it read run by run or by periods, and their versions
// are none of its own; by their kind they are there.
func TestExperiments(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		nightly(t, s, 9)
		own := store.Query{Suite: "shop", Version: "small", Own: true}
		want := byHand(t, s, store.Query{Suite: "shop", Version: "small"})
		strands, err := s.Strands(t.Context(), store.Query{Suite: "shop"})
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range []string{"mutate", "race", "relate", "conform"} {
			list := night(i, 4)
			for k, x := range list {
				if k%2 == 1 {
					x.Variant = "M10"
				}
			}
			r := store.Run{Kind: kind, Suite: "shop", Branch: "main",
				Started: day.Add(time.Duration(i) * 30 * time.Hour)}
			if _, err := s.Add(t.Context(), r, each(list)); err != nil {
				t.Fatal(err)
			}
			if points, err := s.History(t.Context(), store.Query{Suite: "shop", Version: "M10", Kind: kind, Own: true},
				store.HistoryOptions{}); err != nil || len(points) != 1 {
				t.Errorf("%s: %d points, %v", kind, len(points), err)
			}
		}
		for _, o := range []store.HistoryOptions{{}, {Most: 100}, {Most: 1, Apart: 1}} {
			points, err := s.History(t.Context(), own, o)
			if err != nil {
				t.Fatal(err)
			}
			inPoints(t, "its own", want, points, false)
		}
		after, err := s.Strands(t.Context(), store.Query{Suite: "shop", Own: true})
		if err != nil || len(after) != len(strands) {
			t.Errorf("%+v, not %+v: %v", after, strands, err)
		}
		races, err := s.Strands(t.Context(), store.Query{Suite: "shop", Kind: "race", Own: true})
		if err != nil || len(races) != 2 || races[0].Branch != "main" || races[1].Branch != "main" {
			t.Errorf("of races: %+v, %v", races, err)
		}
		runs, err := s.Runs(t.Context(), store.Query{Suite: "shop"}.WithoutExperiments(), 0, 0)
		if err != nil || len(runs) != 9 {
			t.Errorf("%d runs, %v", len(runs), err)
		}
	})
}
