package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// scriptedWire is a wire on which a script answers, and the script.
func scriptedWire(t testing.TB, text string) (*wire.Wire, *script.Script) {
	t.Helper()
	s, err := script.Parse("script.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	upstreams, err := wire.UpstreamsOf(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(script.Wire(wire.Options{Upstreams: upstreams}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w, s
}

// ends are the words of clients for an answer that ends with a text, with calls, and at the limit of tokens.
var ends = map[string][3]string{
	"openaiChat": {"stop", "tool_calls", "length"}, "openaiResponses": {"completed", "completed", "max_output_tokens"},
	"anthropic": {"end_turn", "tool_use", "max_tokens"}, "gemini": {"STOP", "STOP", "MAX_TOKENS"},
	"ollama": {"stop", "stop", "length"},
}

// spoken is an answer of a script in the figures that a client has for it: Anthropic's count cached tokens beside the
// others and tell none of reasoning, Google's count those of reasoning beside the others, Ollama tells neither.
func spoken(client string, turn clientTurn) clientTurn {
	less := func(n, other *int64) *int64 { return new(*n - *other) }
	switch client {
	case "anthropic":
		turn.Input, turn.Reasoning = less(turn.Input, turn.Cached), nil
	case "gemini":
		turn.Output = less(turn.Output, turn.Reasoning)
	case "ollama":
		turn.Cached, turn.Reasoning = nil, nil
	}
	return turn
}

// Clients that others wrote have what the script says: texts, calls side by side, why an answer ended, and tokens.
func TestClientsReadScripts(t *testing.T) {
	folder := clientsFolder(t)
	w, s := scriptedWire(t, `
turns:
  - text: Let me look.
    calls: [{tool: look_up, arguments: {id: 7, note: "ä \" <b>"}}, {tool: forget}, {tool: look_up, arguments: {id: 8}}]
    tokens: {in: 1200, out: 15, cached: 1000, reasoning: 4}
    when: {last: where is order 7?, tool_offered: forget}
  - text: "It is on its way,\nand so"
    finish: length
    tokens: {in: 1300, out: 9, cached: 1200, reasoning: 0}
    when: {last: on its way}
`)
	turns := []clientTurn{
		{
			Text: "Let me look.", Input: new(int64(1200)), Output: new(int64(15)), Cached: new(int64(1000)),
			Reasoning: new(int64(4)),
			Calls: []clientCall{
				{"look_up", []byte(`{"id":7,"note":"ä \" <b>"}`)}, {"forget", []byte(`{}`)}, {"look_up", []byte(`{"id":8}`)},
			},
		},
		{
			Text: "It is on its way,\nand so", Calls: []clientCall{},
			Input: new(int64(1300)), Output: new(int64(9)), Cached: new(int64(1200)), Reasoning: new(int64(0)),
		},
	}
	for _, client := range clients {
		for _, form := range []string{"whole", "streamed"} {
			t.Run(client+" "+form, func(t *testing.T) {
				route := w.Route(wire.Limits{}, s.Attempt(1))
				got := converse(t, folder, route.Environment(), client, form).Turns
				want := []clientTurn{spoken(client, turns[0]), spoken(client, turns[1])}
				want[0].Finish, want[1].Finish = ends[client][1], ends[client][2]
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("-script +client:\n%s", diff)
				}
				seen := route.Close()
				if seen.Stopped != "" || len(seen.Exchanges) != 2 || seen.NotUnderstood() > 0 {
					t.Errorf("the wire saw %d requests, stopped by %q: %s", len(seen.Exchanges), seen.Stopped, seen.Why())
				}
				var record trial.Trial
				if seen.Fill(&record); client != "ollama" && record.CachedTokens != trial.Some[int64](2200) ||
					record.InputTokens != trial.Some[int64](2500) || record.OutputTokens != trial.Some[int64](24) {
					t.Errorf("the wire has %+v tokens in, %+v cached and %+v out", record.InputTokens, record.CachedTokens,
						record.OutputTokens)
				}
			})
		}
	}
}

