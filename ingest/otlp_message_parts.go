package ingest

import (
	"slices"
	"strings"
)

// addText adds a content that is a text, or, as Koog writes it, a list of calls.
func (m *spanMessage) addText(content node) {
	elements := content.parsed().list()
	isCalls := len(elements) > 0 && !slices.ContainsFunc(elements, func(e node) bool { return !e.at("function", "name").isText() })
	if !isCalls {
		m.say(content.text())
	}
	for i := range elements {
		if isCalls {
			m.calls = append(m.calls, callOf(elements[i]))
		}
	}
}

func (m *spanMessage) say(text string) {
	if m.text != "" && text != "" {
		m.text += "\n"
	}
	m.text += text
}

// add adds a part of a content. Thoughts are not said.
func (m *spanMessage) add(p node) {
	if inner := p.at("message_content"); inner.isObject() {
		p = inner
	}
	if p.isText() {
		m.say(p.text())
		return
	}
	if c := p.either("function_call", "functionCall"); c.isObject() {
		m.calls = append(m.calls, callOf(c))
		return
	}
	if r := p.either("function_response", "functionResponse"); r.isObject() {
		m.results = append(m.results, spanResult{r.at("id").text(), plainText(r.at("response"))})
		return
	}
	switch kind := p.at("type").text(); kind {
	case "tool_call", "tool_use", "tool-call", "function_call", "function", "server_tool_call", "server_tool_use":
		m.calls = append(m.calls, callOf(p))
	case "tool_call_response", "tool_result", "tool-result":
		m.results = append(m.results, spanResult{p.either("id", "tool_use_id", "toolCallId").text(), plainText(p.either("response", "result", "content", "output"))})
	case "", "text", "output_text", "input_text":
		if p.at("toolName").isText() || p.at("function", "name").isText() {
			m.calls = append(m.calls, callOf(p))
		} else if !p.at("thought").isTrue() {
			m.say(p.either("text", "content").text())
		}
	}
}

// callOf reads a call of a tool.
func callOf(n node) *spanCall {
	if inner := n.at("tool_call"); inner.isObject() {
		n = inner
	}
	c := &spanCall{id: n.either("id", "call_id", "toolCallId").text()}
	if id := n.at("call_id").text(); id != "" {
		c.id = id // its id is that of the item
	}
	f := n
	if inner := n.at("function"); inner.isObject() {
		f = inner
	}
	c.name = validText(strings.TrimSpace(f.either("name", "toolName").text()))
	c.arguments = f.either("arguments", "args", "input", "parameters").parsed()
	return c
}

// plainText returns what a tool answered: a text, the texts of its parts, or JSON.
func plainText(n node) string {
	if n.isText() {
		return n.text()
	}
	m := spanMessage{}
	for _, p := range n.list() {
		if p.at("type").text() != "text" {
			return n.raw().Text()
		}
		m.add(p)
	}
	if m.text != "" {
		return m.text
	}
	return n.raw().Text()
}
