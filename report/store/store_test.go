package store_test

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// records are trials as a file has them.
func records(t testing.TB, lines ...string) []*trial.Trial {
	t.Helper()
	var list []*trial.Trial
	for t2, err := range trial.Read(strings.NewReader(strings.Join(lines, "\n")), trial.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, t2.Clone())
	}
	return list
}

// each hands out trials.
func each(list []*trial.Trial) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		for _, t := range list {
			if !yield(t, nil) {
				return
			}
		}
	}
}

// shop is a run of two versions with all that a trial can have.
func shop(t testing.TB) []*trial.Trial {
	return records(t,
		`{"scenario":"refund","trial":0,"variant":"small","outcome":"pass","score":0.5,"started_at":"2026-03-01T10:00:00.25Z","duration_s":1.5,"cost_usd":0.25,"input_tokens":100,"output_tokens":20,"turns":2,"tool_calls":1,"steps":[{"action":"call_tool","tool":"lookup","arguments":{"id":7},"output":"found"},{"action":"respond"}],"input":"where is 7?","output":"here","tags":{"lane":"a"},"more":[1,2]}`,
		`{"scenario":"refund","trial":1,"variant":"small","outcome":"fail","cost_usd":0.75,"steps":[{"action":"call_tool","tool":"lookup","error":"gone"}]}`,
		`{"scenario":"greeting","trial":0,"variant":"large","outcome":"error","error":{"origin":"infrastructure","message":"timeout"}}`,
		`{"scenario":"greeting","trial":1,"variant":"large","outcome":"pass"}`,
	)
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func collect(t testing.TB, s *store.Store, q store.Query) []*trial.Trial {
	t.Helper()
	var list []*trial.Trial
	for t2, err := range s.Trials(t.Context(), q, 0) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, t2.Clone())
	}
	return list
}

// What is added comes back as it was, and once.
func TestTrialsComeBack(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		r := store.Run{Kind: "import", Suite: "shop", Commit: "4f0c", Branch: "main", Started: day,
			Verdict: "pass", Result: &store.Result{Name: "tribunal/run/v1", Text: []byte(`{"schema":"tribunal/run/v1"}`)},
			Labels: map[string]string{"model": "s"}}
		first, err := s.Add(t.Context(), r, each(shop(t)))
		if err != nil || first.Known || first.Replaced || first.Trials != 4 {
			t.Fatalf("%+v, %v", first, err)
		}
		again, err := s.Add(t.Context(), r, each(shop(t)))
		if want := (store.AddResult{ID: first.ID, Known: true, Trials: 4}); err != nil || again != want {
			t.Errorf("again: %+v, %v", again, err)
		}
		got := collect(t, s, store.Query{})
		// One version after the other.
		if diff := cmp.Diff(shop(t), got, cmpopts.IgnoreFields(trial.Trial{}, "Place")); diff != "" {
			t.Error(diff)
		}
		runs, err := s.Runs(t.Context(), store.Query{}, 0, 0)
		if err != nil || len(runs) != 1 {
			t.Fatalf("%d runs, %v", len(runs), err)
		}
		found, err := s.Run(t.Context(), first.ID[:6])
		if err != nil {
			t.Fatal(err)
		}
		want := r
		want.ID = first.ID
		want.Parts = []store.Part{
			{Version: "small", Sums: store.Sums{Trials: 2, Passes: 1, Failures: 1,
				Cost:    store.Sum{Known: 2, Total: 1, Squares: 0.625},
				Seconds: store.Sum{Known: 1, Total: 1.5, Squares: 2.25}, Tokens: store.Sum{Known: 1, Total: 120, Squares: 14400},
				Turns: store.Sum{Known: 1, Total: 2, Squares: 4}, Calls: store.Sum{Known: 1, Total: 1, Squares: 1}},
				Behaviour: &store.Behaviour{Trials: 2, Columns: map[string]store.Sum{
					"steps": {Known: 2, Total: 3, Squares: 5}, "failed steps": {Known: 1, Total: 1, Squares: 1},
					"tool lookup": {Known: 2, Total: 2, Squares: 2}}}},
			{Version: "large", Sums: store.Sums{Trials: 2, Passes: 1, Errors: 1}},
		}
		if diff := cmp.Diff(&want, found, cmpopts.IgnoreFields(store.Run{}, "Added")); diff != "" {
			t.Error(diff)
		}
	})
}

// A run of a key takes the place of the one before.
func TestARunGoesOn(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		r := store.Run{Key: "journal 1", Suite: "shop"}
		first, err := s.Add(t.Context(), r, each(shop(t)[:2]))
		if err != nil {
			t.Fatal(err)
		}
		second, err := s.Add(t.Context(), r, each(shop(t)))
		if want := (store.AddResult{ID: first.ID, Replaced: true, Trials: 4}); err != nil || second != want {
			t.Errorf("%+v, %v", second, err)
		}
		if got := collect(t, s, store.Query{}); len(got) != 4 {
			t.Errorf("%d trials", len(got))
		}
	})
}

// A sequence that fails leaves nothing behind.
func TestAFailedRunIsNotThere(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		problem := errors.New("torn")
		_, err := s.Add(t.Context(), store.Run{Suite: "shop"}, func(yield func(*trial.Trial, error) bool) {
			for range 5000 {
				if !yield(shop(t)[0], nil) {
					return
				}
			}
			yield(nil, problem)
		})
		if err != problem {
			t.Errorf("error %v", err)
		}
		if n, err := s.Count(t.Context(), store.Query{}); n != 0 || err != nil {
			t.Errorf("%d runs, %v", n, err)
		}
		if got := collect(t, s, store.Query{}); len(got) != 0 {
			t.Errorf("%d trials", len(got))
		}
	})
}

