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

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
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
func on(t *testing.T, m guard.Mode, path, request, answer, kind string) (string, *wire.Traffic) {
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
	if errors.Is(err, io.EOF) { // what is not let through may be cut off before its head was sent
		return "", route.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer came.Body.Close()
	text, err := io.ReadAll(came.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) { // or behind it
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
		"event: content_block_start\ndata: " +
			"{\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"NAME\",\"input\":{}}}\n\n" +
			"event: content_block_delta\ndata: " +
			"{\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n" +
			"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\n" +
			"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
		"event: content_block_start\ndata: " +
			"{\"content_block\":{\"text\":\"\",\"type\":\"text\"},\"index\":1,\"type\":\"content_block_start\"}\n\n" +
			"event: content_block_delta\ndata: " +
			"{\"delta\":{\"text\":\"WHY\",\"type\":\"text_delta\"},\"index\":1,\"type\":\"content_block_delta\"}\n\n" +
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

// TestGuardedAnswers checks that a denied call is gone from an answer in each form, and that one without passes as it
// is.
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
				Act: "guard", Of: "c", Name: "nothing is dropped", Request: 1, Detail: `calls tool "drop", which "drop" forbids`,
			}}
			if diff := cmp.Diff(want, seen.Events); diff != "" || seen.Stopped != "" {
				t.Error(diff, seen.Stopped)
			}
			_, seen = on(t, guard.Kill, d.path, d.request, strings.ReplaceAll(d.answer, "NAME", "drop"), d.kind)
			ended := guard.Ended(seen)
			if ended == nil || ended.Clause != "nothing is dropped" || ended.Contract != "c" {
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

// TestFindings checks that a trial's record says what was denied in it, and that a guard stood before it where nothing
// was.
func TestFindings(t *testing.T) {
	call := `{"type":"tool_use","id":"a","name":"NAME","input":{}}`
	answer := func(names ...string) string {
		var calls []string
		for _, name := range names {
			calls = append(calls, strings.ReplaceAll(call, "NAME", name))
		}
		return `{"content":[` + strings.Join(calls, ",") + `],"stop_reason":"tool_use"}`
	}
	finding := guardrails.Finding{
		Contract: "c", Clause: "nothing is dropped", Example: `calls tool "drop", which "drop" forbids`,
	}
	with := func(denied, killed int) *guardrails.Trial {
		f := finding
		f.Denied, f.Killed = denied, killed
		return &guardrails.Trial{Clauses: []guardrails.Finding{f}}
	}
	for _, c := range []struct {
		mode  guard.Mode
		calls []string
		want  *guardrails.Trial
	}{
		{guard.Deny, []string{"keep"}, &guardrails.Trial{}},
		{guard.Deny, nil, &guardrails.Trial{}},
		{guard.Deny, []string{"drop", "keep", "drop"}, with(2, 0)},
		{guard.Kill, []string{"drop"}, with(0, 1)},
		{guard.Kill, []string{"drop", "drop", "drop"}, with(2, 1)}, // it ends at the first
	} {
		_, seen := on(t, c.mode, "/anthropic/v1/messages", `{"model":"m","messages":[]}`, answer(c.calls...),
			"application/json")
		record := &trial.Trial{Extra: []trial.Member{{Name: guardrails.Member, Value: trial.Raw(`{"clauses":[]}`)}}}
		seen.Fill(record)
		if diff := cmp.Diff(c.want, guardrails.Of(record)); diff != "" {
			t.Errorf("%s of %v: %s", c.mode, c.calls, diff)
		}
		denied := 0
		for _, s := range record.Steps {
			if s.Action == wire.DeniedAction {
				denied++
			}
		}
		if want := strings.Count(fmt.Sprint(c.calls), "drop"); denied != want {
			t.Errorf("%s of %v: %d steps were denied", c.mode, c.calls, denied)
		}
		// What must be denied was, and is no call of a tool; to be ended so is nothing that anybody may expect.
		end, want := oracle.End{Status: oracle.Completed}, trial.Pass
		if ended := guard.Ended(seen); ended != nil {
			record.Outcome, record.Error = trial.Fail, &trial.Cause{Type: wire.Guardrail, Message: ended.Error()}
			end, want = oracle.EndOf(record), trial.Fail
		}
		for _, status := range []oracle.Status{oracle.Completed, oracle.Failed} {
			expected := oracle.Expectation{Status: status, Denied: []string{"/etc/*"}, MustNotCall: []string{"drop"}}
			judged := expected.Evaluator().Evaluate(t.Context(), oracle.Evidence{Trial: record, End: end})
			if status == oracle.Failed {
				want = trial.Fail
			}
			if judged.Outcome != want {
				t.Errorf("%s of %v, expecting %s: %+v", c.mode, c.calls, status, judged)
			}
		}
	}
	bare := &trial.Trial{Extra: []trial.Member{{Name: guardrails.Member, Value: trial.Raw(`{}`)}}}
	(&wire.Traffic{}).Fill(bare)
	if guardrails.Of(bare) != nil {
		t.Error("an agent says itself that a guard stood before it")
	}
}

// TestLongAnswers checks that an answer of which a guard passes nothing on is a turn all the same, whole or in parts,
// and in the record of the trial: whoever has a model answer so much is held to its limits.
func TestLongAnswers(t *testing.T) {
	filler := strings.Repeat(" ", 33<<20)
	for _, c := range []struct{ name, answer, kind string }{
		{"whole", `{"content":[` + filler + `{"type":"text","text":"hello"}],"stop_reason":"end_turn"}`, "application/json"},
		{
			"in parts", "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1," +
				"\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"keep\",\"input\":{}}}\n\n" +
				"event: content_block_delta\ndata: {" + filler + "}\n\n", "text/event-stream",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				asked++
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.answer)
			}))
			t.Cleanup(server.Close)
			upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{"anthropic": server.URL}, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := wire.Open(wire.Options{Upstreams: upstreams})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			route := w.Route(wire.Limits{MaxTurns: trial.Some(1)}, guard.New(guards(t), guard.Deny))
			for i := range 3 {
				came, err := http.Post(route.Root()+"/anthropic/v1/messages", "application/json",
					strings.NewReader(`{"model":"m","messages":[]}`))
				if err != nil {
					continue // a stream that is broken off before its first byte
				}
				if said, _ := io.ReadAll(came.Body); len(said) > 1000 || c.name == "whole" && i == 0 &&
					(came.StatusCode != http.StatusBadRequest || !strings.Contains(string(said), "is not passed on")) {
					t.Errorf("%d with %.300s", came.StatusCode, said)
				}
				came.Body.Close()
			}
			seen := route.Close()
			record := &trial.Trial{}
			seen.Fill(record)
			if asked != 1 || seen.Spent.Turns != 1 || seen.Stopped != wire.MaxTurns ||
				oracle.UsageOf(record).Turns != trial.Some(1) {
				t.Errorf("asked %d times, %d turns, stopped by %q; the record has %+v", asked, seen.Spent.Turns, seen.Stopped,
					record.Steps)
			}
			if len(record.Steps) != 1 || !strings.Contains(record.Steps[0].Error, "33554432 bytes") || record.InputTokens.Known {
				t.Errorf("%+v", record)
			}
		})
	}
}

