package wire_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire"
)

// modelForm is a form in which a model of 1,000 tokens in and out is asked, and answers.
type modelForm struct {
	path, streamPath string // behind the route
	asked, bounded   string // the body; STREAM is true or false; a request that bounds its answer
	whole            string
	stream           []string
	kind             string // of the stream
}

// dialects are the five forms. IN and OUT are the tokens.
var dialects = map[string]modelForm{
	"openai/chat": {
		path:    "/openai/v1/chat/completions",
		asked:   `{"model":"m-1","stream":STREAM,"messages":[]}`,
		bounded: `{"model":"m-1","stream":STREAM,"messages":[],"max_completion_tokens":1000}`,
		whole: `{"model":"m-1","choices":[{"message":{"content":"on"},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":IN,"completion_tokens":OUT}}`,
		stream: []string{
			`data: {"model":"m-1","choices":[{"index":0,"delta":{"content":"on"}}]}` + "\n\n",
			`data: {"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":IN,"completion_tokens":OUT}}` + "\n\n", "data: [DONE]\n\n",
		},
		kind: "text/event-stream",
	},
	"openai/responses": {
		path:    "/openai/v1/responses",
		asked:   `{"model":"m-1","stream":STREAM,"input":"on"}`,
		bounded: `{"model":"m-1","stream":STREAM,"input":"on","max_output_tokens":1000}`,
		whole: `{"model":"m-1","status":"completed","output":[{"type":"message","content":[{"text":"on"}]}],` +
			`"usage":{"input_tokens":IN,"output_tokens":OUT}}`,
		stream: []string{
			`data: {"type":"response.created","response":{"model":"m-1"}}` + "\n\n",
			`data: {"type":"response.completed","response":{"model":"m-1","status":"completed","output":[{"type":"message",` +
				`"content":[{"text":"on"}]}],"usage":{"input_tokens":IN,"output_tokens":OUT}}}` + "\n\n",
		},
		kind: "text/event-stream",
	},
	"anthropic": {
		path:    "/anthropic/v1/messages",
		asked:   `{"model":"m-1","stream":STREAM,"messages":[]}`,
		bounded: `{"model":"m-1","stream":STREAM,"messages":[],"max_tokens":1000}`,
		whole: `{"model":"m-1","content":[{"type":"text","text":"on"}],"stop_reason":"end_turn",` +
			`"usage":{"input_tokens":IN,"output_tokens":OUT}}`,
		stream: []string{
			`data: {"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":IN,"output_tokens":1}}}` + "\n\n",
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"on"}}` + "\n\n",
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":OUT}}` + "\n\n",
			`data: {"type":"message_stop"}` + "\n\n",
		},
		kind: "text/event-stream",
	},
	"gemini": {
		path:       "/gemini/v1beta/models/m-1:generateContent",
		streamPath: "/gemini/v1beta/models/m-1:streamGenerateContent?alt=sse",
		asked:      `{"contents":[]}`,
		bounded:    `{"contents":[],"generationConfig":{"maxOutputTokens":1000}}`,
		whole: `{"modelVersion":"m-1","candidates":[{"content":{"parts":[{"text":"on"}]},"finishReason":"STOP"}],` +
			`"usageMetadata":{"promptTokenCount":IN,"candidatesTokenCount":OUT}}`,
		stream: []string{
			`data: {"modelVersion":"m-1","candidates":[{"content":{"parts":[{"text":"on"}]}}]}` + "\n\n",
			`data: {"modelVersion":"m-1","candidates":[{"content":{"parts":[]},"finishReason":"STOP"}],` +
				`"usageMetadata":{"promptTokenCount":IN,"candidatesTokenCount":OUT}}` + "\n\n",
		},
		kind: "text/event-stream",
	},
	"ollama": {
		path:    "/ollama/api/chat",
		asked:   `{"model":"m-1","stream":STREAM,"messages":[]}`,
		bounded: `{"model":"m-1","stream":STREAM,"messages":[],"options":{"num_predict":1000}}`,
		whole: `{"model":"m-1","message":{"content":"on"},"done":true,"done_reason":"stop",` +
			`"prompt_eval_count":IN,"eval_count":OUT}`,
		stream: []string{
			`{"model":"m-1","message":{"content":"on"},"done":false}` + "\n",
			`{"model":"m-1","message":{"content":""},"done":true,"done_reason":"stop",` +
				`"prompt_eval_count":IN,"eval_count":OUT}` + "\n",
		},
		kind: "application/x-ndjson",
	},
}

// countingServer is a server of a dialect that counts the tokens that it answers with, whoever waits for them.
type countingServer struct {
	modelForm
	tokens atomic.Int64
	sizes  func(n int64) (in, out int64) // of the n-th answer, from 1
	asked  atomic.Int64
	pause  time.Duration // before it answers, in which others come
	begun  chan bool     // gets a value for each request
}

