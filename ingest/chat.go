package ingest

import (
	"slices"
	"strings"
)

// chatCalls returns the calls of tools in a message of the model, in the ways that
// OpenAI, LangChain and Anthropic write them.
func chatCalls(message node) (calls []toolCall) {
	for _, c := range message.at("tool_calls").list() {
		f := c.either("function", "custom")
		if !f.isObject() {
			f = c
		}
		calls = append(calls, toolCall{c.at("id").text(), f.at("name").text(), f.either("arguments", "args", "input")})
	}
	if f := message.at("function_call"); f.isObject() && len(calls) == 0 {
		calls = append(calls, toolCall{"", f.at("name").text(), f.at("arguments")})
	}
	for _, part := range message.at("content").list() {
		if part.at("type").text() == "tool_use" && len(message.at("tool_calls").list()) == 0 {
			calls = append(calls, toolCall{part.at("id").text(), part.at("name").text(), part.at("input")})
		}
	}
	return calls
}

// chatText returns the text of a message of the model, which may be a refusal.
func chatText(message node) string {
	if text := message.at("content").speech(); text != "" {
		return text
	}
	return message.at("refusal").words()
}

// chatUsage returns what a model used, by the names of OpenAI in its two interfaces
// and those of libraries that follow them.
func chatUsage(n node) usage {
	return usage{
		input:  n.either("prompt_tokens", "input_tokens").count(),
		output: n.either("completion_tokens", "output_tokens").count(),
	}
}

// chatMark returns what tells one message of a conversation from another, to see
// whether a conversation continues one before; "" for what may change on the way.
func chatMark(message node) string {
	role, text := message.either("role", "type").text(), message.either("content", "output").speech()
	if role == "system" || role == "developer" || role == "reasoning" {
		return ""
	}
	var b strings.Builder
	b.WriteString(role + "\x00" + text + "\x00" + message.either("tool_call_id", "call_id").text())
	for _, c := range chatCalls(message) {
		b.WriteString("\x00" + c.id + "\x00" + c.tool + "\x00" + string(c.arguments.parsed().raw()))
	}
	return b.String()
}

// chatMarks are the marks of messages, without those that may change.
func chatMarks(messages []node) (marks []string) {
	for _, m := range messages {
		if mark := chatMark(m); mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}

// continues reports whether a conversation begins as another did, and goes on.
func continues(marks, before []string) bool {
	return len(before) > 0 && len(marks) > len(before) && slices.Equal(marks[:len(before)], before)
}

// isResponseItem reports whether n is an item of the Responses interface other than
// a message.
func isResponseItem(n node) bool {
	kind := n.at("type").text()
	switch kind {
	case "reasoning":
		return n.has("summary") || n.has("encrypted_content")
	case "function_call", "custom_tool_call":
		return n.has("call_id") && n.has("name")
	case "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response":
		return n.has("id")
	}
	return strings.HasSuffix(kind, "_call_output") && n.has("call_id") ||
		strings.HasSuffix(kind, "_call") && kind != "tool_call" && (n.has("id") || n.has("call_id")) && n.has("status")
}