// A call of a custom tool, whose arguments are any text, is judged too, whole and in parts: its text as such.
func TestCustomCallsAreJudged(t *testing.T) {
	item := func(more string) string {
		return `{"type":"custom_tool_call","id":"ctc","call_id":"a","status":"completed","name":"NAME"` + more + `}`
	}
	const program = `,"input":"text(await tools.exec_command({cmd: \"ls\"}))"`
	done := `data: {"type":"response.output_item.done","output_index":0,"item":` + item(program) + "}\n\n"
	completed := `data: {"type":"response.completed","response":{"id":"r","status":"completed","output":[` +
		item(program) + "]}}\n\n"
	parts := `data: {"type":"response.output_item.added","output_index":0,"item":` + item(`,"input":""`) + "}\n\n" +
		`data: {"type":"response.custom_tool_call_input.delta","item_id":"ctc","output_index":0,"delta":"text(await tools"}` +
		"\n\n" +
		`data: {"type":"response.custom_tool_call_input.done","item_id":"ctc","output_index":0,"input":"text(await tools.exec_command({cmd: \"ls\"}))"}` + "\n\n"
	chat := `"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"NAME","input":"text(1)"}}]`
	const responses, completions = "/openai/v1/responses", "/openai/v1/chat/completions"
	for name, c := range map[string]struct{ path, request, kind, answer string }{
		"responses": {responses, `{"model":"m","input":"x"}`, "application/json",
			`{"output":[` + item(program) + `]}`},
		"responses in parts": {responses, `{"model":"m","input":"x","stream":true}`, "text/event-stream",
			parts + done + completed},
		"responses, done without added": {responses, `{"model":"m","input":"x","stream":true}`, "text/event-stream",
			done + completed},
		"responses, completed alone": {responses, `{"model":"m","input":"x","stream":true}`, "text/event-stream",
			completed},
		"responses, cut off when done": {responses, `{"model":"m","input":"x","stream":true}`, "text/event-stream", done},
		"chat completions": {completions, `{"model":"m","messages":[]}`, "application/json",
			`{"choices":[{"index":0,"message":{"role":"assistant","content":null,` + chat + `}}]}`},
		"chat completions in parts": {completions, `{"model":"m","messages":[],"stream":true}`, "text/event-stream",
			`data: {"choices":[{"index":0,"delta":{` + chat + "}}]}\n\ndata: [DONE]\n\n"},
		"chat completions, as one comes": {completions, `{"model":"m","messages":[],"stream":true}`, "text/event-stream",
			`data: {"choices":[{"index":0,"delta":{` + chat + "}}]}\n\n"},
	} {
		kept := strings.ReplaceAll(c.answer, "NAME", "exec")
		came, seen := on(t, guard.Deny, c.path, c.request, kept, c.kind)
		if came != kept || len(seen.Events) > 0 {
			t.Errorf("%s: what is allowed is changed: %v\n%s", name, seen.Events, came)
		}
		came, seen = on(t, guard.Deny, c.path, c.request, strings.ReplaceAll(c.answer, "NAME", "drop"), c.kind)
		if len(seen.Events) != 1 || strings.Contains(came, `tools.exec_command`) || strings.Contains(came, `"drop","`) ||
			strings.Contains(came, `text(1)`) || !strings.Contains(came, "denied by the guardrail") {
			t.Errorf("%s: %d events\n%s", name, len(seen.Events), came)
		}
		_, seen = on(t, guard.Kill, c.path, c.request, strings.ReplaceAll(c.answer, "NAME", "drop"), c.kind)
		if guard.Ended(seen) == nil {
			t.Errorf("%s: the attempt goes on", name)
		}
	}
}

