//go:build unix

package runner

import (
	"context"
	"encoding/json"
	"fmt"
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

// listening is a suite whose agent is a server, with further settings within http and of the agent.
func listening(t *testing.T, handler http.HandlerFunc, within, lines string) Options {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	t.Setenv("HTTP_TEST_AUTH", "Bearer swordfish-7")
	text := head + `
agent:
  http: {url: "` + s.URL + `/run", headers: {Authorization: "${HTTP_TEST_AUTH}"}` + within + `}
` + lines + `
test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}
scenarios: [{name: a, input: {q: hello}, trials: 6}]
`
	parsed := parse(t, text)
	o, err := Prepare(context.Background(), parsed, parsed.Scenarios, PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestHTTPAgent(t *testing.T) {
	for _, c := range []struct {
		name, within, kind, answer string
		want                       trial.Trial
	}{
		{"a record", "", "application/json", `{"outcome":"pass","output":"hi","cost_usd":0.5}`,
			trial.Trial{Outcome: trial.Pass, Output: trial.RawString("hi"), CostUSD: trial.Some(.5)}},
		{"paths", ", response: {output: 'data[0].text', outcome: ok, cost_usd: usd, input_tokens: in, steps: did}",
			"application/json",
			`{"data":[{"text":{"a":1.50}}],"ok":false,"usd":0.25,"in":12,"did":[{"action":"call_tool","tool":"x"}]}`,
			trial.Trial{Outcome: trial.Fail, Output: trial.Raw(`{"a":1.50}`), CostUSD: trial.Some(.25),
				InputTokens: trial.Some(int64(12)),
				Steps:       []trial.Step{{Action: "call_tool", Tool: "x"}}}},
		{"a stream", ", response: {output: 'delta.text', outcome: done, output_tokens: n}", "text/event-stream",
			"data: {\"delta\":{\"text\":\"Hel\"}}\n\ndata: {\"delta\":{\"text\":\"lo\"},\"n\":1}\n\nevent: end\ndata: " +
				"{\"done\":\"pass\",\"n\":2}\n\ndata: [DONE]\n\n",
			trial.Trial{Outcome: trial.Pass, Output: trial.RawString("Hello"), OutputTokens: trial.Some(int64(2))}},
		{"the end of a stream", "", "text/event-stream", "data: thinking\n\ndata: {\"outcome\":\"pass\",\"output\":1}\n\n",
			trial.Trial{Outcome: trial.Pass, Output: trial.Raw("1")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := listening(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = w.Write([]byte(c.answer))
			}, c.within, "")
			defer closeAll(o.Agent)
			attempt := o.Agent.Run(context.Background(), Request{Scenario: "a"})
			if attempt.Err != nil {
				t.Fatal(attempt.Err)
			}
			got := *attempt.Trial
			got.DurationSeconds, got.Place, c.want.Scenario = trial.Optional[float64]{}, trial.Place{}, "a"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if usage := oracle.UsageOf(attempt.Trial); usage.CostUSD != c.want.CostUSD {
				t.Errorf("%+v", usage)
			}
		})
	}
}

// What is the agent's failure, and what an error; what is asked again, and when; and that no secret is kept.
func TestHTTPRun(t *testing.T) {
	for _, c := range []struct {
		name, within, lines string
		handle              func(w http.ResponseWriter, try int) bool // false: the answer is that of an agent
		fails               int
		errors              int
		asked               int
	}{
		{"all is well", "", "", func(http.ResponseWriter, int) bool { return false }, 0, 0, 6},
		{"busy at first", "", "  retries: {infrastructure: 2, backoff: 1ms}", func(w http.ResponseWriter, try int) bool {
			w.WriteHeader(http.StatusTooManyRequests)
			return try == 0
		}, 0, 0, 12},
		{"busy for long", "", "  timeout: 10s", func(w http.ResponseWriter, try int) bool {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, 0, 6, 6},
		{"back at once", "", "  retries: {infrastructure: 2, backoff: 1ms}", func(w http.ResponseWriter, try int) bool {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return try == 0
		}, 0, 0, 12},
		// As a gateway says of a backend that has died meanwhile: the trial is an error, and drawn once.
		{"gone", "", "  retries: {infrastructure: 2, backoff: 1ms}", func(w http.ResponseWriter, try int) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}, 0, 6, 6},
		{"broken", "", "", func(w http.ResponseWriter, try int) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}, 0, 6, 6},
		{"broken is its failure", "", "  infrastructure: []", func(w http.ResponseWriter, try int) bool {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}, 6, 0, 6},
		{"no record", ", response: {output: answer}", "", func(w http.ResponseWriter, try int) bool {
			_, _ = w.Write([]byte(`{}`))
			return true
		}, 6, 0, 6},
		{"too much", "", "  max_output_bytes: 100", func(w http.ResponseWriter, try int) bool {
			_, _ = w.Write(make([]byte, 1000))
			return true
		}, 6, 0, 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mutex sync.Mutex
			tries := map[string]int{}
			asked := 0
			o := listening(t, func(w http.ResponseWriter, r *http.Request) {
				var body struct{ N json.Number }
				_ = json.NewDecoder(r.Body).Decode(&body)
				mutex.Lock()
				try := tries[body.N.String()]
				tries[body.N.String()]++
				asked++
				mutex.Unlock()
				if try == 0 || c.name != "busy at first" && c.name != "back at once" {
					if c.handle(w, try) {
						return
					}
				}
				fmt.Fprintf(w, `{"outcome":"pass","output":"you sent %s"}`, r.Header.Get("Authorization"))
			}, `, body: {n: "{trial}", q: "{input.q}"}`+c.within, c.lines)
			o.Journal, o.MaxErrors = filepath.Join(t.TempDir(), "journal"), 100
			r, err := Run(context.Background(), o)
			if err != nil && c.errors < 6 {
				t.Fatal(err)
			}
			if test := r.Tests[0]; test.Failures != c.fails || test.Errors != c.errors || asked != c.asked {
				t.Errorf("%d failed, %d errors, asked %d times; not %d, %d, %d", test.Failures, test.Errors, asked,
					c.fails, c.errors, c.asked)
			}
			if text := content(t, o.Journal); strings.Contains(text, "swordfish") {
				t.Errorf("a secret is in the journal:\n%s", text)
			}
			launched, ended := counted(t, o.Journal)
			if len(launched) != 6 || len(ended) != 6 {
				t.Errorf("%d were launched, %d ended", len(launched), len(ended))
			}
		})
	}
}

// Retry-After holds where it is longer than the backoff.
func TestRetryAfterIsWaitedFor(t *testing.T) {
	r := &run{options: &Options{Backoff: time.Second}}
	for _, c := range []struct {
		attempt int
		after   time.Duration
		want    time.Duration
	}{
		{0, 0, 0}, {1, 0, time.Second}, {2, 0, 2 * time.Second}, {1, 7 * time.Second, 7 * time.Second},
		{3, time.Second, 4 * time.Second},
	} {
		if got := r.backoff(&trialRun{attempt: c.attempt, after: c.after}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// BenchmarkHTTP runs 10,000 trials of a server that does nothing.
func BenchmarkHTTP(b *testing.B) {
	const trials = 10_000
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"outcome":"pass","output":1}`))
	}))
	defer s.Close()
	count := 0
	for b.Loop() {
		o := benchmarked(b, newHTTPAgent(suite.Agent{HTTP: &suite.HTTP{URL: s.URL}}, decoded), trials)
		o.Concurrency = 2
		runAll(b, o)
		count += trials
	}
	b.ReportMetric(b.Elapsed().Seconds()*1000/float64(count), "ms/trial")
}
