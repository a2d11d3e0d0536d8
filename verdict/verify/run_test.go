package verify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// crowdedRun is a run that has no room for most of its trials: one of its tests
// is of two scenarios.
func crowdedRun(t *testing.T) *runs.Result {
	t.Helper()
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.3, Alpha: 0.05, Beta: 0.1}, 30)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 6))
	e := runs.Evidence{Suite: "s", Digest: "sha256:1", StoppedBy: runs.StoppedByDecision}
	for i, names := range [][]string{{"alone"}, {"first", "second"}} {
		test := runs.TestEvidence{Name: []string{"alone", "both"}[i], Scenarios: names, Design: design}
		for k, mark := range "PPFPPPFFPEPFPPFPFPPPPP.P" {
			x := runs.TrialEvidence{Scenario: names[k%len(names)], Number: k / len(names)}
			if mark != '.' {
				outcome := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark]
				x.Trial = &trial.Trial{Scenario: x.Scenario, DurationSeconds: trial.Some(random.Float64())}
				if k%4 > 0 {
					x.CostUSD, x.Trial.InputTokens, x.Trial.OutputTokens = trial.Some(random.Float64()),
						trial.Some(int64(random.IntN(900))), trial.Some(int64(random.IntN(90)))
				}
				j := oracle.Judgement{Outcome: outcome, Text: "because"}
				if k%5 > 0 {
					j.Limits = append(j.Limits, oracle.LimitResult{Name: "max_turns", Max: 3, Actual: trial.Some(float64(k % 3)),
						Outcome: trial.Pass})
				}
				if k%7 == 6 {
					j.Limits = append(j.Limits, oracle.LimitResult{Name: "max_cost_usd", Max: 0.5, Outcome: trial.Error})
				}
				if err := j.Record(x.Trial); err != nil {
					t.Fatal(err)
				}
				e.Spent.Trials++
			}
			test.Trials = append(test.Trials, x)
		}
		e.Tests = append(e.Tests, test)
	}
	e.Spent.Attempts = e.Spent.Trials
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	const room = 5
	r.Trials, r.TrialsOmitted = r.Trials[:room], len(r.Trials)-room
	r.AddMeasures(e)
	return r
}

// The figures of trials for which there was no room are verified too.
func TestEveryChangeOfACrowdedRunIsFound(t *testing.T) {
	r := crowdedRun(t)
	if r.TrialsOmitted == 0 || len(r.Trials) == 0 || r.Tests[0].Measures == nil {
		t.Fatalf("%d trials are omitted, %d are listed", r.TrialsOmitted, len(r.Trials))
	}
	tokens := "of a trial of which the others are not known"
	free := with(rawOfRun(""), rawOfTrials(""), map[string]string{
		"exit_code": "--on-inconclusive may have changed it", "trials[].text": "what a judge said",
		"scenarios[].measures.input_tokens": tokens, "scenarios[].measures.output_tokens": tokens,
		"scenarios[].measures.limits[].actual": "one that is not the worst",
		"scenarios[].measures.number":          "of a trial that is neither listed nor failed",
	}, rawOfUsage("usage*", "scenarios[].usage*", "trials[].models*"))
	for _, missed := range unfounded(t, r, free) {
		t.Error(missed)
	}
	for i := range r.Tests {
		r.Tests[i].Measures = nil
	}
	v, err := Verify(t.Context(), r)
	if err != nil || !strings.Contains(fmt.Sprint(v.Skipped), "distributions") {
		t.Errorf("without the measures: %v, %v", v, err)
	}
}

// rawOfUsage are leaves of what trials took of which not all are listed.
func rawOfUsage(paths ...string) map[string]string {
	free := map[string]string{}
	for _, path := range paths {
		free[path] = "of steps of trials for which there was no room"
	}
	return free
}

// What trials took is taken as it is where not all of them are listed, but its sums must be those of the rest.
func TestForgedUsageOfACrowdedRunIsFound(t *testing.T) {
	for want, forge := range map[string]func(*runs.Result){
		"usage.cost_usd":                        func(r *runs.Result) { *r.Usage.CostUSD *= 2 },
		"usage.models[0].trials":                func(r *runs.Result) { r.Usage.Models[0].Trials = r.Usage.Trials + 1 },
		"usage.known_trials":                    func(r *runs.Result) { r.Usage.Known.InputTokens-- },
		"usage.known_trials.cost_usd":           func(r *runs.Result) { r.Usage.Trials++ },
		"scenarios[1].usage.trials":             func(r *runs.Result) { r.Tests[1].Usage.Trials++ },
		"scenarios[0].usage.models[0].cost_usd": func(r *runs.Result) { *r.Tests[0].Usage.Models[0].CostUSD = -1 },
	} {
		r := crowdedRun(t)
		forge(r)
		_, err := Verify(t.Context(), r)
		d, ok := errors.AsType[*verdict.DifferenceError](err)
		if !ok || d.Path != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// stopOf is why a run ends that nothing but its tests stops, or the interrupt that keeps one from its end.
func stopOf(t *testing.T, e runs.Evidence) runs.StopCause {
	t.Helper()
	cause, err := runs.StopOf(e.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if cause == runs.StoppedByRecording {
		return runs.StoppedByInterrupt
	}
	return cause
}
