package runner

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// recordedTest is what a test of a recording came to: "p" and "f" for each trial, and "e" for an error.
type recordedTest struct {
	name, outcomes string
	scenarios      []string
}

// saveBaseline writes the result of a run of the suite that records, beside the suite.
func saveBaseline(t testing.TB, s *suite.Suite, file string, tests ...recordedTest) {
	t.Helper()
	evidence := runs.Evidence{
		Suite: s.Name, Digest: "sha256:of-the-baseline", Finished: "2026-11-01T12:00:00Z", StoppedBy: runs.StoppedByDecision,
		Task: taskOf(s, s.Scenarios), Settings: s.AgentSettings(),
	}
	for _, r := range tests {
		design, err := sprt.Recording(len(r.outcomes))
		if err != nil {
			t.Fatal(err)
		}
		e := runs.TestEvidence{Name: r.name, Scenarios: []string{r.name}, Design: design}
		if r.scenarios != nil {
			e.Scenarios = r.scenarios
		}
		for i, o := range r.outcomes {
			outcome := map[rune]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}[o]
			e.Trials = append(e.Trials, runs.TrialEvidence{
				Scenario: e.Scenarios[i%len(e.Scenarios)], Number: i, Trial: &trial.Trial{Outcome: outcome},
			})
		}
		evidence.Tests = append(evidence.Tests, e)
	}
	result, err := runs.Judge(context.Background(), evidence)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.Dir(), file), text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func designed(t testing.TB, s *suite.Suite) []Test {
	t.Helper()
	tests, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

const (
	stored = "agent: {command: [./agent], env: {MODEL: new}}\n" +
		"test: {baseline: main.json, delta: 0.3, alpha: 0.1, beta: 0.1}\n"
	three = "scenarios: [{name: one}, {name: two}, {name: three, test: {threshold: 0.8}}]\n"
)

var passes = strings.Repeat("p", 58)

// A test against a saved run is the one that the planner gives for what the run came to.
func TestStoredBaselinesArePlanned(t *testing.T) {
	s := parse(t, head+stored+three)
	old := parse(t, head+strings.Replace(stored, "MODEL: new", "MODEL: old", 1)+three)
	old.File = s.File
	saveBaseline(t, old, "main.json", recordedTest{name: "one", outcomes: passes + "ff"},
		recordedTest{name: "two", outcomes: passes + "ff"}, recordedTest{name: "three", outcomes: passes + "fe"})
	tests := designed(t, s)

	sample, err := baseline.Fixed(60)
	if err != nil {
		t.Fatal(err)
	}
	q := baseline.Question{Delta: .3, Alpha: .1, Beta: .1}
	want, err := baseline.Against(context.Background(), q, sample, baseline.Outcome{Trials: 60, Failures: 2},
		baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		b := test.Against.Stored
		if b.Family.Digest() != want.Family.Digest() || b.Family != tests[0].Against.Stored.Family {
			t.Errorf("%s: another family", test.Name)
		}
		outcome, worst := baseline.Outcome{Trials: 60, Failures: 2}, baseline.Outcome{}
		if i == 2 { // the error counts as a pass, and as a failure
			outcome.Failures, worst = 1, baseline.Outcome{Trials: 60, Failures: 2}
		}
		if b.Outcome != outcome || b.Worst != worst || test.Against.Gamma != baseline.DefaultGamma {
			t.Errorf("%s: %+v, gamma %v", test.Name, b, test.Against.Gamma)
		}
		if designed := test.Design.Boundaries.MaxTrials() > 0; designed != (i == 2) {
			t.Errorf("%s: a design against the threshold is %v", test.Name, designed)
		}
		source := runs.BaselineSource{File: "main.json", Finished: "2026-11-01T12:00:00Z",
			Task: old.Task().Digest, Changed: []string{"agent.env.MODEL: old -> new"}}
		if diff := cmp.Diff(source, b.Source); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.Name, diff)
		}
	}
}

