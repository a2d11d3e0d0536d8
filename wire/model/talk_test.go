package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// calls is an answer of a model of OpenAI that calls tools: names and arguments in turns.
func calls(words ...string) http.HandlerFunc {
	var list []any
	for i := 0; i+1 < len(words); i += 2 {
		list = append(list, map[string]any{
			"id": "", "type": "function", "function": map[string]string{"name": words[i], "arguments": words[i+1]},
		})
	}
	text, _ := json.Marshal(list)
	return says(200, `{"model":"m","choices":[{"message":{"content":null,"tool_calls":`+string(text)+`},
		"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":100,"completion_tokens":10,
		"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":7}}}`)
}

var orders = []Mock{
	{Tool{Name: "look_up", Parameters: trial.Raw(`{"type":"object","properties":{"id":{"type":"integer"}},
		"required":["id"]}`)},
		[]MockAnswer{
			{When: trial.Raw(`{"id":7}`), Times: 1, Error: "try again"},
			{When: trial.Raw(`{"id":7.0}`), Result: trial.Raw(`{"status":"sent"}`)},
			{When: trial.Raw(`{"id":8}`), Result: trial.Raw(`"lost"`)},
		}},
	{Tool{Name: "ping"}, []MockAnswer{{Result: trial.Raw(`"pong"`)}}},
}

