//go:build unix

package runner

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// How a program ended is with its trial: in the journal, after a resume, and in the result.
func TestEndOfTheProgramIsKept(t *testing.T) {
	const failing = "limits: none\nevaluate: [contains: billing, equals: refunds]"
	first := `contains: the output does not contain "billing": "sales"; equals: `
	for _, c := range []struct {
		name, script, agent string
		want                *journal.Process
		text, last          string // the beginning and the end of the reason
	}{
		{"passes", "echo billing >&2; echo billing", "output: text", nil, "", ""},
		{"fails", "echo a note >&2; echo sales", "output: text", &journal.Process{Stderr: "a note"}, first, `"refunds"`},
		{"crashes with a word", "echo sales; echo one >&2; echo 'Runtime\tError: two' >&2; exit 3", "output: text",
			&journal.Process{ExitCode: 3, Stderr: "one\nRuntime\tError: two"}, first,
			`; the agent ended with exit code 3; its standard error ends with "Runtime\tError: two"`},
		{"crashes without a word", "echo no key >&2; exit 1", "output: text", &journal.Process{ExitCode: 1, Stderr: "no key"},
			"the agent printed nothing and ended with exit code 1", `; its standard error ends with "no key"`},
		{"signal", "echo sales; echo oh >&2; kill -SEGV $$", "output: text",
			&journal.Process{Signal: "segmentation fault", Stderr: "oh"},
			"the agent was ended by a signal: segmentation fault", `; its standard error ends with "oh"`},
		{"timeout", "echo slow >&2; exec sleep 60", "timeout: 200ms", &journal.Process{Stderr: "slow"},
			"the agent did not end within 200ms", "200ms"},
		{"a long complaint", "head -c 100000 /dev/zero | tr '\\0' x >&2; echo the end >&2; echo sales; exit 1",
			"output: text",
			&journal.Process{ExitCode: 1, Stderr: strings.Repeat("x", journal.MaxStderrBytes-7) + "the end"}, first, "x…\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := prepared(t, scripted(t, c.script, c.agent, failing))
			if c.want == nil {
				o = prepared(t, scripted(t, c.script, c.agent, "limits: none\nevaluate: [contains: billing]"))
			}
			o.Budget.MaxTrials, o.Journal = 1, filepath.Join(t.TempDir(), "journal")
			for _, o.Resume = range []bool{false, true} {
				found, _ := Run(t.Context(), o) // in which every trial may be an error
				if diff := cmp.Diff(c.want, found.Trials[0].Process); diff != "" {
					t.Errorf("resumed %v (-want +got):\n%s", o.Resume, diff)
				}
				result, err := runs.Judge(t.Context(), found.Evidence("s", "d", "1"))
				if err != nil {
					t.Fatal(err)
				}
				listed := result.Trials[0]
				if diff := cmp.Diff(c.want, listed.Process); diff != "" {
					t.Errorf("in the result: %s", diff)
				}
				if c.want == nil {
					continue
				}
				if text := result.Tests[0].Failures[0].Text; !strings.HasPrefix(text, c.text) || !strings.HasSuffix(text, c.last) ||
					!strings.HasPrefix(listed.Text, text[:min(len(text), 500)]) {
					t.Errorf("%q, want %q … %q", text, c.text, c.last)
				}
			}
		})
	}
}

// A failing trial shows what every evaluator found, with the parts of combinations.
func TestEveryEvaluatorOfAFailingTrialIsTold(t *testing.T) {
	const answer = `{"output":"sales","steps":[{"action":"call_tool","tool":"search"},{"action":"respond"}]}`
	o := prepared(t, scripted(t, "echo '"+answer+"'", "output: trial", "limits: none\n"+
		"evaluate: [contains: billing, equals: sales, must-call: refund, any: [{exit-code: 3}, {contains: x}]]"))
	o.Budget.MaxTrials = 1
	result, err := runs.Judge(t.Context(), mustRun(t, o).Evidence("s", "d", "1"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range result.Trials[0].Evaluators {
		got = append(got, fmt.Sprint(r.Evaluator, " ", r.Outcome, " ", len(r.Parts)))
	}
	if diff := cmp.Diff([]string{"contains fail 0", "equals pass 0", "must-call fail 0", "any fail 2"}, got); diff != "" {
		t.Error(diff)
	}
	text := result.Tests[0].Failures[0].Text
	for _, part := range []string{`contains: the output does not contain "billing"`, "; must-call: refund", "; any: "} {
		if !strings.Contains(text, part) {
			t.Errorf("%q does not tell %q", text, part)
		}
	}
}

// There is room for so many evaluators, and the rest is counted.
func TestEvaluatorsInAResultAreBounded(t *testing.T) {
	results := make([]oracle.Result, 50)
	for i := range results {
		results[i] = oracle.Result{Evaluator: "contains", Outcome: trial.Fail, Text: strings.Repeat("x", 5000)}
		results[i].Parts = []oracle.Result{{Evaluator: "part", Outcome: trial.Pass}}
	}
	x := &trial.Trial{Scenario: "one"}
	if err := (oracle.Judgement{Outcome: trial.Fail, Results: results,
		Text: "contains: " + results[0].Text}).Record(x); err != nil {
		t.Fatal(err)
	}
	o := options(quick(t), AgentFunc(nil), "one")
	result, err := runs.Judge(t.Context(), runs.Evidence{Tests: []runs.TestEvidence{{
		Name: "one", Scenarios: []string{"one"}, Design: o.Tests[0].Design,
		Trials: []runs.TrialEvidence{{Scenario: "one", Trial: x}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	listed := result.Trials[0]
	if len(listed.Evaluators) != 15 || listed.EvaluatorsOmitted != 70 || len(listed.Evaluators[0].Text) > 350 {
		t.Errorf("%d evaluators, %d omitted, a text of %d bytes", len(listed.Evaluators), listed.EvaluatorsOmitted,
			len(listed.Evaluators[0].Text))
	}
}

// Who waits for a run whose first trials all broke off is told so before it ends.
func TestFirstErrorsAreToldEarly(t *testing.T) {
	o := prepared(t, scripted(t, "echo no key >&2; exit 1", "output: text", "limits: none\nevaluate: [contains: billing]"))
	var told []string
	o.Failing = func(trials int, cause string) { told = append(told, fmt.Sprint(trials, ": ", cause)) }
	o.Concurrency = 1
	r, err := Run(t.Context(), o)
	want := []string{`3: the agent printed nothing and ended with exit code 1; its standard error ends with "no key"`}
	if diff := cmp.Diff(want, told); diff != "" || err == nil || len(r.Trials) != 9 {
		t.Errorf("%v, %d trials\n%s", err, len(r.Trials), diff)
	}
}
