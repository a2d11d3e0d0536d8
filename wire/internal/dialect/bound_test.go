package dialect

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestBound(t *testing.T) {
	none := trial.Optional[int64]{}
	for _, c := range []struct {
		path, body string
		tokens     trial.Optional[int64]
		choices    int64
	}{
		{"/chat/completions", `{"model":"m"}`, none, 1},
		{"/chat/completions", `{"max_tokens":7}`, known(7), 1},
		{"/chat/completions", `{"max_tokens":7,"max_completion_tokens":9}`, known(9), 1},
		{"/chat/completions", `{"max_tokens":7,"n":3}`, known(21), 3},
		{"/chat/completions", `{"n":3}`, none, 3},
		{"/chat/completions", `{"max_tokens":9,"Max_Tokens":7}`, known(9), 1}, // which a server passes over
		{"/chat/completions", `{"max_tokens":9,"max_tokens":7}`, known(7), 1}, // as servers read it
		{"/chat/completions", `{"max_tokens":1e30}`, none, 1},
		{"/chat/completions", `{"max_tokens":-1}`, none, 1},
		{"/chat/completions", `{"max_tokens":"7"}`, none, 1},
		{"/chat/completions", `{"max_tokens":null,"n":null}`, none, 1},
		{"/chat/completions", `{"max_tokens":9007199254740992,"n":9007199254740992}`, none, trial.MaxTokens},
		{"/chat/completions", `[`, none, 1},
		{"/responses", `{"max_output_tokens":8,"max_tokens":7}`, known(8), 1},
		{"/messages", `{"max_tokens":8,"max_completion_tokens":7}`, known(8), 1},
		{"/models/m:generateContent", `{"generationConfig":{"maxOutputTokens":8,"candidateCount":2}}`, known(16), 2},
		{"/models/m:generateContent", `{"generation_config":{"max_output_tokens":8}}`, known(8), 1},
		{"/api/chat", `{"options":{"num_predict":8}}`, known(8), 1},
		{"/api/chat", `{"options":{"num_predict":-1}}`, none, 1}, // without end
	} {
		if got := Of(c.path).Bound([]byte(c.body)); got != (Bound{c.tokens, c.choices}) {
			t.Errorf("%s %s: %+v", c.path, c.body, got)
		}
	}
}

// A number of tokens that is none hides nothing but itself.
func TestOddUsage(t *testing.T) {
	for _, odd := range []string{"1e30", "1.5", "-1", "9223372036854775808", `"7"`, "[]"} {
		for name, c := range map[string]struct {
			path, body string
			streamed   bool
		}{
			"chat": {"/chat/completions", `{"choices":[{"message":{"content":"on"}}],` +
				`"usage":{"prompt_tokens":5,"completion_tokens":ODD}}`, false},
			"chat stream": {"/chat/completions", `data: {"choices":[{"delta":{"content":"on"},"finish_reason":"stop"}],` +
				`"usage":{"prompt_tokens":5,"completion_tokens":ODD}}`, true},
			"responses": {"/responses", `{"output":[{"type":"message","content":[{"text":"on"}]}],` +
				`"usage":{"input_tokens":5,"output_tokens":ODD}}`, false},
			"responses stream": {"/responses", `data: {"type":"response.completed","response":{"output":[{"type":"message",` +
				`"content":[{"text":"on"}]}],"usage":{"input_tokens":5,"output_tokens":ODD}}}`, true},
			"messages": {"/messages", `{"content":[{"type":"text","text":"on"}],"usage":{"input_tokens":5,"output_tokens":ODD}}`,
				false},
			"messages stream": {"/messages", `data: {"type":"message_start","message":{"usage":{"input_tokens":5,` +
				`"output_tokens":1}}}` + "\n\n" + `data: {"type":"content_block_start","content_block":{"type":"text",` +
				`"text":"on"}}` + "\n\n" + `data: {"type":"message_delta","usage":{"output_tokens":ODD}}` + "\n\n" +
				`data: {"type":"message_stop"}`, true},
			"gemini": {"/m:generateContent", `{"candidates":[{"content":{"parts":[{"text":"on"}]}}],` +
				`"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":7,"thoughtsTokenCount":ODD}}`, false},
			"gemini stream": {"/m:streamGenerateContent", `[{"candidates":[{"content":{"parts":[{"text":"on"}]},` +
				`"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":ODD}}]`, true},
			"ollama": {"/api/chat", `{"message":{"content":"on"},"done":true,"prompt_eval_count":5,"eval_count":ODD}`, true},
		} {
			if name == "ollama" {
				c.streamed = strings.HasPrefix(odd, "1")
			}
			a, err := Of(c.path).Answer([]byte(strings.ReplaceAll(c.body, "ODD", odd)), c.streamed)
			u := a.Usage
			if err != nil || a.Text != "on" || u.Input != known(5) || u.Output.Known || !u.Odd {
				t.Errorf("%s with %s: %v %+v", name, odd, err, a)
			}
		}
	}
}

// Where a stream breaks off in the midst of an event, what came before stays.
func TestStreamsThatBreakOff(t *testing.T) {
	for path, body := range map[string]string{
		"/chat/completions": `data: {"choices":[{"delta":{"content":"on"}}]}` + "\n\n" + `data: {"choices":[{"del`,
		"/responses": `data: {"type":"response.output_item.done","item":{"type":"message","content":[{"text":"on"}]}}` +
			"\n\n" + `data: {"type":"resp`,
		"/messages": `data: {"type":"content_block_start","content_block":{"type":"text","text":"on"}}` + "\n\n" +
			`data: {"type":"content_bl`,
		"/m:streamGenerateContent": `[{"candidates":[{"content":{"parts":[{"text":"on"}]}}]},{"candi`,
		"/api/chat":                `{"message":{"content":"on"}}` + "\n" + `{"message":{"co`,
	} {
		a, err := Of(path).Answer([]byte(body), true)
		if err == nil || a.Text != "on" || a.Ended {
			t.Errorf("%s: %v %+v", path, err, a)
		}
	}
}
