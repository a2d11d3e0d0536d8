//go:build unix

package runner

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// endingSuite is a suite of one scenario that expects an end, of an agent with the settings.
func endingSuite(t testing.TB, script, agent, expect, rest string) *suite.Suite {
	t.Helper()
	agent = strings.ReplaceAll(agent, ", ", "\n  ")
	if !strings.HasPrefix(rest, "limits: ") {
		rest = "limits: none\n" + rest
	}
	return scripted(t, script, agent, "expect: {"+expect+"}\n"+rest)
}

const pass, fail, broke = trial.Pass, trial.Fail, trial.Error

// What becomes of a trial, by how its agent ends and how it was to end: four ways of ending in rows, what is expected
// in columns. An end that counts as an error meets errored besides; one that was not declared stays an error.
func TestExpectedEnds(t *testing.T) {
	outcomes := map[oracle.Status]int{oracle.Completed: 0, oracle.Failed: 1, oracle.TimedOut: 2, oracle.Errored: 3}
	for _, c := range []struct {
		name, script, agent string
		want                [4]trial.Outcome // completed, failed, timed-out, errored
	}{
		{"answer", "echo billing", "output: text", [4]trial.Outcome{pass, fail, fail, fail}},
		{"record", `echo '{"outcome":"pass"}'`, "output: trial", [4]trial.Outcome{pass, fail, fail, fail}},
		{"exit code", "echo billing; exit 3", "output: text", [4]trial.Outcome{fail, pass, fail, fail}},
		{"exit code of a record", `echo '{"outcome":"pass"}'; exit 3`, "output: trial",
			[4]trial.Outcome{fail, pass, fail, fail}},
		{"told failure", `echo '{"outcome":"fail"}'`, "output: trial", [4]trial.Outcome{fail, pass, fail, fail}},
		{"told error", `echo '{"outcome":"error","error":{"type":"timeout"}}'`, "output: trial",
			[4]trial.Outcome{broke, broke, broke, pass}},
		{"told error of infrastructure", `echo '` + brokenOff + `'`, "output: trial",
			[4]trial.Outcome{broke, broke, broke, pass}},
		// An exit code without output is an error only where nothing else is expected of it.
		{"silent", "exit 1", "output: text", [4]trial.Outcome{fail, pass, fail, pass}},
		{"silent, and no error", "exit 1", "infrastructure: []", [4]trial.Outcome{fail, pass, fail, fail}},
		{"timeout", "echo billing; exec sleep 60", "output: text, timeout: 200ms", [4]trial.Outcome{fail, fail, pass, fail}},
		{"timeout as an error", "echo billing; exec sleep 60", "output: text, timeout: 200ms, infrastructure: [timeout]",
			[4]trial.Outcome{broke, broke, pass, pass}},
		{"crash", "echo billing; kill -SEGV $$", "output: text", [4]trial.Outcome{fail, pass, fail, fail}},
		{"crash as an error", "kill -SEGV $$", "infrastructure: [signal]", [4]trial.Outcome{broke, pass, broke, pass}},
		{"killed", "kill -9 $$", "output: text", [4]trial.Outcome{broke, broke, broke, pass}},
		{"no such command", "exit 127", "output: text", [4]trial.Outcome{broke, broke, broke, pass}},
		{"unreadable", "echo '{'", "output: trial", [4]trial.Outcome{fail, pass, fail, fail}},
		{"unreadable as an error", "echo '{'", "output: trial, infrastructure: [output]",
			[4]trial.Outcome{broke, pass, broke, pass}},
		{"endless", "exec yes", "output: text, max_output_bytes: 1000", [4]trial.Outcome{fail, pass, fail, fail}},
	} {
		for status, i := range outcomes {
			t.Run(c.name+" "+string(status), func(t *testing.T) {
				t.Parallel()
				records, _ := tried(t, endingSuite(t, c.script, c.agent, "status: "+string(status), ""), 1)
				got := records[0]
				if got.Trial.Outcome != c.want[i] || got.Spent.Attempts != 1 {
					t.Fatalf("%v, want %v: %d attempts, %+v", got.Trial.Outcome, c.want[i], got.Spent.Attempts, got.Trial.Error)
				}
				judgement, judged := oracle.Recorded(got.Trial)
				if judged != (c.want[i] != broke) {
					t.Errorf("judged: %v", judged)
				}
				if prefix := "expect: expected " + string(status) + ", and it "; c.want[i] == fail &&
					!strings.HasPrefix(judgement.Text, prefix) {
					t.Errorf("%q does not begin with %q", judgement.Text, prefix)
				}
				rejudged(t, endingSuite(t, c.script, c.agent, "status: "+string(status), ""), got.Trial)
			})
		}
	}
}

