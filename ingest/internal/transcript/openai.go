package transcript

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Calls returns the calls of tools in a message of the model, in the ways that
// OpenAI, LangChain, Anthropic and the AI SDK write them.
// Calls that stand both beside the content and in it are the same ones.
func Calls(message record.Node) (calls []record.Call) {
	for _, c := range message.At("tool_calls").List() {
		f := c.Either("function", "custom")
		if !f.IsObject() {
			f = c
		}
		calls = append(calls, record.Call{ID: c.At("id").Text(), Tool: f.At("name").Text(),
			Arguments: f.Either("arguments", "args", "input")})
	}
	if f := message.At("function_call"); f.IsObject() && len(calls) == 0 {
		calls = append(calls, record.Call{ID: "", Tool: f.At("name").Text(), Arguments: f.At("arguments")})
	}
	for _, part := range message.At("content").List() {
		switch kind := part.At("type").Text(); {
		case len(message.At("tool_calls").List()) > 0:
		case kind == "tool_use":
			calls = append(calls, record.Call{ID: part.At("id").Text(), Tool: part.At("name").Text(),
				Arguments: part.At("input")})
		case kind == "tool-call":
			calls = append(calls, record.Call{ID: part.At("toolCallId").Text(), Tool: part.At("toolName").Text(),
				Arguments: part.Either("input", "args")})
		}
	}
	return calls
}

// Text returns the text of a message of the model, which may be a refusal.
func Text(message record.Node) string {
	if text := message.At("content").Speech(); text != "" {
		return text
	}
	return message.At("refusal").Words()
}

// Mark returns what tells one message of a conversation from another, to see
// whether a conversation continues one before; "" for what may change on the way.
// The parts are joined by NUL, which texts of messages hardly hold.
func Mark(message record.Node) string {
	role, text := message.Either("role", "type").Text(), message.Either("content", "output").Speech()
	if role == "system" || role == "developer" || role == "reasoning" {
		return ""
	}
	var b strings.Builder
	b.WriteString(role + "\x00" + text + "\x00" + message.Either("tool_call_id", "call_id").Text())
	for _, c := range Calls(message) {
		b.WriteString("\x00" + c.ID + "\x00" + c.Tool + "\x00" + string(c.Arguments.Parsed().Raw()))
	}
	return b.String()
}

// Marks are the marks of messages, without those that may change.
func Marks(messages []record.Node) (marks []string) {
	for _, m := range messages {
		if mark := Mark(m); mark != "" {
			marks = append(marks, mark)
		}
	}
	return marks
}

// Continues reports whether a conversation begins as another did, and goes on.
func Continues(marks, before []string) bool {
	return len(before) > 0 && len(marks) > len(before) && slices.Equal(marks[:len(before)], before)
}

// IsResponseItem reports whether n is an item of the Responses interface other than
// a message.
func IsResponseItem(n record.Node) bool {
	kind := n.At("type").Text()
	switch kind {
	case "reasoning":
		return n.Has("summary") || n.Has("encrypted_content")
	case "function_call", "custom_tool_call":
		return n.Has("call_id") && n.Has("name")
	case "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response":
		return n.Has("id")
	}
	return strings.HasSuffix(kind, "_call_output") && n.Has("call_id") ||
		strings.HasSuffix(kind, "_call") && kind != "tool_call" && (n.Has("id") || n.Has("call_id")) && n.Has("status")
}
