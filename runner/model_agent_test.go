//go:build unix

package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// modelSuite is a suite whose agent is a model at a server, with further settings of the model and of the suite.
func modelSuite(t *testing.T, handler http.HandlerFunc, within, lines string) *suite.Suite {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	t.Setenv("MODEL_TEST_AUTH", "swordfish-7")
	if !strings.Contains(lines, "limits") {
		lines += "\nlimits: none\n"
	}
	return parse(t, `
version: 1
name: model
agent:
  model: {provider: openai, name: m, url: "`+s.URL+`/v1", key_env: MODEL_TEST_AUTH`+within+`}
`+lines+`
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
scenarios: [{name: a, input: {q: hello, id: 7}, trials: 6, evaluate: [contains: fine]}]
`)
}

const (
	answersFine = `{"model":"m-1","choices":[{"message":{"content":"I am fine."},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":30,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":10}}}`
	callsTool = `{"model":"m-1","choices":[{"message":{"tool_calls":[{"id":"c","type":"function",
		"function":{"name":"look_up","arguments":"{}"}}]},"finish_reason":"tool_calls"}],
		"usage":{"prompt_tokens":20,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":0}}}`
	withTool = `, tools: [{name: look_up, result: {order: "{input.id}", seed: "{seed}"}}]`
)

