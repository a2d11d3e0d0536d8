package ingest

import (
	"slices"
	"strings"
)

// openAIRoles are those of chat messages.
var openAIRoles = []string{"system", "developer", "user", "assistant", "tool", "function"}

// isChatMessage reports whether n is a message of the Chat Completions interface, or
// of the Responses interface.
func isChatMessage(n node) bool {
	return slices.Contains(openAIRoles, n.at("role").text()) && (n.has("content") || n.has("tool_calls") || n.has("function_call")) &&
		!n.has("stop_reason") && !n.has("tool_responses") && !n.has("parts") && !hasForeignBlocks(n.at("content"))
}

// hasForeignBlocks reports whether the content of a message has blocks of Anthropic
// or Bedrock.
func hasForeignBlocks(content node) bool {
	return slices.ContainsFunc(content.list(), func(block node) bool {
		switch block.at("type").text() {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
			return true
		}
		return block.has("toolUse") || block.has("toolResult")
	})
}

// isCompletion reports whether n is a response of Chat Completions, or a chunk of
// one.
func isCompletion(n node) bool {
	return strings.HasPrefix(n.at("object").text(), "chat.completion") ||
		n.at("choices").isList() && slices.ContainsFunc(n.at("choices").list(), func(c node) bool { return c.at("message").isObject() })
}

// isResponse reports whether n is a response of the Responses interface.
func isResponse(n node) bool { return n.at("object").text() == "response" && n.at("output").isList() }

// isChatRequest reports whether n is a request, or a conversation kept in its form.
func isChatRequest(n node) bool {
	for _, other := range []string{
		"info", "trajectory_format", "termination_reason", "reward_info", "simulations", "stop_reason", "anthropic_version",
		"system", "run_type", "trace", "traj", "responses", "eval", "input_schema",
	} {
		if n.has(other) {
			return false
		}
	}
	messages := n.at("messages").list()
	if len(messages) == 0 && n.has("model") {
		messages = n.at("input").list()
	}
	return len(messages) > 0 && (isChatMessage(messages[0]) || isResponseItem(messages[0])) &&
		!slices.ContainsFunc(messages, func(m node) bool { return hasForeignBlocks(m.at("content")) })
}

// isChatRecord reports whether n is a request, a response, or both.
func isChatRecord(n node) bool {
	request, response := chatRequest(n), chatResponse(n)
	return isChatRequest(request) || isCompletion(response) || isResponse(response)
}

func chatRequest(n node) node {
	for _, name := range []string{"request", "body"} {
		if m := n.at(name).parsed(); m.isObject() {
			return m
		}
	}
	return n
}

func chatResponse(n node) node {
	m := n.at("response").parsed()
	if body := m.at("body").parsed(); body.isObject() {
		return body // of a batch
	}
	if m.isObject() {
		return m
	}
	return n
}

// showsOpenAI wants each object that is whole to be a message or an item: a message
// is too common a thing.
func showsOpenAI(s *shape) bool {
	if isChatRecord(s.first()) {
		return true
	}
	for i, n := range s.objects {
		isLast := i > 0 && i == len(s.objects)-1
		if !isLast && !isChatMessage(n) && !isResponseItem(n) && !isChatRecord(n) || hasForeignBlocks(n.at("content")) {
			return false
		}
	}
	return len(s.objects) > 0
}

// requestMessages returns what a request says.
func requestMessages(request node) []node {
	input := request.at("input")
	if input.isText() {
		return []node{{map[string]any{"role": "user", "content": input.value}}}
	}
	if messages := request.at("messages").list(); len(messages) > 0 {
		return messages
	}
	return input.list()
}

// responseMessages returns what a response says, in the form that the next request
// repeats it.
func responseMessages(response node) []node {
	if isResponse(response) {
		return response.at("output").list()
	}
	for _, choice := range response.at("choices").list() {
		return []node{choice.at("message")}
	}
	return nil
}
