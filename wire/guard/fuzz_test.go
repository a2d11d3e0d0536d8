package guard

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// paths are those of the forms.
var paths = []string{"/chat/completions", "/responses", "/messages", "/models/m:streamGenerateContent", "/api/chat"}

// calling are answers that call a tool, in streams and whole.
var calling = []struct {
	path, stream, whole string
}{
	{
		paths[0],
		`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"rm","arguments":""}}]}}]}` + "\n\n" +
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"finish_reason":"tool_calls"}]}` +
			"\n\ndata: [DONE]\n\n",
		`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c","function":{"name":"rm","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
	},
	{
		paths[1],
		"event: response.output_item.added\n" +
			`data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"rm","arguments":""}}` + "\n\n" +
			`data: {"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"rm","arguments":"{}"}}` + "\n\n" +
			`data: {"type":"response.completed","response":{"model":"m","status":"completed","output":[{"type":"function_call","id":"i","call_id":"c","name":"rm","arguments":"{}"}]}}` + "\n\n",
		`{"model":"m","status":"completed","output":[{"type":"function_call","id":"i","call_id":"c","name":"rm","arguments":"{}"}]}`,
	},
	{
		paths[2],
		"event: content_block_start\n" +
			`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"rm","input":{}}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}` + "\n\n" +
			`data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}` + "\n\n" + `data: {"type":"message_stop"}` +
			"\n\n",
		`{"content":[{"type":"tool_use","id":"c","name":"rm","input":{}}],"stop_reason":"tool_use"}`,
	},
	{
		paths[3],
		`data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","args":{}}}]},"finishReason":"STOP"}]}` +
			"\r\n\r\n",
		`{"candidates":[{"content":{"parts":[{"functionCall":{"name":"rm","args":{}}}]},"finishReason":"STOP"}]}`,
	},
	{
		paths[4],
		`{"message":{"content":"","tool_calls":[{"function":{"name":"rm","arguments":{}}}]},"done":false}` + "\n" +
			`{"done":true,"done_reason":"stop"}` + "\n",
		`{"message":{"content":"","tool_calls":[{"function":{"name":"rm","arguments":{}}}]},"done":true}`,
	},
}

// allows lets all calls be, and denies has those of one tool denied.
func allows(string, string) string { return "" }

func denies(name, _ string) string {
	if name == "rm" {
		return "no"
	}
	return ""
}

// passed is what a guard lets through of a stream.
func passed(from io.Reader, d *dialect.Dialect, j judge) ([]byte, error) {
	return io.ReadAll(newStream(io.NopCloser(from), forms[d.Name], j))
}

// FuzzStreams guards streams, whatever they are: in what passes nobody who reads the form finds a call that is denied;
// without one, each byte passes; and it does not matter in which parts the bytes come.
func FuzzStreams(f *testing.F) {
	for i, c := range calling {
		f.Add(i, []byte(c.stream))
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		d := dialect.Of(paths[uint(which)%uint(len(paths))])
		got, err := passed(bytes.NewReader(body), d, allows)
		if err == nil && !bytes.Equal(got, body) || err != nil && !bytes.HasPrefix(body, got) {
			t.Fatalf("what is allowed becomes %q: %v", got, err)
		}
		got, err = passed(bytes.NewReader(body), d, denies)
		again, otherwise := passed(iotest.OneByteReader(bytes.NewReader(body)), d, denies)
		if (err == nil) != (otherwise == nil) || err == nil && !bytes.Equal(got, again) {
			t.Errorf("in other parts %q, %v becomes %q, %v", got, err, again, otherwise)
		}
		said, err := d.Answer(got, true) // also of what passed before it broke off
		if err != nil {
			return
		}
		for _, call := range said.Calls {
			if call.Name == "rm" {
				t.Errorf("%s: what passes of %q has the call: %q", d.Name, body, got)
			}
		}
	})
}

// FuzzWhole guards answers that come whole, likewise.
func FuzzWhole(f *testing.F) {
	for i, c := range calling {
		f.Add(i, []byte(c.whole))
	}
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		d := dialect.Of(paths[uint(which)%uint(len(paths))])
		if !valid(body) {
			return
		}
		if got, err := rewritten(body, forms[d.Name], allows); err == nil && !bytes.Equal(got, body) {
			t.Fatalf("what is allowed becomes %q", got)
		}
		got, err := rewritten(body, forms[d.Name], denies)
		if err != nil {
			return
		}
		said, err := d.Answer(got, false)
		if err != nil {
			return
		}
		for _, call := range said.Calls {
			if call.Name == "rm" {
				t.Errorf("%s: what passes of %q has the call: %q", d.Name, body, got)
			}
		}
	})
}
