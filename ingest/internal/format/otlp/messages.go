package otlp

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// spanMessage is a message of a conversation, in whatever shape it was written.
// The shapes are those of OpenAI, Anthropic, Gemini, LangChain, the Vercel AI SDK and the
// GenAI conventions, in any mixture: the framework that records is not always the one whose
// messages it records.
type spanMessage struct {
	role    string // user, assistant, system, tool; "" if it does not say
	text    string
	calls   []*spanCall
	results []spanResult
}

// spanCall is a call of a tool that a message asks for.
type spanCall struct {
	id, name  string // may be ""
	arguments record.Node
	number    int  // among all calls of the trace
	joined    bool // a span answers it
}

// spanResult is the answer of a tool in a later message.
type spanResult struct{ id, text string }

// roles are names of roles in other shapes.
var roles = map[string]string{
	"human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "function": "tool",
	"HumanMessage": "user", "AIMessage": "assistant", "AIMessageChunk": "assistant",
	"SystemMessage": "system", "ToolMessage": "tool",
}

// roleOf returns the role as it is called here; an unknown one stays what it is.
func roleOf(name string) string {
	if role, ok := roles[name]; ok {
		return role
	}
	return name
}

// messagesIn returns the messages that a value holds: a message, a list of them, or
// a request or response of a provider around them.
// Objects are opened from the outside inwards: wrappings of LangChain (kwargs), of responses
// (choices, candidates, generations, output) and of requests (messages, contents), until a
// message or a part of one is found.
func messagesIn(n record.Node) []spanMessage {
	n = n.Parsed()
	if n.IsList() {
		return messagesOfList(n.List())
	}
	if !n.IsObject() {
		return nil
	}
	if kwargs := n.At("kwargs"); kwargs.IsObject() && n.Has("lc") {
		names := n.At("id").List()
		if len(names) == 0 {
			return nil
		}
		m := messageOf(kwargs)
		m.role = roleOf(names[len(names)-1].Text())
		return []spanMessage{m}
	}
	for _, name := range []string{"messages", "choices", "candidates", "generations", "message", "new_message"} {
		if inner := n.At(name); inner.IsList() || inner.IsObject() {
			return messagesIn(inner)
		}
	}
	if contents := n.At("contents"); contents.IsText() && !n.Has("role") {
		return []spanMessage{{role: "user", text: contents.Text()}}
	} else if contents.IsList() && !n.Has("role") {
		return messagesIn(contents)
	}
	if output := n.At("output"); output.IsList() && !n.Has("type") {
		return messagesIn(output)
	}
	if content := n.At("content"); content.At("parts").IsList() {
		return messagesIn(content)
	}
	if isMessage(n) {
		return []spanMessage{messageOf(n)}
	}
	if isPart(n) {
		return messagesOfList([]record.Node{n})
	}
	return nil
}

// messagesOfList returns the messages of a list, whose elements may also be parts of
// one message.
// Parts that stand alone in the list are together one message of the model.
func messagesOfList(elements []record.Node) (messages []spanMessage) {
	loose := spanMessage{role: "assistant"}
	for _, e := range elements {
		switch {
		case e.At("type").Text() == "function_call_output":
			messages = append(messages, spanMessage{role: "tool",
				results: []spanResult{{e.At("call_id").Text(), plainText(e.At("output"))}}})
		case isPart(e) && !isMessage(e):
			loose.add(e)
		case e.IsObject() || e.IsList():
			messages = append(messages, messagesIn(e)...)
		}
	}
	if loose.text != "" || len(loose.calls) > 0 {
		messages = append(messages, loose)
	}
	return messages
}

// isMessage reports whether an object is a message, and not what contains one.
// content alone is enough where there is no type: with one it may be a part.
func isMessage(n record.Node) bool {
	if n.At("role").IsText() {
		return true
	}
	switch n.At("type").Text() {
	case "human", "ai", "system", "tool", "message", "AIMessageChunk":
		return true
	}
	return n.At("tool_calls").IsList() || n.At("parts").IsList() || n.At("content").Exists() && !n.Has("type")
}

// isPart reports whether an object is a part of a message.
// data and message are wrappings of messages.
func isPart(n record.Node) bool {
	if !n.IsObject() || n.Has("lc") || n.At("data").IsObject() || n.At("message").IsObject() {
		return false
	}
	return n.At("type").IsText() || n.Either("toolName", "function_call", "functionCall").Exists() ||
		n.At("text").IsText() || n.At("function", "name").IsText()
}

// messageOf reads one message.
// What a tool answered may be the content of a message of role tool, or parts of it.
func messageOf(n record.Node) spanMessage {
	m := spanMessage{role: roleOf(n.At("role").Text())}
	if data := n.At("data"); data.IsObject() && !n.Has("content") { // messages_to_dict of LangChain
		m = messageOf(data)
	}
	if kind := roleOf(n.At("type").Text()); m.role == "" && kind != "message" {
		m.role = kind
	}
	content := n.Either("parts", "content", "contents")
	if m.role == "tool" && !content.IsList() {
		m.results = append(m.results, spanResult{n.Either("tool_call_id", "toolCallId", "id").Text(),
			plainText(content)})
		return m
	}
	switch {
	case content.IsText():
		m.addText(content)
	case content.IsObject():
		m.add(content)
	}
	for _, part := range content.List() {
		m.add(part)
	}
	if m.role == "tool" && len(m.results) == 0 {
		m.results, m.text = append(m.results,
			spanResult{n.Either("tool_call_id", "toolCallId", "id").Text(), m.text}), ""
	}
	m.addCalls(n)
	return m
}

// addCalls adds the calls that stand beside the content.
func (m *spanMessage) addCalls(n record.Node) {
	calls := n.Either("tool_calls", "toolCalls").Parsed()
	if calls.Length() == 0 {
		calls = n.At("additional_kwargs", "tool_calls")
	}
	before := len(m.calls)
	for _, c := range calls.List() {
		if call := callOf(c); !slices.ContainsFunc(m.calls[:before],
			func(o *spanCall) bool { return call.id != "" && o.id == call.id }) {
			m.calls = append(m.calls, call) // LangChain repeats those of the content
		}
	}
	if c := n.At("function_call"); c.At("name").IsText() {
		m.calls = append(m.calls, callOf(c))
	}
}

// answerIn joins what the model says in the messages: the choices of one answer, or
// the messages that it is split into.
// Messages of other roles in an output repeat the prompt, as states of graphs do.
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

// isEmpty reports whether the message says nothing and calls nothing.
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
