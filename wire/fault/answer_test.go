package fault_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// said are answers that call look_up, whole and as a stream, as the providers write them.
var said = map[string][2]string{
	"openai/chat": {
		`{"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"look_up","arguments":"{\"id\":7}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":4}}`,
		`data: {"model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","function":{"name":"look_up","arguments":""}}]}}]}

data: {"model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"id\":7}"}}]}}]}

data: {"model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

data: {"model":"m-1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4}}

data: [DONE]

`,
	},
	"openai/responses": {
		`{"model":"m-1","status":"completed","output":[{"type":"function_call","call_id":"c","name":"look_up","arguments":"{\"id\":7}"}],"usage":{"input_tokens":9,"output_tokens":4}}`,
		`data: {"type":"response.created","response":{"model":"m-1","output":[]}}

data: {"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"look_up","arguments":"{\"id\":7}"}}

data: {"type":"response.completed","response":{"model":"m-1","status":"completed","output":[{"type":"function_call","call_id":"c","name":"look_up","arguments":"{\"id\":7}"}],"usage":{"input_tokens":9,"output_tokens":4}}}

`,
	},
	"anthropic/messages": {
		`{"model":"m-1","content":[{"type":"tool_use","id":"c","name":"look_up","input":{"id":7}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":4}}`,
		`event: message_start
data: {"type":"message_start","message":{"model":"m-1","content":[],"usage":{"input_tokens":9,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"look_up","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"id\":7}"}}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":4}}

event: message_stop
data: {"type":"message_stop"}

`,
	},
	"gemini/generateContent": {
		`{"modelVersion":"m-1","candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"look_up","args":{"id":7}}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4}}`,
		`data: {"modelVersion":"m-1","candidates":[{"content":{"parts":[{"functionCall":{"id":"c","name":"look_up","args":{"id":7}}}]}}]}

data: {"modelVersion":"m-1","candidates":[{"content":{"parts":[]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4}}

`,
	},
	"ollama/chat": {
		`{"model":"m-1","message":{"content":"","tool_calls":[{"function":{"name":"look_up","arguments":{"id":7}}}]},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":4}`,
		`{"model":"m-1","message":{"content":"","tool_calls":[{"function":{"name":"look_up","arguments":{"id":7}}}]},"done":false}
{"model":"m-1","message":{"content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":4}
`,
	},
}

// streamPaths are where streams are asked for that a path asks for.
var streamPaths = map[string]string{"gemini/generateContent": "/gemini/v1beta/models/m:streamGenerateContent?alt=sse"}

// seenOf asks for an answer with a fault, and returns what was seen of it.
func seenOf(t *testing.T, dialect string, streamed bool, text string) (*wire.Traffic, error) {
	t.Helper()
	form, kind := 0, "application/json"
	path, body := paths[dialect], fmt.Sprintf(`{"model":"m","stream":%v}`, streamed)
	if streamed {
		form, kind = 1, "text/event-stream"
		if other := streamPaths[dialect]; other != "" {
			path = other
		}
		if dialect == "ollama/chat" {
			kind = "application/x-ndjson"
		}
	}
	m := newModel(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, said[dialect][form])
	})
	route, act := routed(t, m, 1, text)
	answer, err := http.Post(route.Root()+path, "application/json", strings.NewReader(body))
	if err == nil {
		_, err = io.ReadAll(answer.Body)
		answer.Body.Close()
	}
	seen := route.Close()
	if len(act.Unfired()) > 0 || len(seen.Exchanges) != 1 {
		t.Fatalf("%s of %s never was", text, dialect)
	}
	return seen, err
}

