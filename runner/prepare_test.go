package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// writeRecording writes a recording beside a suite.
func writeRecording(t testing.TB, s *suite.Suite, name string, passes, fails int) string {
	t.Helper()
	file := filepath.Join(s.Dir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("pass\n", passes) + strings.Repeat("fail\n", fails)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

const head = "version: 1\nname: prepared\nlimits: none\n"

func parse(t testing.TB, text string) *suite.Suite {
	t.Helper()
	s, err := suite.Parse(filepath.Join(t.TempDir(), "tribunal.yaml"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func prepared(t testing.TB, s *suite.Suite) Options {
	t.Helper()
	o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestPrepareOptions(t *testing.T) {
	s := parse(t, head+`
agent: {command: [./agent, x], timeout: 7s, grace: 3s, max_output_bytes: 99, redact: [KEY], retries: {infrastructure: 4, backoff: 20ms}, infrastructure: [timeout]}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, max_trials: 20}
budget: {max_cost_usd: 3, max_tokens: 500, max_duration: 2m, max_trials: 70, price_per_trial: 0.5}
concurrency: 3
order: listed
seed: 9
scenarios: [{name: one, input: {a: [1, x]}}, {name: two}, {name: three}]
`)
	o, err := Prepare(context.Background(), s, []suite.Scenario{s.Scenarios[2], s.Scenarios[0]}, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []Scenario{{Name: "three", Input: trial.Raw("null")}, {Name: "one", Input: trial.Raw(`{"a":[1,"x"]}`)}}
	if diff := cmp.Diff(want, o.Scenarios, cmp.AllowUnexported(Scenario{})); diff != "" {
		t.Error(diff)
	}
	if len(o.Tests) != 2 || o.Tests[0].Name != "three" || cmp.Diff([]string{"three"}, o.Tests[0].Scenarios) != "" ||
		o.Tests[1].Name != "one" {
		t.Errorf("%+v", o.Tests)
	}
	if diff := cmp.Diff(Budget{MaxCostUSD: 3, MaxTokens: 500, MaxDuration: 2 * time.Minute, MaxTrials: 70,
		PricePerTrial: .5}, o.Budget); diff != "" {
		t.Error(diff)
	}
	if o.Seed != 9 || o.Concurrency != 3 || !o.Listed || o.Retries != 4 || o.Backoff != 20*time.Millisecond ||
		o.Suite != s.Digest() || o.Suite == "" || o.Eager {
		t.Errorf("%+v", o)
	}
	a := o.Agent.(*CommandAgent)
	if c := a.Command; c.Argv[0] != filepath.Join(s.Dir(), "agent") || c.Argv[1] != "x" || c.Dir != s.Dir() ||
		c.Timeout != 7*time.Second || c.Grace != 3*time.Second ||
		c.MaxOutputBytes != 99 || cmp.Diff([]string{"KEY"}, c.Redact) != "" || !a.TimeoutIsError || a.SilentExitIsError {
		t.Errorf("%+v", a)
	}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

// The designs are those that the library makes of the same numbers.
func TestPrepareDesigns(t *testing.T) {
	h := sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .1, Beta: .1}
	optimal := func(trials int, w sprt.Weighting, err error) sprt.Design {
		if err != nil {
			t.Fatal(err)
		}
		p, err := sprt.Optimal(context.Background(), h, sprt.OptimalOptions{MaxTrials: trials, Weighting: w})
		if err != nil {
			t.Fatal(err)
		}
		return p.Design
	}
	design := func(w sprt.Weighting, err error) sprt.Design { return optimal(20, w, err) }
	made := func(d sprt.Design, err error) sprt.Design {
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	sample, found := h.FixedSample()
	if !found {
		t.Fatal("no fixed sample")
	}
	for _, c := range []struct {
		test, scenario string
		want           sprt.Design
	}{
		{"max_trials: 20", "", design(sprt.Stable(), nil)},
		{"prior: stable", "", optimal(int(1.4*float64(sample.Trials)), sprt.Stable(), nil)},
		{"max_trials: 20, prior: worst", "", design(sprt.Worst(), nil)},
		{"max_trials: 20, prior: 'beta:49,3'", "", design(sprt.Beta(49, 3))},
		{"max_trials: 20, prior: 3/8", "", design(sprt.History(stats.Counts{Passes: 3, Trials: 8}))},
		{"max_trials: 20, prior: main.txt", "", design(sprt.History(stats.Counts{Passes: 19, Trials: 20}))},
		{"max_trials: 20, design: wald", "", made(sprt.Wald(h, 20))},
		{"max_trials: 30, design: wald", "test: {max_trials: 20}", made(sprt.Wald(h, 20))},
		{"design: wald", "test: {threshold: 0.9, delta: 0.1}",
			made(sprt.Wald(sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .1, Beta: .1},
				int(1.4*float64(fixedTrials(.9, .1)))))},
		{"prior: worst", "trials: 12", made(sprt.Fixed(h, 12))},
	} {
		scenario := c.scenario
		if scenario != "" {
			scenario = ", " + scenario
		}
		s := parse(t, head+fmt.Sprintf(`
agent: {command: [agent]}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, %s}
scenarios: [{name: one%s}]
`, c.test, scenario))
		writeRecording(t, s, "main.txt", 19, 1)
		o := prepared(t, s)
		if got := o.Tests[0].Design; got.Digest() != c.want.Digest() || got.Kind != c.want.Kind {
			t.Errorf("%s %s: %+v, want %+v", c.test, c.scenario, got, c.want)
		}
	}
}

func fixedTrials(threshold, delta float64) int {
	sample, _ := sprt.Hypotheses{Threshold: threshold, Delta: delta, Alpha: .1, Beta: .1}.FixedSample()
	return sample.Trials
}

func TestEqualTestsAreDesignedOnce(t *testing.T) {
	s := parse(t, head+`
agent: {command: [agent]}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, max_trials: 20, prior: data/main.txt}
scenarios: [{name: a}, {name: b}, {name: c, test: {max_trials: 21}}, {name: d}, {name: e, trials: 9}]
`)
	var files []string
	recording := writeRecording(t, s, "data/main.txt", 19, 1)
	read := func(h History) { files = append(files, h.File) }
	tests, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{Read: read})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{recording, recording}, files); diff != "" {
		t.Errorf("asked for histories (-want +got):\n%s", diff)
	}
	if tests[0].Design.Digest() != tests[3].Design.Digest() || tests[0].Design.Digest() == tests[2].Design.Digest() {
		t.Error("the designs are mixed up")
	}
}

func TestPreparePools(t *testing.T) {
	const pooled = head + `
agent: {command: [agent]}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, max_trials: 20, by: suite, collapse: none}
scenarios: [{name: b}, {name: a}]
`
	o := prepared(t, parse(t, pooled))
	if len(o.Tests) != 1 || o.Tests[0].Name != "prepared" || cmp.Diff([]string{"b", "a"}, o.Tests[0].Scenarios) != "" ||
		o.Tests[0].Design.Boundaries.MaxTrials() != 20 {
		t.Errorf("%+v", o.Tests)
	}
}

func TestSuitesThatCannotBeRun(t *testing.T) {
	const tail = "\ntest: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, max_trials: 20}\nscenarios: [{name: one}]\n"
	for _, c := range []struct{ text, scenario, problem string }{
		{head + "agent: {command: [agent], output: scrolls}" + tail, "", `"scrolls" is no format`},
		{head + "agent: {command: [agent], output_file: out.json}" + tail, "", `4 trials at a time would share "out.json"`},
		{head + "agent: {command: [agent]}\ntest: {threshold: 0.8, prior: other.jsonl}\nscenarios: [{name: one}]\n", "one",
			"other.jsonl does not exist"},
		{head + "agent: {command: [agent]}\ntest: {threshold: 0.9, max_trials: 3}\nscenarios: [{name: one}]\n", "one", "3"},
		{head + "agent: {command: [agent]}\ntest: {threshold: 0.9, max_trials: 3, by: suite, collapse: none}\nscenarios: [{name: one}]\n", "",
			"3"},
		{head + "agent: {command: [agent]}\ntest: {threshold: 0.9}\nscenarios: [{name: one, trials: 2}]\n", "one",
			"2 passes of 2 would not be enough"},
	} {
		s := parse(t, c.text)
		_, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
		var bad *suiteError
		if !errors.As(err, &bad) || bad.File != s.File || bad.Scenario != c.scenario ||
			!strings.Contains(err.Error(), c.problem) || (bad.Line > 0) != (c.scenario != "") {
			t.Errorf("want %q of scenario %q, got %v", c.problem, c.scenario, err)
		}
	}
	s := parse(t, head+"agent: {command: [agent]}"+tail)
	var bad *suiteError
	if _, err := Prepare(context.Background(), s, nil, PrepareOptions{}); !errors.As(err, &bad) {
		t.Errorf("no scenario: %v", err)
	}
	for _, good := range []string{"output: lines", "output: auto", "output: text", "output: trial",
		"output_file: 'out-{id}.json'"} {
		prepared(t, parse(t, head+"agent: {command: [agent], "+good+"}"+tail))
	}
	prepared(t, parse(t, head+"concurrency: 1\nagent: {command: [agent], output_file: out.json}"+tail))
}

// Tests that are planned together have equal parts of the alpha, one for each question; one that cannot be
// planned so, for want of trials, has all of it.
func TestTestsShareAlpha(t *testing.T) {
	s := parse(t, head+`
agent: {command: [./agent]}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
scenarios: [{name: one}, {name: two}, {name: three, trials: 9}, {name: four, test: {threshold: 0.5, max_trials: 5}}]
`)
	tests, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{Together: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		alpha  float64
		shared int
	}{{.025, 4}, {.025, 4}, {.025, 4}, {.1, 0}} {
		h, exact := tests[i].Design.Hypotheses, sprt.Errors{}
		if exact, err = tests[i].Design.Errors(); err != nil {
			t.Fatal(err)
		}
		if h.Alpha != want.alpha || tests[i].Shared != want.shared || exact.Alpha > want.alpha+1e-12 {
			t.Errorf("%s: %+v, shared %d, exactly %v", tests[i].Name, h, tests[i].Shared, exact.Alpha)
		}
	}
	for _, alone := range [][]suite.Scenario{s.Scenarios[:1], s.Scenarios[:2]} {
		tests, err := Tests(t.Context(), s, alone, PrepareOptions{Together: len(alone) == 1})
		if err != nil || tests[0].Design.Hypotheses.Alpha != .1 || tests[0].Shared != 0 {
			t.Errorf("%d tests: %+v %v", len(alone), tests[0], err)
		}
	}
}
