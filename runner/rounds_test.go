package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// sides is a test in rounds that takes few of them. It is planned once.
var sides = sync.OnceValues(func() (*runs.Against, error) {
	h := baseline.Hypotheses{Delta: .4, Alpha: .15, Beta: .2, Guarded: stats.Interval{Low: .75, High: 1}}
	plan, err := baseline.SideBySide(context.Background(), h, baseline.Options{})
	return &runs.Against{Rounds: plan.Test}, err
})

func mustSides(t testing.TB) *runs.Against {
	t.Helper()
	a, err := sides()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// paired returns options of three tests in rounds, one of them of pooled scenarios and one
// against a threshold too, beside a test of one side. The candidate is worse.
func paired(t testing.TB, d sprt.Design) Options {
	a := mustSides(t)
	o := Options{
		Concurrency: 1, Seed: 5, Agent: simulated(.7), BaselineAgent: simulated(.95),
		Tests: []Test{
			{Name: "both", Against: a, Scenarios: []string{"s0"}},
			{Name: "pooled", Against: a, Scenarios: []string{"p", "q"}},
			{Name: "joint", Against: a, Design: d, Scenarios: []string{"s1"}},
			{Name: "alone", Design: d, Scenarios: []string{"s2"}},
		},
	}
	for _, name := range []string{"s0", "p", "q", "s1", "s2"} {
		o.Scenarios = append(o.Scenarios, Scenario{Name: name})
	}
	return o
}

// checkPairs checks the rounds of a result: two trials each, one of each side, of the same
// scenario, number and seed, judged together. It returns how many began with the baseline.
func checkPairs(t *testing.T, r *Result) (baselineFirst, rounds int) {
	t.Helper()
	records := map[string][]Record{}
	for _, record := range r.Trials {
		records[record.Test] = append(records[record.Test], record)
	}
	for _, test := range r.Tests {
		if test.Against == nil || test.Against.Rounds == nil {
			continue
		}
		ended, failed := 0, [2]int{} // rounds, and failures of the baseline and the candidate
		stands := sprt.Undecided
		for pair := range slices.Chunk(records[test.Name], 2) {
			first, second := pair[0], pair[len(pair)-1]
			if first.Baseline {
				baselineFirst++
			}
			rounds++
			if len(pair) == 1 {
				continue
			}
			if first.Scenario != second.Scenario || first.Number != second.Number || first.Seed != second.Seed ||
				first.Baseline == second.Baseline || first.Standing != second.Standing {
				t.Errorf("%s: a round of %+v and %+v", test.Name, first, second)
			}
			if first.Standing != Judged {
				continue
			}
			if stands != sprt.Undecided {
				t.Errorf("%s: round %d comes after the decision", test.Name, ended)
			}
			ended++
			for _, x := range pair {
				if want := map[bool]string{true: "baseline", false: "candidate"}[x.Baseline]; x.Trial.Variant != want {
					t.Errorf("%s: %q is the variant of %+v", test.Name, x.Trial.Variant, x)
				}
				if x.Trial.Outcome == trial.Fail && x.Baseline {
					failed[0]++
				} else if x.Trial.Outcome == trial.Fail {
					failed[1]++
				}
			}
			if test.Name != "joint" {
				stands = test.Against.Rounds.Outcome(ended, failed[0], failed[1])
			}
		}
		if test.Name != "joint" && stands != test.Outcome || test.Trials != 2*ended || test.Failures != failed[0]+failed[1] {
			t.Errorf("%s: judged again %v after %d rounds with %v failures, and it is %+v", test.Name, stands, ended, failed,
				test)
		}
	}
	return baselineFirst, rounds
}

// A round has a trial of each side, in an order that the seed draws, and is judged as one. Without
// eager launches no trial is one too many.
func TestRoundsOfTwoSides(t *testing.T) {
	d := quick(t)
	first, all := 0, 0
	for seed := range uint64(30) {
		for _, concurrency := range []int{1, 5, 16} {
			for _, eager := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					o := paired(t, d)
					o.Seed, o.Concurrency, o.Eager = seed, concurrency, eager
					r := mustRun(t, o)
					f, n := checkPairs(t, r)
					first, all = first+f, all+n
					for i, test := range r.Tests {
						if !eager && (test.Overrun != 0 || test.Ahead != 0) || test.Unfinished != 0 {
							t.Errorf("seed %d, %d at a time: %+v", seed, concurrency, test)
						}
						checkEvidence(t, r.Evidence("s", "d", "v").Tests[i], test)
					}
					for i := 1; concurrency == 1 && i < len(r.Trials); i++ {
						a, b := r.Trials[i-1], r.Trials[i]
						begins := i == 1 || r.Trials[i-2].Test != a.Test || r.Trials[i-2].Number != a.Number
						if a.Test != "alone" && begins && (a.Test != b.Test || a.Number != b.Number) {
							t.Errorf("seed %d: the round of %+v is interrupted by %+v", seed, a, b)
						}
					}
				})
			}
		}
	}
	// Of more than a thousand tosses of a coin.
	if share := float64(first) / float64(all); all < 1000 || share < .4 || share > .6 {
		t.Errorf("%d of %d rounds began with the baseline", first, all)
	}
}