// rejudged judges a record again, twice: what it comes to is what it came to.
func rejudged(t *testing.T, s *suite.Suite, record *trial.Trial) {
	t.Helper()
	b, err := NewBench(s, s.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	again := record.Clone()
	for range 2 {
		if _, err := b.Judge(context.Background(), again); err != nil || again.Outcome != record.Outcome {
			t.Fatalf("judged again it is %v and not %v: %v", again.Outcome, record.Outcome, err)
		}
	}
}

// The evaluators judge what there is of an end that was declared, limits hold for what is told of it, and the duration
// is bounded.
func TestExpectedEndIsJudgedFurther(t *testing.T) {
	for _, c := range []struct {
		name, script, agent, expect, rest string
		want                              trial.Outcome
		text                              string
	}{
		{"output of a timeout", "echo billing; exec sleep 60", "output: text, timeout: 300ms", "status: timed-out",
			"evaluate: [contains: billing]", trial.Pass, ""},
		{"no such output", "echo sales; exec sleep 60", "output: text, timeout: 300ms", "status: timed-out",
			"evaluate: [contains: billing]", trial.Fail, "contains: "},
		{"output of a timeout that is an error", "echo billing; exec sleep 60",
			"output: text, timeout: 300ms, infrastructure: [timeout]", "status: timed-out", "evaluate: [contains: billing]",
			trial.Pass, ""},
		{"output of an error", `echo '{"outcome":"error","output":"billing"}'`, "output: trial", "status: errored",
			"evaluate: [equals: billing]", trial.Pass, ""},
		{"output of a failure", "echo billing; exit 3", "output: text", "status: failed", "evaluate: [{exit-code: 4}]",
			trial.Fail, "exit-code: "},
		{"not as declared", "echo billing", "output: text, timeout: 10s", "status: timed-out",
			"evaluate: [contains: billing]",
			trial.Fail, "expect: expected timed-out, and it completed"},
		{"a timeout that is not declared", "exec sleep 60", "output: text, timeout: 200ms", "status: completed", "",
			trial.Fail, "expect: expected completed, and it timed out: the agent did not end within 200ms"},
		{"in time", "echo billing", "output: text", "status: completed, within: 50s", "", trial.Pass, ""},
		{"too late", `echo '{"outcome":"pass","duration_s":2.5}'`, "output: trial", "status: completed, within: 2s", "",
			trial.Fail, "expect: expected completed within 2s, and it took 2.5 s"},
		{"limits that nothing tells", "exec sleep 60", "output: text, timeout: 200ms", "status: timed-out",
			"limits: {max_turns: 3, max_cost_usd: 1}", trial.Pass, ""},
		{"limits of one that completes", "echo billing", "output: text", "status: completed",
			"limits: {max_turns: 3, max_cost_usd: 1}", trial.Error, "max_turns: not recorded"},
		{"a limit that is told", `echo '{"outcome":"error","cost_usd":2,"steps":[]}'`, "output: trial", "status: errored",
			"limits: {max_turns: none, max_cost_usd: 1}", trial.Fail, "max_cost_usd: 2.00, above the limit of 1.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := endingSuite(t, c.script, c.agent, c.expect, c.rest)
			records, _ := tried(t, s, 1)
			judgement, _ := oracle.Recorded(records[0].Trial)
			if got := records[0].Trial.Outcome; got != c.want || !strings.HasPrefix(judgement.Text, c.text) {
				t.Errorf("%v: %q", got, judgement.Text)
			}
		})
	}
}

// An attempt that never began says nothing of its agent, whatever is expected.
func TestWhatNeverBeganIsNoEnd(t *testing.T) {
	s := endingSuite(t, "true", "output: text", "status: errored", "")
	s.Agent.Command = []string{filepath.Join(t.TempDir(), "nowhere")}
	records, _ := tried(t, s, 1)
	if got := records[0]; got.Trial.Outcome != trial.Error || got.Spent.Attempts != 3 {
		t.Errorf("%v after %d attempts", got.Trial.Outcome, got.Spent.Attempts)
	}
}

