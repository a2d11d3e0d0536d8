package dialect

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is rendered is read back by the form's own reader.
func TestRenderIsReadBack(t *testing.T) {
	usage := Usage{Input: tokens(1200), Output: tokens(15), Cached: tokens(1000), Reasoning: tokens(4)}
	calls := []Call{
		{ID: "call_1", Name: "look_up", Arguments: `{"id":7,"q":"a <b>"}`}, {ID: "call_2", Name: "now", Arguments: `{}`},
	}
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
			{"declined", Answer{Text: "I cannot do that.", Refused: true, Usage: usage}, c.stop},
		} {
			for _, asked := range []Asked{
				{Model: "m"}, {Model: "m", Stream: true, Usage: true}, {Model: "m", Stream: true, Usage: true, List: true},
			} {
				_, parts := c.dialect.Render("id", a.say, asked)
				want := a.say
				want.Model, want.Finish, want.Usage, want.Ended = "m", a.finish, told, true
				want.Refused = a.say.Refused && c.refuses
				if a.name == "custom" && c.dialect != chat && c.dialect != responses {
					continue // which have none
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
