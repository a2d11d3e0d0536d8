//go:build unix

package runner

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/wire"
)

// asker is an agent that asks a model as often as its input says, and answers each line of its standard input.
func asker() int {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r struct{ Input int }
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return 65
		}
		said, body := "nobody was asked", cmp.Or(os.Getenv("WIRE_TEST_BODY"), `{"model":"m"}`)
		for range r.Input {
			request, err := http.NewRequest("POST", os.Getenv("OPENAI_BASE_URL")+"/chat/completions", strings.NewReader(body))
			if err != nil {
				return 65
			}
			request.Header.Set("Authorization", "Bearer "+os.Getenv("OPENAI_API_KEY"))
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				return 69
			}
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if said = "fine"; answer.StatusCode != 200 { // it goes on all the same
				said = string(text)
			}
		}
		said, _ = strings.CutSuffix(said, "\n")
		fmt.Printf("%q\n", said)
	}
	return 0
}

// wiredSuite is a suite of an agent on a wire to a server.
func wiredSuite(t *testing.T, handler http.HandlerFunc, lines string) *suite.Suite {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	t.Setenv("WIRE_TEST_AUTH", "swordfish-8")
	command := program(t, "asker")
	return parse(t, `
version: 1
name: wired
agent:
  command: ["`+command.Argv[0]+`"]
  env: {`+roleVariable+`: asker, GORACE: atexit_sleep_ms=0}
wire:
  upstream: {openai: "`+s.URL+`/v1"}
  key_env: {openai: WIRE_TEST_AUTH}
prices: [{model: m-1, input: 1000, cached: 0, output: 2000}]
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
`+lines)
}

func TestAgentOnAWire(t *testing.T) {
	for _, mode := range []string{"process", "session"} {
		t.Run(mode, func(t *testing.T) {
			var mu sync.Mutex
			asked := 0
			s := wiredSuite(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") != "Bearer swordfish-8" || r.URL.Path != "/v1/chat/completions" {
					t.Errorf("%v at %s", r.Header, r.URL)
				}
				mu.Lock()
				asked++
				mu.Unlock()
				io.WriteString(w, answersFine)
			}, `
limits: {max_turns: 4, max_cost_usd: 0.2}
concurrency: 3
scenarios:
  - {name: fine, input: 3, trials: 6, evaluate: [contains: fine]}
  - {name: endless, input: 40, trials: 6, evaluate: [contains: fine], limits: {max_cost_usd: none}}
  - {name: dear, input: 40, trials: 6, evaluate: [contains: fine], limits: {max_turns: none, max_cost_usd: 0.05}}
  - {name: wordy, input: 40, trials: 6, evaluate: [contains: fine], limits: {max_turns: none, max_cost_usd: none, max_tokens: 80}}
  - {name: expected, input: 40, trials: 6, expect: {status: failed}}
  - {name: silent, input: 0, trials: 6, evaluate: [contains: nobody]}
`)
			if mode == "session" {
				s.Agent.Mode = suite.SessionMode
			}
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 6})
			if err != nil {
				t.Fatal(err)
			}
			o.Journal = filepath.Join(t.TempDir(), "journal")
			r, err := Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			trials := map[string]int{}
			for _, record := range r.Trials {
				x := record.Trial
				trials[x.Scenario]++
				turns, cause := len(x.Steps), ""
				if x.Error != nil {
					cause = x.Error.Type
				}
				// An answer costs 20 × 1000 + 10 × 0 + 5 × 2000 USD for a million: 0.03.
				cost := 0.03 * float64(turns)
				told := x.InputTokens.Value == int64(30*turns) && x.OutputTokens.Value == int64(5*turns) &&
					x.CachedTokens.Value == int64(10*turns) && x.CostBasis == trial.EstimatedCost &&
					x.CostUSD.Value > cost-1e-9 && x.CostUSD.Value < cost+1e-9 && x.Model == "m-1"
				switch want := map[string]struct {
					outcome trial.Outcome
					turns   int
					cause   string
				}{
					"fine": {trial.Pass, 3, ""}, "endless": {trial.Fail, 4, "max_turns"},
					// A limit that is reached is no end that may be expected.
					"dear": {trial.Fail, 2, "max_cost_usd"}, "wordy": {trial.Fail, 3, "max_tokens"},
					"expected": {trial.Fail, 4, "max_turns"},
					"silent":   {trial.Error, 0, "wire"},
				}[x.Scenario]; {
				case x.Outcome != want.outcome, turns != want.turns, cause != want.cause, turns > 0 && !told:
					t.Errorf("%s: %+v %+v", x.Scenario, x, x.Error)
				}
			}
			want := 3*trials["fine"] + 4*(trials["endless"]+trials["expected"]) + 2*trials["dear"] + 3*trials["wordy"]
			if asked != want || trials["endless"] == 0 || trials["dear"] == 0 || trials["wordy"] == 0 || trials["silent"] == 0 {
				t.Errorf("%d requests went up in %v, and not %d", asked, trials, want)
			}
			if journal := content(t, o.Journal); strings.Contains(journal, "swordfish-8") {
				t.Error("the key stands in the journal")
			}
		})
	}
}