// ServeHTTP answers.
func (c *countingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	in, out := c.sizes(c.asked.Add(1))
	c.tokens.Add(in + out)
	select {
	case c.begun <- true:
	default:
	}
	time.Sleep(c.pause)
	fill := strings.NewReplacer("IN", fmt.Sprint(in), "OUT", fmt.Sprint(out))
	stream := strings.Contains(string(body), `"stream":true`) || strings.Contains(r.URL.Path, ":stream")
	if !stream {
		_, _ = io.WriteString(w, fill.Replace(c.whole))
		return
	}
	w.Header().Set("Content-Type", c.kind)
	for _, part := range c.stream {
		_, _ = io.WriteString(w, fill.Replace(part))
		w.(http.Flusher).Flush()
	}
}

// limitCase is a way of asking beyond a limit.
type limitCase struct {
	dialect, reason string
	limits          wire.Limits
	stream, bounded bool
	atOnce, inTurn  int
	hangUp          bool // the agent hangs up when a server is asked
}

// askAll asks as a case says, and returns what the server counted and the largest of its answers, and what was seen.
func askAll(
	t *testing.T, c limitCase, sizes func(n int64) (in, out int64),
) (tokens, largest int64, seen *wire.Traffic) {
	t.Helper()
	server := &countingServer{modelForm: dialects[c.dialect], begun: make(chan bool, c.atOnce)}
	if c.atOnce > 1 || c.hangUp {
		server.pause = time.Duration(10+c.atOnce/5) * time.Millisecond
	}
	var most atomic.Int64
	server.sizes = func(n int64) (in, out int64) {
		in, out = sizes(n)
		for old := most.Load(); in+out > old && !most.CompareAndSwap(old, in+out); old = most.Load() {
		}
		return in, out
	}
	table, err := prices.Parse("prices.yaml", []byte("version: 1\nprices: [{model: m-1, input: 1, cached: 0.1, "+
		"output: 1}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, server.ServeHTTP, wire.Options{Prices: table})
	route := w.Route(c.limits)
	path, body := server.path, server.modelForm.asked
	if c.bounded {
		body = server.modelForm.bounded
	}
	if c.stream && server.streamPath != "" {
		path = server.streamPath
	}
	body = strings.Replace(body, "STREAM", fmt.Sprint(c.stream), 1)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	defer client.CloseIdleConnections()
	one := func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if c.hangUp {
			go func() {
				select {
				case <-server.begun:
				case <-time.After(time.Second): // it waits, or was turned away
				case <-ctx.Done():
				}
				cancel()
			}()
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, route.Root()+path, strings.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		if answer, err := client.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
	}
	for range c.inTurn {
		var all sync.WaitGroup
		for range c.atOnce {
			all.Go(one)
		}
		all.Wait()
	}
	seen = route.Close()
	return server.tokens.Load(), most.Load(), seen
}

// What is spent is at most one answer above a limit, by the server's own count: with any number of requests at once,
// in every form, streamed or not, and whatever the agent waits for.
func TestLimitsHoldAtOnce(t *testing.T) {
	const limit = 2500 // tokens; each costs a dollar a million
	bounds := map[string]wire.Limits{
		wire.MaxTokens:  {MaxTokens: trial.Some[int64](limit)},
		wire.MaxCostUSD: {MaxCostUSD: trial.Some(limit / 1e6)},
		wire.RunBudget:  {Budget: wire.NewBudget(trial.Optional[float64]{}, trial.Some[int64](limit), wire.BudgetUse{})},
	}
	var cases []limitCase
	for d, dialect := range slices.Sorted(maps.Keys(dialects)) {
		for r, reason := range slices.Sorted(maps.Keys(bounds)) {
			for i := range 4 {
				stream, bounded := i%2 == 1, i/2 == 1
				if (d+r+i)%len(bounds) != 0 && !thorough.Asked() {
					continue
				}
				for _, how := range []limitCase{
					{atOnce: 1, inTurn: 6}, {atOnce: 50, inTurn: 1}, {atOnce: 500, inTurn: 1},
					{atOnce: 1, inTurn: 30, hangUp: true}, {atOnce: 20, inTurn: 3, hangUp: true},
				} {
					if how.atOnce == 500 && !thorough.Asked() && dialect != "openai/chat" {
						continue // which take the most
					}
					how.dialect, how.stream, how.bounded, how.reason, how.limits = dialect, stream, bounded, reason, bounds[reason]
					cases = append(cases, how)
				}
			}
		}
	}
	for _, c := range cases {
		if b := c.limits.Budget; b != nil {
			c.limits.Budget = wire.NewBudget(trial.Optional[float64]{}, trial.Some[int64](limit), wire.BudgetUse{})
		}
		name := fmt.Sprintf("%s: %s, stream %v, bounded %v, %d at once, %d in turn, hang up %v", c.reason, c.dialect,
			c.stream,
			c.bounded, c.atOnce, c.inTurn, c.hangUp)
		tokens, _, seen := askAll(t, c, func(int64) (in, out int64) { return 1000, 1000 })
		if tokens > limit+2000 {
			t.Errorf("%s: the server answered with %d tokens", name, tokens)
		}
		if !c.hangUp && c.inTurn*c.atOnce > 2 && (tokens <= limit || seen.Stopped == "") {
			t.Errorf("%s: the server answered with %d tokens, and %q", name, tokens, seen.Stopped)
		}
		if seen.Spent.Tokens < tokens {
			t.Errorf("%s: %d tokens were counted of %d", name, seen.Spent.Tokens, tokens)
		}
	}
}

// An answer may be larger than all before, and than its request allows: nobody bounds the last one, and several at once
// are reckoned with what an answer may be. Answers without a bound that are larger than any model's are told.
func TestLimitsHoldAsAnswersGrow(t *testing.T) {
	for name, c := range map[string]struct {
		limit   int64
		bounded bool
		sizes   func(n int64) (in, out int64)
		above   bool
	}{
		"as its request allows": {30_000, true, func(n int64) (in, out int64) { return 100, 1 + 999*min(n-1, 1) }, false},
		"small at first":        {1_000_000, false, func(n int64) (in, out int64) { return 100, 1 + 99_999*min(n-1, 1) }, false},
		"always larger":         {1_000_000, false, func(n int64) (in, out int64) { return 100, min(15_000*n, 128_000) }, false},
		"larger than a model's": {1_000_000, false, func(n int64) (in, out int64) { return 100, 1 + 599_999*min(n-1, 1) }, true},
	} {
		tokens, largest, seen := askAll(t, limitCase{
			dialect: "openai/chat", limits: wire.Limits{MaxTokens: trial.Some(c.limit)}, bounded: c.bounded,
			atOnce: 60, inTurn: 1,
		}, c.sizes)
		if tokens > c.limit+largest != c.above || tokens <= c.limit || seen.Broken != wire.MaxTokens {
			t.Errorf("%s: the server answered with %d tokens, %d at once, and %q", name, tokens, largest, seen.Broken)
		}
	}
}

// An upper bound of a cost stops, a lower bound breaks the limit, and in between nobody knows.
func TestBoundsOfCost(t *testing.T) {
	table, err := prices.Parse("prices.yaml", []byte("version: 1\nprices:\n"+
		"  - {model: small-1, input: 1000, cached: 100, output: 2000}\n")) // 100 and 10 tokens: 0.03 to 0.12 USD
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		limit          float64
		answer         string
		asks, asked    int
		stopped        string
		broken, unsure string
	}{
		"kept":                    {0.25, said("on"), 2, 2, "", "", ""},
		"one above when it ends":  {0.02, said("on"), 1, 1, "", wire.MaxCostUSD, ""},
		"in between":              {0.1, said("on"), 1, 1, "", "", wire.MaxCostUSD},
		"stopped in between":      {0.1, said("on"), 2, 1, wire.MaxCostUSD, "", wire.MaxCostUSD},
		"stopped by what it took": {0.03, said("on"), 2, 1, wire.MaxCostUSD, wire.MaxCostUSD, ""},
		"without a price": {9, strings.Replace(said("on"), "small-1", "unheard-of", 1), 3, 3, "",
			"", wire.MaxCostUSD},
		"exactly": {0.24, strings.Replace(said("on"), `"completion_tokens":10`,
			`"completion_tokens":10,"prompt_tokens_details":{"cached_tokens":0}`, 1), 2, 2, "", "", ""},
	} {
		asked := 0
		w := open(t, func(w http.ResponseWriter, r *http.Request) {
			asked++
			_, _ = io.WriteString(w, c.answer)
		}, wire.Options{Prices: table})
		route := w.Route(wire.Limits{MaxCostUSD: trial.Some(c.limit)})
		for range c.asks {
			ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`)
		}
		seen := route.Close()
		if asked != c.asked || seen.Stopped != c.stopped || seen.Broken != c.broken || seen.Unsure != c.unsure {
			t.Errorf("%s: %d went up; stopped by %q, broken %q, unsure %q", name, asked, seen.Stopped, seen.Broken, seen.Unsure)
		}
	}
}

// Who waits for its turn and goes away is not asked for, and lets the others go on.
func TestWaitingEnds(t *testing.T) {
	first, end := make(chan bool), make(chan bool)
	var asked atomic.Int64
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			close(first)
			<-end
		}
		_, _ = io.WriteString(w, said("on"))
	}, wire.Options{})
	route := w.Route(wire.Limits{MaxTokens: trial.Some[int64](10_000)})
	address := route.Root() + "/openai/v1/chat/completions"
	var all sync.WaitGroup
	all.Go(func() { ask(t, address, `{"model":"m"}`) })
	<-first
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(`{"model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := http.DefaultClient.Do(request); err == nil { // it waits for the first, of which nothing is known
		t.Errorf("%d", answer.StatusCode)
	}
	time.Sleep(time.Second / 2) // until the server has heard that nobody waits; nothing tells when
	all.Go(func() { ask(t, address, `{"model":"m"}`) })
	close(end)
	all.Wait()
	if seen := route.Close(); asked.Load() != 2 || len(seen.Exchanges) != 2 || seen.Spent.Turns != 2 {
		t.Errorf("%d went up, and %+v", asked.Load(), seen)
	}
}

// What is under way when an attempt ends is in its record, with what came until then.
func TestWhatIsUnderWayIsRecorded(t *testing.T) {
	table, err := prices.Parse("prices.yaml", []byte("version: 1\nprices: [{model: m-1, input: 1000, cached: 100, "+
		"output: 1000}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path, body, came string
		limits           wire.Limits
		hangUp           bool // the agent hangs up; else its connection stays
		want             trial.Step
		least            float64
	}{
		"a call that was begun": {
			"/openai/v1/chat/completions", `{"model":"m-1","stream":true}`,
			`data: {"model":"m-1","choices":[{"delta":{"content":"I look"}}]}` + "\n\n" +
				`data: {"model":"m-1","choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"look_up",` +
				`"arguments":"{\"id\":"}}]}}]}` + "\n\n" + `data: {"model":"m-1","cho`,
			wire.Limits{}, false,
			trial.Step{Action: trial.Reason, Output: trial.RawString("I look"), Model: "m-1"}, 0,
		},
		"tokens until then": {
			"/anthropic/v1/messages", `{"model":"m-1","stream":true,"max_tokens":100}`,
			`data: {"type":"message_start","message":{"model":"m-1","usage":{"input_tokens":50,"output_tokens":1}}}` + "\n\n" +
				`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Well"}}` + "\n\n",
			wire.Limits{MaxTokens: trial.Some[int64](9000)}, true,
			// 50 tokens in, and at most the 100 that were asked for; a cache may have had the 50, and 1 came.
			trial.Step{Action: trial.Respond, Output: trial.RawString("Well"), Model: "m-1",
				InputTokens: trial.Some[int64](50), CostUSD: trial.Some(0.15)}, (50*100 + 1*1000) / 1e6,
		},
		"nothing": {
			"/openai/v1/chat/completions", `{"model":"m-1"}`, "", wire.Limits{}, true,
			trial.Step{Action: trial.Respond, Model: "m-1"}, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			under := make(chan bool)
			w := open(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.ReadAll(r.Body)
				if c.came != "" {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, c.came)
					w.(http.Flusher).Flush()
				}
				under <- true
				<-r.Context().Done()
			}, wire.Options{Prices: table})
			route := w.Route(c.limits)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, route.Root()+c.path, strings.NewReader(c.body))
			if err != nil {
				t.Fatal(err)
			}
			came := make(chan bool)
			go func() {
				defer close(came)
				answer, err := http.DefaultClient.Do(request)
				if err == nil {
					_, _ = io.ReadFull(answer.Body, make([]byte, len(c.came)))
					if came <- true; !c.hangUp {
						<-ctx.Done()
					}
					_ = answer.Body.Close()
				}
			}()
			<-under
			if c.came != "" {
				<-came
			}
			if c.hangUp {
				cancel()
			}
			var record trial.Trial
			seen := route.Close()
			seen.Fill(&record)
			if len(record.Steps) == 0 || seen.Spent.Turns != 1 {
				t.Fatalf("%+v", seen)
			}
			got := record.Steps[0]
			if got.Error != "the agent did not wait for the answer" || string(got.Extra[0].Value) != "true" ||
				got.Extra[0].Name != "cut_off" {
				t.Errorf("%+v", got)
			}
			got.Error, got.Extra, got.DurationSeconds = "", nil, trial.Optional[float64]{}
			if diff := cmp.Diff(c.want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Error(diff)
			}
			if math.Abs(record.CostAtLeast.Value-c.least) > 1e-12 || record.OutputTokens.Known {
				t.Errorf("%+v", record)
			}
			cancel()
			<-came
		})
	}
}
