package ingest

import (
	"slices"
	"strings"
)

// spanMessage is a message of a conversation, in whatever shape it was written.
type spanMessage struct {
	role    string // user, assistant, system, tool; "" if it does not say
	text    string
	calls   []*spanCall
	results []spanResult
}

// spanCall is a call of a tool that a message asks for.
type spanCall struct {
	id, name  string // may be ""
	arguments node
	number    int  // among all calls of the trace
	answered  bool // a span answers it
}

// spanResult is the answer of a tool in a later message.
type spanResult struct{ id, text string }

// roles are names of roles in other shapes.
var roles = map[string]string{
	"human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "function": "tool",
	"HumanMessage": "user", "AIMessage": "assistant", "AIMessageChunk": "assistant", "SystemMessage": "system", "ToolMessage": "tool",
}

func roleOf(name string) string {
	if role, ok := roles[name]; ok {
		return role
	}
	return name
}

// messagesIn returns the messages that a value holds: a message, a list of them, or
// a request or response of a provider around them.
func messagesIn(n node) []spanMessage {
	n = n.parsed()
	if n.isList() {
		return messagesOfList(n.list())
	}
	if !n.isObject() {
		return nil
	}
	if kwargs := n.at("kwargs"); kwargs.isObject() && n.has("lc") {
		names := n.at("id").list()
		if len(names) == 0 {
			return nil
		}
		m := messageOf(kwargs)
		m.role = roleOf(names[len(names)-1].text())
		return []spanMessage{m}
	}
	for _, name := range []string{"messages", "choices", "candidates", "generations", "message", "new_message"} {
		if inner := n.at(name); inner.isList() || inner.isObject() {
			return messagesIn(inner)
		}
	}
	if contents := n.at("contents"); contents.isText() && !n.has("role") {
		return []spanMessage{{role: "user", text: contents.text()}}
	} else if contents.isList() && !n.has("role") {
		return messagesIn(contents)
	}
	if output := n.at("output"); output.isList() && !n.has("type") {
		return messagesIn(output)
	}
	if content := n.at("content"); content.at("parts").isList() {
		return messagesIn(content)
	}
	if isMessage(n) {
		return []spanMessage{messageOf(n)}
	}
	if isPart(n) {
		return messagesOfList([]node{n})
	}
	return nil
}

// messagesOfList returns the messages of a list, whose elements may also be parts of
// one message.
func messagesOfList(elements []node) (messages []spanMessage) {
	loose := spanMessage{role: "assistant"}
	for _, e := range elements {
		switch {
		case e.at("type").text() == "function_call_output":
			messages = append(messages, spanMessage{role: "tool", results: []spanResult{{e.at("call_id").text(), plainText(e.at("output"))}}})
		case isPart(e) && !isMessage(e):
			loose.add(e)
		case e.isObject() || e.isList():
			messages = append(messages, messagesIn(e)...)
		}
	}
	if loose.text != "" || len(loose.calls) > 0 {
		messages = append(messages, loose)
	}
	return messages
}

// isMessage reports whether an object is a message, and not what contains one.
func isMessage(n node) bool {
	if n.at("role").isText() {
		return true
	}
	switch n.at("type").text() {
	case "human", "ai", "system", "tool", "message", "AIMessageChunk":
		return true
	}
	return n.at("tool_calls").isList() || n.at("parts").isList() || n.at("content").exists() && !n.has("type")
}

// isPart reports whether an object is a part of a message.
func isPart(n node) bool {
	if !n.isObject() || n.has("lc") || n.at("data").isObject() || n.at("message").isObject() {
		return false
	}
	return n.at("type").isText() || n.either("toolName", "function_call", "functionCall").exists() ||
		n.at("text").isText() || n.at("function", "name").isText()
}

// messageOf reads one message.
func messageOf(n node) spanMessage {
	m := spanMessage{role: roleOf(n.at("role").text())}
	if data := n.at("data"); data.isObject() && !n.has("content") { // messages_to_dict of LangChain
		m = messageOf(data)
	}
	if kind := roleOf(n.at("type").text()); m.role == "" && kind != "message" {
		m.role = kind
	}
	content := n.either("parts", "content", "contents")
	if m.role == "tool" && !content.isList() {
		m.results = append(m.results, spanResult{n.either("tool_call_id", "toolCallId", "id").text(), plainText(content)})
		return m
	}
	switch {
	case content.isText():
		m.addText(content)
	case content.isObject():
		m.add(content)
	}
	for _, part := range content.list() {
		m.add(part)
	}
	if m.role == "tool" && len(m.results) == 0 {
		m.results, m.text = append(m.results, spanResult{n.either("tool_call_id", "toolCallId", "id").text(), m.text}), ""
	}
	m.addCalls(n)
	return m
}

// addCalls adds the calls that stand beside the content.
func (m *spanMessage) addCalls(n node) {
	calls := n.either("tool_calls", "toolCalls").parsed()
	if calls.length() == 0 {
		calls = n.at("additional_kwargs", "tool_calls")
	}
	before := len(m.calls)
	for _, c := range calls.list() {
		if call := callOf(c); !slices.ContainsFunc(m.calls[:before], func(o *spanCall) bool { return call.id != "" && o.id == call.id }) {
			m.calls = append(m.calls, call) // LangChain repeats those of the content
		}
	}
	if c := n.at("function_call"); c.at("name").isText() {
		m.calls = append(m.calls, callOf(c))
	}
}

// answerIn joins what the model says in the messages: the choices of one answer, or
// the messages that it is split into.
func answerIn(messages []spanMessage) (answer spanMessage) {
	answer.role = "assistant"
	for _, m := range messages {
		if m.role == "assistant" || m.role == "" {
			answer.say(m.text)
			answer.calls = append(answer.calls, m.calls...)
		}
	}
	return answer
}

func (m *spanMessage) isEmpty() bool { return m.text == "" && len(m.calls) == 0 }

// firstOfUser returns the text of the first message of the user.
func firstOfUser(messages []spanMessage) string {
	for _, m := range messages {
		if m.role == "user" && strings.TrimSpace(m.text) != "" {
			return m.text
		}
	}
	return ""
}
