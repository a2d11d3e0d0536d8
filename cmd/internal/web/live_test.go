package web_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// liveText runs a suite of two scenarios and returns what the page says of its journal: before the first decision, and
// at the end.
func liveText(t *testing.T, test, more string, record int, passes func(runner.Request) bool) (running, over string) {
	t.Helper()
	s, err := suite.Parse("tribunal.yaml", []byte(`
version: 1
name: shop
limits: none
concurrency: 1
seed: 7
agent: {command: [agent]}
test: {threshold: 0.9, delta: 0.4, `+test+`}
scenarios: [{name: opening}, {name: returns}]
`+more))
	if err != nil {
		t.Fatal(err)
	}
	o, err := runner.Prepare(t.Context(), s, s.Scenarios, runner.PrepareOptions{Record: record})
	if err != nil {
		t.Fatal(err)
	}
	o.Journal = filepath.Join(t.TempDir(), "shop.journal.jsonl")
	o.Judge = nil
	o.Agent = runner.AgentFunc(func(_ context.Context, r runner.Request) runner.Attempt {
		outcome := trial.Fail
		if passes(r) {
			outcome = trial.Pass
		}
		return runner.Attempt{Trial: &trial.Trial{Scenario: r.Scenario, Outcome: outcome, CostUSD: trial.Some(0.25)}}
	})
	for name := range o.Variants {
		o.Variants[name] = o.Agent
	}
	if _, err := runner.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	address, _ := started(t, web.Options{Journal: o.Journal})
	_, page := get(t, address+"/live")
	whole, err := os.ReadFile(o.Journal)
	if err != nil {
		t.Fatal(err)
	}
	began, _, _ := bytes.Cut(whole, []byte(`{"decision":`))
	if err := os.WriteFile(o.Journal+".part", began, 0o600); err != nil {
		t.Fatal(err)
	}
	address, _ = started(t, web.Options{Journal: o.Journal + ".part"})
	_, part := get(t, address+"/live")
	return textOf(part), textOf(page)
}

// Scenarios that are tested as one have no verdict of their own: that of all is said once, or once for each variant, and
// each has its counts.
func TestPageOfScenariosThatAreTestedAsOne(t *testing.T) {
	const variants = "variants: [{name: slow, command: [agent, slow]}, {name: fast, command: [agent, fast]}]"
	for name, c := range map[string]struct {
		test, more    string
		passes        func(runner.Request) bool
		running, over []string // what is said once
		none          []string // what is not said
	}{
		"passes": {"by: suite", "", func(runner.Request) bool { return true },
			[]string{" 2 scenarios, tested as one: undecided ", " Scenarios ", " undecided "},
			[]string{" 2 scenarios, tested as one: passed ", " Scenarios opening ", " opening 2 of 2 passed, $0.500 "},
			[]string{" Tests ", " pass "}},
		"fails": {"by: suite", "", func(r runner.Request) bool { return r.Scenario == "opening" },
			[]string{" 2 scenarios, tested as one: undecided ", " undecided "},
			[]string{" 2 scenarios, tested as one: failed ", " opening 2 of 2 passed, $0.500 ",
				" returns 0 of 3 passed, $0.750 "},
			[]string{" Tests ", " fail "}},
		"variants": {"by: suite", variants, func(r runner.Request) bool { return r.Variant == "fast" },
			[]string{" 2 scenarios, tested as one: slow undecided, fast undecided ", " opening [fast] 1 of 1 passed, $0.250 "},
			[]string{" 2 scenarios, tested as one: slow failed, fast passed ", " returns [fast] 2 of 2 passed, $0.500 "},
			[]string{" Tests ", " pass ", " fail "}},
		"together": {"by: suite, collapse: none", "", func(runner.Request) bool { return true },
			[]string{" 0 of 1 test decided", " Tests undecided "}, []string{" All tests are decided ", " Tests pass "},
			[]string{" Scenarios ", "tested as one"}},
		"by scenario": {"by: scenario", "", func(runner.Request) bool { return true },
			[]string{" 0 of 2 tests decided", " Tests undecided "}, []string{" All tests are decided ", " Tests pass "},
			[]string{" Scenarios ", "tested as one"}},
	} {
		running, over := liveText(t, c.test, c.more, 0, c.passes)
		for text, says := range map[string][]string{running: c.running, over: c.over} {
			for _, want := range says {
				if strings.Count(text, want) != 1 {
					t.Errorf("%s: %q is not said once in %s", name, want, text)
				}
			}
			for _, word := range c.none {
				if strings.Contains(text, word) {
					t.Errorf("%s: %q is said in %s", name, word, text)
				}
			}
		}
	}
}

// A recording decides nothing: its tests are neither undecided nor inconclusive.
func TestPageOfARecording(t *testing.T) {
	running, over := liveText(t, "by: suite", "", 3, func(runner.Request) bool { return true })
	for text, want := range map[string]string{running: " trials recorded so far", over: " All trials are recorded "} {
		if !strings.Contains(text, want) || strings.Contains(text, "decided") || strings.Contains(text, "inconclusive") {
			t.Errorf("%q is not said, or more is, in %s", want, text)
		}
	}
	if !strings.Contains(running, " recording opening") || !strings.Contains(over, " recorded opening 3 of 3 passed") {
		t.Errorf("%s\n%s", running, over)
	}
}