// Limits of a trial hold over its attempts, and one that asked a model is never made again.
func TestLimitsHoldOverAttempts(t *testing.T) {
	var asked atomic.Int64
	s := wiredSuite(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.WriteString(w, answersFine)
	}, `
limits: {max_turns: 4, max_cost_usd: 1}
scenarios:
  - {name: max_turns, input: 40, evaluate: [contains: fine]}
  - {name: max_tokens, input: 40, evaluate: [contains: fine], limits: {max_turns: 40, max_cost_usd: 1, max_tokens: 90}}
`)
	for i, mode := range []suite.Mode{suite.ProcessMode, suite.SessionMode, suite.ProcessMode, suite.SessionMode} {
		s.Agent.Mode = mode
		limit := s.Scenarios[i/2].Name
		o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		again := &trialRun{test: &testRun{}, scenario: &scenarioRun{spec: o.Scenarios[i/2]}, attempt: 1}
		again.Scenario = limit
		again.Spent = journal.Spend{Attempts: 1, Turns: 3, InputTokens: 60, CostUSD: 0.09}
		asked.Store(0)
		attempt := o.Agent.Run(context.Background(), again.request())
		closeAll(o.Agent)
		if asked.Load() != 1 || !attempt.Broken || attempt.Trial.Error == nil || attempt.Trial.Error.Type != limit {
			t.Errorf("%v: %d requests went up, and %+v", mode, asked.Load(), attempt.Trial)
		}
	}
	agent := &CommandAgent{wiring: &wiring{}}
	unbegun := Attempt{Err: &InfrastructureError{Type: startProblem, Unbegun: true}}
	for turns, repeatable := range []bool{true, false} {
		seen := &wire.Traffic{Spent: wire.Expense{Turns: turns}}
		end := attemptEnd{attempt: agent.overWire(context.Background(), Request{}, unbegun, seen)}
		if end.repeatable() != repeatable {
			t.Errorf("after %d turns: %+v", turns, end.attempt)
		}
	}
}

// What an answer may have cost at most stops a trial, what it cost at least fails it, and in between nobody knows.
func TestBoundsOfCostOnTheWire(t *testing.T) {
	// Of a cache nothing is told: an answer costs 5 × 2000 and at most 30 × 1000 USD for a million, 0.01 to 0.04.
	answer := strings.Replace(answersFine, `"prompt_tokens_details":{"cached_tokens":10}`, `"prompt_tokens_details":{}`, 1)
	if answer == answersFine {
		t.Fatal("the answer has another form")
	}
	s := wiredSuite(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, answer) }, `
limits: {max_turns: 9}
scenarios:
  - {name: kept, input: 1, trials: 4, evaluate: [contains: fine], limits: {max_cost_usd: 0.05}}
  - {name: broken, input: 1, trials: 4, evaluate: [contains: fine], limits: {max_cost_usd: 0.009}}
  - {name: between, input: 1, trials: 4, evaluate: [contains: fine], limits: {max_cost_usd: 0.02}}
  - {name: stopped, input: 5, trials: 4, evaluate: [contains: fine], limits: {max_cost_usd: 0.009}}
  - {name: stopped between, input: 5, trials: 4, evaluate: [contains: fine], limits: {max_cost_usd: 0.03}}
`)
	o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{Record: 2})
	if err != nil {
		t.Fatal(err)
	}
	o.Concurrency = 1
	r, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range r.Trials {
		x := record.Trial
		want := map[string]struct {
			outcome trial.Outcome
			cause   string
		}{
			"kept": {trial.Pass, ""}, "broken": {trial.Fail, ""}, "between": {trial.Error, "judge"},
			"stopped": {trial.Fail, "max_cost_usd"}, "stopped between": {trial.Error, "max_cost_usd"},
		}[x.Scenario]
		cause := ""
		if x.Error != nil {
			cause = x.Error.Type
		}
		if x.Outcome != want.outcome || cause != want.cause || x.CostBasis != trial.CostAtMost || len(x.Steps) != 1 ||
			math.Abs(x.CostUSD.Value-0.04) > 1e-12 || math.Abs(x.CostAtLeast.Value-0.01) > 1e-12 {
			t.Errorf("%s: %+v %+v", x.Scenario, x, x.Error)
		}
	}
}
