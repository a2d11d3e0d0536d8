package guard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
)

// guards forbid the tool drop.
func guards(t *testing.T) *contract.Guards {
	t.Helper()
	c, err := contract.Parse("c.yaml", []byte(`{version: 1, name: c, clauses: [
		{name: nothing is dropped, kind: guardrail, forbid: {tools: [drop]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return contract.Before(nil, c)
}

// on asks through a guard, and returns what came and what was seen.
func on(t *testing.T, m guard.Mode, path, request, answer, kind string) (string, *wire.Seen) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	named := map[wire.Provider]string{}
	for _, p := range wire.Providers() {
		named[p] = server.URL
	}
	upstreams, err := wire.UpstreamsOf(named, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{Upstreams: upstreams})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	route := w.Route(wire.Limits{}, guard.New(guards(t), m))
	came, err := http.Post(route.Root()+path, "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer came.Body.Close()
	text, err := io.ReadAll(came.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // as of what is not let through
		t.Fatal(err)
	}
	return string(text), route.Close()
}

const why = `denied by the guardrail nothing is dropped: calls tool \"drop\", which \"drop\" forbids`

// dialects are answers with two calls, NAME and keep, whole and in parts.
var dialects = []struct {
	name, path, request, kind, answer string
	want                              string // of NAME drop
}{
	{
		"chat", "/openai/v1/chat/completions", `{"model":"m","messages":[]}`, "application/json",
		`{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function",` +
			`"function":{"name":"NAME","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"keep","arguments":"{}"}}]},` +
			`"finish_reason":"tool_calls"}]}`,
		`{"choices":[{"finish_reason":"tool_calls","index":0,"message":{"content":"WHY","role":"assistant",` +
			`"tool_calls":[{"function":{"arguments":"{}","name":"keep"},"id":"b","type":"function"}]}}]}`,
	},
	{
		"chat stream", "/openai/v1/chat/completions", `{"model":"m","stream":true,"messages":[]}`, "text/event-stream",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I \"}}]}\n\n" +
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"NAME","arguments":""}}]}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"keep","arguments":"{}"}}]}}]}` + "\n\n" +
			"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I \"}}]}\n\n" +
			"data: {\"choices\":[{\"delta\":{\"content\":\"WHY\"},\"index\":0}]}\n\n" +
			`data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{}","name":"keep"},"id":"b","index":0}]},"index":0}]}` + "\n\n" +
			"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\",\"index\":0}]}\n\ndata: [DONE]\n\n",
	},
	{
		"messages", "/anthropic/v1/messages", `{"model":"m","messages":[]}`, "application/json",
		`{"content":[{"type":"tool_use","id":"a","name":"NAME","input":{}}],"stop_reason":"tool_use"}`,
		`{"content":[{"text":"WHY","type":"text"}],"stop_reason":"end_turn"}`,
	},
	{
		"messages stream", "/anthropic/v1/messages", `{"model":"m","stream":true,"messages":[]}`, "text/event-stream",
		"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"NAME\",\"input\":{}}}\n\n" +
			"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n" +
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
		"event: content_block_start\ndata: {\"content_block\":{\"text\":\"\",\"type\":\"text\"},\"index\":1,\"type\":\"content_block_start\"}\n\n" +
			"event: content_block_delta\ndata: {\"delta\":{\"text\":\"WHY\",\"type\":\"text_delta\"},\"index\":1,\"type\":\"content_block_delta\"}\n\n" +
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n" +
			"event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"},\"type\":\"message_delta\"}\n\n",
	},
	{
		"responses", "/openai/v1/responses", `{"model":"m","input":"x"}`, "application/json",
		`{"output":[{"type":"function_call","id":"fc","call_id":"a","name":"NAME","arguments":"{}"}]}`,
		`{"output":[{"content":[{"annotations":[],"text":"WHY","type":"output_text"}],"id":"msg_fc","role":"assistant",` +
			`"status":"completed","type":"message"}]}`,
	},
	{
		"gemini", "/gemini/v1beta/models/m:generateContent", `{"contents":[]}`, "application/json",
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"NAME","args":{}}}]}}]}`,
		`{"candidates":[{"content":{"parts":[{"text":"WHY"}]}}]}`,
	},
	{
		"gemini stream", "/gemini/v1beta/models/m:streamGenerateContent?alt=sse", `{"contents":[]}`, "text/event-stream",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"NAME\",\"args\":{}}}]}}]}\r\n\r\n",
		"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"WHY\"}]}}]}\n\n",
	},
	{
		"ollama stream", "/ollama/api/chat", `{"model":"m","messages":[]}`, "application/x-ndjson",
		"{\"message\":{\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"NAME\",\"arguments\":{}}}]},\"done\":false}\n{\"done\":true}\n",
		"{\"done\":false,\"message\":{\"content\":\"WHY\"}}\n{\"done\":true}\n",
	},
}

// TestGuardedAnswers checks that a denied call is gone from an answer in each form, and that one without passes as it is.
func TestGuardedAnswers(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			kept := strings.ReplaceAll(d.answer, "NAME", "keep")
			came, seen := on(t, guard.Deny, d.path, d.request, kept, d.kind)
			if diff := cmp.Diff(kept, came); diff != "" || len(seen.Events) > 0 {
				t.Errorf("what is allowed is changed: %s, %v", diff, seen.Events)
			}
			came, seen = on(t, guard.Deny, d.path, d.request, strings.ReplaceAll(d.answer, "NAME", "drop"), d.kind)
			if diff := cmp.Diff(strings.ReplaceAll(d.want, "WHY", why), came); diff != "" {
				t.Error(diff)
			}
			want := []wire.Event{{
				Act: "guard", Name: "nothing is dropped", Request: 1, Detail: `calls tool "drop", which "drop" forbids`,
			}}
			if diff := cmp.Diff(want, seen.Events); diff != "" || seen.Stopped != "" {
				t.Error(diff, seen.Stopped)
			}
			_, seen = on(t, guard.Kill, d.path, d.request, strings.ReplaceAll(d.answer, "NAME", "drop"), d.kind)
			ended := guard.Ended(seen)
			if ended == nil || ended.Clause != "nothing is dropped" {
				t.Errorf("the attempt goes on: %v", ended)
			}
		})
	}
}

// TestCallsUnderOneIndex checks that calls which a server sends under one index are judged one by one.
func TestCallsUnderOneIndex(t *testing.T) {
	part := func(id, name string) string {
		text, _ := json.Marshal(name)
		return fmt.Sprintf(`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"%s","function":{"name":%s,"arguments":"{}"}}]}}]}`, id, text) + "\n\n"
	}
	stream := part("a", "keep") + part("b", "drop") + "data: [DONE]\n\n"
	came, _ := on(t, guard.Deny, dialects[1].path, dialects[1].request, stream, dialects[1].kind)
	if strings.Contains(came, `"drop","`) || strings.Contains(came, `"name":"drop"`) || !strings.Contains(came, "keep") {
		t.Error(came)
	}
}