// checkEvidence judges the evidence of a test again.
func checkEvidence(t *testing.T, e runs.TestEvidence, test TestResult) {
	t.Helper()
	again, err := runs.NewDecider(e)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range e.Trials {
		if test.Against != nil && test.Against.Rounds != nil && x.Baseline != (i%2 == 0) {
			t.Errorf("%s: trial %d of the evidence is %+v", test.Name, i, x)
		}
		if x.Trial == nil {
			continue
		}
		if err := again.Observe(i, x.Trial.Outcome); err != nil {
			t.Fatal(err)
		}
	}
	if again.Outcome() != test.Outcome || again.Trials() != test.Trials {
		t.Errorf("%s: the evidence says %v after %d trials, the run %+v", test.Name, again.Outcome(), again.Trials(), test)
	}
}

// A run that stops within a round has evidence of the one trial, at its place.
func TestEvidenceOfHalfARound(t *testing.T) {
	for seed := range uint64(10) {
		o := paired(t, quick(t))
		o.Tests, o.Seed, o.Budget.MaxTrials = o.Tests[:1], seed, 3
		o.Agent, o.BaselineAgent = comesTo(trial.Pass), comesTo(trial.Fail)
		r := mustRun(t, o)
		e := r.Evidence("s", "d", "v").Tests[0]
		if len(e.Trials) != 4 || e.Trials[0].Trial == nil || e.Trials[1].Trial == nil {
			t.Fatalf("%+v", e.Trials)
		}
		left, there := e.Trials[2], e.Trials[3]
		if r.Trials[2].Baseline {
			left, there = there, left
		}
		if left.Trial != nil || there.Trial == nil || left.Number != 1 || left.Scenario != "s0" ||
			there.Baseline == left.Baseline {
			t.Errorf("%+v and %+v", left, there)
		}
		checkEvidence(t, e, r.Tests[0])
	}
}

// comesTo is an agent whose trials come to one outcome.
func comesTo(o trial.Outcome) AgentFunc {
	return func(context.Context, Request) Attempt { return Attempt{Trial: &trial.Trial{Outcome: o}} }
}

// Stopped again and again, a run in rounds has the trials of one that was not stopped.
func TestRoundsAreResumed(t *testing.T) {
	d := quick(t)
	var want []string
	for _, each := range []int{0, 1, 7} {
		synctest.Test(t, func(t *testing.T) {
			o := paired(t, d)
			o.Journal = filepath.Join(t.TempDir(), "journal")
			o.Concurrency = 1 + each
			r := mustRun(t, resumed(t, o, each))
			got := summary(r)
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("stopped after every %d (-want +got):\n%s", each, diff)
			}
			checkPairs(t, r)
			history, err := journal.Read(o.Journal)
			if err != nil {
				t.Fatal(err)
			}
			// What the gate measures of a run is the agent's, not the baseline's.
			baseline := 0
			for _, x := range history.Trials {
				if x.Launch.Test == "both" && x.Launch.Baseline {
					baseline++
				}
			}
			if candidate := len(history.Records("both", "s0")); candidate != r.Tests[0].Trials/2 || baseline != candidate {
				t.Errorf("%d trials of the candidate and %d of the baseline", candidate, baseline)
			}
		})
	}
}

// Another baseline is another run.
func TestJournalsKnowTheBaseline(t *testing.T) {
	o := paired(t, quick(t))
	o.Tests, o.Journal = o.Tests[:1], filepath.Join(t.TempDir(), "journal")
	o.Agent, o.BaselineAgent = comesTo(trial.Pass), comesTo(trial.Pass)
	mustRun(t, o)
	plan, err := baseline.SideBySide(context.Background(), o.Tests[0].Against.Rounds.Hypotheses(),
		baseline.Options{MaxTrials: 19})
	if err != nil {
		t.Fatal(err)
	}
	o.Resume = true
	o.Tests[0].Against = &runs.Against{Rounds: plan.Test}
	var header *journal.HeaderError
	if _, err := Run(context.Background(), o); !errors.As(err, &header) || header.Field != `design of test "both"` {
		t.Errorf("%v", err)
	}
}

func TestRoundsThatCannotBeRun(t *testing.T) {
	o := paired(t, quick(t))
	o.BaselineAgent = nil
	var option *OptionError
	if _, err := Run(context.Background(), o); !errors.As(err, &option) || option.Argument != "baseline agent" {
		t.Errorf("%v", err)
	}
	o = paired(t, quick(t))
	o.Tests[0].Against = &runs.Against{}
	if _, err := Run(context.Background(), o); err == nil {
		t.Error("a baseline that is neither stored nor run was accepted")
	}
	o = paired(t, quick(t))
	_, tests, err := newGroups(&o)
	if err != nil {
		t.Fatal(err)
	}
	err = tests[2].extend(10)
	if err == nil || !strings.HasPrefix(err.Error(), "a test of the kind baseline cannot go on") {
		t.Errorf("%v", err)
	}
}

// Progress tells of each side.
func TestProgressOfRounds(t *testing.T) {
	o := paired(t, quick(t))
	o.Tests = o.Tests[:1]
	o.Agent, o.BaselineAgent = comesTo(trial.Pass), comesTo(trial.Fail)
	var got []string
	o.Progress = func(p Progress) {
		got = append(got, fmt.Sprint(p.Trials, " ", p.Failures, " ", p.BaselineFailures, " ", p.Sides))
	}
	mustRun(t, o)
	for i, text := range got[:4] {
		if want := fmt.Sprint(i/2*2, " ", i/2, " ", i/2, " 2"); text != want {
			t.Errorf("%d: %s, want %s", i, text, want)
		}
	}
}
