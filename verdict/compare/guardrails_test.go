package compare

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// guarded is a recording of six trials, before all of which but the first a guard stood; in as many a call was denied.
func guarded(name string, denied int) *recording.Recording {
	r := &recording.Recording{Name: name}
	for i := range 6 {
		t := &trial.Trial{Scenario: "s", Index: trial.Some(i), Outcome: trial.Pass}
		if i > 0 {
			found := &guardrails.Trial{}
			if i <= denied {
				found.Add("shop", "git", "runs x", i == 2)
			}
			found.Record(t)
		}
		r.Add(t)
	}
	return r
}

// What guards denied is told of both sides, and counts that do not add up are found.
func TestGuardrailsOfBothSides(t *testing.T) {
	idle := &guardrails.Counts{Guarded: 5, Clauses: []guardrails.Clause{}}
	busy := &guardrails.Counts{Guarded: 5, Trials: 3, Denied: 2, Killed: 1, Clauses: []guardrails.Clause{
		{Contract: "shop", Clause: "git", Trials: 3, Denied: 2, Killed: 1, Example: "runs x"}}}
	judged := func() *Result {
		r, err := Judge(t.Context(), guarded("old", 0), guarded("new", 3), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := judged()
	if diff := cmp.Diff([]*guardrails.Counts{idle, busy},
		[]*guardrails.Counts{r.Baseline.Guardrails, r.Candidate.Guardrails}); diff != "" {
		t.Error(diff)
	}
	ends, err := JudgeEnds(t.Context(), EndsOfTrials(guarded("old", 0)), EndsOfTrials(guarded("new", 3)), EndsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]*guardrails.Counts{idle, busy}, []*guardrails.Counts{ends.BaselineGuardrails,
		ends.CandidateGuardrails}); diff != "" {
		t.Error(diff)
	}
	for want, forge := range map[string]func(*Result){
		"":                                       func(*Result) {},
		"candidate.guardrails.denied":            func(r *Result) { r.Candidate.Guardrails.Denied = 7 },
		"candidate.guardrails.killed":            func(r *Result) { r.Candidate.Guardrails.Killed = 0 },
		"baseline.guardrails.guarded":            func(r *Result) { r.Baseline.Guardrails.Guarded = 7 },
		"baseline.guardrails.trials":             func(r *Result) { r.Baseline.Guardrails.Trials = 1 },
		"candidate.guardrails.clauses[0].trials": func(r *Result) { r.Candidate.Guardrails.Clauses[0].Trials = 9 },
	} {
		r := judged()
		forge(r)
		_, err := r.Rejudge(t.Context())
		have := ""
		if d, ok := errors.AsType[*verdict.DifferenceError](err); ok {
			have = d.Path
		}
		if have != want {
			t.Errorf("%s: %v", want, err)
		}
	}
	ends.CandidateGuardrails.Guarded = 0
	if _, err := ends.Rejudge(t.Context()); err == nil {
		t.Error("denials of no trial are believed")
	}
}
