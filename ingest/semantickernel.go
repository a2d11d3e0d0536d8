package ingest

import (
	"strings"
)

// isKernelMessage reports whether n is a message of .NET, with capital names, or of
// Python.
func isKernelMessage(n node) bool {
	if n.at("Role", "Label").isText() || n.at("Role").isText() {
		return n.has("Items") || n.has("Content")
	}
	return n.at("role").isText() && n.at("items").isList() && (n.has("content_type") || n.has("ai_model_id") || hasKernelItem(n))
}

func hasKernelItem(n node) bool {
	for _, item := range n.at("items").list() {
		return item.has("content_type") || item.has("$type")
	}
	return false
}

func showsSemanticKernel(s *shape) bool {
	for _, m := range s.first().either("messages", "Messages").list() {
		return isKernelMessage(m)
	}
	return isKernelMessage(s.first())
}

// readSemanticKernel makes a trial of each chat history.
func readSemanticKernel(in *input) error {
	history := func(messages []node, line int) error {
		t := newTrace(in, line)
		for _, m := range messages {
			addKernelMessage(t, m)
		}
		return in.emitTrace(t)
	}
	loose := group{read: history}
	return loose.readValues(in, func(n node, line int) error {
		messages := n.either("messages", "Messages")
		switch {
		case messages.isList():
			if err := loose.end(); err != nil {
				return err
			}
			return history(messages.list(), line)
		case isKernelMessage(n):
			loose.add(n, line)
			return nil
		}
		in.notes.skip(noMessages)
		return nil
	})
}

// addKernelMessage adds a message. A message of a tool repeats its result as text.
func addKernelMessage(t *trace, m node) {
	role := m.at("Role", "Label").text()
	if role == "" {
		role = m.either("Role", "role").text()
	}
	role = strings.ToLower(role)
	meta := kernelMetadata(m)
	items := m.either("Items", "items").list()
	text := kernelText(m, items)
	t.addTime(meta.either("Created", "CreatedAt", "created", "created_at").time())
	switch role {
	case "user":
		t.setInput(node{text})
	case "assistant":
		var calls []toolCall
		for _, item := range items {
			if kernelKind(item) == "call" {
				calls = append(calls, toolCall{item.either("Id", "id").text(), kernelTool(item), item.either("Arguments", "arguments")})
			}
		}
		t.addAnswer(answer{text: text, model: m.either("ModelId", "ai_model_id").words(), calls: calls, usage: kernelUsage(meta)})
	}
	if role == "system" || role == "developer" || role == "user" {
		return
	}
	results := 0
	for _, item := range items {
		if kernelKind(item) == "result" {
			results++
			t.setResult(item.either("CallId", "call_id", "id").text(), kernelTool(item), item.either("Result", "result"))
		}
	}
	if id := meta.at("ChatCompletionsToolCall.Id").text(); role == "tool" && results == 0 {
		t.setResult(id, "", node{text})
	}
}

// kernelKind tells what an item of a message is.
func kernelKind(item node) string {
	switch item.either("$type", "content_type", "ContentType").text() {
	case "FunctionCallContent", "function_call":
		return "call"
	case "FunctionResultContent", "function_result":
		return "result"
	case "TextContent", "text", "ChatMessageContent", "":
		return "text"
	}
	return ""
}

// kernelTool returns the name of a function as the model calls it: with its plugin.
func kernelTool(item node) string {
	plugin, function := item.either("PluginName", "plugin_name").words(), item.either("FunctionName", "function_name").words()
	switch {
	case function == "":
		return item.either("Name", "name").words()
	case plugin == "":
		return function
	}
	return plugin + "-" + function
}

func kernelText(m node, items []node) string {
	var parts []string
	for _, item := range items {
		if text := item.either("Text", "text").words(); kernelKind(item) == "text" && text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return m.either("Content", "content").speech()
	}
	return strings.Join(parts, "\n")
}

// kernelMetadata returns what is known of a message: newer versions keep it with an
// item.
func kernelMetadata(m node) node {
	if meta := m.either("Metadata", "metadata"); meta.length() > 0 {
		return meta
	}
	for _, item := range m.either("Items", "items").list() {
		if meta := item.either("Metadata", "metadata"); meta.length() > 0 {
			return meta
		}
	}
	return node{}
}

func kernelUsage(meta node) usage {
	n := meta.either("Usage", "usage")
	return usage{
		input:  n.either("PromptTokens", "InputTokenCount", "InputTokens", "prompt_tokens", "input_tokens").count(),
		output: n.either("CompletionTokens", "OutputTokenCount", "OutputTokens", "completion_tokens", "output_tokens").count(),
	}
}