// A scenario that the baseline of all does not have is tested by its threshold alone, if that is asked for; what is
// tested by nothing else is an error still.
func TestNewScenariosAreTestedAlone(t *testing.T) {
	const head2 = head + agentOnly + "test: {threshold: 0.9, delta: 0.3, alpha: 0.1, beta: 0.1}\n"
	s := parse(t, head2+"scenarios: [{name: one}, {name: new}]\n")
	old := parse(t, head2+"scenarios: [{name: one}, {name: gone}]\n")
	old.File = s.File
	saveBaseline(t, old, "main.json", recordedTest{name: "one", outcomes: passes + "ff"},
		recordedTest{name: "gone", outcomes: passes + "ff"})
	file := filepath.Join(s.Dir(), "main.json")
	var told Comparison
	ask := PrepareOptions{Baseline: file, Compared: func(c Comparison) { told = c }}
	if _, err := Tests(t.Context(), s, s.Scenarios, ask); err == nil ||
		!strings.Contains(err.Error(), "does not have the scenario new") {
		t.Errorf("it was not asked for: %v", err)
	}
	ask.NewAlone = true
	tests, err := Tests(t.Context(), s, s.Scenarios, ask)
	if err != nil {
		t.Fatal(err)
	}
	for i, against := range []bool{true, false} {
		stored := tests[i].Against != nil && tests[i].Against.Stored != nil
		if stored != against || tests[i].Design.Boundaries.MaxTrials() == 0 {
			t.Errorf("%s: against a baseline: %v", tests[i].Name, tests[i].Against)
		}
	}
	if cmp.Diff([]string{"new"}, told.Added) != "" || cmp.Diff([]string{"gone"}, told.Removed) != "" {
		t.Errorf("told: %+v", told)
	}
	// A baseline with none of them is that of something else.
	if _, err := Tests(t.Context(), s, s.Scenarios[1:], ask); err == nil ||
		!strings.Contains(err.Error(), "has none of the scenarios") {
		t.Error(err)
	}
}

// Scenarios that are tested together are against theirs of the saved run together.
func TestPooledBaselines(t *testing.T) {
	by := strings.Replace(stored, "delta", "by: suite, collapse: none, delta", 1)
	const two = "scenarios: [{name: one}, {name: two}]\n"
	s := parse(t, head+by+two)
	want := baseline.Outcome{Trials: 60, Failures: 3}
	for _, saved := range [][]recordedTest{
		{{name: "prepared", outcomes: passes[:57] + "fff", scenarios: []string{"one", "two"}}},
		{{name: "one", outcomes: passes[:29] + "f"}, {name: "two", outcomes: passes[:28] + "ff"}},
	} {
		saveBaseline(t, s, "main.json", saved...)
		tests := designed(t, s)
		if len(tests) != 1 || tests[0].Against.Stored.Outcome != want {
			t.Errorf("%+v", tests)
		}
	}
	saveBaseline(t, s, "main.json", recordedTest{name: "one", outcomes: passes[:29]},
		recordedTest{name: "two", outcomes: passes[:30]})
	_, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{})
	if err == nil || !strings.Contains(err.Error(), "different numbers of trials") {
		t.Error(err)
	}
}

