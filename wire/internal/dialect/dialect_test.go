package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/trial"
)

// known are numbers that are told.
func known(n int64) trial.Optional[int64] { return trial.Some(n) }

// The answers are those that the providers' own references show, shortened.
func TestAnswers(t *testing.T) {
	weather := []Call{{ID: "call_1", Name: "get_weather", Arguments: `{"location": "Paris"}`}}
	for _, c := range []struct {
		name, path string
		streamed   bool
		body       string
		want       Answer
	}{
		{
			"chat", "/chat/completions", false,
			`{"id":"chatcmpl-1","model":"gpt-5.4","choices":[{"index":0,"message":{"role":"assistant","content":"Hello!",
			"refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,
			"prompt_tokens_details":{"cached_tokens":5},"completion_tokens_details":{"reasoning_tokens":4}}}`,
			Answer{
				Model: "gpt-5.4", Text: "Hello!", Finish: "stop", Ended: true,
				Usage: Usage{Input: known(19), Output: known(10), Cached: known(5), Reasoning: known(4)},
			},
		},
		{
			"chat calls", "/chat/completions", false,
			`{"model":"m","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1",
			"type":"function","function":{"name":"get_weather","arguments":"{\"location\": \"Paris\"}"}}]},
			"finish_reason":"tool_calls"}]}`,
			Answer{Model: "m", Calls: weather, Finish: "tool_calls", Ended: true},
		},
		{
			"chat stream", "/v1/chat/completions", true,
			`data: {"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Let "}}]}

data: {"model":"m","choices":[{"index":0,"delta":{"content":"me"}}]}

data: {"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":""}}]}}]}

data: {"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","function":{"name":"now","arguments":"{}"}}]}}]}

data: {"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"location\": "}}]}}]}

data: {"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"Paris\"}"}}]}}]}

data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"model":"m","choices":[],"usage":{"prompt_tokens":82,"completion_tokens":17}}

data: [DONE]

`,
			Answer{
				Model: "m", Text: "Let me", Calls: append(weather[:1:1], Call{ID: "call_2", Name: "now", Arguments: "{}"}),
				Finish: "tool_calls", Ended: true, Usage: Usage{Input: known(82), Output: known(17)},
			},
		},
		{ // as vLLM writes with continuous_usage_stats; openai-go 3.99.0 adds them up: 246 and 6
			"chat stream whose parts have the usage so far", "/chat/completions", true,
			`data: {"model":"m","choices":[{"index":0,"delta":{"content":"Let "}}],"usage":{"prompt_tokens":82,"completion_tokens":1}}

data: {"model":"m","choices":[{"index":0,"delta":{"content":"me"},"finish_reason":"stop"}],"usage":{"prompt_tokens":82,"completion_tokens":2}}

data: {"model":"m","choices":[],"usage":{"prompt_tokens":82,"completion_tokens":3}}

data: [DONE]

`,
			Answer{
				Model: "m", Text: "Let me", Finish: "stop", Ended: true, Usage: Usage{Input: known(82), Output: known(3)},
			},
		},
		{
			"chat stream that was cut", "/chat/completions", true,
			"data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n",
			Answer{Model: "m", Text: "Hel"},
		},
		{
			"responses", "/responses", false,
			`{"id":"resp_1","model":"gpt-5.4","status":"completed","error":null,"incomplete_details":null,"output":[
			{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"Hi."}]},
			{"type":"function_call","call_id":"call_1","name":"get_weather","arguments":"{\"location\": \"Paris\"}"}],
			"usage":{"input_tokens":36,"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":20},"output_tokens":87,
			"output_tokens_details":{"reasoning_tokens":3}}}`,
			Answer{
				Model: "gpt-5.4", Text: "Hi.", Calls: weather, Finish: "completed", Ended: true,
				Usage: Usage{Input: known(36), Output: known(87), Cached: known(0), Written: known(20), Reasoning: known(3)},
			},
		},
		{
			"responses stream", "/responses", true,
			`event: response.created
data: {"type":"response.created","response":{"model":"gpt-5.4","status":"in_progress","output":[]}}

event: response.output_text.delta
data: {"type":"response.output_text.delta","delta":"Hi."}

event: response.output_item.done
data: {"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"Hi."}]}}

event: response.completed
data: {"type":"response.completed","response":{"model":"gpt-5.4","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi."}]}],"usage":{"input_tokens":37,"output_tokens":11}}}

`,
			Answer{
				Model: "gpt-5.4", Text: "Hi.", Finish: "completed", Ended: true,
				Usage: Usage{Input: known(37), Output: known(11)},
			},
		},
		{
			"chat stream whose calls share an index", "/v1/chat/completions", true,
			`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"get_weather","arguments":"{\"location\": \"Paris\"}"}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_2","function":{"name":"now","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

`,
			Answer{Calls: append(weather[:1:1], Call{ID: "call_2", Name: "now", Arguments: "{}"}), Finish: "tool_calls", Ended: true},
		},
		{
			"messages", "/v1/messages", false,
			`{"type":"message","model":"claude-opus-5","content":[{"type":"text","text":"I'll look."},
			{"type":"tool_use","id":"call_1","name":"get_weather","input":{"location": "Paris"}}],
			"stop_reason":"tool_use","usage":{"input_tokens":10,"cache_read_input_tokens":200,
			"cache_creation_input_tokens":30,"output_tokens":89}}`,
			Answer{
				Model: "claude-opus-5", Text: "I'll look.", Calls: weather, Finish: "tool_use", Ended: true,
				Usage: Usage{Input: known(240), Output: known(89), Cached: known(200), Written: known(30)},
			},
		},
		{
			"messages stream", "/v1/messages", true,
			`event: message_start
data: {"type":"message_start","message":{"model":"claude-opus-5","content":[],"usage":{"input_tokens":472,"output_tokens":2}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Okay"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"call_1","name":"get_weather","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"location\": \"Par"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"is\"}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}

event: message_stop
data: {"type":"message_stop"}

`,
			Answer{
				Model: "claude-opus-5", Text: "Okay", Calls: weather, Finish: "tool_use", Ended: true,
				Usage: Usage{Input: known(472), Output: known(89)},
			},
		},
		{
			"messages stream that failed", "/v1/messages", true,
			"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
			Answer{Failure: "Overloaded"},
		},
		{
			"generateContent", "/v1beta/models/gemini-3:generateContent", false,
			`{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"Hi."},{"functionCall":{"id":"call_1",
			"name":"get_weather","args":{"location": "Paris"}}}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":
			{"promptTokenCount":55,"candidatesTokenCount":12,"thoughtsTokenCount":8,"cachedContentTokenCount":40,
			"totalTokenCount":75},"modelVersion":"gemini-3"}`,
			Answer{
				Model: "gemini-3", Text: "Hi.", Calls: weather, Finish: "STOP", Ended: true,
				Usage: Usage{Input: known(55), Output: known(20), Cached: known(40), Reasoning: known(8)},
			},
		},
		{
			"streamGenerateContent", "/v1beta/models/gemini-3:streamGenerateContent", true,
			"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"H\"}]}}],\"usageMetadata\":{\"promptTokenCount\":5}}\r\n\r\n" +
				"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"i.\"}]},\"finishReason\":\"STOP\"}]," +
				"\"usageMetadata\":{\"promptTokenCount\":5,\"candidatesTokenCount\":2}}\r\n\r\n",
			Answer{Text: "Hi.", Finish: "STOP", Ended: true, Usage: Usage{Input: known(5), Output: known(2)}},
		},
		{
			"a list in parts", "/v1beta/models/gemini-3:streamGenerateContent", true,
			`[{"candidates":[{"content":{"parts":[{"text":"H"}]}}]}
			,{"candidates":[{"content":{"parts":[{"text":"i."}]},"finishReason":"STOP"}]}]`,
			Answer{Text: "Hi.", Finish: "STOP", Ended: true},
		},
		{
			"ollama", "/api/chat", false,
			`{"model":"llama3.2","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_weather",
			"arguments":{"location": "Paris"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":298}`,
			Answer{
				Model: "llama3.2", Calls: []Call{{Name: "get_weather", Arguments: `{"location": "Paris"}`}}, Finish: "stop",
				Ended: true, Usage: Usage{Input: known(26), Output: known(298)},
			},
		},
		{
			"ollama stream", "/api/chat", true,
			`{"model":"llama3.2","message":{"role":"assistant","content":"The"},"done":false}
{"model":"llama3.2","message":{"role":"assistant","content":" sky"},"done":false}
{"model":"llama3.2","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":2,"eval_count":3}
`,
			Answer{
				Model: "llama3.2", Text: "The sky", Finish: "stop", Ended: true,
				Usage: Usage{Input: known(2), Output: known(3)},
			},
		},
	} {
		d := Of(c.path)
		if d == nil {
			t.Errorf("%s: %s is in no form", c.name, c.path)
			continue
		}
		got, err := d.Answer([]byte(c.body), c.streamed)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestAsked(t *testing.T) {
	result := []Result{{CallID: "call_1", Output: "15 degrees"}}
	for _, c := range []struct {
		path, body string
		want       ParsedRequest
	}{
		{
			"/chat/completions", `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"},
			{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"15 "},{"type":"text","text":"degrees"}]}]}`,
			ParsedRequest{Model: "m", Stream: true, Results: result},
		},
		{"/responses", `{"model":"m","input":"hi"}`, ParsedRequest{Model: "m"}},
		{
			"/responses", `{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call_output",
			"call_id":"call_1","output":"15 degrees"}]}`,
			ParsedRequest{Model: "m", Results: result},
		},
		{ // by Codex, shortened
			"/responses", `{"model":"gpt-6.1-sol","stream":true,"input":[{"type":"additional_tools","role":"developer","tools":
			[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"}]}]},{"type":"message",
			"role":"user","content":[{"type":"input_text","text":"Fix the test"}]},{"type":"reasoning","id":"rs_1",
			"summary":[],"encrypted_content":null},{"type":"custom_tool_call","id":"ctc_1","status":"completed",
			"call_id":"call_1","name":"exec","input":"text(await tools.exec_command({cmd: \"cat calc.py\"}))"},
			{"type":"custom_tool_call_output","id":"ctco_1","call_id":"call_1","output":[{"type":"input_text",
			"text":"Script completed\nOutput:\n"},{"type":"input_text","text":"def add(a, b):\n"}]},
			{"type":"configuration_update","reasoning":{"effort":"low"}}]}`,
			ParsedRequest{Model: "gpt-6.1-sol", Stream: true, Results: []Result{
				{CallID: "call_1", Output: "Script completed\nOutput:\ndef add(a, b):\n"},
			}},
		},
		{ // by Claude Code, shortened
			"/v1/messages", `{"model":"claude-opus-4-8","messages":[{"role":"user","content":[{"type":"text","text":"Fix"}]},
			{"role":"system","content":"Available agent types"},{"role":"assistant","content":[{"type":"thinking",
			"thinking":"Look first.","signature":"c2ln"},{"type":"tool_use","id":"toolu_1","name":"Bash","input":
			{"command":"python3 test_calc.py"}}]},{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result",
			"content":"ok","is_error":false,"cache_control":{"type":"ephemeral"}}]}],"thinking":{"type":"adaptive"},
			"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"stream":true}`,
			ParsedRequest{Model: "claude-opus-4-8", Stream: true, Results: []Result{{CallID: "toolu_1", Output: "ok"}}},
		},
		{ // by the Gemini CLI, shortened: the model gave no ids
			"/v1beta/models/gemini-3.1-pro-preview:streamGenerateContent", `{"contents":[{"parts":[{"functionCall":
			{"id":"read_file_1795647233306_0","args":{"file_path":"calc.py"},"name":"read_file"},
			"thoughtSignature":"skip_thought_signature_validator"}],"role":"model"},{"parts":[{"functionResponse":
			{"name":"read_file","response":{"output":"def add(a, b):\n"},"id":"read_file_1795647233306_0"}}],"role":"user"}]}`,
			ParsedRequest{
				Model: "gemini-3.1-pro-preview", Stream: true,
				Results: []Result{{CallID: "read_file_1795647233306_0", Output: "def add(a, b):\n"}},
				named:   map[string]int{"read_file": 1},
				numbers: map[string]string{"read_file_1795647233306_0": "read_file#1"},
			},
		},
		{
			"/v1/messages", `{"model":"m","messages":[{"role":"user","content":"hi"},{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"15 degrees"}]},
			{"type":"tool_result","tool_use_id":"call_2","is_error":true,"content":"no such city"}]}]}`,
			ParsedRequest{Model: "m", Results: append(result[:1:1], Result{"call_2", "no such city", true})},
		},
		{
			"/v1beta/models/gemini-3:streamGenerateContent", `{"contents":[{"parts":[{"functionCall":{"name":"f","args":{}}}]},
			{"parts":[{"functionResponse":{"name":"f","response":{"output":"15 degrees"}}}]}]}`,
			ParsedRequest{
				Model: "gemini-3", Stream: true, Results: []Result{{CallID: "f#1", Output: "15 degrees"}},
				named: map[string]int{"f": 1},
			},
		},
		{ // by @ai-sdk/google 3.0.141, shortened; the second is an object of the tool's own
			"/v1beta/models/gemini-3:generateContent", `{"contents":[{"parts":[{"functionResponse":{"id":"c1","name":"f",
			"response":{"name":"f","content":"15 degrees"}}},{"functionResponse":{"id":"c2","name":"f",
			"response":{"name":"Ann","content":"hi"}}}]}]}`,
			ParsedRequest{
				Model:   "gemini-3",
				Results: []Result{{CallID: "c1", Output: "15 degrees"}, {CallID: "c2", Output: `{"name":"Ann","content":"hi"}`}},
				numbers: map[string]string{"c1": "f#1", "c2": "f#2"},
			},
		},
		{
			"/api/chat", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]},
			{"role":"tool","tool_name":"f","content":"15 degrees"}]}`,
			ParsedRequest{
				Model: "m", Stream: true, Results: []Result{{CallID: "f#1", Output: "15 degrees"}},
				named: map[string]int{"f": 1},
			},
		},
	} {
		got, err := Of(c.path).Asked(c.path, []byte(c.body))
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(ParsedRequest{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.path, diff)
		}
	}
}

// A second call of a tool in a conversation has another id than the first, and so has its result.
func TestCallsWithoutIDs(t *testing.T) {
	a, err := ollama.Asked("/api/chat",
		[]byte(`{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	calls := []Call{{Name: "f"}, {Name: "g"}, {ID: "own", Name: "f"}, {Name: "f"}}
	a.Identify(calls)
	want := []Call{{ID: "f#2", Name: "f"}, {ID: "g#1", Name: "g"}, {ID: "own", Name: "f"}, {ID: "f#4", Name: "f"}}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
}

// An error that is written in a form is read as that error.
func TestFailures(t *testing.T) {
	for _, d := range []*Dialect{chat, responses, messages, generate, ollama} {
		body := d.Failure(403, "stopped by max_turns")
		if !json.Valid(body) || Problem(body) != "stopped by max_turns" {
			t.Errorf("%s: %s is read as %q", d.Name, body, Problem(body))
		}
	}
	if said := Problem([]byte("<html>" + strings.Repeat("é", 500))); len(said) > 210 ||
		!strings.HasPrefix(said, "<html>") {
		t.Errorf("a page is read as %q", said)
	}
}

func TestPathsOfNoForm(t *testing.T) {
	for _, path := range []string{"/embeddings", "/v1/models", "/v1/messages/count_tokens", "/chat", ""} {
		if d := Of(path); d != nil {
			t.Errorf("%s is read as %s", path, d.Name)
		}
	}
}

func FuzzForms(f *testing.F) {
	f.Add([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"index":3,"function":{"arguments":"x"}},{}]}}]}`))
	f.Add([]byte(`{"content":[{"type":"tool_use"}],"usage":{"input_tokens":-1}}`))
	f.Add([]byte(`data: {"type":"content_block_delta","index":-1}`))
	f.Add([]byte(`[{"candidates":[{"content":{"parts":[{"functionCall":{}}]}}]}]`))
	f.Add([]byte(`{"message":{"tool_calls":[{}]}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/chat/completions", "/responses", "/messages", "/m:generateContent", "/api/chat"} {
			d := Of(path)
			asked, _ := d.Asked(path, body)
			for _, streamed := range []bool{false, true} {
				a, err := d.Answer(body, streamed)
				if err != nil {
					continue
				}
				asked.Identify(a.Calls)
				for _, c := range a.Calls {
					if c.ID == "" && (d == generate || d == ollama) {
						t.Errorf("%s: a call has no id", d.Name)
					}
				}
				for _, n := range []trial.Optional[int64]{a.Usage.Input, a.Usage.Output, a.Usage.Cached, a.Usage.Written} {
					if n.Value < 0 || n.Value > trial.MaxTokens {
						t.Errorf("%s: %d tokens", d.Name, n.Value)
					}
				}
			}
		}
	})
}
