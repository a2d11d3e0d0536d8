package verify

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// guardedRun is a run of two tests, of which the first ran with a guard: of each letter a trial, in which nothing was
// denied (p), two calls were (D), or which was ended at a call (K); a dot had no guard. So many trials are listed; -1
// is all.
func guardedRun(t *testing.T, listed int) *runs.Result {
	t.Helper()
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 30)
	if err != nil {
		t.Fatal(err)
	}
	e := runs.Evidence{Suite: "s", Digest: "sha256:1"}
	for i, marks := range []string{"ppDp.pDppDpppppppppp", strings.Repeat(".", 6) + "pDKKKDp"} {
		test := runs.TestEvidence{Name: []string{"one", "two"}[i], Design: design}
		test.Scenarios = []string{test.Name}
		for k, mark := range marks {
			j := oracle.Judgement{Outcome: trial.Pass}
			x := &trial.Trial{Scenario: test.Name}
			switch found := (&guardrails.Trial{}); mark {
			case 'K':
				j.Outcome, j.Text = trial.Fail, "GuardrailError: stopped by the guardrail git: x"
				found.Add("shop", "git", "runs x", true)
				found.Record(x)
			case 'D':
				found.Add("shop", "git", fmt.Sprint("runs ", k), false)
				found.Add("shop", "secrets", "names path", false)
				found.Record(x)
			case 'p':
				found.Record(x)
			}
			if err := j.Record(x); err != nil {
				t.Fatal(err)
			}
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: test.Name, Number: k, Trial: x})
			e.Spent.Trials++
		}
		e.Tests = append(e.Tests, test)
	}
	e.Spent.Attempts, e.StoppedBy = e.Spent.Trials, stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if listed >= 0 {
		r.Trials, r.TrialsOmitted = r.Trials[:listed], len(r.Trials)-listed
		r.AddMeasures(e)
	}
	return r
}

// Denials are counted over all trials that ended, those beyond a decision too, and those without a guard are no part of
// it.
func TestGuardrailsAreCounted(t *testing.T) {
	r := guardedRun(t, -1)
	git, secrets := guardrails.Clause{Contract: "shop", Clause: "git"},
		guardrails.Clause{Contract: "shop", Clause: "secrets"}
	clause := func(c guardrails.Clause, trials, denied, killed int, example string) guardrails.Clause {
		c.Trials, c.Denied, c.Killed, c.Example = trials, denied, killed, example
		return c
	}
	for name, c := range map[string]struct{ want, have *guardrails.Counts }{
		"one": {&guardrails.Counts{Guarded: 19, Trials: 3, Denied: 6, Clauses: []guardrails.Clause{
			clause(git, 3, 3, 0, "runs 2"), clause(secrets, 3, 3, 0, "names path")}}, r.Tests[0].Guardrails},
		"two": {&guardrails.Counts{Guarded: 7, Trials: 5, Denied: 4, Killed: 3, Clauses: []guardrails.Clause{
			clause(git, 5, 2, 3, "runs 7"), clause(secrets, 2, 2, 0, "names path")}}, r.Tests[1].Guardrails},
		"run": {&guardrails.Counts{Guarded: 26, Trials: 8, Denied: 10, Killed: 3, Clauses: []guardrails.Clause{
			clause(git, 8, 5, 3, "runs 2"), clause(secrets, 5, 5, 0, "names path")}}, r.Guardrails},
	} {
		if diff := cmp.Diff(c.want, c.have); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if r.BaselineGuardrails != nil {
		t.Error("there is no baseline beside it")
	}
}

// Whatever is changed of what guards denied is found where all trials are listed.
func TestEveryChangeOfAGuardedRunIsFound(t *testing.T) {
	free := with(rawOfRun(""), rawOfTrials(""), map[string]string{
		"exit_code": "--on-inconclusive may have changed it", "trials[].text": "what a judge said",
		"trials[].guardrails.clauses[].example": "of a trial that is not the first with its clause",
	})
	delete(free, "scenarios[].failures[].text") // those that failed came after the decision
	for _, missed := range unfounded(t, guardedRun(t, -1), free) {
		t.Error(missed)
	}
}

// Where not all trials are listed, the counts add up, and have in them what is listed.
func TestForgedGuardrailsOfACrowdedRunAreFound(t *testing.T) {
	if _, err := Verify(t.Context(), guardedRun(t, 5)); err != nil {
		t.Fatal(err)
	}
	for want, forge := range map[string]func(*runs.Result){
		"guardrails":                       func(r *runs.Result) { r.Guardrails = nil },
		"guardrails ":                      func(r *runs.Result) { r.Guardrails.Guarded++ },
		"guardrails.denied":                func(r *runs.Result) { r.Guardrails.Clauses[0].Denied++ },
		"guardrails.killed":                func(r *runs.Result) { r.Guardrails.Clauses[0].Killed++ },
		"guardrails.clauses[1].clause":     func(r *runs.Result) { r.Guardrails.Clauses[1].Clause = "git" },
		"scenarios[1].guardrails":          func(r *runs.Result) { r.Tests[1].Guardrails = nil },
		"scenarios[1].guardrails.guarded":  func(r *runs.Result) { r.Tests[1].Guardrails.Guarded = 14 },
		"scenarios[0].guardrails.denied":   func(r *runs.Result) { r.Tests[0].Guardrails.Denied++ },
		"scenarios[1].guardrails.killed":   func(r *runs.Result) { r.Tests[1].Guardrails.Killed = 4 },
		"baseline_guardrails.guarded":      func(r *runs.Result) { r.BaselineGuardrails = &guardrails.Counts{Guarded: 1} },
		"trials.guardrails":                func(r *runs.Result) { r.Trials[0].Guardrails.Clauses[0].Killed = 2 },
		"scenarios[1].guardrails, listed ": func(r *runs.Result) { r.Trials[0].Guardrails.Clauses[0].Denied = 50 },
	} {
		r := guardedRun(t, 5)
		if r.Trials[0].Test != "two" || r.Trials[0].Guardrails == nil {
			t.Fatalf("the first that is listed: %+v", r.Trials[0])
		}
		forge(r)
		_, err := Verify(t.Context(), r)
		d, ok := errors.AsType[*verdict.DifferenceError](err)
		want, _, _ = strings.Cut(strings.TrimSpace(want), ",")
		if !ok || d.Path != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}
