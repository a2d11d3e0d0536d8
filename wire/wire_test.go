package wire_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire"
)

// none is an environment without variables.
func none(string) (string, bool) { return "", false }

// open opens a wire to a server that stands for all providers.
func open(t *testing.T, handler http.HandlerFunc, o wire.Options) *wire.Wire {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	named := map[wire.Provider]string{wire.OpenAI: server.URL + "/base/v1"}
	for _, p := range []wire.Provider{wire.Anthropic, wire.Gemini, wire.Ollama} {
		named[p] = server.URL
	}
	upstreams, err := wire.UpstreamsOf(named, none)
	if err != nil {
		t.Fatal(err)
	}
	o.Upstreams = upstreams
	w, err := wire.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// ask posts a body, and returns what came.
func ask(t *testing.T, url, body string) (status int, text string) {
	t.Helper()
	answer, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	came, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(came)
}

// said is an answer of a model.
func said(text string) string {
	return `{"model":"small-1","choices":[{"message":{"content":"` + text + `"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":100,"completion_tokens":10}}`
}

func TestConversation(t *testing.T) {
	calls := `{"model":"small-1","choices":[{"message":{"content":null,"tool_calls":[` +
		`{"id":"c1","function":{"name":"look_up","arguments":"{\"id\":7}"}},` +
		`{"id":"c2","function":{"name":"broken","arguments":"{not json"}}]},"finish_reason":"tool_calls"}],` +
		`"usage":{"prompt_tokens":50,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":40}}}`
	var paths []string
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.Method+" "+r.URL.RequestURI())
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"tool"`) {
			io.WriteString(w, said("It is on its way."))
			return
		}
		io.WriteString(w, calls)
	}, wire.Options{})
	route := w.Route(wire.Limits{})
	base := route.Environment()["OPENAI_BASE_URL"]
	if _, text := ask(t, base+"/chat/completions", `{"model":"small-1","messages":[{"role":"user"}]}`); text != calls {
		t.Errorf("what came is not what was sent: %s", text)
	}
	ask(t, base+"/chat/completions?x=%2F",
		`{"model":"small-1","messages":[{"role":"tool","tool_call_id":"c1","content":"sent"}]}`)
	ask(t, base+"/embeddings", `{"input":"x"}`)
	seen := route.Close()
	want := []string{
		"POST /base/v1/chat/completions", "POST /base/v1/chat/completions?x=%2F", "POST /base/v1/embeddings",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Error(diff)
	}
	if seen.Calls() != 3 || seen.NotUnderstood() != 1 {
		t.Errorf("%d calls, of them %d not understood", seen.Calls(), seen.NotUnderstood())
	}

	own := trial.Trial{
		Scenario: "refund", Outcome: trial.Pass, Output: trial.RawString("done"), Steps: []trial.Step{{Action: "guess"}},
		Turns: trial.Some(9), CostUSD: trial.Some(0.5),
	}
	seen.Fill(&own)
	steps := own.Steps
	for i := range steps { // which a clock tells
		steps[i].DurationSeconds, steps[i].Extra = trial.Optional[float64]{}, nil
	}
	wantTrial := trial.Trial{
		Scenario: "refund", Outcome: trial.Pass, Output: trial.RawString("done"), Model: "small-1",
		CostUSD: trial.Some(0.5), InputTokens: trial.Some[int64](150), OutputTokens: trial.Some[int64](15),
		Steps: []trial.Step{
			{
				Action: trial.Reason, Model: "small-1", InputTokens: trial.Some[int64](50), OutputTokens: trial.Some[int64](5),
				CachedTokens: trial.Some[int64](40),
			},
			{Action: trial.CallTool, Tool: "look_up", Arguments: trial.Raw(`{"id":7}`), Output: trial.RawString("sent")},
			{Action: trial.CallTool, Tool: "broken", Arguments: trial.RawString("{not json")},
			{
				Action: trial.Respond, Model: "small-1", Output: trial.RawString("It is on its way."),
				InputTokens: trial.Some[int64](100), OutputTokens: trial.Some[int64](10),
			},
		},
	}
	if diff := cmp.Diff(wantTrial, own); diff != "" {
		t.Error(diff)
	}
}

// The parts of a stream come down as they go up, and what was sent is what comes.
func TestStreamIsNotHeld(t *testing.T) {
	next := make(chan bool)
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"%d\"}}]}\n\n", i)
			w.(http.Flusher).Flush()
			<-next
		}
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}, wire.Options{})
	route := w.Route(wire.Limits{})
	answer, err := http.Post(route.Root()+"/openai/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"m","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	for i := range 3 {
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, fmt.Sprintf(`"%d"`, i)) {
			t.Fatal(line, err)
		}
		lines.ReadString('\n')
		next <- true // not before: what is not flushed would wait for ever
	}
	if _, err := io.Copy(io.Discard, lines); err != nil {
		t.Fatal(err)
	}
	seen := route.Close()
	if len(seen.Exchanges) != 1 || seen.Exchanges[0].Answer.Text != "012" || seen.Exchanges[0].Problem != "" {
		t.Errorf("%+v", seen.Exchanges)
	}
}

// An agent that would go on for ever has no request made beyond its limit.
// lateTransport reads the end of what it sends after the answer has begun, as one on a busy machine does.
type lateTransport struct{ answered chan struct{} }

func (l lateTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Body = &lateBody{request.Body, l.answered}
	return http.DefaultTransport.RoundTrip(request)
}

type lateBody struct {
	io.ReadCloser
	answered chan struct{}
}

func (l *lateBody) Read(into []byte) (int, error) {
	n, err := l.ReadCloser.Read(into)
	if n == 0 {
		<-l.answered
		_, err = l.ReadCloser.Read(into)
	}
	return n, err
}

// A server may answer before the transport has seen the end of the request. httputil.ReverseProxy cuts off such an
// answer: Go's server closes the body with the first byte of the answer, and the transport takes the closed body for a
// failure.
func TestFastAnswerIsNotCutOff(t *testing.T) {
	answered := make(chan struct{})
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, r.ContentLength)
		_, _ = io.ReadFull(r.Body, body)
		for i := range 5 {
			fmt.Fprintf(w, "part %d;", i)
			w.(http.Flusher).Flush()
			if i == 3 {
				time.Sleep(20 * time.Millisecond)
				close(answered)
				time.Sleep(20 * time.Millisecond)
			}
		}
	}, wire.Options{Transport: lateTransport{answered}})
	route := w.Route(wire.Limits{})
	defer route.Close()
	_, text := ask(t, route.Environment()["OPENAI_BASE_URL"]+"/files", "what is uploaded")
	if want := "part 0;part 1;part 2;part 3;part 4;"; text != want {
		t.Errorf("%q came, and not %q", text, want)
	}
}

func TestLimitsHoldBeforeTheRequest(t *testing.T) {
	// An answer of 100 and 10 tokens costs 0.25 USD.
	table, err := prices.Parse("prices.yaml",
		[]byte("version: 1\nprices: [{model: small-1, input: 2400, cached: 2400, output: 1000}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limits wire.Limits
		reason string
		asked  int // requests that go up
	}{
		{wire.Limits{MaxTurns: trial.Some(15)}, wire.MaxTurns, 15},
		{wire.Limits{MaxTurns: trial.Some(15), Spent: wire.Expense{Turns: 12}}, wire.MaxTurns, 3},
		{wire.Limits{MaxTurns: trial.Some(0)}, wire.MaxTurns, 0},
		{wire.Limits{MaxTokens: trial.Some[int64](1000)}, wire.MaxTokens, 10}, // of 110 tokens each: the tenth goes beyond
		{wire.Limits{MaxCostUSD: trial.Some[float64](1)}, wire.MaxCostUSD, 4},
		{wire.Limits{MaxCostUSD: trial.Some[float64](1.1)}, wire.MaxCostUSD, 5}, // at most one request above it
	} {
		asked := 0
		w := open(t, func(w http.ResponseWriter, r *http.Request) {
			asked++
			io.WriteString(w, said("on"))
		}, wire.Options{Prices: table})
		route := w.Route(c.limits)
		for i := range 40 {
			status, text := ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`)
			if refused := status == 400 && strings.Contains(text, c.reason); refused != (i >= c.asked) {
				t.Errorf("%+v: request %d: %d %s", c.limits, i+1, status, text)
			}
		}
		select {
		case <-route.Stopped():
		default:
			t.Errorf("%+v: the attempt goes on", c.limits)
		}
		if seen := route.Close(); asked != c.asked || seen.Stopped != c.reason || seen.Spent.Turns != c.asked {
			t.Errorf("%+v: %d requests went up, and %+v", c.limits, asked, seen)
		}
	}
}

