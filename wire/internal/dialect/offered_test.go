package dialect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a request offers, says and asks, as the providers' pages and Codex, Claude Code and the Gemini CLI write it.
func TestOfferedAndSaid(t *testing.T) {
	for name, c := range map[string]struct {
		body                            string
		offered                         []Tool
		instructions, conversation, new string
	}{
		"chat": {
			body: `{"model":"m","tools":[{"type":"function","function":{"name":"look_up"}},{"type":"custom","custom":{"name":"run"}}],
				"messages":[{"role":"system","content":"Be brief."}, {"role":"user","content":[{"type":"text","text":"Hi"}]}]}`,
			offered: []Tool{{"look_up", false}, {"run", true}}, instructions: "Be brief.",
			conversation: `{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"Hi"}]}]}`,
			new:          "Be brief.\nHi",
		},
		"responses": {
			body: `{"model":"m","instructions":"Be brief.","stream":true,"tools":[{"type":"function","name":"f"},{"type":"web_search"},
				{"type":"namespace","name":"agents","tools":[{"type":"function","name":"spawn"}]}],"input":"Hi"}`,
			offered: []Tool{{"f", false}, {"spawn", false}}, instructions: "Be brief.", conversation: `{"input":"Hi"}`,
			new: "Hi",
		},
		"codex": {
			body: `{"model":"gpt-6.1-sol","input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace",
				"name":"functions","tools":[{"type":"custom","name":"exec"},{"type":"function","name":"wait"}]}]},
				{"type":"message","role":"developer","content":[{"type":"input_text","text":"You are Codex"}]},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"Mend calc.py"}]}]}`,
			offered: []Tool{{"exec", true}, {"wait", false}}, instructions: "You are Codex",
			conversation: `{"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"namespace",` +
				`"name":"functions","tools":[{"type":"custom","name":"exec"},{"type":"function","name":"wait"}]}]},` +
				`{"type":"message","role":"developer","content":[{"type":"input_text","text":"You are Codex"}]},` +
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"Mend calc.py"}]}]}`,
			new: "You are Codex\nMend calc.py",
		},
		"claude code": {
			body: `{"model":"claude-sonnet-4-5","tools":[{"name":"Read"},{"name":"Edit"}],"stream":true,
				"system":[{"type":"text","text":"You are a Claude agent."},{"type":"text","text":"Generate a title"}],
				"messages":[{"role":"user","content":"Mend calc.py"}]}`,
			offered: []Tool{{"Read", false}, {"Edit", false}}, instructions: "You are a Claude agent.\nGenerate a title",
			conversation: `{"messages":[{"role":"user","content":"Mend calc.py"}]}`, new: "Mend calc.py",
		},
		"gemini cli": {
			body: `{"tools":[{"functionDeclarations":[{"name":"read_file"},{"name":"replace"}]}],
				"systemInstruction":{"parts":[{"text":"You are Gemini CLI"}]},"contents":[{"role":"user","parts":[{"text":"Mend it"}]}]}`,
			offered: []Tool{{"read_file", false}, {"replace", false}}, instructions: "You are Gemini CLI",
			conversation: `{"contents":[{"role":"user","parts":[{"text":"Mend it"}]}]}`, new: "Mend it",
		},
		"nothing": {body: `{`},
		"others":  {body: `{"tools":7,"input":[1,{"tools":"x"}],"messages":{}}`},
	} {
		if name == "others" {
			c.conversation = `{"messages":{},"input":[1,{"tools":"x"}]}`
		}
		body := []byte(c.body)
		if diff := cmp.Diff(c.offered, Offered(body)); diff != "" {
			t.Errorf("%s: tools (-want +got):\n%s", name, diff)
		}
		for what, pair := range map[string][2]string{
			"instructions": {c.instructions, Instructions(body)}, "conversation": {c.conversation, Conversation(body)},
			"what is new": {c.new, New(body)},
		} {
			if diff := cmp.Diff(pair[0], pair[1]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", name, what, diff)
			}
		}
	}
}