// TestAnswersAreChanged reads back what answers are changed into, in each form.
func TestAnswersAreChanged(t *testing.T) {
	line := func(e wire.Exchange) string {
		a := e.Answer
		text := a.Finish
		if a.Text != "" {
			text += " says " + fmt.Sprintf("%.9s", a.Text)
		}
		for _, c := range a.Calls {
			text += " calls " + c.Name + c.Arguments
		}
		if a.Model != "m-1" {
			text += " of " + a.Model
		}
		return text
	}
	const half, whole = `{"id`, `{"id":7}`
	words := map[string]struct{ length, stop, call string }{
		"openai/chat":            {"length calls look_up" + half, "stop", "tool_calls"},
		"openai/responses":       {"max_output_tokens calls look_up" + half, "completed", "completed"},
		"anthropic/messages":     {"max_tokens calls look_up" + half, "end_turn", "tool_use"},
		"gemini/generateContent": {"MAX_TOKENS", "STOP", "STOP"},
		"ollama/chat":            {`length says {"name": `, "stop", "stop"},
	}
	refused := map[string]string{"anthropic/messages": "refusal", "gemini/generateContent": "SAFETY"}
	broken := map[string]string{"gemini/generateContent": "MALFORMED_FUNCTION_CALL", "ollama/chat": `stop says {"name": `}
	for dialect, w := range words {
		want := map[string]string{
			"truncated": w.length, "empty": w.stop, "refusal": refused[dialect], "malformed-json": broken[dialect],
			"unknown-tool":        w.call + " calls look_up_v2" + whole,
			"wrong-model:name=mm": w.call + " calls look_up" + whole + " of mm",
			"slow:latency=1ms":    w.call + " calls look_up" + whole,
		}
		if want["refusal"] == "" {
			want["refusal"] = w.stop + " says I'm sorry"
		}
		if want["malformed-json"] == "" {
			want["malformed-json"] = w.call + " calls look_up" + half
		}
		for _, streamed := range []bool{false, true} {
			got := map[string]string{}
			for kind := range want {
				seen, err := seenOf(t, dialect, streamed, kind)
				e := seen.Exchanges[0]
				if err != nil || e.Problem != "" || e.Answer.Usage.Input.Value != 9 {
					t.Errorf("%s of %s, streamed %v: %v, %+v", kind, dialect, streamed, err, e)
				}
				got[kind] = strings.ReplaceAll(line(e), `"{\"id"`, half) // a text where an object should be
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, streamed %v: %s", dialect, streamed, diff)
			}
			seen, err := seenOf(t, dialect, streamed, "cut-stream")
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("the end of %s, streamed %v: %v: %+v", dialect, streamed, err, seen.Exchanges)
			}
			seen, err = seenOf(t, dialect, streamed, "schema-drift")
			if e := seen.Exchanges[0]; err != nil || len(e.Answer.Calls) > 0 && dialect != "openai/responses" {
				t.Errorf("the drift of %s, streamed %v: %v: %+v", dialect, streamed, err, e)
			}
		}
	}
}

// TestConnectionsBreak resets one, and leaves another without an answer until the agent goes away.
func TestConnectionsBreak(t *testing.T) {
	m := newModel(t, says(said["openai/chat"][0]))
	route, _ := routed(t, m, 1, "reset:at=1", "timeout:at=2")
	_, err := http.Post(route.Root()+paths["openai/chat"], "application/json", strings.NewReader(`{"model":"m"}`))
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("after a reset: %v", err)
	}
	impatient := &http.Client{Timeout: 50 * time.Millisecond}
	_, err = impatient.Post(route.Root()+paths["openai/chat"], "application/json", strings.NewReader(`{"model":"m"}`))
	if late, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); !ok || !late.Timeout() {
		t.Errorf("without an answer: %v", err)
	}
	seen := route.Close()
	if diff := cmp.Diff([]string{"reset", "timeout"}, names(seen, fault.Name)); diff != "" || len(m.asked) > 0 ||
		seen.Void != "" {
		t.Errorf("%s; %d asked; %s", diff, len(m.asked), seen.Void)
	}
}

// TestSlowAnswersComeInParts sends events one by one, whole and unchanged.
func TestSlowAnswersComeInParts(t *testing.T) {
	m := newModel(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, said["openai/chat"][1])
	})
	route, _ := routed(t, m, 1, "slow:tokens_per_second=500")
	answer, err := http.Post(route.Root()+paths["openai/chat"], "application/json",
		strings.NewReader(`{"model":"m","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(bufio.NewReader(answer.Body))
	if diff := cmp.Diff(said["openai/chat"][1], string(text)); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
}

// TestLongAnswersPass unchanged: no more is read than may be, and the fault is said to have had no occasion.
func TestLongAnswersPass(t *testing.T) {
	long := `{"choices":[],"x":"` + strings.Repeat("x", 33<<20) + `"}`
	route, act := routed(t, newModel(t, says(long)), 1, "truncated")
	_, body := ask(t, route, "openai/chat", `{"model":"m"}`)
	if body != long || len(act.Unfired()) != 1 {
		t.Errorf("%d bytes of %d came; unfired: %v", len(body), len(long), act.Unfired())
	}
}