// What a server was asked counts, whatever came of it: neither an answer that is not read nor one that is not waited
// for is a way around a limit.
func TestNoWayAroundALimit(t *testing.T) {
	long := `{"model":"m","choices":[{"message":{"content":"` + strings.Repeat("x", 3<<10) +
		`"},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":100,"completion_tokens":10}}`
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		turns   int // of the record
	}{
		"too long":       {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, long) }, 3},
		"not understood": {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") }, 0},
		"not waited for": {func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 3},
	} {
		var asked atomic.Int64
		w := open(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			io.ReadAll(r.Body) // or the server does not see who goes away
			c.handler(w, r)
		}, wire.Options{MaxCopyBytes: 1 << 10})
		route := w.Route(wire.Limits{MaxTurns: trial.Some(5), Spent: wire.Expense{Turns: 2}})
		for i := range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, "POST", route.Root()+"/openai/v1/chat/completions",
				strings.NewReader(`{"model":"m"}`))
			if err != nil {
				t.Fatal(err)
			}
			if name == "not waited for" && i < 3 {
				go func() {
					for asked.Load() <= int64(i) {
						time.Sleep(time.Millisecond)
					}
					cancel()
				}()
			}
			answer, err := http.DefaultClient.Do(request)
			if err == nil {
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
			cancel()
		}
		seen := route.Close()
		if asked.Load() != 3 || seen.Stopped != wire.MaxTurns || seen.Spent.Turns != 3 {
			t.Errorf("%s: %d requests went up, and %+v", name, asked.Load(), seen)
		}
		record := trial.Trial{CostUSD: trial.Some(0.5)}
		seen.Fill(&record)
		turns := 0
		for _, step := range record.Steps {
			if step.Action == trial.Respond {
				turns++
			}
		}
		if turns != c.turns || record.InputTokens.Known {
			t.Errorf("%s: %d turns in %+v", name, turns, record)
		}
	}
}