// TestPartsWithoutDelta checks that a part of a stream that has no delta, as Azure notes on filters have none, stands
// beside a call that is denied.
func TestPartsWithoutDelta(t *testing.T) {
	const call = `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"drop","arguments":"{}"}}]}}]}` + "\n\n"
	for _, note := range []string{`{"index":0,"content_filter_offsets":{"start_offset":1}}`,
		`{"index":0,"delta":null,"finish_reason":"tool_calls"}`} {
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
	for _, stream := range []string{item("i", "drop"), item("i", "keep") + item("i", "drop"),
		item("", "keep") + item("", "drop")} {
		came, _ := on(t, guard.Deny, "/openai/v1/responses", `{"model":"m","stream":true,"input":"x"}`, stream,
			"text/event-stream")
		if strings.Contains(came, `"drop"`) || !strings.Contains(came, "denied") {
			t.Errorf("%s becomes %s", stream, came)
		}
	}
}

// TestBlocksUnderOneIndex checks that calls in the form of messages are judged one by one, whatever index a server
// gives them, or none.
func TestBlocksUnderOneIndex(t *testing.T) {
	block := func(index, name string) string {
		return fmt.Sprintf(`data: {"type":"content_block_start",%s"content_block":{"type":"tool_use","id":"c","name":"%s","input":{}}}`, index, name) +
			"\n\n" + fmt.Sprintf(`data: {"type":"content_block_stop"%s}`, strings.TrimSuffix(","+index, ",")) + "\n\n"
	}
	const end = `data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" +
		`data: {"type":"message_stop"}` + "\n\n"
	for _, index := range []string{"", `"index":0,`} {
		stream := block(index, "drop") + block(index, "keep") + end
		came, _ := on(t, guard.Deny, "/anthropic/v1/messages", `{"model":"m","stream":true,"messages":[]}`, stream,
			"text/event-stream")
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
	came, _ := on(t, guard.Deny, dialects[0].path, dialects[0].request, strings.ReplaceAll(nan, "delta", "message"),
		"application/json")
	if strings.Contains(came, `"name":"drop"`) || !strings.Contains(came, "no JSON") {
		t.Errorf("an answer that is no JSON becomes %q", came)
	}
}
