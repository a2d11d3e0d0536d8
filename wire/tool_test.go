package wire_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// TestCallsAreCountedOnce checks that a call which a model asked for and a server got is one step, with what came of it
// there, and that a call of which no model was seen to ask is a step of its own.
func TestCallsAreCountedOnce(t *testing.T) {
	said := []string{
		`{"choices":[{"message":{"tool_calls":[` +
			`{"id":"1","function":{"name":"mcp__files__read","arguments":"{\"path\":\"a\", \"n\":1}"}},` +
			`{"id":"2","function":{"name":"read","arguments":"{\"path\":\"a\",\"n\":1}"}},` +
			`{"id":"3","function":{"name":"think","arguments":"{}"}}]}}]}`,
		`{"choices":[{"message":{"content":"done"}}]}`,
	}
	at := 0
	w := open(t, func(answer http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(answer, said[at])
		at++
	}, wire.Options{})
	route := w.Route(wire.Limits{})
	tool := func(name, arguments, output string, failed bool) {
		b := route.BeginCall(wire.ToolCall{Server: "files", Name: name, Arguments: json.RawMessage(arguments)})
		if b.Denied != "" {
			t.Fatal(b.Denied)
		}
		text, _ := json.Marshal(output)
		route.EndCall(b.Number, wire.ToolResult{Output: text, Failed: failed})
	}
	tool("warm", "", "up", false)
	ask(t, route.Root()+"/openai/v1/chat/completions", `{"model":"m","messages":[]}`)
	tool("read", `{"n":1,"path":"a"}`, "first", false)
	tool("read", `{"path":"a","n":1}`, "second", true)
	tool("read", `{"path":"b"}`, "third", false)
	ask(t, route.Root()+"/openai/v1/chat/completions",
		`{"model":"m","messages":[{"role":"tool","tool_call_id":"1","content":"cut"},{"role":"tool","tool_call_id":"3","content":"thought"}]}`)
	var got []string
	var record trial.Trial
	route.Close().Fill(&record)
	for _, s := range record.Steps {
		got = append(got, string(s.Action)+" "+s.Tool+" "+s.Output.Text()+s.Error)
	}
	want := []string{
		"call_tool warm up", "reason  ", "call_tool mcp__files__read first", "call_tool read second",
		"call_tool think thought", "call_tool read third", "respond  done",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