// TestPartsWithoutDelta checks that a part of a stream that has no delta, as Azure notes on filters have none, stands
// beside a call that is denied.
func TestPartsWithoutDelta(t *testing.T) {
	const call = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"drop","arguments":"{}"}}]}}]}` + "\n\n"
	for _, note := range []string{`{"index":0,"content_filter_offsets":{"start_offset":1}}`, `{"index":0,"delta":null,"finish_reason":"tool_calls"}`} {
		stream := call + `data: {"choices":[` + note + "]}\n\ndata: [DONE]\n\n"
		came, _ := on(t, guard.Deny, dialects[1].path, dialects[1].request, stream, dialects[1].kind)
		if strings.Contains(came, `"drop"`) || !strings.HasSuffix(came, "data: [DONE]\n\n") {
			t.Errorf("%s: %s", note, came)
		}
	}
}

// TestItemsThatAreDone checks that a call of the responses' form is judged where a server sends it in its last event
// alone, and one under the id of another that may be made.
func TestItemsThatAreDone(t *testing.T) {
	item := func(id, name string) string {
		return fmt.Sprintf(`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"%s","call_id":"c","name":"%s","arguments":"{}"}}`, id, name) + "\n\n"
	}
	for _, stream := range []string{item("i", "drop"), item("i", "keep") + item("i", "drop"), item("", "keep") + item("", "drop")} {
		came, _ := on(t, guard.Deny, "/openai/v1/responses", `{"model":"m","stream":true,"input":"x"}`, stream, "text/event-stream")
		if strings.Contains(came, `"drop"`) || !strings.Contains(came, "denied") {
			t.Errorf("%s becomes %s", stream, came)
		}
	}
}

// TestBlocksUnderOneIndex checks that calls in the form of messages are judged one by one, whatever index a server gives
// them, or none.
func TestBlocksUnderOneIndex(t *testing.T) {
	block := func(index, name string) string {
		return fmt.Sprintf(`data: {"type":"content_block_start",%s"content_block":{"type":"tool_use","id":"c","name":"%s","input":{}}}`, index, name) +
			"\n\n" + fmt.Sprintf(`data: {"type":"content_block_stop"%s}`, strings.TrimSuffix(","+index, ",")) + "\n\n"
	}
	const end = `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
	for _, index := range []string{"", `"index":0,`} {
		stream := block(index, "drop") + block(index, "keep") + end
		came, _ := on(t, guard.Deny, "/anthropic/v1/messages", `{"model":"m","stream":true,"messages":[]}`, stream, "text/event-stream")
		if strings.Contains(came, `"drop"`) || !strings.Contains(came, `"keep"`) || !strings.Contains(came, "denied") {
			t.Errorf("%s becomes %s", stream, came)
		}
	}
}

// TestWhatClientsReadOtherwise checks that nothing passes a guard that some client reads as a call: lines that end with
// a carriage return, a mark at the beginning, and what is no JSON and is taken for it.
func TestWhatClientsReadOtherwise(t *testing.T) {
	const call = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"drop","arguments":"{}"}}]}}%s]}`
	plain, nan := fmt.Sprintf(call, ""), fmt.Sprintf(call, `,{"logprobs":NaN}`)
	for _, stream := range []string{
		"data: " + plain + "\r\r", "data: " + plain + "\r: x\r\n\r\n", "\ufeffdata: " + plain + "\n\n", "data:" + plain,
		"data: " + nan + "\n\n", "data: {}\n\ndata: " + nan,
	} {
		came, _ := on(t, guard.Deny, dialects[1].path, dialects[1].request, stream, dialects[1].kind)
		if strings.Contains(came, `"name":"drop"`) {
			t.Errorf("%q becomes %q", stream, came)
		}
	}
	came, _ := on(t, guard.Deny, dialects[0].path, dialects[0].request, strings.ReplaceAll(nan, "delta", "message"), "application/json")
	if strings.Contains(came, `"name":"drop"`) || !strings.Contains(came, "no JSON") {
		t.Errorf("an answer that is no JSON becomes %q", came)
	}
}