func TestQueries(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		for i, r := range []store.Run{
			{Suite: "shop", Branch: "main", Commit: "aa11", Started: day},
			{Suite: "shop", Branch: "feature", Commit: "bb22", Started: day.AddDate(0, 0, 1),
				Labels: map[string]string{"m": "1"}},
			{Suite: "other", Branch: "main", Commit: "aa33", Started: day.AddDate(0, 0, 2)},
		} {
			if _, err := s.Add(t.Context(), r, each(shop(t)[:2+i])); err != nil {
				t.Fatal(err)
			}
		}
		for text, want := range map[string][2]int{ // runs, trials
			"":                                {3, 9},
			"suite=shop":                      {2, 5},
			"branch=main":                     {2, 6},
			"commit=aa":                       {2, 6},
			"since=2026-03-02":                {2, 7},
			"since=2026-03-02,until=1d":       {1, 3},
			"last=1":                          {1, 4},
			"version=large":                   {2, 3},
			"agent=large,last=1":              {1, 2},
			"scenario=ref*":                   {3, 6},
			"scenario=refund,outcome=fail":    {3, 3},
			"scenario=none":                   {3, 0},
			"label.m=1":                       {1, 3},
			"label.m=2":                       {0, 0},
			"suite=shop,branch=main,commit=b": {0, 0},
		} {
			q, err := store.ParseQuery(text, day.AddDate(0, 0, 2).Add(12*time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			runs, err := s.Runs(t.Context(), q, 0, 0)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := s.Count(t.Context(), q); n != len(runs) || err != nil {
				t.Errorf("%s: counted %d, %v", text, n, err)
			}
			if got := [2]int{len(runs), len(collect(t, s, q))}; got != want {
				t.Errorf("%s: %v, want %v", text, got, want)
			}
			if again, err := store.ParseQuery(q.String(), day); err != nil || again.String() != q.String() {
				t.Errorf("%s: %s, %v", text, q, err)
			}
		}
	})
}

func TestBadQueries(t *testing.T) {
	for _, text := range []string{"suite", "suite=", "suite=a,suite=b", "sweet=shop", "since=yesterday", "last=0",
		"outcome=good", "label.=x"} {
		if _, err := store.ParseQuery(text, day); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestBaselines(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		added, err := s.Add(t.Context(), store.Run{Suite: "shop"}, each(shop(t)))
		if err != nil {
			t.Fatal(err)
		}
		b := store.Baseline{Name: "main", Who: "ann", Reason: "released", Runs: []string{added.ID}, At: day,
			Policy: store.Policy{MaxAge: time.Hour}}
		for range 2 {
			set, err := s.SetBaseline(t.Context(), b)
			if want := (&store.Baseline{"main", 1, day, "ann", "released", store.Policy{MaxAge: time.Hour},
				[]string{added.ID}}); err != nil ||
				!cmp.Equal(set, want) {
				t.Errorf("%+v, %v", set, err)
			}
		}
		b.Reason = "another"
		if _, err := s.SetBaseline(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		if found, err := s.Baseline(t.Context(), "main"); err != nil || found.Revision != 2 || found.Reason != "another" {
			t.Errorf("%+v, %v", found, err)
		}
		if list, err := s.Baselines(t.Context()); err != nil || len(list) != 2 {
			t.Errorf("%v, %v", list, err)
		}
		if got := collect(t, s, store.Query{Baseline: "main"}); len(got) != 4 {
			t.Errorf("%d trials", len(got))
		}
		if _, err := s.Baseline(t.Context(), "x"); err == nil {
			t.Error("a baseline that is not there")
		}
		b.Runs = []string{"00"}
		if _, err := s.SetBaseline(t.Context(), b); err == nil {
			t.Error("a run that is not there")
		}
	})
}

// Traces that are too long to be in one batch are kept in their order, to the byte.
func TestLongTraces(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		var want []*trial.Trial
		for i, length := range []int{9 << 20, 9 << 20, 1, 17 << 20, 2} {
			want = append(want, &trial.Trial{Scenario: "long", Variant: "agent", Index: trial.Some(i), Outcome: trial.Pass,
				Output: trial.RawString(strings.Repeat(fmt.Sprint(i), length))})
		}
		if _, err := s.Add(t.Context(), store.Run{}, each(want)); err != nil {
			t.Fatal(err)
		}
		for x, err := range s.Trials(t.Context(), store.Query{}, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 || x.Index != want[0].Index || string(x.Output) != string(want[0].Output) {
				t.Fatalf("trial %v has %d bytes", x.Index, len(x.Output))
			}
			want = want[1:]
		}
		if len(want) > 0 {
			t.Errorf("%d trials are missing", len(want))
		}
	})
}

// PostgreSQL plans with the numbers of rows that there are, also where it does not count them by itself.
func TestPostgresKnowsTheSizeOfItsTables(t *testing.T) {
	name := postgres(t)
	s := open(t, name)
	for i := range 64 {
		if _, err := s.Add(t.Context(), store.Run{Build: fmt.Sprint(i)}, each(shop(t))); err != nil {
			t.Fatal(err)
		}
	}
	var runs, trials float64
	if err := raw(t, name).QueryRow("SELECT (SELECT reltuples FROM pg_class WHERE oid = 'run'::regclass), (SELECT reltuples "+
		"FROM pg_class WHERE oid = 'trial'::regclass)").Scan(&runs, &trials); err != nil {
		t.Fatal(err)
	}
	if want := float64(len(shop(t))) * runs; runs < 63 || trials < want {
		t.Errorf("it knows of %v runs and %v trials", runs, trials)
	}
}
