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
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// asking is a suite with a test against a baseline; the words in capitals are replaced by tests.
const asking = `
version: 1
name: asking
agent: {command: [./agent], env: {MODEL: small}}
test: {TEST, delta: 0.3, alpha: 0.1, beta: 0.1}
limits: {max_turns: 5, max_cost_usd: none}
scenarios:
  - {name: one, input: {a: 1}, evaluate: [contains: x]}
  - {name: two}
`

// at parses a suite in a folder.
func at(t testing.TB, dir, text string) *suite.Suite {
	t.Helper()
	s, err := suite.Parse(filepath.Join(dir, "tribunal.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// recordRun runs so many trials of each scenario, all of which pass, and saves the result beside
// the suite.
func recordRun(t testing.TB, s *suite.Suite, trials int, change func(*runs.Result)) string {
	t.Helper()
	o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: trials})
	if err != nil {
		t.Fatal(err)
	}
	o.Agent, o.Judge = comesTo(trial.Pass), nil
	for name := range o.Variants {
		o.Variants[name] = o.Agent
	}
	o.Suite = ""
	found := mustRun(t, o)
	for _, test := range found.Tests {
		if test.Outcome != sprt.Inconclusive || test.Trials != trials*len(test.Scenarios) ||
			test.Design.Kind != sprt.RecordingKind {
			t.Fatalf("recorded %+v", test)
		}
	}
	e := found.Evidence(s.Name, s.Digest(), "test")
	e.Task, e.Settings, e.Finished = taskOf(s, s.Scenarios), s.AgentSettings(), "2026-11-20T12:00:00Z"
	result, err := runs.Judge(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(result)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.Dir(), "main.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// prepareAgainst prepares a suite, and returns what was told of its baselines.
func prepareAgainst(s *suite.Suite, p PrepareOptions) (o Options, told []Comparison, err error) {
	p.Compared = func(c Comparison) { told = append(told, c) }
	o, err = Prepare(context.Background(), s, s.Scenarios, p)
	return o, told, err
}

// What changed of the agent is told, and so are the scenarios that the run does not have. Test and
// source say where the baseline comes from.
func TestAgentsMayDiffer(t *testing.T) {
	dir := t.TempDir()
	before := at(t, dir, strings.Replace(asking, "TEST", "threshold: 0.8", 1)+"  - {name: gone}\n")
	recordRun(t, before, 40, nil)
	after := at(t, dir, strings.NewReplacer("TEST", "baseline: main.json", "MODEL: small", "MODEL: large").Replace(asking))
	o, told, err := prepareAgainst(after, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := Comparison{
		File: "main.json", Finished: "2026-11-20T12:00:00Z", Removed: []string{"gone"},
		Changed: []string{
			"agent.env.MODEL: small -> large", "test.threshold: 0.8 -> (none)", "test.baseline: (none) -> main.json",
		},
	}
	if diff := cmp.Diff([]Comparison{want}, told); diff != "" {
		t.Errorf("told once (-want +got):\n%s", diff)
	}
	for _, test := range o.Tests {
		source := test.Against.Stored.Source
		if test.Design.Boundaries.MaxTrials() != 0 || source.File != "main.json" ||
			source.Task != taskOf(before, before.Scenarios).Digest || cmp.Diff(want.Changed, source.Changed) != "" {
			t.Errorf("%+v", test)
		}
		if got := test.Against.Stored.Outcome; got.Trials != 40 || got.Failures != 0 {
			t.Errorf("the baseline came to %+v", got)
		}
	}
	if o.Tests[0].Against.Stored.Family != o.Tests[1].Against.Stored.Family {
		t.Error("equal questions are planned twice")
	}
}

// A baseline that the options name is that of every test, whatever the suite says; the threshold
// stays.
func TestBaselineOfTheOptions(t *testing.T) {
	for _, c := range []struct{ test, rest string }{
		{"threshold: 0.8", ""},
		{"baseline: other.json, threshold: 0.8", ""},
		{"threshold: 0.8, max_trials: 20000, design: wald", ""},
		{"threshold: 0.8", "baseline_agent: {env: {MODEL: tiny}}\n"},
	} {
		dir := t.TempDir()
		file := recordRun(t, at(t, dir, strings.Replace(asking, "TEST", "threshold: 0.8", 1)), 40, nil)
		o, _, err := prepareAgainst(at(t, dir, strings.Replace(asking, "TEST", c.test, 1)+c.rest),
			PrepareOptions{Baseline: file})
		if err != nil {
			t.Fatalf("%s: %v", c.test, err)
		}
		for _, test := range o.Tests {
			if test.Design.Hypotheses.Threshold != .8 || test.Against == nil || test.Against.Stored == nil ||
				test.Against.Stored.Source.File != file {
				t.Errorf("%s: %+v", c.test, test)
			}
		}
	}
}

// Two runs that were asked something else are not compared, and the message says what it is.
func TestTasksMustAgree(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     string
	}{
		{"{a: 1}", "{a: 2}", "asked or judged otherwise: one (input)"},
		{"contains: x", "contains: y", "asked or judged otherwise: one (evaluators)"},
		{"max_turns: 5", "max_turns: 6", "asked or judged otherwise: one (limits); two (limits)"},
		{"name: two", "name: three", "does not have the scenario three"},
		{"name: asking", "name: other", ""},
		{"command: [./agent]", "command: [./better]", ""},
		{"delta: 0.3", "delta: 0.4", ""},
	} {
		dir := t.TempDir()
		recordRun(t, at(t, dir, strings.Replace(asking, "TEST", "threshold: 0.8", 1)), 40, nil)
		after := strings.NewReplacer("TEST", "baseline: main.json", c.old, c.new).Replace(asking)
		_, told, err := prepareAgainst(at(t, dir, after), PrepareOptions{})
		if c.want == "" {
			if err != nil || len(told) != 1 || told[0].Earlier {
				t.Errorf("%s: %v, %+v", c.new, err, told)
			}
			continue
		}
		var bad *suiteError
		if !errors.As(err, &bad) || !strings.Contains(bad.Message(), c.want) || bad.Scenario != "" || bad.Hint() == "" ||
			bad.ExitCode() != 65 {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// Of a scenario that is not run, or not tested against the baseline, nothing is asked.
func TestOnlyWhatIsTestedIsCompared(t *testing.T) {
	dir := t.TempDir()
	recordRun(t, at(t, dir, strings.Replace(asking, "TEST", "threshold: 0.8", 1)), 40, nil)
	text := strings.NewReplacer("TEST", "baseline: main.json", "{a: 1}", "{a: 2}").Replace(asking)
	s := at(t, dir, text)
	if _, err := Prepare(context.Background(), s, s.Scenarios[1:], PrepareOptions{}); err != nil {
		t.Error(err)
	}
	s = at(t, dir, strings.Replace(text, "{name: one, ", "{name: one, test: {baseline: none, threshold: 0.8}, ", 1))
	o, _, err := prepareAgainst(s, PrepareOptions{})
	if err != nil || o.Tests[0].Against != nil || o.Tests[1].Against == nil {
		t.Errorf("%v, %+v", err, o.Tests)
	}
}

// A result of an earlier version says less: the same suite is enough, or that all that it holds
// agrees.
func TestEarlierResults(t *testing.T) {
	earlier := func(r *runs.Result) { r.Task, r.Settings = nil, nil }
	for _, c := range []struct {
		old, new, want string
		same           bool // it is the same suite
	}{
		{"", "", "", true},
		{"command: [./agent]", "command: [./better]", "", false},
		{"{a: 1}", "{a: 2}", "one (input)", false},
		{"max_turns: 5", "max_turns: none", "one (limits); two (limits)", false},
		{"name: two", "name: three", "does not have the scenario three", false},
	} {
		dir := t.TempDir()
		before := strings.Replace(asking, "TEST", "threshold: 0.8", 1)
		recordRun(t, at(t, dir, before), 40, func(r *runs.Result) {
			earlier(r)
			for i := range r.Tests {
				r.Tests[i].Limits = []runs.Limit{{Name: "max_turns", Max: 5}}
			}
		})
		s := at(t, dir, strings.Replace(before, c.old, c.new, 1))
		_, told, err := prepareAgainst(s, PrepareOptions{Baseline: filepath.Join(dir, "main.json")})
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.new, err, c.want)
			}
			continue
		}
		if err != nil || len(told) != 1 || told[0].Earlier == c.same || len(told[0].Changed) > 0 {
			t.Errorf("%s: %v, %+v", c.new, err, told)
		}
	}
}

func TestFilesThatAreNoBaselines(t *testing.T) {
	dir := t.TempDir()
	s := at(t, dir, strings.Replace(asking, "TEST", "baseline: main.json", 1))
	for _, c := range []struct{ text, want string }{
		{"", "does not exist"},
		{"{", "main.json"},
		{`{"schema":"tribunal/plan/v1"}`, "main.json"},
	} {
		if c.text != "" {
			if err := os.WriteFile(filepath.Join(dir, "main.json"), []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := prepareAgainst(s, PrepareOptions{})
		var bad *suiteError
		if !errors.As(err, &bad) || !strings.Contains(bad.Message(), c.want) || bad.ExitCode() != 65 {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// A baseline that is too small is refused with the number of trials that would do.
func TestTooSmallBaselines(t *testing.T) {
	dir := t.TempDir()
	recordRun(t, at(t, dir, strings.Replace(asking, "TEST", "threshold: 0.8", 1)), 4, nil)
	_, _, err := prepareAgainst(at(t, dir, strings.Replace(asking, "TEST", "baseline: main.json", 1)), PrepareOptions{})
	var bad *suiteError
	if !errors.As(err, &bad) || !strings.Contains(bad.Message(), "a baseline of 4 trials") ||
		!strings.Contains(bad.Hint(), "record") || bad.ExitCode() != 65 {
		t.Errorf("%v", err)
	}
}

// Side by side what changed is what the agent has otherwise than the one beside it.
func TestSidesAreTold(t *testing.T) {
	s := at(t, t.TempDir(), strings.Replace(asking, "TEST", "guard: 0.75", 1)+
		"baseline_agent: {env: {MODEL: tiny}}\nvariants: [{name: fast, timeout: 3s}, {name: tiny, env: {MODEL: tiny}}]\n")
	o, told, err := prepareAgainst(s, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Tests) != 4 || len(told) != 2 || told[0].Rounds == nil || told[0].Rounds != o.Tests[0].Against.Rounds {
		t.Fatalf("%+v, %+v", o.Tests, told)
	}
	want := [][]string{{"agent.env.MODEL: tiny -> small", "agent.timeout: 5m0s -> 3s"}, {}}
	for i, c := range told {
		if c.Variant != s.Variants[i].Name || cmp.Diff(want[i], c.Changed) != "" {
			t.Errorf("%+v, want %q", c, want[i])
		}
	}
	environment := func(a Agent) string { return a.(*CommandAgent).Command.Environment.Set["MODEL"] }
	if environment(o.BaselineAgent) != "tiny" || environment(o.Variants["fast"]) != "small" ||
		o.Tests[1].Variant != "tiny" || o.Tests[1].Name != "one [tiny]" {
		t.Errorf("%+v", o)
	}
}

// Of pooled scenarios so many trials of each are recorded, and together they are a baseline.
func TestPooledRecordings(t *testing.T) {
	dir := t.TempDir()
	recordRun(t, at(t, dir, strings.Replace(asking, "TEST", "threshold: 0.8, by: suite, collapse: none", 1)), 20, nil)
	o, _, err := prepareAgainst(at(t, dir, strings.Replace(asking, "TEST", "baseline: main.json, by: suite, collapse: none", 1)),
		PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := o.Tests[0].Against.Stored.Outcome; got.Trials != 40 {
		t.Errorf("%+v", got)
	}
}

// Baselines of one size have one test, whatever they came to within a tier of it.
func TestBaselinesOfOneSizeArePlannedOnce(t *testing.T) {
	s := at(t, t.TempDir(), strings.Replace(asking, "TEST", "baseline: main.json", 1))
	saveBaseline(t, s, "main.json", recordedTest{name: "one", outcomes: strings.Repeat("p", 60)},
		recordedTest{name: "two", outcomes: strings.Repeat("p", 58) + "fe"})
	o, _, err := prepareAgainst(s, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one, two := o.Tests[0].Against.Stored, o.Tests[1].Against.Stored
	if one.Family != two.Family || one.Outcome == two.Outcome || two.Errors != 1 || two.Worst == two.Outcome {
		t.Errorf("%+v and %+v", one, two)
	}
}
