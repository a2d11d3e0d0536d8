package dialect

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is rendered is read back by the form's own reader.
func TestRenderIsReadBack(t *testing.T) {
	usage := Usage{Input: known(1200), Output: known(15), Cached: known(1000), Reasoning: known(4)}
	calls := []Call{
		{ID: "call_1", Name: "look_up", Arguments: `{"id":7,"q":"a <b>"}`}, {ID: "call_2", Name: "now", Arguments: `{}`},
	}
	written := usage
	written.Written = known(100)
	custom := []Call{{ID: "call_1", Name: "exec", Arguments: "text(await ls())\n", Custom: true}, calls[1]}
	for _, c := range []struct {
		dialect             *Dialect
		stop, calls, length string
		refuses             bool // it has a place for texts that decline
	}{
		{chat, "stop", "tool_calls", "length", true},
		{responses, "completed", "completed", "max_output_tokens", true},
		{messages, "end_turn", "tool_use", "max_tokens", false},
		{generate, "STOP", "STOP", "MAX_TOKENS", false},
		{ollama, "stop", "stop", "length", false},
	} {
		told := usage
		switch c.dialect {
		case messages:
			told.Reasoning = Usage{}.Reasoning
		case ollama:
			told = Usage{Input: usage.Input, Output: usage.Output}
		}
		for _, a := range []struct {
			name   string
			say    Answer
			finish string
		}{
			{"text", Answer{Text: "Let me  look.\nSo ", Usage: usage}, c.stop},
			{"calls", Answer{Text: "Let me.", Calls: calls, Usage: usage}, c.calls},
			{"calls alone", Answer{Calls: calls, Usage: usage}, c.calls},
			{"cut", Answer{Text: "Let", Finish: "length", Usage: usage}, c.length},
			{"nothing", Answer{Usage: usage}, c.stop},
			{"custom", Answer{Calls: custom, Usage: usage}, c.calls},
			{"written", Answer{Text: "So.", Usage: written}, c.stop},
			{"declined", Answer{Text: "I cannot do that.", Refused: true, Usage: usage}, c.stop},
		} {
			for _, asked := range []ParsedRequest{
				{Model: "m"}, {Model: "m", Stream: true, Usage: true}, {Model: "m", Stream: true, Usage: true, List: true},
			} {
				_, parts := c.dialect.Render("id", a.say, asked)
				want := a.say
				want.Model, want.Finish, want.Usage, want.Ended = "m", a.finish, told, true
				want.Refused = a.say.Refused && c.refuses
				if a.name == "custom" && c.dialect != chat && c.dialect != responses {
					continue // which have none
				}
				if a.name == "written" && (c.dialect == messages || c.dialect == responses) { // which tell them
					want.Usage.Written = written.Written
				}
				got, err := c.dialect.Answer(bytes.Join(parts, nil), asked.Stream)
				if err != nil {
					t.Fatalf("%s: %s: %v", c.dialect.Name, a.name, err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s, asked %+v (-want +got):\n%s", c.dialect.Name, a.name, asked, diff)
				}
			}
		}
	}
}

// A response tells all tokens where it tells any, as the form has it: clients take it for broken otherwise.
func TestResponsesTellAllTokens(t *testing.T) {
	_, parts := responses.Render("id", Answer{Text: "x", Usage: Usage{Input: known(7), Output: known(2)}},
		ParsedRequest{Model: "m"})
	var r struct {
		Usage map[string]json.RawMessage
	}
	if err := json.Unmarshal(parts[0], &r); err != nil {
		t.Fatal(err)
	}
	want := map[string]json.RawMessage{
		"input_tokens": []byte("7"), "output_tokens": []byte("2"), "total_tokens": []byte("9"),
		"input_tokens_details":  []byte(`{"cached_tokens":0}`),
		"output_tokens_details": []byte(`{"reasoning_tokens":0}`),
	}
	if diff := cmp.Diff(want, r.Usage); diff != "" {
		t.Error(diff)
	}
}
