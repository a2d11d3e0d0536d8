//go:build unix

package runner

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// A model that judges decides a run, and where it gives no answer no trial passes. Its key is kept nowhere, and what it
// takes is not what the agent took.
func TestModelJudgesRun(t *testing.T) {
	says := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			text, _ := json.Marshal(strings.ReplaceAll(text, "KEY", r.Header.Get("Authorization")))
			_, _ = io.WriteString(w, `{"model":"j-1","choices":[{"message":{"content":`+string(text)+`}}],
				"usage":{"prompt_tokens":100,"completion_tokens":10}}`)
		}
	}
	for _, c := range []struct {
		name, within   string
		handler        http.HandlerFunc
		passes, errors int
		asked          int32 // of six trials of one output
		says           string
	}{
		{"passes", ", cache: false", says(`{"reason":"KEY","level":"pass"}`), 6, 0, 6, `"cost_usd":0.0002`},
		{"fails", ", cache: false, repeat: 3", says(`{"reason":"rude","level":"fail"}`), 0, 0, 18, "fail: rude"},
		{"is kept", "", says(`{"reason":"KEY","level":"pass"}`), 6, 0, 6, `"from_cache":true`},
		{"prose", "", says("pass"), 0, 6, 6, "the judge's answer is not JSON"},
		{"no answer of three", ", repeat: 3, combine: any", says("pass"), 0, 6, 18, "not JSON"},
		{"denied", "", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			_, _ = io.WriteString(w, `{"error":"not `+r.Header.Get("Authorization")+`"}`)
		}, 0, 6, 6, "401 Unauthorized"},
		{"broken", ", retries: 0", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 0, 6, 6,
			"status 500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked atomic.Int32
			listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				c.handler(w, r)
			}))
			defer listener.Close()
			t.Setenv("JUDGE_PASS", "swordfish-3")
			s := parse(t, `
version: 1
name: judged
agent: {command: [echo, fine], output: text}
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
limits: {max_turns: none, max_cost_usd: 0.000001}
budget: {price_per_trial: 0}
concurrency: 1
scenarios:
  - name: a
    trials: 6
    evaluate:
      - model: {provider: openai, name: m, url: "`+listener.URL+`", key_env: JUDGE_PASS, prompt: Is it fine?,
          price: {input: 1, output: 10}`+c.within+`}
`)
			o, err := Prepare(context.Background(), s, s.Scenarios, PrepareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			o.Agent = AgentFunc(func(_ context.Context, r Request) Attempt {
				one, _ := plainOutput(r, []byte("fine"))
				one.CostUSD.Known = true
				return Attempt{Trial: one}
			})
			o.Journal, o.MaxErrors = filepath.Join(t.TempDir(), "journal"), 100
			r, err := Run(context.Background(), o)
			if c.name == "is kept" { // and not asked again, each trial by itself
				o.Journal += "2"
				r, err = Run(context.Background(), o)
			}
			if err != nil && c.errors == 0 {
				t.Fatal(err)
			}
			test := r.Tests[0]
			if passes := test.Trials - test.Failures - test.Errors; passes != c.passes || test.Errors != c.errors ||
				asked.Load() != c.asked {
				t.Errorf("%d passed, %d errors, asked %d times", passes, test.Errors, asked.Load())
			}
			kept := content(t, o.Journal)
			if files, _ := filepath.Glob(filepath.Join(s.Dir(), ".tribunal", "judges", "*")); len(files) > 0 {
				kept += content(t, files[0])
			}
			if strings.Contains(kept, "swordfish") || !strings.Contains(kept, c.says) {
				t.Errorf("%s", kept)
			}
			if digest := oracle.DigestOf(s.Scenarios[0].Evaluators()[0]); strings.Count(kept, digest) < 6 {
				t.Errorf("the judge is not named with each trial")
			}
			if r.Spent.CostUSD != 0 || r.Spent.Tokens() != 0 {
				t.Errorf("%+v", r.Spent)
			}
		})
	}
}
