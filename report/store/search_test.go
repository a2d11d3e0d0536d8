package store_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
)

// nights adds runs of a suite, one a day, each of four trials, and returns their IDs.
func nights(t testing.TB, s *store.Store, n int) (ids []string) {
	t.Helper()
	for i := range n {
		added, err := s.Add(t.Context(), store.Run{Kind: "run", Suite: "shop", Build: fmt.Sprint(i),
			Started: day.AddDate(0, 0, i)}, each(shop(t)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, added.ID)
	}
	return ids
}

// lookThrough is a search as it is meant, one trial after the other: those that are found, how many were looked at, and
// behind which it goes on.
func lookThrough(trials, sought []string, after string, most, look int) (found []string, looked int, next string) {
	for _, id := range trials[slices.Index(trials, after)+1:] {
		if len(found) >= most || looked >= look {
			return found, looked, next
		}
		looked, next = looked+1, id
		if slices.Contains(sought, id) {
			found = append(found, id)
		}
	}
	return found, looked, ""
}

// A search that goes on behind itself finds what a reading of everything does, the newest run first.
func TestSearchGoesOn(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		ids := nights(t, s, 7)
		slices.Reverse(ids)
		for _, c := range []struct {
			search store.Search
			want   []string // of each run: its trials
		}{
			{store.Search{}, []string{"0/0", "0/1", "1/0", "1/1"}},
			{store.Search{Query: store.Query{Outcome: trial.Pass}}, []string{"0/0", "1/1"}},
			{store.Search{Query: store.Query{Scenario: "gre*"}}, []string{"1/0", "1/1"}},
			{store.Search{Query: store.Query{Version: "small", Outcome: trial.Fail}}, []string{"0/1"}},
			{store.Search{Text: "TIMEOUT"}, []string{"1/0"}},
			{store.Search{Text: "Where is 7?"}, []string{"0/0"}},
			{store.Search{Text: `"lane":"A"`}, []string{"0/0"}},
			{store.Search{Text: "nowhere"}, nil},
			{store.Search{Query: store.Query{Suite: "other"}}, nil},
		} {
			var want, all []string
			for _, id := range ids {
				for _, at := range c.want {
					want = append(want, id+"/"+at)
				}
				for _, at := range []string{"0/0", "0/1", "1/0", "1/1"} {
					if q := c.search.Query; q.Suite == "" && (q.Version == "" || at[0] == '0') {
						all = append(all, id+"/"+at)
					}
				}
			}
			for _, bounds := range [][2]int{{0, 0}, {1, 0}, {3, 2}, {100, 1}, {2, 5}} {
				c.search.Most, c.search.Look, c.search.After = bounds[0], bounds[1], store.TrialID{}
				var got []string
				for pages := 0; ; pages++ {
					found, err := s.Search(t.Context(), c.search)
					if err != nil || pages > 40 {
						t.Fatalf("%+v: %v after %d pages", c.search, err, pages)
					}
					after, next := "", ""
					if c.search.After.Run != "" {
						after = c.search.After.String()
					}
					if found.Next.Run != "" {
						next = found.Next.String()
					}
					most, look := 50, 3000
					if bounds[0] > 0 {
						most = bounds[0]
					}
					if bounds[1] > 0 {
						look = bounds[1]
					}
					some, looked, on := lookThrough(all, want, after, most, look)
					if len(found.Trials) != len(some) || found.Looked != looked || next != on {
						t.Errorf("%+v: %d found of %d, going on behind %q; want %d of %d, %q", c.search, len(found.Trials), found.Looked,
							next, len(some), looked, on)
					}
					for _, k := range found.Trials {
						got = append(got, k.ID.String())
						if text := c.search.Text; !strings.Contains(strings.ToLower(k.Excerpt), strings.ToLower(text)) {
							t.Errorf("%q is not in %q", text, k.Excerpt)
						}
					}
					if c.search.After = found.Next; found.Next.Run == "" {
						break
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%+v, %v: %s", c.search, bounds, diff)
				}
			}
		}
	})
}

func TestTrialByItsID(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		run := nights(t, s, 2)[1]
		all := shop(t)
		for i, at := range []string{"/0/0", "/0/1", "/1/0", "/1/1"} {
			id, ok := store.ParseTrialID(run + at)
			if !ok || id.String() != run+at {
				t.Fatalf("%s is read as %v, %v", run+at, id, ok)
			}
			k, err := s.Trial(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(all[i], k.Trial, cmpopts.IgnoreFields(trial.Trial{}, "Place")); diff != "" {
				t.Errorf("%v: %s", id, diff)
			}
			if k.Suite != "shop" || !k.Started.Equal(day.AddDate(0, 0, 1)) {
				t.Errorf("%v is of %q at %v", id, k.Suite, k.Started)
			}
		}
		for _, at := range []string{"/0/2", "/2/0"} {
			id, _ := store.ParseTrialID(run + at)
			if _, err := s.Trial(t.Context(), id); err == nil || !strings.Contains(err.Error(), "holds no trial") {
				t.Errorf("%v: %v", id, err)
			}
		}
	})
	for _, text := range []string{"", "a", "a/0", "a/0/0/0", "A/0/0", "../0/0", "a/-1/0", "a/0/-1", "a/+1/0", "a/01/0",
		"a/0/1 ",
		"a/99999999999/0", strings.Repeat("a", 65) + "/0/0"} {
		if id, ok := store.ParseTrialID(text); ok {
			t.Errorf("%q is read as %v", text, id)
		}
	}
}

