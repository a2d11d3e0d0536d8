package model

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

const key = "sk-test-swordfish-0123456789"

// sentRequest is what a server was sent.
type sentRequest struct {
	path   string
	header http.Header
	body   string
}

// server answers one request after the other; the last one answers all that follow.
func server(t *testing.T, answers ...http.HandlerFunc) (url string, seen func() []sentRequest) {
	t.Helper()
	requests := make(chan sentRequest, 100)
	count := make(chan int, 1)
	count <- 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		requests <- sentRequest{r.URL.Path, r.Header, string(body)}
		n := <-count
		count <- n + 1
		answers[min(n, len(answers)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() (all []sentRequest) {
		for len(requests) > 0 {
			all = append(all, <-requests)
		}
		return all
	}
}

func says(status int, text string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// The bodies are those of the references of both APIs, shortened.
const (
	openAIText = `{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-5-mini-2026-01-01","choices":[{"index":0,
		"message":{"role":"assistant","content":"Hello!","refusal":null},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
		"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":4}}}`
	openAICalls = `{"model":"m","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[
		{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Oslo\"}"}},
		{"id":"call_2","type":"function","function":{"name":"weather","arguments":"{oops"}}]},"finish_reason":"tool_calls"}]}`
	openAIRefusal = `{"model":"m","choices":[{"message":{"role":"assistant","content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}`
	anthropicText = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"text","text":"Hel"},
		{"type":"text","text":"lo!"}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":10,
		"cache_creation_input_tokens":5,"cache_read_input_tokens":11}}`
	anthropicCalls = `{"type":"message","model":"claude-x","content":[{"type":"text","text":"Let me see."},
		{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Oslo"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2}}`
	anthropicRefusal = `{"type":"message","model":"m","content":[],"stop_reason":"refusal","usage":{"input_tokens":1,"output_tokens":0}}`
	anthropicAnswer  = `{"type":"message","model":"m","content":[{"type":"tool_use","id":"t","name":"answer","input":{"a":1}}],"stop_reason":"tool_use"}`
)

func TestRepliesOfBothForms(t *testing.T) {
	known := trial.Some[int64]
	for name, c := range map[string]struct {
		provider Provider
		body     string
		schema   trial.Raw
		want     Reply
	}{
		"openai text": {OpenAI, openAIText, nil, Reply{
			Text: "Hello!", Finish: "stop", Model: "gpt-5-mini-2026-01-01",
			Usage: Usage{Input: known(19), Output: known(10), Cached: known(16), Reasoning: known(4)},
		}},
		"openai calls": {OpenAI, openAICalls, nil, Reply{
			Calls: []Call{{ID: "call_1", Name: "weather", Arguments: `{"city": "Oslo"}`}, {ID: "call_2", Name: "weather", Arguments: "{oops"}}, Finish: "tool_calls",
			Model: "m",
		}},
		"openai refusal": {OpenAI, openAIRefusal, nil, Reply{Text: "I cannot.", Refused: true, Finish: "stop", Model: "m"}},
		"anthropic text": {Anthropic, anthropicText, nil, Reply{
			Text: "Hello!", Finish: "end_turn", Model: "claude-x",
			Usage: Usage{Input: known(19), Output: known(10), Cached: known(11), Written: known(5)},
		}},
		"anthropic calls": {Anthropic, anthropicCalls, nil, Reply{
			Text: "Let me see.", Calls: []Call{{ID: "toolu_1", Name: "weather", Arguments: `{"city":"Oslo"}`}}, Finish: "tool_use", Model: "claude-x",
			Usage: Usage{Input: known(1), Output: known(2)},
		}},
		"anthropic refusal": {Anthropic, anthropicRefusal, nil, Reply{
			Refused: true, Finish: "refusal", Model: "m", Usage: Usage{Input: known(1), Output: known(0)},
		}},
		"anthropic object": {Anthropic, anthropicAnswer, trial.Raw(`{}`), Reply{
			Text: `{"a":1}`, Finish: "tool_use", Model: "m",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, says(200, c.body))
			client := New(Settings{Provider: c.provider, Name: "m", URL: url})
			defer client.Close()
			reply, err := client.Ask(t.Context(), Request{Messages: []Message{{Text: "Hi"}}, Schema: c.schema})
			if err != nil {
				t.Fatal(err)
			}
			if string(reply.Body) != c.body || reply.Duration <= 0 {
				t.Errorf("body %s after %v", reply.Body, reply.Duration)
			}
			reply.Body, reply.Duration = nil, 0
			if diff := cmp.Diff(c.want, *reply); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What is sent is what the references of the APIs show.
func TestRequestsOfBothForms(t *testing.T) {
	r := Request{
		System: "Be brief.", Seed: trial.Some[int64](7), Schema: trial.Raw(`{"type":"object"}`),
		Tools: []Tool{{"weather", "of a city", trial.Raw(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
		Messages: []Message{
			{Role: User, Text: "Oslo and Rome?"},
			{Role: assistant, Calls: []Call{{ID: "a", Name: "weather", Arguments: `{"city":"Oslo"}`}, {ID: "b", Name: "weather", Arguments: "{oops"}}},
			{Role: Result, CallID: "a", Text: "rain"},
			{Role: Result, CallID: "b", Text: "no city", Failed: true},
		},
	}
	for name, c := range map[string]struct {
		provider    Provider
		path, want  string
		authorizing [2]string
	}{
		"openai": {OpenAI, "/chat/completions", `{"model":"m","temperature":0.5,"seed":7,"max_tokens":100,"messages":[
			{"role":"system","content":"Be brief."},{"role":"user","content":"Oslo and Rome?"},
			{"role":"assistant","content":null,"tool_calls":[
				{"id":"a","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}},
				{"id":"b","type":"function","function":{"name":"weather","arguments":"{oops"}}]},
			{"role":"tool","tool_call_id":"a","content":"rain"},{"role":"tool","tool_call_id":"b","content":"no city"}],
			"tools":[{"type":"function","function":{"name":"weather","description":"of a city",
				"parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}],
			"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":{"type":"object"}}}}`,
			[2]string{"Authorization", "Bearer " + key}},
		"anthropic": {Anthropic, "/v1/messages", `{"model":"m","temperature":0.5,"max_tokens":100,"system":"Be brief.","messages":[
			{"role":"user","content":[{"type":"text","text":"Oslo and Rome?"}]},
			{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"weather","input":{"city":"Oslo"}},
				{"type":"tool_use","id":"b","name":"weather","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"rain"},
				{"type":"tool_result","tool_use_id":"b","content":"no city","is_error":true}]}],
			"tools":[{"name":"weather","description":"of a city","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}},
				{"name":"answer","description":"Gives the answer.","input_schema":{"type":"object"}}],
			"tool_choice":{"type":"tool","name":"answer"}}`, [2]string{"X-Api-Key", key}},
	} {
		t.Run(name, func(t *testing.T) {
			url, seen := server(t, says(500, ""))
			client := New(Settings{
				Provider: c.provider, Name: "m", URL: url + "/", Key: key, Temperature: trial.Some(0.5), MaxTokens: 100,
			})
			defer client.Close()
			_, _ = client.Ask(t.Context(), r)
			got := seen()[0]
			if got.path != c.path || got.header.Get(c.authorizing[0]) != c.authorizing[1] {
				t.Errorf("%s with %q", got.path, got.header)
			}
			if c.provider == Anthropic && got.header.Get("Anthropic-Version") == "" {
				t.Error("no version is sent")
			}
			var have, want any
			if err := errors.Join(json.Unmarshal([]byte(got.body), &have), json.Unmarshal([]byte(c.want), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, have); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOpenAIItselfHasAnotherNameForTokens(t *testing.T) {
	body, err := New(Settings{Provider: OpenAI, Name: "m", MaxTokens: 9}).Body(Request{})
	if err != nil || !strings.Contains(string(body), `"max_completion_tokens":9`) ||
		strings.Contains(string(body), `"max_tokens"`) {
		t.Errorf("%s, %v", body, err)
	}
}

func TestWhatFailsForTheMomentIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		leave   bool
		asked   int
		kind    endpoint.Kind // "" is an answer
	}{
		"rate limit":        {[]http.HandlerFunc{says(429, "", "Retry-After", "0"), says(200, openAIText)}, false, 2, ""},
		"overloaded":        {[]http.HandlerFunc{says(529, ""), says(503, ""), says(200, openAIText)}, false, 3, ""},
		"server error":      {[]http.HandlerFunc{says(500, "")}, false, 3, endpoint.Status},
		"left to others":    {[]http.HandlerFunc{says(429, "")}, true, 1, endpoint.Refused},
		"asks to wait long": {[]http.HandlerFunc{says(429, "", "Retry-After", "3600")}, false, 1, endpoint.Refused},
		"wrong key":         {[]http.HandlerFunc{says(401, "")}, false, 1, endpoint.Denied},
		"wrong request":     {[]http.HandlerFunc{says(400, "")}, false, 1, endpoint.Status},
	} {
		t.Run(name, func(t *testing.T) {
			url, seen := server(t, c.answers...)
			client := New(Settings{Name: "m", URL: url, Retries: 2, Backoff: time.Microsecond})
			defer client.Close()
			_, err := client.Ask(t.Context(), Request{LeaveRefused: c.leave})
			var kind endpoint.Kind
			if why, ok := errors.AsType[*endpoint.Error](err); ok {
				kind = why.Kind
			}
			if kind != c.kind || len(seen()) != c.asked {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestNoReply(t *testing.T) {
	for name, c := range map[string]struct {
		provider Provider
		answer   http.HandlerFunc
		want     string
	}{
		"prose": {OpenAI, says(200, "I am well, thank you."),
			"the model's reply cannot be read: jsontext: invalid character"},
		"other JSON": {OpenAI, says(200, `{"ok":true}`),
			"the model's reply cannot be read: it has none of the members of an answer"},
		"no message": {OpenAI, says(200, `{"choices":[{}]}`), "it has none of the members of an answer"},
		"nameless tool": {OpenAI, says(200, `{"choices":[{"message":{"tool_calls":[{"function":{}}]}}]}`),
			"calls a tool without a name"},
		"an error as 200": {OpenAI, says(200, `{"error":{"message":"no such model: `+key+`"}}`),
			"it is an error: no such model: [redacted]"},
		"other type": {Anthropic, says(200, openAIText), "it has none of the members of an answer"},
		"tool of no input": {Anthropic, says(200, `{"type":"message","content":[{"type":"tool_use","name":"x","input":[]}]}`),
			"calls the tool \"x\" without an object"},
		"denied": {OpenAI, says(401, `{"error":{"message":"Incorrect API key provided: `+key+`"}}`),
			"the model answered with the status 401 Unauthorized: Incorrect API key provided: [redacted]"},
		"ollama's error": {OpenAI, says(404, `{"error":"model not found"}`), "404 Not Found: model not found"},
		"too long":       {OpenAI, says(200, strings.Repeat(" ", 5000)), "more than max_output_bytes, which is 4096"},
		"slow": {OpenAI, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			"the model did not answer within"},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, c.answer)
			client := New(Settings{Provider: c.provider, Name: "m", URL: url, Key: key, MaxBytes: 4096,
				Timeout: 300 * time.Millisecond})
			defer client.Close()
			reply, err := client.Ask(t.Context(), Request{Messages: []Message{{Text: "Hi"}}})
			if err == nil || !strings.Contains(err.Error(), c.want) || reply != nil {
				t.Errorf("%v, want %q", err, c.want)
			}
			if strings.Contains(err.Error(), key) {
				t.Error("the key is in the message")
			}
			if why, ok := errors.AsType[*endpoint.Error](err); ok && strings.Contains(string(why.Body), key) {
				t.Error("the key is in the body")
			}
		})
	}
}

func TestDownAndStopped(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	client := New(Settings{Name: "m", URL: s.URL})
	_, err := client.Ask(t.Context(), Request{})
	if why, ok := errors.AsType[*endpoint.Error](err); !ok || why.Kind != endpoint.Connection || !why.Unbegun {
		t.Errorf("%v", err)
	}
	url, _ := server(t, says(429, ""))
	ctx, cancel := context.WithCancel(t.Context())
	client = New(Settings{Name: "m", URL: url, Retries: 5, Backoff: 50 * time.Second})
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err = client.Ask(ctx, Request{})
	if why, ok := errors.AsType[*endpoint.Error](err); !ok || why.Kind != endpoint.Cancelled {
		t.Errorf("%v", err)
	}
}

func FuzzReply(f *testing.F) {
	for _, text := range []string{openAIText, openAICalls, openAIRefusal, anthropicText, anthropicCalls, anthropicRefusal,
		"", "null", "[]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range []Provider{OpenAI, Anthropic} {
			reply, err := New(Settings{Provider: p}).reply([]byte(text))
			if (reply == nil) == (err == nil) {
				t.Errorf("%v, %v", reply, err)
			}
			if reply == nil {
				continue
			}
			for _, n := range []trial.Optional[int64]{reply.Usage.Input, reply.Usage.Output, reply.Usage.Cached,
				reply.Usage.Reasoning} {
				if n.Value < 0 {
					t.Errorf("%v tokens", n)
				}
			}
			if slices.ContainsFunc(reply.Calls, func(c Call) bool { return c.Name == "" }) {
				t.Error("a call of no tool")
			}
		}
	})
}