func TestTalk(t *testing.T) {
	url, seen := server(t,
		calls("look_up", `{"id":7}`, "look_up", `{"id":7}`),
		calls("look_up", `{"id":8}`, "look_up", `{"id":9}`, "look_up", `{"id":"7"}`, "delete", `{}`, "ping", "",
			"ping", "{x"),
		says(200, openAIText),
	)
	client := New(Settings{Provider: OpenAI, Name: "m", URL: url})
	defer client.Close()
	said, err := client.Talk(t.Context(), Talk{
		System: "Help.", Prompt: "Where?", Mocks: orders, Seed: trial.Some(int64(5)), Until: time.Now().Add(time.Minute),
		Price: &Price{Input: 2, Output: 10, Cached: trial.Some(0.5)},
	})
	if err != nil {
		t.Fatal(err)
	}
	var steps []string
	for _, s := range said.Steps {
		steps = append(steps, fmt.Sprintf("%s %s%s -> %s%s", s.Action, s.Tool, s.Arguments, s.Output, s.Error))
	}
	want := []string{
		"reason  -> ",
		`call_tool look_up{"id":7} -> try again`,
		`call_tool look_up{"id":7} -> {"status":"sent"}`,
		"reason  -> ",
		`call_tool look_up{"id":8} -> "lost"`,
		`call_tool look_up{"id":9} -> the suite has no result for this call`,
		`call_tool look_up{"id":"7"} -> the arguments do not fit the parameters: at /id: got string, want integer`,
		`call_tool delete{} -> there is no tool "delete"`,
		`call_tool ping{} -> "pong"`,
		`call_tool ping"{x" -> the arguments are not JSON: ` +
			`invalid character 'x' looking for beginning of object key string`,
		`respond  -> "Hello!"`,
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
	// 60 and 40 tokens in of two turns, 3 and 16 of the last, at their prices: 0.5 a million in the cache, 2 beside.
	cost := (2*(60*2+40*0.5+10*10) + 3*2 + 16*0.5 + 10*10) / 1e6
	if got := said.CostUSD; !got.Known || got.Value < cost*(1-1e-12) || got.Value > cost*(1+1e-12) {
		t.Errorf("%v, not %v", got, cost)
	}
	usage := Usage{
		Input: trial.Some(int64(219)), Output: trial.Some(int64(30)), Cached: trial.Some(int64(96)),
		Reasoning: trial.Some(int64(18)),
	}
	if said.Usage != usage || said.Turns != 3 || said.ToolCalls != 8 || said.Text != "Hello!" {
		t.Errorf("%+v", said)
	}
	if said.Model != "" { // two names answered
		t.Error(said.Model)
	}
	requests := seen()
	var last struct {
		Seed     int64
		Messages []struct {
			Role, Content string
			CallID        string                `json:"tool_call_id"`
			ToolCalls     []struct{ ID string } `json:"tool_calls"`
		}
	}
	if err := json.Unmarshal([]byte(requests[2].body), &last); err != nil || last.Seed != 5 || len(last.Messages) != 12 {
		t.Fatalf("%v %+v", err, last)
	}
	// Calls without a number of the server's have one, by which results are told apart.
	first, result := last.Messages[2].ToolCalls, last.Messages[4]
	if first[1].ID != result.CallID || first[0].ID == first[1].ID || result.Content != `{"status":"sent"}` {
		t.Errorf("%+v, %+v", first, result)
	}
	if got := last.Messages[3].Content; got != "error: try again" {
		t.Error(got)
	}
}

// A model that goes on is stopped before the turn that would break a limit, and what it took till then is known.
func TestTalkIsLimited(t *testing.T) {
	for name, c := range map[string]struct {
		talk  Talk
		turns int
		limit string
		says  string
	}{
		"its own": {Talk{MaxTurns: 3}, 3, "max_turns", "max_turns of the model: it still calls tools after 3"},
		"the scenario's": {Talk{MaxTurns: 9, Limits: oracle.Limits{MaxTurns: trial.Some(2)}}, 2, "max_turns",
			"after 2, and the limit is 2"},
		// A turn is 100 tokens in and 10 out, and costs 0.0003.
		"cost": {Talk{Price: &Price{Input: 2, Output: 10}, Limits: oracle.Limits{MaxCostUSD: trial.Some(0.0005)}}, 2,
			"max_cost_usd", "after $0.0006, and the limit is $0.0005"},
		"tokens": {Talk{Limits: oracle.Limits{MaxTokens: trial.Some[int64](220)}}, 2, "max_tokens",
			"after 220 tokens, and the limit is 220"},
		"an estimate": {Talk{
			Estimate: func(string, Usage) (most, least float64) { return 0.25, 0.25 },
			Limits:   oracle.Limits{MaxCostUSD: trial.Some(0.75)},
		}, 3, "max_cost_usd", "after $0.75, and the limit is $0.75"},
		"an upper bound": {Talk{
			Estimate: func(string, Usage) (most, least float64) { return 0.25, 0.125 },
			Limits:   oracle.Limits{MaxCostUSD: trial.Some(0.75)},
		}, 3, "max_cost_usd", "after at most $0.75 and at least $0.375, and the limit is $0.75"},
	} {
		t.Run(name, func(t *testing.T) {
			url, seen := server(t, calls("ping", "{}"))
			client := New(Settings{Provider: OpenAI, Name: "m", URL: url})
			defer client.Close()
			c.talk.Mocks = orders
			said, err := client.Talk(t.Context(), c.talk)
			limit, ok := errors.AsType[*LimitError](err)
			unsure := strings.Contains(c.says, "at least")
			if !ok || limit.Limit != c.limit || limit.Unsure != unsure || !strings.Contains(limit.Problem, c.says) {
				t.Fatalf("%v", err)
			}
			if said.Turns != c.turns || len(seen()) != c.turns || said.ToolCalls != c.turns-1 {
				t.Errorf("%+v", said)
			}
		})
	}
}

// What breaks later has begun: it is no trial to make again. What is refused later is asked again here.
func TestTalkThatBreaks(t *testing.T) {
	called := calls("ping", "{}")
	for name, c := range map[string]struct {
		answers []http.HandlerFunc
		want    string
		unbegun bool
		turns   int
	}{
		"refused at first":  {[]http.HandlerFunc{says(429, "")}, "status 429", true, 0},
		"refused later":     {[]http.HandlerFunc{called, says(429, "")}, "Many Requests, after 1 turn", false, 1},
		"busy for a while":  {[]http.HandlerFunc{called, says(503, ""), says(200, openAIText)}, "", false, 2},
		"garbage later":     {[]http.HandlerFunc{called, says(200, "Well.")}, "cannot be read", false, 1},
		"a wrong key later": {[]http.HandlerFunc{called, called, says(401, "")}, "orized, after 2 turns", false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := server(t, c.answers...)
			client := New(Settings{Provider: OpenAI, Name: "m", URL: url, Retries: 2, Backoff: time.Microsecond})
			defer client.Close()
			said, err := client.Talk(t.Context(), Talk{Mocks: orders})
			var why *endpoint.Error
			switch {
			case c.want == "" && err == nil:
			case err == nil || c.want == "" || !strings.Contains(err.Error(), c.want):
				t.Errorf("%v", err)
			case errors.As(err, &why) && why.Unbegun != c.unbegun:
				t.Errorf("%+v", why)
			}
			if said.Turns != c.turns {
				t.Errorf("%+v", said)
			}
		})
	}
}