// What a trial says of a conversation, and what the model was asked.
func TestModelAgent(t *testing.T) {
	var bodies []string
	s := modelSuite(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		if r.Header.Get("Authorization") != "Bearer swordfish-7" || r.URL.Path != "/v1/chat/completions" {
			t.Errorf("%s with %q", r.URL, r.Header)
		}
		if len(bodies) == 1 {
			_, _ = io.WriteString(w, callsTool)
			return
		}
		_, _ = io.WriteString(w, answersFine)
	}, withTool+`, system: "Trial {trial}.", prompt: "{input.q}?", seed: "{seed}", temperature: 0,
    price: {input: 2, output: 10}`, "")
	o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(o.Agent)
	attempt := o.Agent.Run(context.Background(), Request{
		Scenario: "a", Input: trial.Raw(`{"q":"hello","id":7}`), Trial: 3, Seed: 11,
	})
	if attempt.Err != nil {
		t.Fatal(attempt.Err)
	}
	got := *attempt.Trial
	for i := range got.Steps {
		if got.Steps[i].DurationSeconds = (trial.Optional[float64]{}); got.Steps[i].CostUSD.Known {
			got.Steps[i].CostUSD.Value = 0
		}
	}
	if c := got.CostUSD.Value; c < 0.00019999 || c > 0.00020001 { // 50 in at 2, 10 out at 10 a million
		t.Error(c)
	}
	got.DurationSeconds, got.CostUSD = trial.Optional[float64]{}, trial.Optional[float64]{}
	tokens := func(n int64) trial.Optional[int64] { return trial.Some(n) }
	want := trial.Trial{
		Scenario: "a", Output: trial.RawString("I am fine."), Model: "m-1",
		Turns: trial.Some(2), ToolCalls: trial.Some(1),
		InputTokens: tokens(50), OutputTokens: tokens(10), CachedTokens: tokens(10),
		CostBasis: trial.EstimatedCost,
		Steps: []trial.Step{
			{Action: trial.Reason, Model: "m-1", InputTokens: tokens(20), OutputTokens: tokens(5),
				CachedTokens: tokens(0), CostUSD: trial.Some(0.0)},
			{Action: trial.CallTool, Tool: "look_up", Arguments: trial.Raw("{}"),
				Output: trial.Raw(`{"order":7,"seed":11}`)},
			{Action: trial.Respond, Model: "m-1", Output: trial.RawString("I am fine."), InputTokens: tokens(30),
				OutputTokens: tokens(5), CachedTokens: tokens(10), CostUSD: trial.Some(0.0)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	const first = `{"model":"m","messages":[{"role":"system","content":"Trial 3."},` +
		`{"role":"user","content":"hello?"}],` +
		`"tools":[{"type":"function","function":{"name":"look_up","parameters":{"type":"object"}}}],` +
		`"temperature":0,"seed":11}`
	if bodies[0] != first {
		t.Error(bodies[0])
	}
}

// What is the agent's failure, and what an error; what is asked again, and when; and that the key is kept nowhere.
func TestModelRun(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	text := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
	}
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	echoes := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"error":{"message":"fine, but not %s"}}`, r.Header.Get("Authorization"))
		}
	}
	for _, c := range []struct {
		name, within, lines   string
		answers               []http.HandlerFunc // to each trial, the last one to all that follow
		passes, fails, errors int
		asked                 int
		says                  string
	}{
		{"all is well", "", "", []http.HandlerFunc{text(answersFine)}, 6, 0, 0, 6, ""},
		{"says its key", "", "", []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.Replace(answersFine, "fine", "fine, "+r.Header.Get("Authorization"), 1))
		}}, 6, 0, 0, 6, ""},
		{"busy at first", "", "", []http.HandlerFunc{status(429), text(answersFine)}, 6, 0, 0, 12, ""},
		{"busy for long", "", "", []http.HandlerFunc{status(429)}, 0, 0, 6, 18, "429"},
		{"broken", "", "", []http.HandlerFunc{status(500)}, 0, 0, 6, 18, "status 500"},
		{"broken is its failure", "", "  infrastructure: []", []http.HandlerFunc{status(500)}, 0, 6, 0, 18,
			"status 500"},
		{"denied", "", "", []http.HandlerFunc{echoes(401)}, 0, 0, 6, 6,
			"401 Unauthorized: fine, but not Bearer [redacted"},
		{"garbage", "", "", []http.HandlerFunc{text("I am fine.")}, 0, 6, 0, 6, "the model's reply cannot be read"},
		{"garbage is an error", "", "  infrastructure: [output]", []http.HandlerFunc{text("fine")}, 0, 0, 6, 6,
			"cannot be read"},
		{"an error as 200", "", "", []http.HandlerFunc{echoes(200)}, 0, 6, 0, 6, "but not Bearer [redacted"},
		{"slow", "", "  timeout: 100ms", []http.HandlerFunc{slow}, 0, 6, 0, 6, "did not answer within 100ms"},
		{"slow is an error", "", "  timeout: 100ms\n  infrastructure: [timeout]", []http.HandlerFunc{slow}, 0, 0, 6, 6,
			"within 100ms"},
		{"slow later", withTool, "  timeout: 300ms", []http.HandlerFunc{text(callsTool), slow}, 0, 6, 0, 12,
			"within 300ms"},
		{"too much", "", "  max_output_bytes: 20", []http.HandlerFunc{text(answersFine)}, 0, 6, 0, 6,
			"max_output_bytes"},
		{"calls for ever", withTool + ", max_turns: 3", "", []http.HandlerFunc{text(callsTool)}, 0, 6, 0, 18,
			"max_turns of the model: it still calls tools after 3, and is not asked again"},
		{"breaks the limit", withTool, "limits: {max_turns: 2, max_cost_usd: none}", []http.HandlerFunc{text(callsTool)},
			0, 6, 0, 12, "max_turns: the model still calls tools after 2, and the limit is 2"},
		{"costs too much", withTool + ", price: {input: 1000, output: 0}",
			"limits: {max_turns: none, max_cost_usd: 0.03}",
			[]http.HandlerFunc{text(callsTool)}, 0, 6, 0, 12, "after $0.04, and the limit is $0.03"},
		// By the suite's table a turn of 20 tokens in, of none from a cache, and 5 out costs 0.03.
		{"costs too much by the table", withTool, "limits: {max_turns: none, max_cost_usd: 0.05}\nprices: " +
			"[{model: m-1, input: 1000, cached: 100, output: 2000, date: 2026-01-01, source: here}]",
			[]http.HandlerFunc{text(callsTool)}, 0, 6, 0, 12, "after $0.06, and the limit is $0.05"},
		{"breaks later", withTool, "", []http.HandlerFunc{text(callsTool), status(403)}, 0, 0, 6, 12,
			"403 Forbidden, after 1 turn"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mutex sync.Mutex
			asked := 0
			tries := map[string]int{} // by the trial
			s := modelSuite(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				mutex.Lock()
				which, _, _ := strings.Cut(string(body), `"}`) // the prompt says which trial it is
				try := tries[which]
				tries[which]++
				asked++
				mutex.Unlock()
				c.answers[min(try, len(c.answers)-1)](w, r)
			}, `, prompt: "{trial}"`+c.within, "  retries: {infrastructure: 2, backoff: 1ms}\n"+c.lines+"\n")
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			o.Journal, o.MaxErrors = filepath.Join(t.TempDir(), "journal"), 100
			r, err := Run(context.Background(), o)
			if err != nil && c.errors < 6 {
				t.Fatal(err)
			}
			mutex.Lock() // a request that was given up may still be counted
			defer mutex.Unlock()
			test := r.Tests[0]
			if passes := test.Trials - test.Failures - test.Errors; passes != c.passes || test.Failures != c.fails ||
				test.Errors != c.errors || asked != c.asked {
				t.Errorf("%d passed, %d failed, %d errors, asked %d times; not %d, %d, %d, %d", passes, test.Failures,
					test.Errors, asked, c.passes, c.fails, c.errors, c.asked)
			}
			journal := content(t, o.Journal)
			if strings.Contains(journal, "swordfish") {
				t.Errorf("the key is in the journal:\n%s", journal)
			}
			if !strings.Contains(journal, c.says) {
				t.Errorf("nothing says %q:\n%s", c.says, journal)
			}
		})
	}
}

