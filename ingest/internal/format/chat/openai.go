package chat

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/ingest/internal/transcript"
)

// openAIRoles are those of chat messages.
var openAIRoles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// isChatMessage reports whether n is a message of the Chat Completions interface, or
// of the Responses interface.
//
//	{"role":"assistant","content":null,"tool_calls":[{"id":"c1","function":{"name":"f","arguments":"{}"}}]}
//
// The members that it must not have are those of Anthropic's responses, AutoGen and Gemini.
func isChatMessage(n record.Node) bool {
	return slices.Contains(openAIRoles, n.At("role").Text()) &&
		(n.Has("content") || n.Has("tool_calls") || n.Has("function_call")) &&
		!n.Has("stop_reason") && !n.Has("tool_responses") && !n.Has("parts") && !hasForeignBlocks(n.At("content")) &&
		!isConverseMessage(n)
}

// hasForeignBlocks reports whether the content of a message has blocks of Anthropic
// or Bedrock.
func hasForeignBlocks(content record.Node) bool {
	return slices.ContainsFunc(content.List(), func(block record.Node) bool {
		switch block.At("type").Text() {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
			return true
		}
		return block.Has("toolUse") || block.Has("toolResult")
	})
}

// isCompletion reports whether n is a response of Chat Completions, or a chunk of
// one.
func isCompletion(n record.Node) bool {
	return strings.HasPrefix(n.At("object").Text(), "chat.completion") ||
		n.At("choices").IsList() && slices.ContainsFunc(n.At("choices").List(),
			func(c record.Node) bool { return c.At("message").IsObject() })
}

// isResponse reports whether n is a response of the Responses interface.
func isResponse(n record.Node) bool {
	return n.At("object").Text() == "response" && n.At("output").IsList()
}

// isChatRequest reports whether n is a request, or a conversation kept in its form.
// The names are members of the trajectories and results of other tools around such messages,
// and of Anthropic's requests (system, anthropic_version).
func isChatRequest(n record.Node) bool {
	for _, other := range []string{
		"info", "trajectory_format", "termination_reason", "reward_info", "simulations", "stop_reason",
		"anthropic_version",
		"system", "run_type", "trace", "traj", "responses", "eval", "input_schema",
	} {
		if n.Has(other) {
			return false
		}
	}
	messages := n.At("messages").List()
	if len(messages) == 0 && n.Has("model") {
		messages = n.At("input").List()
	}
	return len(messages) > 0 && (isChatMessage(messages[0]) || transcript.IsResponseItem(messages[0])) &&
		!slices.ContainsFunc(messages, func(m record.Node) bool { return hasForeignBlocks(m.At("content")) })
}

// isChatRecord reports whether n is a request, a response, or both.
func isChatRecord(n record.Node) bool {
	request, response := chatRequest(n), chatResponse(n)
	return isChatRequest(request) || isCompletion(response) || isResponse(response)
}

// chatRequest returns the request in a record: under a name of its own, as loggers and batch
// files have it, or the record itself.
func chatRequest(n record.Node) record.Node {
	for _, name := range []string{"request", "body"} {
		if m := n.At(name).Parsed(); m.IsObject() {
			return m
		}
	}
	return n
}

// chatResponse returns the response in a record, or the record itself.
func chatResponse(n record.Node) record.Node {
	m := n.At("response").Parsed()
	if body := m.At("body").Parsed(); body.IsObject() {
		return body // of a batch
	}
	if m.IsObject() {
		return m
	}
	return n
}

// showsOpenAI wants each object that is whole to be a message or an item: a message
// is too common a thing.
// The last object may be cut, and show nothing yet.
func showsOpenAI(s *record.Shape) bool {
	if isChatRecord(s.First()) {
		return true
	}
	for i, n := range s.Objects {
		isLast := i > 0 && i == len(s.Objects)-1
		if !isLast && !isChatMessage(n) && !transcript.IsResponseItem(n) && !isChatRecord(n) ||
			hasForeignBlocks(n.At("content")) {
			return false
		}
	}
	return len(s.Objects) > 0
}

// requestMessages returns what a request says.
func requestMessages(request record.Node) []record.Node {
	input := request.At("input")
	if input.IsText() {
		return []record.Node{{Value: map[string]any{"role": "user", "content": input.Value}}}
	}
	if messages := request.At("messages").List(); len(messages) > 0 {
		return messages
	}
	return input.List()
}

// responseMessages returns what a response says, in the form that the next request
// repeats it.
func responseMessages(response record.Node) []record.Node {
	if isResponse(response) {
		return response.At("output").List()
	}
	for _, choice := range response.At("choices").List() {
		return []record.Node{choice.At("message")}
	}
	return nil
}