// Requests at the same time cannot go beyond a limit together.
func TestLimitOfTurnsAtOnce(t *testing.T) {
	var mu sync.Mutex
	asked := 0
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked++
		mu.Unlock()
		time.Sleep(10 * time.Millisecond)
		io.WriteString(w, said("on"))
	}, wire.Options{})
	route := w.Route(wire.Limits{MaxTurns: trial.Some(15)})
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() { ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`) })
	}
	all.Wait()
	if asked != 15 {
		t.Errorf("%d requests went up, and not 15", asked)
	}
}

// What failed is no turn, and may be asked again.
func TestRefusedRequestsAreNoTurns(t *testing.T) {
	n := 0
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		if n++; n < 4 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, `{"type":"error","error":{"type":"rate_limit_error","message":"slow\ndown"}}`,
				http.StatusTooManyRequests)
			return
		}
		io.WriteString(w, `{"model":"m","content":[{"type":"text","text":"yes"}],"usage":{"input_tokens":1,"output_tokens":2}}`)
	}, wire.Options{})
	route := w.Route(wire.Limits{MaxTurns: trial.Some(1)})
	for i := range 4 {
		if status, text := ask(t, route.Root()+"/anthropic/v1/messages", `{"model":"m"}`); (status == 200) != (i == 3) {
			t.Error(i, status, text)
		}
	}
	var t1 trial.Trial
	route.Close().Fill(&t1)
	if len(t1.Steps) != 4 || t1.Steps[0].Action != wire.RefusedAction || t1.Steps[0].Error != "429 slow down" ||
		t1.InputTokens != trial.Some[int64](1) {
		t.Errorf("%+v", t1)
	}
}

// A key that the agent does not have goes up in the place of what stands for it, and nothing else changes.
func TestKeyOfTheWire(t *testing.T) {
	var got http.Header
	var query string
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		got, query = r.Header, r.URL.RawQuery
		io.WriteString(w, "{}")
	}, wire.Options{Key: func(p wire.Provider) string {
		return map[wire.Provider]string{wire.OpenAI: "sk-real", wire.Gemini: "g-real"}[p]
	}})
	route := w.Route(wire.Limits{})
	environment := route.Environment()
	if environment["OPENAI_API_KEY"] == "sk-real" || environment["OPENAI_API_KEY"] == "" {
		t.Errorf("the agent has the key %q", environment["OPENAI_API_KEY"])
	}
	if key, set := environment["ANTHROPIC_API_KEY"]; set {
		t.Errorf("the agent's own key is replaced by %q", key)
	}
	request, _ := http.NewRequest("POST", environment["OPENAI_BASE_URL"]+"/responses", strings.NewReader("{}"))
	request.Header.Set("Authorization", "Bearer "+environment["OPENAI_API_KEY"])
	if _, err := http.DefaultClient.Do(request); err != nil {
		t.Fatal(err)
	}
	if got.Get("Authorization") != "Bearer sk-real" {
		t.Errorf("%q goes up", got.Get("Authorization"))
	}
	ask(t, route.Root()+"/gemini/v1beta/models/m:generateContent?alt=sse&key="+environment["GEMINI_API_KEY"], "{}")
	if got.Get("X-Goog-Api-Key") != "g-real" || query != "alt=sse" {
		t.Errorf("%q and %q go up", got.Get("X-Goog-Api-Key"), query)
	}
}

func TestPackedAnswer(t *testing.T) {
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Accept-Encoding"); got != "gzip" {
			t.Errorf("%q is accepted", got)
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		io.WriteString(z, said("packed"))
		z.Close()
	}, wire.Options{})
	route := w.Route(wire.Limits{})
	request, _ := http.NewRequest("POST", route.Root()+"/openai/v1/chat/completions", strings.NewReader(`{"model":"m"}`))
	request.Header.Set("Accept-Encoding", "br, gzip, zstd")
	answer, err := http.DefaultClient.Do(request)
	if err != nil || answer.Header.Get("Content-Encoding") != "gzip" {
		t.Fatal(answer, err)
	}
	z, err := gzip.NewReader(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := io.ReadAll(z); string(text) != said("packed") {
		t.Errorf("%s", text)
	}
	answer.Body.Close()
	if seen := route.Close(); seen.Exchanges[0].Answer.Text != "packed" {
		t.Errorf("%+v", seen)
	}
}

// A hostile server: what it sends passes, and is not kept beyond the bound.
func TestHostileServers(t *testing.T) {
	bomb := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		zeros := make([]byte, 1<<20)
		for range 64 {
			z.Write(zeros)
		}
		z.Close()
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		problem string
	}{
		"a bomb":     {bomb, "longer than"},
		"too long":   {func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 3<<20)) }, "longer than"},
		"no JSON":    {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>") }, "not understood"},
		"other JSON": {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "{}") }, "not understood"},
		"gzip that is": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, "no")
		}, "unpacked"},
		"cut off": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "cut off"},
		"no answer": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
	} {
		w := open(t, c.handler, wire.Options{MaxCopyBytes: 2 << 20})
		route := w.Route(wire.Limits{})
		answer, err := http.Post(route.Root()+"/openai/v1/chat/completions", "",
			strings.NewReader(`{"model":"m","stream":true}`))
		if err == nil {
			io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
		seen := route.Close()
		if len(seen.Exchanges) != 1 || !strings.Contains(seen.Exchanges[0].Problem, c.problem) {
			t.Errorf("%s: %+v", name, seen.Exchanges)
		}
	}
}

func TestWaysThatLeadNowhere(t *testing.T) {
	w := open(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, said("x")) }, wire.Options{})
	route := w.Route(wire.Limits{})
	root := route.Root()
	other := root[:strings.LastIndexByte(root, '/')]
	for _, url := range []string{other + "/openai/v1/chat/completions", other + "/0/openai/v1/chat/completions",
		root + "/nobody/x", root + "/azure/x"} {
		if status, text := ask(t, url, "{}"); status != 404 {
			t.Errorf("%s: %d %s", url, status, text)
		}
	}
	route.Close()
	if status, _ := ask(t, root+"/openai/v1/chat/completions", "{}"); status != 404 {
		t.Errorf("a route that is over answers %d", status)
	}
}

func TestUpstreams(t *testing.T) {
	lookup := func(name string) (string, bool) {
		value, ok := map[string]string{"OLLAMA_HOST": "box:11434", "OPENAI_BASE_URL": "http://10.0.0.1/v1/"}[name]
		return value, ok
	}
	all, err := wire.UpstreamsOf(map[wire.Provider]string{wire.Azure: "https://me.example.com"}, lookup)
	if err != nil {
		t.Fatal(err)
	}
	got := map[wire.Provider]string{}
	for p, u := range all {
		got[p] = u.String()
	}
	want := map[wire.Provider]string{
		wire.OpenAI: "http://10.0.0.1/v1", wire.Azure: "https://me.example.com", wire.Anthropic: "https://api.anthropic.com",
		wire.Gemini: "https://generativelanguage.googleapis.com", wire.Ollama: "http://box:11434",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range []string{"ftp://x", "models", "https://", "http://[::1"} {
		if _, err := wire.UpstreamsOf(map[wire.Provider]string{wire.OpenAI: bad}, none); err == nil {
			t.Errorf("%q is an address", bad)
		}
	}
}

// 200 streams at once, as of 200 attempts.
func TestManyAtOnce(t *testing.T) {
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 50 {
			fmt.Fprintf(w, "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"%02d\"}}]}\n\n", i)
			w.(http.Flusher).Flush()
		}
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n")
	}, wire.Options{})
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			route := w.Route(wire.Limits{})
			ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m","stream":true}`)
			if seen := route.Close(); len(seen.Exchanges) != 1 || len(seen.Exchanges[0].Answer.Text) != 100 {
				t.Errorf("%+v", seen)
			}
		})
	}
	all.Wait()
}

