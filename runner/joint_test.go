package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// rated passes by scenario with a rate, and otherwise with the usual one; the rest is as of simulated.
func rated(usual float64, rates map[string]float64) AgentFunc {
	return func(ctx context.Context, r Request) Attempt {
		rate, known := rates[r.Scenario]
		if !known {
			rate = usual
		}
		return simulated(rate)(ctx, r)
	}
}

// jointly are options of one question about so many scenarios.
func jointly(t testing.TB, q stratified.Question, agent Agent) Options {
	t.Helper()
	d, err := stratified.New(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Agent: agent, Seed: 5, Concurrency: 8}
	j := &runs.Joint{Designs: []*stratified.Design{d}}
	for _, name := range letters(q.Scenarios) {
		o.Tests = append(o.Tests, Test{Name: name, Scenarios: []string{name}, Joint: j})
		o.Scenarios = append(o.Scenarios, Scenario{Name: name})
	}
	if j.Paired() {
		o.BaselineAgent = agent
	}
	return o
}

// verdictOf judges a run.
func verdictOf(t *testing.T, r *Result) *runs.Result {
	t.Helper()
	judged, err := runs.Judge(t.Context(), r.Evidence("suite", "digest", "1"))
	if err != nil {
		t.Fatal(err)
	}
	return judged
}

// A suite of which all pass takes two trials a scenario; one that always fails is found, and few trials are made for
// it. The verdict depends on nothing but what the trials come to, however many run at once and however often the run is
// stopped and continued.
func TestASuiteAsOneQuestion(t *testing.T) {
	for _, c := range []struct {
		agent AgentFunc
		want  verdict.Verdict
		most  int // trials
	}{
		{rated(1, nil), verdict.Pass, 40},
		{rated(1, map[string]float64{"s3": 0}), verdict.Fail, 80},
		{rated(.4, nil), verdict.Fail, 40},
		{rated(.95, nil), verdict.Pass, 120},
	} {
		for _, at := range []int{1, 8, 64} {
			synctest.Test(t, func(t *testing.T) {
				o := jointly(t, stratified.Question{Scenarios: 20}, c.agent)
				o.Concurrency = at
				o.Journal = filepath.Join(t.TempDir(), "journal")
				if at == 8 {
					o = resumed(t, o, 3)
				}
				r := mustRun(t, o)
				judged := verdictOf(t, r)
				if judged.Verdict != c.want || len(r.Trials) > c.most || r.StoppedBy != runs.StoppedByDecision {
					t.Errorf("%d at once: %v after %d trials, %v: %v", at, judged.Verdict, len(r.Trials), r.StoppedBy, judged.Reasons)
				}
				overrun := 0
				for _, x := range judged.Tests {
					overrun += x.Overrun
				}
				if overrun >= at {
					t.Errorf("%d at once: %d trials were wasted", at, overrun)
				}
				// Each trial is launched once.
				seen := map[journal.Key]bool{}
				for _, x := range r.Trials {
					k := journal.Key{Scenario: x.Scenario, Number: x.Number}
					if seen[k] {
						t.Errorf("%v twice", k)
					}
					seen[k] = true
				}
				if history, err := journal.Read(o.Journal); err != nil || !history.Decided() {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// Both sides have as many trials of each scenario, and each pair the same number.
func TestASuiteSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := jointly(t, stratified.Question{Scenarios: 20, Sides: stratified.SideBySide}, rated(1, nil))
		o.Journal = filepath.Join(t.TempDir(), "journal")
		r := mustRun(t, resumed(t, o, 5))
		sides := map[string]int{}
		for _, x := range r.Trials {
			if x.Baseline {
				sides[x.Scenario]--
			} else {
				sides[x.Scenario]++
			}
		}
		for name, n := range sides {
			if n != 0 {
				t.Errorf("%s: the sides differ by %d trials", name, n)
			}
		}
		if v := verdictOf(t, r); v.Verdict != verdict.Pass || len(r.Trials) != 80 {
			t.Errorf("%v after %d trials: %v", v.Verdict, len(r.Trials), v.Reasons)
		}
	})
}

// A budget that ends a run leaves it open, and it continues a larger one.
func TestABudgetEndsASuite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := jointly(t, stratified.Question{Scenarios: 20}, rated(1, nil))
		o.Journal, o.Budget.MaxTrials = filepath.Join(t.TempDir(), "journal"), 30
		r := mustRun(t, o)
		if v := verdictOf(t, r); v.Verdict != verdict.Inconclusive || len(r.Trials) != 30 || r.StoppedBy != runs.StoppedByBudget {
			t.Errorf("%v after %d trials, %v", v.Verdict, len(r.Trials), r.StoppedBy)
		}
		o.Resume, o.Budget.MaxTrials = true, 100
		r = mustRun(t, o)
		if v := verdictOf(t, r); v.Verdict != verdict.Pass || len(r.Trials) != 40 {
			t.Errorf("%v after %d trials", v.Verdict, len(r.Trials))
		}
		o.Extend = 10
		if _, err := Run(t.Context(), o); err == nil {
			t.Error("a suite that is decided was extended")
		}
	})
}