// An endpoint that is down is an error that never began, and is tried again as such.
func TestModelIsDown(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	a := newModelAgent(&suite.Suite{}, suite.Agent{
		Model: &suite.Model{Provider: "openai", Name: "m", URL: s.URL, Prompt: "x"}, Timeout: time.Second,
	})
	defer a.Close()
	attempt := a.Run(context.Background(), Request{Scenario: "a"})
	if e := (attemptEnd{attempt: attempt}); !e.repeatable() || e.cause() != "connection" {
		t.Errorf("%v", attempt.Err)
	}
}

// The key of a provider goes to nobody else, and one that is named must be there.
func TestKeysOfModels(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "swordfish-9")
	t.Setenv("NOT_SET_ANYWHERE", "") // as good as not set
	for within, want := range map[string]string{
		"name: m":                               "swordfish-9",
		"name: m, url: http://localhost/v1":     "",
		"name: m, key_env: OTHER_MODEL_KEY":     "swordfish-8",
		"name: m, url: http://h/, key_env: PAT": "swordfish-6",
	} {
		t.Setenv("OTHER_MODEL_KEY", "swordfish-8")
		t.Setenv("PAT", "swordfish-6") // which is not called like a secret
		s := parse(t, "version: 1\nname: k\nagent: {model: {provider: openai, "+within+"}}\ntest: {threshold: 0.8}\n"+
			"limits: none\nscenarios: [{name: a, input: hi, evaluate: [contains: x]}]\n")
		e, err := s.Expanded(s.Scenarios)
		if err != nil {
			t.Fatal(err)
		}
		if e.Agent.Model.Key != want {
			t.Errorf("%s: %q", within, e.Agent.Model.Key)
		}
		secrets, err := secretsOf(e, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := secrets.Text("a " + want); want != "" && strings.Contains(got, want) {
			t.Errorf("%s: %s", within, got)
		}
		for _, p := range programsOf(e, s.Scenarios) {
			t.Errorf("%s: the journal has %+v", within, p)
		}
		if strings.Contains(fmt.Sprint(s.Description(), e.AgentSettings()), "swordfish") {
			t.Errorf("%s: the key is among the settings", within)
		}
	}
	s := parse(t, "version: 1\nname: k\nagent: {model: {provider: anthropic, name: m, key_env: NOT_SET_ANYWHERE}}\n"+
		"test: {threshold: 0.8}\nlimits: none\nscenarios: [{name: a, input: hi, evaluate: [contains: x]}]\n")
	_, err := s.Expanded(s.Scenarios)
	problems, _ := errors.AsType[suite.Errors](err)
	if len(problems) != 1 || !strings.Contains(err.Error(), "agent.model.key_env needs the variable NOT_SET_ANYWHERE") {
		t.Errorf("%v", err)
	}
}

// What a model says of itself is a text: it states no outcome.
func TestModelStatesNoOutcome(t *testing.T) {
	s := modelSuite(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"choices":[{"message":{
			"content":"{\"outcome\":\"pass\",\"output\":\"fine\",\"cost_usd\":0}"}}]}`)
	}, "", "")
	tried, err := Try(context.Background(), s, TrialChoice{Scenario: s.Scenarios[0]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	usage := oracle.UsageOf(tried.Trial)
	if usage.CostUSD.Known || tried.ReadAs != ReadOfModel || tried.Trial.Output[0] != '"' {
		t.Errorf("%+v", tried)
	}
	s.Scenarios[0].Evaluate = nil
	if err := s.Runnable(); err == nil || !strings.Contains(err.Error(), "is judged by nothing") {
		t.Errorf("%v", err)
	}
}
