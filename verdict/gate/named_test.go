package gate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ranAs is a run of one scenario with this design.
func ranAs(t *testing.T, d sprt.Design, outcomes string) *runs.Result {
	t.Helper()
	e := runs.TestEvidence{Name: "s0", Scenarios: []string{"s0"}, Design: d}
	letters := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}
	for i, letter := range outcomes {
		e.Trials = append(e.Trials, runs.TrialEvidence{Scenario: "s0", Number: i,
			Trial: &trial.Trial{Scenario: "s0", Outcome: letters[letter]}})
	}
	ev := runs.Evidence{Suite: "s", Digest: "sha256:1", Tests: []runs.TestEvidence{e}, Finished: "2026-11-20T00:00:00Z"}
	ev.Spent.Trials, ev.Spent.Attempts = len(outcomes), len(outcomes)
	ev.StoppedBy = stopOf(t, ev)
	r, err := runs.Judge(t.Context(), ev)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Runs whose numbers of trials were fixed are one such run together: the gate says the same of them as of that one.
func TestRunsOfFixedLengthsAreOneRecording(t *testing.T) {
	recording := func(outcomes string) *runs.Result {
		d, err := sprt.Recording(len(outcomes))
		if err != nil {
			t.Fatal(err)
		}
		return ranAs(t, d, outcomes)
	}
	first, second := "PPFP"+strings.Repeat("P", 26), strings.Repeat("P", 44)+"F"
	several := BaselineOf(&runs.Baseline{Name: "main", Revision: 3, MaxAge: time.Hour, Runs: []runs.BaselineRun{
		{ID: "a1", Result: recording(first)}, {ID: "b2", Result: recording(second)},
	}})
	one := BaselineOf(&runs.Baseline{Name: "main", Revision: 3, MaxAge: time.Hour, Runs: []runs.BaselineRun{
		{ID: "a1", Result: recording(first + second)},
	}})
	one.Runs = []string{"a1", "b2"}
	if diff := cmp.Diff(one, several); diff != "" {
		t.Error(diff)
	}
	candidate := ranAs(t, sample.Design(), "FFFFFFFF")
	g, err := Judge(t.Context(), candidate,
		Options{Baseline: several, Now: time.Date(2026, 11, 20, 0, 30, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if g.Decision != Block || g.Baseline.Revision != 3 || len(g.Baseline.Runs) != 2 || len(g.Baseline.Tests) != 1 {
		t.Errorf("%v, %+v", g.Decision, g.Baseline)
	}
	if _, err := recheck.Verify(t.Context(), g); err != nil {
		t.Error(err)
	}
	// Past its age it is open, whatever the trials say.
	g, err = Judge(t.Context(), candidate, Options{Baseline: several, Now: time.Date(2026, 11, 20, 1, 30, 0, 0, time.UTC)})
	if err != nil || g.Baseline.Comparable ||
		!strings.Contains(g.Baseline.Why, "it is 1 hour 30 minutes old, and may be 1 hour") {
		t.Errorf("%+v, %v", g.Baseline, err)
	}
}

// What a test stopped is pooled nowhere but in the test of a run: one such run is compared, and several are open.
func TestSequentialRunsAreNotOneRecording(t *testing.T) {
	run := func(id string) runs.BaselineRun {
		return runs.BaselineRun{ID: id, Result: ranAs(t, sample.Design(), strings.Repeat("P", 15))}
	}
	candidate := ranAs(t, sample.Design(), strings.Repeat("P", 15))
	for _, c := range []struct {
		runs []runs.BaselineRun
		want string
	}{
		{[]runs.BaselineRun{run("a")}, "too few trials to tell"},
		{[]runs.BaselineRun{run("a"), run("b")}, "not comparable: tests stopped the baseline's runs"},
	} {
		g, err := Judge(t.Context(), candidate, Options{Baseline: BaselineOf(&runs.Baseline{Name: "main", Runs: c.runs})})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, r := range g.Rules {
			if r.Name == ruleBaseline || r.Name == ruleRegression {
				text += r.Evidence
			}
		}
		if g.Decision != Review || !strings.Contains(text, c.want) {
			t.Errorf("%v: %s", g.Decision, text)
		}
		if _, err := recheck.Verify(t.Context(), g); err != nil {
			t.Error(err)
		}
	}
}

// A baseline with a name has a largest age of its own: the smaller one holds.
func TestAgeOfANamedBaseline(t *testing.T) {
	const hour = 3600
	for _, c := range []struct {
		most    Age
		seconds float64
		want    time.Duration
	}{
		{0, 0, 0}, {0, hour, time.Hour}, {Age(time.Minute), hour, time.Minute}, {Age(2 * time.Hour), hour, time.Hour},
		{Age(time.Hour), 0, time.Hour},
	} {
		if got := oldest(c.most, c.seconds); got != Age(c.want) {
			t.Errorf("%v and %v s: %v", time.Duration(c.most), c.seconds, time.Duration(got))
		}
	}
}