// Agents that are asked at an address end in the same ways; one that turns a request away is not asked again where that
// is expected.
func TestExpectedEndsOfAddresses(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	hangs := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else nobody sees that the client has gone
		<-r.Context().Done()
	}
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
	}
	for _, c := range []struct {
		name   string
		handle http.HandlerFunc
		http   [4]trial.Outcome // completed, failed, timed-out, errored
		model  [4]trial.Outcome
	}{
		{"answer", says(answersFine), [4]trial.Outcome{pass, fail, fail, fail}, [4]trial.Outcome{pass, fail, fail, fail}},
		{"status", status(418), [4]trial.Outcome{broke, pass, broke, pass}, [4]trial.Outcome{broke, pass, broke, pass}},
		{"refused", status(503), [4]trial.Outcome{broke, broke, broke, pass}, [4]trial.Outcome{broke, broke, broke, pass}},
		{"hangs", hangs, [4]trial.Outcome{fail, fail, pass, fail}, [4]trial.Outcome{fail, fail, pass, fail}},
		{"told failure", says(`{"outcome":"fail"}`), [4]trial.Outcome{fail, pass, fail, fail},
			[4]trial.Outcome{fail, pass, fail, fail}},
	} {
		for i, want := range oracle.Statuses() {
			t.Run(c.name+" "+string(want), func(t *testing.T) {
				model := modelSuite(t, c.handle, "", "  timeout: 300ms\n  retries: {infrastructure: 1, backoff: 1ms}")
				text := head + "agent:\n  http: {url: \"" + strings.TrimSuffix(model.Agent.Model.URL, "/v1") +
					"\"}\n  timeout: 300ms\n" +
					"  retries: {infrastructure: 1, backoff: 1ms}\ntest: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}\n" +
					"scenarios: [{name: a, trials: 6}]\n"
				for s, outcome := range map[*suite.Suite]trial.Outcome{parse(t, text): c.http[i], model: c.model[i]} {
					s.Scenarios[0].Evaluate, s.Scenarios[0].Expect = nil, oracle.Expectation{Status: want}
					o := prepared(t, s)
					o.Budget.MaxTrials = 1
					r, err := Run(context.Background(), o)
					if err != nil && !errors.Is(err, ErrAllErrors) {
						t.Fatal(err)
					}
					record := r.Trials[0]
					if record.Trial.Outcome != outcome {
						t.Errorf("%s: %v, %+v", s.Name, record.Trial.Outcome, record.Trial.Error)
					}
					if record.Trial.Outcome == trial.Pass && record.Spent.Attempts != 1 {
						t.Errorf("%s: asked %d times", s.Name, record.Spent.Attempts)
					}
				}
			})
		}
	}
}

// A program that stays up ends as one that does not, and is another one after an expected timeout.
func TestExpectedEndsOfSessions(t *testing.T) {
	for status, script := range map[oracle.Status]string{
		oracle.Completed: `while read line; do echo billing; done`,
		oracle.Failed:    `read line; exit 3`,
		oracle.TimedOut:  `read line; exec sleep 60`,
		oracle.Errored:   `read line; kill -9 $$`,
	} {
		for _, want := range oracle.Statuses() {
			s := endingSuite(t, script, "mode: session, output: text, timeout: 400ms", "status: "+string(want), "")
			records, _ := tried(t, s, 2)
			for _, r := range records {
				// Nothing was printed: the exit code is an error where one is expected.
				if meets := want == status || status == oracle.Failed &&
					want == oracle.Errored; (r.Trial.Outcome == trial.Pass) != meets {
					t.Errorf("%s where %s is expected: %v, %+v", status, want, r.Trial.Outcome, r.Trial.Error)
				}
			}
		}
	}
}

// A run that is continued takes the passes of the journal as they are, and tries trials of its own.
func TestExpectedEndsAreResumed(t *testing.T) {
	s := endingSuite(t, "exec sleep 60", "output: text, timeout: 100ms, infrastructure: [timeout]", "status: timed-out",
		"")
	o := prepared(t, s)
	o.Budget.MaxTrials, o.Journal = 4, filepath.Join(t.TempDir(), "journal")
	if _, err := Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	o.Budget.MaxTrials, o.Resume = 9, true
	r, err := Run(context.Background(), o)
	if err != nil || len(r.Trials) != 9 {
		t.Fatalf("%d trials, %v", len(r.Trials), err)
	}
	for _, x := range r.Trials {
		if x.Trial.Outcome != trial.Pass || x.Trial.Error == nil || x.Trial.Error.Type != timeoutProblem {
			t.Errorf("trial %d: %v %+v", x.Number, x.Trial.Outcome, x.Trial.Error)
		}
	}
}

// One trial is tried as a run does.
func TestTryExpectsAnEnd(t *testing.T) {
	s := endingSuite(t, "echo so far; exec sleep 60", "output: text, timeout: 300ms", "status: timed-out, within: 40s", "")
	tried, err := Try(context.Background(), s, TrialChoice{Scenario: s.Scenarios[0], Seed: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := oracle.End{Status: oracle.TimedOut, Text: "the agent did not end within 300ms"}
	if diff := cmp.Diff(want, tried.Judgement.Ended); diff != "" || tried.Trial.Outcome != trial.Pass ||
		tried.Trial.Output.Text() != "so far" {
		t.Errorf("%v %q %s", tried.Trial.Outcome, tried.Trial.Output, diff)
	}
	if took := tried.Trial.DurationSeconds.Value; took < 0.3 || tried.Why != "" {
		t.Errorf("%v s, %q", time.Duration(took*float64(time.Second)), tried.Why)
	}
}
