package guard_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/guard"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// Of an answer in any form, whole or in parts, the agent gets the text, why, and the calls that are allowed. The answer
// is written and read as the providers write theirs, and not as the guard does.
func TestGuardedAnswersAreRead(t *testing.T) {
	paths := map[string]string{
		"/openai/v1/chat/completions": "/chat/completions", "/openai/v1/responses": "/responses",
		"/anthropic/v1/messages": "/messages", "/ollama/api/chat": "/api/chat",
		"/gemini/v1beta/models/m:generateContent":               ":generateContent",
		"/gemini/v1beta/models/m:streamGenerateContent?alt=sse": ":streamGenerateContent",
		"/gemini/v1beta/models/m:streamGenerateContent":         ":streamGenerateContent",
	}
	usage := dialect.Usage{Input: trial.Some[int64](100), Output: trial.Some[int64](9)}
	call := func(id, name string) dialect.Call {
		return dialect.Call{ID: id, Name: name, Arguments: `{"path":"a b c"}`}
	}
	for path, spoken := range paths {
		d := dialect.Of(spoken)
		for _, streamed := range []bool{false, true} {
			gemini := strings.HasPrefix(path, "/gemini/")
			if gemini && streamed != strings.Contains(path, "stream") {
				continue
			}
			for _, calls := range [][]dialect.Call{
				{call("1", "drop")}, {call("1", "drop"), call("2", "keep")}, {call("1", "keep"), call("2", "drop")},
				{call("1", "keep"), call("2", "drop"), call("3", "keep")}, {call("1", "drop"), call("2", "drop")},
			} {
				asked := dialect.ParsedRequest{
					Model: "m", Stream: streamed, Usage: true, List: gemini && streamed && !strings.Contains(path, "sse"),
				}
				said := dialect.Answer{Text: "Let me see.", Calls: calls, Usage: usage}
				kind, parts := d.Render("answer", said, asked)
				request := fmt.Sprintf(`{"model":"m","stream":%v,"messages":[],"contents":[],"input":"x"}`, streamed)
				came, seen := on(t, guard.Deny, path, request, string(bytes.Join(parts, nil)), kind)
				got, err := d.Answer([]byte(came), streamed)
				if err != nil {
					t.Fatalf("%s: %v:\n%s", path, err, came)
				}
				var allowed []string
				denied := 0
				for _, c := range calls {
					if c.Name == "drop" {
						denied++
					} else {
						allowed = append(allowed, c.ID+c.Arguments)
					}
				}
				var left []string
				for _, c := range got.Calls {
					left = append(left, c.ID+c.Arguments)
				}
				if diff := cmp.Diff(allowed, left); diff != "" {
					t.Errorf("%s, streamed %v: %s\n%s", path, streamed, diff, came)
				}
				if !strings.HasPrefix(got.Text, said.Text) || strings.Count(got.Text, "nothing is dropped") != denied ||
					got.Usage.Input != usage.Input || got.Usage.Output != usage.Output || !got.Ended || len(seen.Events) != denied {
					t.Errorf("%s, streamed %v: %+v, with %d events\n%s", path, streamed, got, len(seen.Events), came)
				}
			}
		}
	}
}
