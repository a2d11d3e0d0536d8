package otlp

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// addText adds a content that is a text, or, as Koog writes it, a list of calls.
// Only a list of calls alone is one: a text that happens to be JSON stays a text.
func (m *spanMessage) addText(content record.Node) {
	elements := content.Parsed().List()
	isCalls := len(elements) > 0 && !slices.ContainsFunc(elements,
		func(e record.Node) bool { return !e.At("function", "name").IsText() })
	if !isCalls {
		m.say(content.Text())
	}
	for i := range elements {
		if isCalls {
			m.calls = append(m.calls, callOf(elements[i]))
		}
	}
}

// say adds a text in a line of its own.
func (m *spanMessage) say(text string) {
	if m.text != "" && text != "" {
		m.text += "\n"
	}
	m.text += text
}

// add adds a part of a content. Thoughts are not said.
// Parts of OpenInference are wrapped in message_content. Those of Gemini have a member of the
// kind's name, those of others a type.
func (m *spanMessage) add(p record.Node) {
	if inner := p.At("message_content"); inner.IsObject() {
		p = inner
	}
	if p.IsText() {
		m.say(p.Text())
		return
	}
	if c := p.Either("function_call", "functionCall"); c.IsObject() {
		m.calls = append(m.calls, callOf(c))
		return
	}
	if r := p.Either("function_response", "functionResponse"); r.IsObject() {
		m.results = append(m.results, spanResult{r.At("id").Text(), plainText(r.At("response"))})
		return
	}
	switch kind := p.At("type").Text(); kind {
	case "tool_call", "tool_use", "tool-call", "function_call", "function", "server_tool_call", "server_tool_use":
		m.calls = append(m.calls, callOf(p))
	case "tool_call_response", "tool_result", "tool-result":
		m.results = append(m.results, spanResult{p.Either("id", "tool_use_id", "toolCallId").Text(),
			plainText(p.Either("response", "result", "content", "output"))})
	// Without a type a part is a text, or a call of the Vercel AI SDK or of OpenAI. Types that
	// are not listed here are thoughts, images and files.
	case "", "text", "output_text", "input_text":
		if p.At("toolName").IsText() || p.At("function", "name").IsText() {
			m.calls = append(m.calls, callOf(p))
		} else if !p.At("thought").IsTrue() {
			m.say(p.Either("text", "content").Text())
		}
	}
}

// callOf reads a call of a tool.
// OpenInference wraps calls in tool_call, OpenAI puts name and arguments into function, and
// the Responses interface has an id of the item beside the call_id that results name.
func callOf(n record.Node) *spanCall {
	if inner := n.At("tool_call"); inner.IsObject() {
		n = inner
	}
	c := &spanCall{id: n.Either("id", "call_id", "toolCallId").Text()}
	if id := n.At("call_id").Text(); id != "" {
		c.id = id // its id is that of the item
	}
	f := n
	if inner := n.At("function"); inner.IsObject() {
		f = inner
	}
	c.name = record.ValidText(strings.TrimSpace(f.Either("name", "toolName").Text()))
	c.arguments = f.Either("arguments", "args", "input", "parameters").Parsed()
	return c
}

// plainText returns what a tool answered: a text, the texts of its parts, or JSON.
// A list with anything but texts in it is kept as JSON.
func plainText(n record.Node) string {
	if n.IsText() {
		return n.Text()
	}
	m := spanMessage{}
	for _, p := range n.List() {
		if p.At("type").Text() != "text" {
			return n.Raw().Text()
		}
		m.add(p)
	}
	if m.text != "" {
		return m.text
	}
	return n.Raw().Text()
}