// A custom tool arrives as one, with its text.
func TestClientsReadCustomCalls(t *testing.T) {
	folder := clientsFolder(t)
	w, s := scriptedWire(t, `turns: [{calls: [{tool: run, input: 'print("a b")'}, {tool: look_up}]}, {text: Done.}]`)
	for _, form := range []string{"whole", "streamed"} {
		route := w.Route(wire.Limits{}, s.Attempt(1))
		c := converse(t, folder, route.Environment(), "openaiResponses", form, "custom")
		want := []clientCall{{"run", []byte(`"print(\"a b\")"`)}, {"look_up", []byte("{}")}}
		if diff := cmp.Diff(want, c.Turns[0].Calls); diff != "" || c.Turns[1].Text != "Done." {
			t.Errorf("%s: %s", form, diff)
		}
		if seen := route.Close(); seen.Stopped != "" || len(seen.Steps()) != 4 ||
			seen.Steps()[1].Output.Text() != "on its way" {
			t.Errorf("%s: %+v", form, seen.Steps())
		}
	}
}

// A call that a guard denies does not arrive at clients that others wrote; what arrives is an answer that they read,
// with the text in its place, and the calls beside it.
func TestClientsReadWhatAGuardLeaves(t *testing.T) {
	folder := clientsFolder(t)
	c, err := contract.Parse("c.yaml", []byte(`{version: 1, name: c, clauses: [
		{name: nothing is forgotten, kind: guardrail, forbid: {tools: [forget]}},
		{name: no rm, kind: guardrail, forbid: {commands: ["rm -rf"]}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	guards := contract.Before(nil, c)
	const denied = `denied by the guardrail nothing is forgotten: calls tool "forget", which "forget" forbids`
	look, forget := `{tool: look_up, arguments: {id: 7}}`, `{tool: forget, arguments: {id: 7}}`
	for name, calls := range map[string]string{"alone": forget, "between others": look + "," + forget + "," + look} {
		w, s := scriptedWire(t, fmt.Sprintf("turns: [{text: Let me., calls: [%s], tokens: {in: 100, out: 20}}, {text: "+
			"Done.}]", calls))
		for _, client := range clients {
			for _, form := range []string{"whole", "streamed"} {
				t.Run(fmt.Sprintf("%s %s %s", name, client, form), func(t *testing.T) {
					route := w.Route(wire.Limits{}, guard.New(guards, guard.Deny), s.Attempt(1))
					had := converse(t, folder, route.Environment(), client, form)
					first := had.Turns[0]
					left := strings.Count(calls, look)
					finish := ends[client][1]
					if left == 0 {
						finish = ends[client][0]
					}
					if len(first.Calls) != left || !strings.HasPrefix(first.Text, "Let me.") ||
						!strings.HasSuffix(first.Text, denied) ||
						first.Finish != finish || *first.Output != 20 || had.Turns[1].Text != "Done." {
						t.Errorf("the client has %+v", had)
					}
					for _, call := range first.Calls {
						if call.Name != "look_up" || string(call.Arguments) != `{"id":7}` {
							t.Errorf("the client calls %+v", call)
						}
					}
					if seen := route.Close(); len(seen.Events) != 1 || seen.Events[0].Act != wire.GuardAct || seen.Stopped != "" {
						t.Errorf("what is denied is %+v, and it was stopped by %q: %s", seen.Events, seen.Stopped, seen.Why())
					}
				})
			}
		}
	}
	w, s := scriptedWire(t, `turns: [{text: Let me., calls: [{tool: run, input: 'sh({cmd: "rm -rf x"})'}, {tool: look_up}]}, {text: Done.}]`)
	for _, form := range []string{"whole", "streamed"} {
		route := w.Route(wire.Limits{}, guard.New(guards, guard.Deny), s.Attempt(1))
		had := converse(t, folder, route.Environment(), "openaiResponses", form, "custom")
		if first := had.Turns[0]; len(first.Calls) != 1 || first.Calls[0].Name != "look_up" ||
			!strings.Contains(first.Text, "denied by the guardrail no rm") || had.Turns[1].Text != "Done." {
			t.Errorf("a custom call, %s: the client has %+v", form, had)
		}
		route.Close()
	}
}
