package runs_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// short are designs that can be enumerated.
func short(t *testing.T, maxTrials int) sprt.Design {
	t.Helper()
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.3, Alpha: 0.1, Beta: 0.1}, maxTrials)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// saved is the result of a run of one scenario, whose outcomes are letters: p, f and e.
func saved(t *testing.T, d sprt.Design, outcomes string) *runs.Result {
	t.Helper()
	e := runs.TestEvidence{Name: "a", Scenarios: []string{"a"}, Design: d}
	letters := map[rune]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}
	for i, letter := range outcomes {
		x := &trial.Trial{Scenario: "a", Outcome: letters[letter]}
		e.Trials = append(e.Trials, runs.TrialEvidence{Scenario: "a", Number: i, Trial: x})
	}
	r, err := runs.Judge(t.Context(), runs.Evidence{Suite: "s", Digest: "sha256:d", Version: "1",
		Tests: []runs.TestEvidence{e},
		Task:  &runs.Task{Digest: "sha256:t"}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sequences calls stop with every sequence of outcomes at whose end the boundaries stop a test.
func sequences(b sprt.Boundaries, stop func(outcomes string, failures int)) {
	var visit func(outcomes string, f int)
	visit = func(outcomes string, f int) {
		n := len(outcomes)
		if n > 0 && (f <= b.PassAtOrBelow[n-1] || f >= b.FailAtOrAbove[n-1] || n == b.MaxTrials()) {
			stop(outcomes, f)
			return
		}
		visit(outcomes+"p", f)
		visit(outcomes+"f", f+1)
	}
	visit("", 0)
}

// probability is that of a sequence with so many trials and failures at a pass rate.
func probability(o baseline.Outcome, rate float64) float64 {
	return math.Pow(rate, float64(o.Passes())) * math.Pow(1-rate, float64(o.Failures))
}

// Two runs that a test stopped and one of a fixed length are pooled: what they may have come to together, and the
// errors of the test of a candidate against it, are those of every sequence of outcomes of all of them.
func TestPooledRunsKeepTheErrors(t *testing.T) {
	t.Parallel()
	first, second := short(t, 10), short(t, 8)
	recorded, err := sprt.Recording(5)
	if err != nil {
		t.Fatal(err)
	}
	// The ends of each run, with the number of sequences and one of them.
	type ends map[baseline.Outcome]struct {
		run   *runs.Result
		paths float64
	}
	var all []ends
	for _, d := range []sprt.Design{first, second, recorded} {
		byOutcome := ends{}
		sequences(d.Boundaries, func(outcomes string, f int) {
			o := baseline.Outcome{Trials: len(outcomes), Failures: f}
			end := byOutcome[o]
			if end.run == nil {
				end.run = saved(t, d, outcomes)
			}
			end.paths++
			byOutcome[o] = end
		})
		all = append(all, byOutcome)
	}
	// What they come to together, by what the saved runs say, with the number of sequences.
	pooled := map[baseline.Outcome]float64{}
	var sample baseline.Sample
	for _, a := range all[0] {
		for _, b := range all[1] {
			for _, c := range all[2] {
				name := runs.Baseline{Name: "main", Runs: []runs.BaselineRun{{"1", a.run}, {"2", b.run}, {"3", c.run}}}
				if err := name.Check(); err != nil {
					t.Fatal(err)
				}
				r, err := name.Recorded("a")
				if err != nil {
					t.Fatal(err)
				}
				if r.Outcome != r.Worst || r.Errors != 0 || r.Counts().Fails != r.Outcome.Failures {
					t.Fatalf("%+v", r)
				}
				pooled[r.Outcome] += a.paths * b.paths * c.paths
				sample = r.Sample
			}
		}
	}
	if got := sample.Outcomes(); len(got) != len(pooled) {
		t.Fatalf("%d outcomes, by enumeration %d", len(got), len(pooled))
	}
	h := baseline.Hypotheses{Delta: 0.4, Alpha: 0.15, Beta: 0.2, Guarded: stats.Interval{Low: 0.75, High: 1}}
	plan, err := baseline.Stored(t.Context(), h, sample, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rate := range []float64{0.75, 0.8, 0.85, 0.9, 0.95, 0.99, 1} {
		var fail, pass float64
		for o, paths := range pooled {
			x := paths * probability(o, rate)
			if got := sample.Probability(o, rate); math.Abs(got-x) > 1e-12 {
				t.Errorf("P(%v) at %v is %v, by enumeration %v", o, rate, got, x)
			}
			b, ok := plan.Family.Boundaries(o)
			if !ok {
				continue // Inconclusive
			}
			sequences(b, func(outcomes string, f int) {
				end := baseline.Outcome{Trials: len(outcomes), Failures: f}
				switch n := len(outcomes); {
				case f <= b.PassAtOrBelow[n-1]:
					pass += x * probability(end, rate-h.Delta)
				case f >= b.FailAtOrAbove[n-1]:
					fail += x * probability(end, rate)
				}
			})
		}
		if fail > h.Alpha || pass > h.Beta {
			t.Errorf("at %v: P(Fail) %v, P(Pass) %v", rate, fail, pass)
		}
		if got := plan.Family.At(rate, rate).Fail; math.Abs(got-fail) > 1e-10 {
			t.Errorf("at %v: P(Fail) is said to be %v, by enumeration %v", rate, got, fail)
		}
		if got := plan.Family.At(rate, rate-h.Delta).Pass; math.Abs(got-pass) > 1e-10 {
			t.Errorf("at %v: P(Pass) is said to be %v, by enumeration %v", rate, got, pass)
		}
	}
}

// Trials without an outcome count as passes in all runs, and as failures in all of them.
func TestErrorsOfPooledRuns(t *testing.T) {
	t.Parallel()
	d := short(t, 10)
	// Where a run ends that begins with an error is not known: by hand from the boundaries.
	straight := func(failures int) int {
		for n := 1; ; n++ {
			if failures <= d.Boundaries.PassAtOrBelow[n-1] || n == d.Boundaries.MaxTrials() {
				return n
			}
		}
	}
	best, worst := straight(0), straight(1)
	if best >= worst {
		t.Fatalf("the design passes after %d and %d trials", best, worst)
	}
	name := runs.Baseline{Name: "main", Runs: []runs.BaselineRun{
		{"1", saved(t, d, "e"+strings.Repeat("p", 12))}, {"2", saved(t, d, strings.Repeat("p", best))},
	}}
	got, err := name.Recorded("a")
	if err != nil {
		t.Fatal(err)
	}
	if want := (baseline.Outcome{Trials: 2 * best}); got.Outcome != want {
		t.Errorf("with the error as a pass %+v, not %+v", got.Outcome, want)
	}
	if want := (baseline.Outcome{Trials: best + worst, Failures: 1}); got.Worst != want {
		t.Errorf("with the error as a failure %+v, not %+v", got.Worst, want)
	}
	side := got.Counts()
	if side.Trials != best+worst || side.Errors != 1 || side.Fails != 0 || side.Passes != best+worst-1 {
		t.Errorf("counted %+v", side)
	}
}

func TestRunsThatCannotBePooled(t *testing.T) {
	t.Parallel()
	d := short(t, 10)
	passing := saved(t, d, strings.Repeat("p", 10))
	task := func(digest, input string) *runs.Result {
		r := *passing
		r.Task = &runs.Task{Digest: digest, Scenarios: map[string]runs.TaskScenario{"a": {Digest: digest, Input: input}}}
		return &r
	}
	old := *passing
	old.Task = nil
	for want, list := range map[string][]runs.BaselineRun{
		"has no runs":            nil,
		"has the run 1 twice":    {{"1", passing}, {"1", passing}},
		"not say what it asked":  {{"1", passing}, {"2", &old}},
		"runs 1 and 2, which we": {{"1", task("x", "i")}, {"2", task("y", "j")}},
		"alike: a (input)":       {{"1", task("x", "i")}, {"2", task("y", "j")}},
	} {
		b := runs.Baseline{Name: "main", Runs: list}
		err := b.Check()
		if e, ok := errors.AsType[*runs.PoolError](err); !ok || !strings.Contains(e.Message(), want) || e.Hint() == "" {
			t.Errorf("want %q, not %v", want, err)
		}
	}
	// One run is a baseline although it does not say what it asked.
	if err := (&runs.Baseline{Name: "f.json", Runs: []runs.BaselineRun{{"", &old}}}).Check(); err != nil {
		t.Error(err)
	}
	// A run that has not ended says which it is.
	b := runs.Baseline{Name: "main", Runs: []runs.BaselineRun{{"1", passing}, {"2", saved(t, d, "p")}}}
	if _, err := b.Recorded("a"); err == nil || !strings.Contains(err.Error(), "run 2: ") {
		t.Error(err)
	}
}

// A baseline is as old as the oldest of its runs, and of no age where one does not say it.
func TestAgeIsThatOfTheOldest(t *testing.T) {
	t.Parallel()
	at := func(id, finished string) runs.BaselineRun {
		return runs.BaselineRun{ID: id, Result: &runs.Result{Finished: finished}}
	}
	b := runs.Baseline{Name: "main", Revision: 2, MaxAge: 36 * time.Hour, Runs: []runs.BaselineRun{
		at("x", "2026-03-02T00:30:00+01:00"), at("y", "2026-03-01T23:45:00Z"),
	}}
	want := runs.BaselineSource{File: "main", Finished: "2026-03-02T00:30:00+01:00", Revision: 2, Runs: []string{"x", "y"},
		MaxAge: 129_600}
	if diff := cmp.Diff(want, b.Source()); diff != "" {
		t.Error(diff)
	}
	b.Runs = append(b.Runs, at("z", ""))
	if got := b.Finished(); got != "" {
		t.Errorf("finished %s", got)
	}
}