// What shards come to together has the verdict of one run.
func TestShardsOfASuite(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for seed, rate := range []float64{1, .95, .9, .7, .3} {
		agent := drawnFrom(rate, .02)
		o := jointly(t, stratified.Question{Scenarios: 6, Alpha: .2, Beta: .2}, agent)
		o.Seed, o.Suite, o.Journal = uint64(seed), "s", filepath.Join(t.TempDir(), "local")
		want := verdictOf(t, mustRun(t, o))
		files := runShards(t, o, 1+random.IntN(4))
		o.Journal = filepath.Join(t.TempDir(), "merged")
		merged, err := Merge(t.Context(), o, files)
		if err != nil {
			t.Fatal(err)
		}
		if got := verdictOf(t, merged.Result); got.Verdict != want.Verdict {
			t.Errorf("rate %v: %v %v, a run of its own %v %v", rate, got.Verdict, got.Reasons, want.Verdict, want.Reasons)
		}
	}
}

// What a suite says becomes the question.
func TestQuestionsOfSuites(t *testing.T) {
	const asks = head + "agent: {command: [agent]}\ntest: {by: suite, threshold: 0.9}\n"
	s := parse(t, asks+"variants: [{name: a}, {name: b}]\n"+
		"scenarios: [{name: one, weight: 2}, {name: two, critical: true}, {name: three}]\n")
	tests, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{Together: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(tests) != 6 || tests[0].Joint == tests[1].Joint || tests[0].Joint != tests[2].Joint || tests[0].Shared != 2 {
		t.Fatalf("%+v", tests)
	}
	q := tests[0].Joint.Designs[0].Question()
	own := stratified.Floor{From: .9, To: .8}
	if q.Alpha != .025 || !slices.Equal(q.Weights, []int{2, 1, 1}) || len(q.Own) != 1 || q.Own[1] != own ||
		q.Floor != (stratified.Floor{From: .7, To: .3}) || q.Sides != stratified.Threshold {
		t.Errorf("%+v", q)
	}
	// Against a recording, by its letters; and with the threshold, by both.
	s = parse(t, asks+"scenarios: [{name: one}, {name: two}]\n")
	saveBaseline(t, s, "main.json", recordedTest{name: "one", outcomes: "pppfppppppppppp"},
		recordedTest{name: "two", outcomes: "ppppppppppppppppp"})
	tests, err = Tests(t.Context(), s, s.Scenarios, PrepareOptions{Baseline: filepath.Join(s.Dir(), "main.json")})
	if err != nil {
		t.Fatal(err)
	}
	d := tests[1].Joint.Designs
	if tests[0].Recorded != "PPPFPPPPPPPPPPP" || len(d) != 2 || d[1].Question().Sides != stratified.Stored ||
		d[1].Question().MaxRounds != 15 {
		t.Errorf("%+v", tests)
	}
	// As many trials of each scenario are recorded.
	if tests, err = Tests(t.Context(), s, s.Scenarios, PrepareOptions{Record: 15}); err != nil || len(tests) != 2 ||
		tests[0].Design.Boundaries.MaxTrials() != 15 || tests[0].Joint != nil {
		t.Errorf("%+v, %v", tests, err)
	}
	many := "scenarios: ["
	for i := range 301 {
		many += fmt.Sprintf("{name: x%d},", i)
	}
	for _, c := range []struct{ text, problem string }{
		{asks + many + "]\n", "from 1 to 300"},
		{asks + "scenarios: [{name: one, min_pass_rate: 0.5}, {name: two}]\n", "critical: {from: 0.75, to: 0.5}"},
		{head + "agent: {command: [agent]}\ntest: {by: suite, threshold: 0.9, max_trials: 1}\n" +
			"scenarios: [{name: one}, {name: two}]\n", "less than one round"},
	} {
		s := parse(t, c.text)
		if _, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{}); err == nil {
			t.Errorf("%.80s: no error", c.text)
		} else if hint := fmt.Sprintf("%v %+v", err, err); !strings.Contains(hint, c.problem) {
			t.Errorf("%.80s: %v", c.text, hint)
		}
	}
	// Too few trials: what is said to be enough is, and it is said however long the search takes.
	asked := head + "agent: {command: [agent]}\ntest: {by: suite, threshold: 0.9, delta: %v, max_trials: %d}\n" +
		"scenarios: [{name: one}, {name: two}]\n"
	planned := func(delta float64, most int) error {
		s := parse(t, fmt.Sprintf(asked, delta, most))
		_, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{})
		return err
	}
	for _, delta := range []float64{0.2, 0.08} {
		few, advised := planned(delta, 5), 0
		hinted, ok := errors.AsType[*suiteError](few)
		if !ok || !strings.Contains(few.Error(), "max_trials: 5 is too few: no test of the suite within 5 trials") {
			t.Fatal(few)
		}
		if _, err := fmt.Sscanf(hinted.Hint(), "max_trials: %d is enough", &advised); err != nil {
			t.Fatal(hinted.Hint())
		}
		if err := planned(delta, advised); err != nil {
			t.Errorf("%d trials: %v", advised, err)
		}
	}
	// A run that outcomes ended is no baseline.
	judged := verdictOf(t, mustRun(t, jointly(t, stratified.Question{Scenarios: 2}, AgentFunc(func(context.Context, Request) Attempt {
		return Attempt{Trial: &trial.Trial{Outcome: trial.Pass}}
	}))))
	text, err := json.Marshal(judged)
	if err != nil {
		t.Fatal(err)
	}
	s = parse(t, head+"agent: {command: [agent]}\ntest: {by: suite, baseline: saved.json}\nscenarios: [{name: s0}, "+
		"{name: s1}]\n")
	if err := os.WriteFile(s.Resolve("saved.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{}); err == nil ||
		!strings.Contains(err.Error(), "the run was stopped by a test of the whole suite") {
		t.Error(err)
	}
}