func TestBaselinesThatCannotBe(t *testing.T) {
	const one = "scenarios: [{name: one, input: 1}]\n"
	good := recordedTest{name: "one", outcomes: passes + "ff"}
	for _, c := range []struct {
		saved recordedTest
		was   string // the scenarios of the saved suite
		test  string // further keys of the test
		want  string
		hint  string
	}{
		{saved: recordedTest{name: "other", outcomes: passes}, was: "scenarios: [{name: other}]\n",
			want: "the baseline main.json does not have the scenario one", hint: "record one that has it"},
		{saved: good, was: "scenarios: [{name: one, input: 2, limits: {max_turns: 3, max_cost_usd: none}}]\n",
			want: "the baseline main.json was asked or judged otherwise: one (input, limits)", hint: "record it again"},
		{saved: recordedTest{name: "one", outcomes: "pppf"}, was: one,
			want: "main.json: a baseline of 4 trials cannot tell a drop of 0.3", hint: "record about"},
		{saved: good, was: one, test: ", max_trials: 2", want: "at most 2 trials", hint: "give a larger max_trials"},
		{saved: recordedTest{name: "one", outcomes: passes[:30] + strings.Repeat("f", 30)}, was: one, test: ", guard: 0.95",
			want: "does not pass as often as 0.95 or more", hint: "give a lower guard"},
	} {
		s := parse(t, head+strings.Replace(stored, "beta: 0.1", "beta: 0.1"+c.test, 1)+one)
		old := parse(t, head+stored+c.was)
		old.File = s.File
		saveBaseline(t, old, "main.json", c.saved)
		_, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{})
		refused, ok := errors.AsType[*suiteError](err)
		if !ok || !strings.Contains(refused.Message(), c.want) || !strings.Contains(refused.Hint(), c.hint) {
			t.Errorf("%v", err)
		}
	}
	s := parse(t, head+stored+one)
	for text, want := range map[string]string{
		"": "main.json does not exist", "{": "main.json is no saved result: ", `{"schema":"tribunal/plan/v1"}`: "main.json",
	} {
		file := filepath.Join(s.Dir(), "main.json")
		if text == "" {
			_ = os.Remove(file)
		} else if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{})
		if refused, ok := errors.AsType[*suiteError](err); !ok || !strings.Contains(refused.Message(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Tests side by side that are asked alike are one, and the threshold is tested beside them.
func TestSidesArePlanned(t *testing.T) {
	s := parse(t, head+"agent: {command: [./agent], env: {MODEL: new, REGION: eu}}\n"+
		"baseline_agent: {command: [./old], env: {MODEL: old}}\n"+
		"variants: [{name: small, env: {MODEL: small}}, {name: large}]\n"+
		"test: {delta: 0.4, alpha: 0.1, beta: 0.1, guard: 0.8}\n"+
		"scenarios: [{name: one}, {name: two, test: {threshold: 0.8}}, {name: pairs, test: {pairs: matched, delta: 0.3}}]\n")
	tests := designed(t, s)
	var names []string
	for _, test := range tests {
		names = append(names, test.Name+" "+test.Variant)
	}
	want := []string{"one [small] small", "one [large] large", "two [small] small", "two [large] large",
		"pairs [small] small", "pairs [large] large"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if tests[0].Against.Rounds != tests[1].Against.Rounds || tests[0].Design.Boundaries.MaxTrials() != 0 ||
		tests[2].Design.Boundaries.MaxTrials() == 0 || tests[0].Against.Rounds.Matched() ||
		!tests[4].Against.Rounds.Matched() {
		t.Errorf("%+v", tests)
	}
	if h := tests[0].Against.Rounds.Hypotheses(); h.Guarded.Low != .8 || h.Guarded.High != 1 || h.Delta != .4 {
		t.Errorf("%+v", h)
	}
	if h := tests[4].Against.Rounds.Hypotheses(); h.Guarded.High != .545 {
		t.Errorf("%+v: independent sides differ in (1+delta²)/2 of their pairs at most", h)
	}
	all, err := commandAgents(s)
	if err != nil {
		t.Fatal(err)
	}
	program := func(a Agent) string {
		c := a.(*CommandAgent).Command
		return filepath.Base(c.Argv[0]) + " " + c.Environment.Set["MODEL"] + " " + c.Environment.Set["REGION"]
	}
	if got := []string{program(all.agent), program(all.baseline), program(all.variants["small"]),
		program(all.variants["large"])}; cmp.Diff([]string{"agent new eu", "old old eu", "agent small eu",
		"agent new eu"}, got) != "" {
		t.Error(got)
	}
}

func TestSidesThatNoTestTellsApart(t *testing.T) {
	for test, want := range map[string][2]string{
		"{delta: 0.02}": {
			"of at most 600 rounds tells a drop of 0.02", "a larger delta",
		},
		"{delta: 0.02, guard: 0.9}":                      {"at most 600 rounds", "give a higher guard"},
		"{delta: 0.02, pairs: matched, discordant: 0.9}": {"at most 600 rounds", "give a smaller discordant"},
	} {
		s := parse(t, head+agentOnly+"baseline_agent: {}\ntest: "+test+"\nscenarios: [{name: one}]\n")
		_, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{})
		refused, ok := errors.AsType[*suiteError](err)
		if !ok || !strings.Contains(refused.Message(), want[0]) || !strings.Contains(refused.Hint(), want[1]) {
			t.Errorf("%s: %v", test, err)
		}
	}
}

// Every rate of the baseline is guarded unless a suite says otherwise, also where few trials are allowed.
func TestGuardOfSides(t *testing.T) {
	h := sprt.Hypotheses{Delta: .1, Alpha: .05, Beta: .1}
	for _, c := range []struct {
		test suite.Test
		want float64
	}{
		{suite.Test{Hypotheses: h}, 0},
		{suite.Test{Hypotheses: h, MaxTrials: 10}, 0},
		{suite.Test{Hypotheses: h, Against: suite.Against{Guard: .7}}, .7},
	} {
		if got := guarded(c.test); got.Low != c.want || got.High != 1 {
			t.Errorf("%+v: %v", c.test, got)
		}
	}
}