func TestSuitesOfAStore(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		nights(t, s, 3)
		for i, suite := range []string{"other", "", "other"} {
			if _, err := s.Add(t.Context(), store.Run{Suite: suite, Build: fmt.Sprint(i),
				Started: day.Add(-time.Duration(i) * time.Hour)},
				each(shop(t)[:1])); err != nil {
				t.Fatal(err)
			}
		}
		want := []store.SuiteRuns{{"shop", 3, day.AddDate(0, 0, 2)}, {"other", 2, day}, {"", 1, day.Add(-time.Hour)}}
		got, err := s.Suites(t.Context(), 0, 0)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(diff, err)
		}
		if got, err = s.Suites(t.Context(), 1, 1); err != nil || !cmp.Equal(want[1:2], got) {
			t.Error(got, err)
		}
	})
}

// A version that few runs have, or old ones alone, is found as one that all have.
func TestRunsOfAVersion(t *testing.T) {
	if testing.Short() {
		t.Skip("it adds some hundred runs, one after another")
	}
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		const common = 403 // more than a statement lists
		for i := range common {
			version := map[bool]string{true: "rare", false: "old"}[i == 70]
			if i > 401 {
				version = "new"
			}
			if _, err := s.Add(t.Context(), store.Run{Suite: "shop", Build: fmt.Sprint(i),
				Started: day.Add(time.Duration(i) * time.Minute)},
				each(records(t, `{"scenario":"a","outcome":"pass","variant":"both"}`,
					`{"scenario":"a","outcome":"pass","variant":"`+version+`"}`))); err != nil {
				t.Fatal(err)
			}
		}
		// In more parts than a statement looks at.
		found, err := s.Search(t.Context(), store.Search{Most: 1000})
		if err != nil || len(found.Trials) != 2*common || found.Looked != 2*common {
			t.Errorf("%d trials are found of %d: %v", len(found.Trials), found.Looked, err)
		}
		for version, want := range map[string]int{"rare": 1, "old": common - 2, "new": 1, "both": common, "none": 0} {
			runs, err := s.Runs(t.Context(), store.Query{Version: version}, 0, 0)
			if err != nil || len(runs) != want {
				t.Errorf("%d runs have version %s, not %d: %v", len(runs), version, want, err)
			}
			if n, err := s.Count(t.Context(), store.Query{Version: version}); err != nil || n != want {
				t.Errorf("%d runs of version %s are counted: %v", n, version, err)
			}
			for _, r := range runs {
				if len(r.Parts) != 1 || r.Parts[0].Version != version {
					t.Fatalf("version %s: %+v", version, r.Parts)
				}
			}
			found, err := s.Search(t.Context(), store.Search{Query: store.Query{Scenario: "a", Version: version}, Most: 1000})
			if err != nil || len(found.Trials) != want || found.Looked != want || found.Next.Run != "" {
				t.Errorf("%d trials of version %s are found of %d: %v", len(found.Trials), version, found.Looked, err)
			}
		}
	})
}

// A search that asks why has the errors and judgements of trials that did not pass, and of no others; a trace that is too
// large for a list is left out.
func TestSearchSaysWhy(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		judged := func(i int, o trial.Outcome) *trial.Trial {
			return &trial.Trial{Scenario: "refund", Index: trial.Some(i), Outcome: o,
				Extra: []trial.Member{{Name: "judgement", Value: trial.Raw(`{"text":"too long"}`)}}}
		}
		list := []*trial.Trial{judged(0, trial.Pass), judged(1, trial.Fail), judged(2, trial.Error), judged(3, trial.Fail)}
		list[2].Error = &trial.Cause{Origin: "agent", Type: "exit", Message: "no key"}
		noise := make([]byte, 100_000)
		random := rand.New(rand.NewPCG(1, 2))
		for i := range noise {
			noise[i] = byte('a' + random.IntN(26))
		}
		list[3].Output = trial.RawString(string(noise))
		if _, err := s.Add(t.Context(), store.Run{Kind: "run", Suite: "shop", Started: day}, each(list)); err != nil {
			t.Fatal(err)
		}
		for _, why := range []bool{false, true} {
			found, err := s.Search(t.Context(), store.Search{Why: why})
			if err != nil || len(found.Trials) != len(list) {
				t.Fatal(found, err)
			}
			for i, k := range found.Trials {
				says := len(k.Trial.Extra) == 1 && string(k.Trial.Extra[0].Value) == `{"text":"too long"}`
				if want := why && (i == 1 || i == 2); says != want {
					t.Errorf("asked why: %t, trial %d has %v", why, i, k.Trial.Extra)
				}
				if e := k.Trial.Error; (e != nil && e.Message == "no key") != (why && i == 2) {
					t.Errorf("asked why: %t, trial %d has the error %v", why, i, e)
				}
			}
		}
	})
}

// Heads are the runs without what is not in their rows.
func TestHeads(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s := open(t, name)
		nights(t, s, 5)
		runs, err := s.Runs(t.Context(), store.Query{Suite: "shop"}, 1, 3)
		if err != nil || len(runs) != 3 || runs[0].Parts == nil {
			t.Fatal(runs, err)
		}
		heads, err := s.Heads(t.Context(), store.Query{Suite: "shop"}, 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		for i := range runs {
			runs[i].Parts, runs[i].Labels = nil, nil
		}
		if diff := cmp.Diff(runs, heads, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
