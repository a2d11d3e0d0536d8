package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// said is a recorded trial that says something.
func said(scenario, output string) *trial.Trial {
	return &trial.Trial{Scenario: scenario, Output: trial.RawString(output), CostUSD: trial.Some(.25)}
}

const recordedSuite = head + `
agent: {command: [./agent]}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, max_trials: 20}
scenarios:
  - name: a
    evaluate: [{contains: yes}]
  - name: b
    limits: {max_cost_usd: 0.1}
`

// Recorded trials are judged by the suite, whatever they say of themselves, in the order of
// the recording.
func TestRecorded(t *testing.T) {
	s := parse(t, recordedSuite)
	var trials []*trial.Trial
	want := map[string]string{}
	add := func(x *trial.Trial, mark string) {
		trials = append(trials, x)
		want[x.Scenario] += mark
	}
	for i := range 20 {
		x := said("a", []string{"yes", "no", "yes"}[i%3])
		x.Outcome = trial.Fail // which the evaluators know better
		add(x, []string{"P", "F", "P"}[i%3])
		// It says that it passes, and costs more than it may.
		add(&trial.Trial{Scenario: "b", Outcome: trial.Pass, CostUSD: trial.Some(.25)}, "F")
	}
	add(&trial.Trial{Scenario: "a", Outcome: trial.Error}, "E")
	e, err := Recorded(t.Context(), s, s.Scenarios, trials, "v1", PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range r.Tests {
		if test.Outcomes != want[test.Name] {
			t.Errorf("%s: %s; want %s", test.Name, test.Outcomes, want[test.Name])
		}
	}
	if r.Digest != s.Digest() || r.Suite != s.Name || r.Version != "v1" || r.Tests[1].Verdict != verdict.Fail {
		t.Errorf("%+v", r)
	}
	if x := r.Spent; x.Trials != 41 || x.Attempts != 41 || *x.CostUSD != 10 || x.CostUnknown != 1 || x.InputTokens != nil {
		t.Errorf("%+v", x)
	}
}

// Why it ended is that of the tests: too few trials are the end of the recording.
func TestRecordedEnds(t *testing.T) {
	s := parse(t, recordedSuite)
	straight := func(n int, scenario, output string) (list []*trial.Trial) {
		for range n {
			list = append(list, said(scenario, output))
		}
		return list
	}
	for _, c := range []struct {
		trials []*trial.Trial
		want   runs.StopCause
	}{
		{straight(20, "a", "yes"), runs.StoppedByDecision},
		{straight(1, "a", "yes"), runs.StoppedByRecording},
		{nil, runs.StoppedByRecording},
	} {
		e, err := Recorded(t.Context(), s, s.Scenarios[:1], c.trials, "", PrepareOptions{})
		if err != nil || e.StoppedBy != c.want {
			t.Errorf("%d trials: %v, %v; want %v", len(c.trials), e.StoppedBy, err, c.want)
		}
	}
	for problem, x := range map[string]*trial.Trial{
		`the scenario "c" is not in `:                           said("c", "yes"),
		"a recorded trial does not say which scenario it is of": said("", "yes"),
	} {
		_, err := Recorded(t.Context(), s, s.Scenarios, []*trial.Trial{x}, "", PrepareOptions{})
		if _, ok := errors.AsType[*suiteError](err); !ok || !strings.Contains(err.Error(), problem) {
			t.Errorf("%v; want %s", err, problem)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Recorded(gone, s, s.Scenarios, straight(3, "a", "yes"), "", PrepareOptions{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
