package verify

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// pooledRun is a run against two runs that a test stopped, the first of which has an error.
func pooledRun(t *testing.T) *runs.Result {
	t.Helper()
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .4, Alpha: .1, Beta: .1}, 8)
	if err != nil {
		t.Fatal(err)
	}
	saved := func(outcomes string) *runs.Result {
		e := marked(t, runs.TestEvidence{Name: "a", Design: d}, outcomes, "")
		r, err := runs.Judge(t.Context(), runs.Evidence{Suite: "s", Digest: "sha256:00", Tests: []runs.TestEvidence{e},
			Task: &runs.Task{Digest: "sha256:0a"}, Finished: "2026-02-03T04:05:06Z"})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	b := &runs.Baseline{Name: "main", Revision: 2, Runs: []runs.BaselineRun{
		{ID: "11", Result: saved("E" + strings.Repeat("P", 8))}, {ID: "22", Result: saved(strings.Repeat("P", 8))},
	}}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	recorded, err := b.Recorded("a")
	if err != nil {
		t.Fatal(err)
	}
	h := baseline.Hypotheses{Delta: .4, Alpha: .15, Beta: .2, Guarded: stats.Interval{Low: .75, High: 1}}
	plan, err := baseline.Stored(t.Context(), h, recorded.Sample, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	e := runs.Evidence{Suite: "s", Digest: "sha256:00", Finished: "2026-02-04T04:05:06Z",
		StoppedBy: runs.StoppedByDecision,
		Tests: []runs.TestEvidence{marked(t, runs.TestEvidence{Name: "a", Against: recorded.Against(plan.Family, b.Source())},
			strings.Repeat("P", 9), "")}}
	e.Spent.Trials, e.Spent.Attempts = 9, 9
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A result against several runs holds what it takes to judge it again, and what they came to cannot be changed alone.
func TestPooledBaselinesAreVerified(t *testing.T) {
	r := pooledRun(t)
	x := r.Tests[0].Regression
	if x.Best == nil || x.Worst == nil || x.Baseline.Errors != 1 || x.Source.Revision != 2 || len(x.Source.Runs) != 2 {
		t.Fatalf("%+v", x)
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	again := func(change func(*runs.Regression)) error {
		read, err := Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		run := read.(*runs.Result)
		if change != nil {
			change(run.Tests[0].Regression)
		}
		_, err = Verify(t.Context(), run)
		return err
	}
	if err := again(nil); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*runs.Regression){
		"fewer trials":          func(x *runs.Regression) { x.Baseline.Trials--; x.Baseline.Passes-- },
		"more than both ends":   func(x *runs.Regression) { x.Baseline.Trials += 50; x.Baseline.Passes += 50 },
		"a failure for a pass":  func(x *runs.Regression) { x.Baseline.Fails--; x.Baseline.Passes++ },
		"an end that is not so": func(x *runs.Regression) { x.Worst.Failures += 20 },
		"without one end":       func(x *runs.Regression) { x.Worst = nil },
	} {
		if err := again(change); err == nil {
			t.Errorf("%s is believed", name)
		}
	}
}

// Scenarios that are pooled beside a recorded baseline have the errors of unlike ones too, and verify computes them.
func TestErrorsOfUnlikeScenariosAreVerified(t *testing.T) {
	sample, err := baseline.Fixed(20)
	if err != nil {
		t.Fatal(err)
	}
	h := baseline.Hypotheses{Delta: .5, Alpha: .1, Beta: .2, Guarded: stats.Interval{Low: .75, High: 1}}
	plan, err := baseline.Stored(t.Context(), h, sample, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outcome := baseline.Outcome{Trials: 20, Failures: 1}
	e := runs.Evidence{Suite: "s", Digest: "sha256:00", Tests: []runs.TestEvidence{marked(t, runs.TestEvidence{Name: "all",
		Against: &runs.Against{Stored: &runs.StoredBaseline{Family: plan.Family, Outcome: outcome,
			Counted: runs.Side{Trials: 20, Passes: 19, Fails: 1}}}}, "FFFFFFFF", "")}}
	e.Tests[0].Scenarios = []string{"a", "b"}
	for i := range e.Tests[0].Trials {
		e.Tests[0].Trials[i].Scenario = []string{"a", "b"}[i%2]
	}
	e.Spent.Trials, e.Spent.Attempts = 8, 8
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	x := r.Tests[0].Regression
	if want, known := plan.Family.Unlike(2); !known || x.UnlikeAlpha == nil || *x.UnlikeAlpha != want.Alpha+x.Gamma ||
		*x.UnlikeBeta != want.Beta+x.Gamma {
		t.Fatalf("%+v, and not %+v", x, want)
	}
	if alpha, beta := x.Errors(); alpha < *x.UnlikeAlpha || alpha < x.ProvedAlpha || beta < *x.UnlikeBeta ||
		beta < x.ProvedBeta {
		t.Errorf("errors are %v and %v", alpha, beta)
	}
	if _, err := Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
	*x.UnlikeBeta /= 2
	if _, err := Verify(t.Context(), r); err == nil || !strings.Contains(err.Error(), "unlike_beta") {
		t.Errorf("half of the error is believed: %v", err)
	}
	x.UnlikeAlpha, x.UnlikeBeta = nil, nil // as of an earlier version
	if _, err := Verify(t.Context(), r); err != nil {
		t.Error(err)
	}
}