func BenchmarkRequest(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, said("x"))
	}))
	defer server.Close()
	upstreams, _ := wire.UpstreamsOf(map[wire.Provider]string{wire.OpenAI: server.URL}, none)
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	for _, way := range []string{"direct", "wire"} {
		b.Run(way, func(b *testing.B) {
			for b.Loop() {
				url := server.URL
				if way == "wire" {
					route := w.Route(wire.Limits{MaxTurns: trial.Some(5)})
					defer route.Close()
					url = route.Root() + "/openai/v1"
				}
				answer, err := http.Post(url+"/chat/completions", "application/json", strings.NewReader(`{"model":"m"}`))
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
}

// appendingAct is an act that leaves its name on what goes up and on what comes down.
type appendingAct string

func (a appendingAct) RoundTrip(
	r *wire.Request, next func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	r.HTTP.Header.Add("Acts", string(a))
	if a == "stop" {
		r.Stop("an act")
	}
	answer, err := next(r.HTTP)
	if err == nil {
		r.Tell(wire.Event{Act: string(a), Name: r.Asked.Model + " by " + r.Dialect, Detail: string(r.Body)})
	}
	return answer, err
}

// The first act stands nearest to the agent; each knows what is asked; one may end the attempt.
func TestActs(t *testing.T) {
	var up []string
	w := open(t, func(w http.ResponseWriter, r *http.Request) {
		up = append(up, strings.Join(r.Header.Values("Acts"), ","))
		io.WriteString(w, said("fine"))
	}, wire.Options{})
	route := w.Route(wire.Limits{}, appendingAct("a"), appendingAct("b"))
	ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`)
	ask(t, route.Root()+"/openai/v1/embeddings", `{"model":"m"}`)
	want := []wire.Event{
		{Act: "b", Name: "m by openai/chat", Request: 1, Detail: `{"model":"m"}`},
		{Act: "a", Name: "m by openai/chat", Request: 1, Detail: `{"model":"m"}`},
		{Act: "b", Name: " by "}, {Act: "a", Name: " by "},
	}
	seen := route.Take()
	if diff := cmp.Diff(want, seen.Events); diff != "" {
		t.Error(diff)
	}
	route.Begin(wire.Limits{}, appendingAct("stop"))
	ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m"}`)
	<-route.Stopped()
	if seen := route.Close(); seen.Stopped != "an act" || len(seen.Events) != 1 {
		t.Errorf("%+v", seen)
	}
	if diff := cmp.Diff([]string{"a,b", "a,b", "stop"}, up); diff != "" {
		t.Error(diff)
	}
}
