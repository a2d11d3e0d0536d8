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
	var loose []node
	first := 0
	history := func(messages []node, line int) error {
		t := newTrace(in, line)
		for _, m := range messages {
			t.kernelMessage(in, m)
		}
		return in.trial(t)
	}
	end := func() error {
		messages := loose
		if loose = nil; len(messages) == 0 {
			return nil
		}
		return history(messages, first)
	}
	var read func(n node, line int) error
	read = func(n node, line int) error {
		messages := n.either("messages", "Messages")
		switch {
		case n.isList():
			for _, m := range n.list() {
				if err := read(m, line); err != nil {
					return err
				}
			}
			return end()
		case messages.isList():
			if err := end(); err != nil {
				return err
			}
			return history(messages.list(), line)
		case isKernelMessage(n):
			if len(loose) == 0 {
				first = line
			}
			loose = append(loose, n)
			return nil
		}
		in.notes.skip("records that are no messages")
		return nil
	}
	if err := in.values(read); err != nil {
		return err
	}
	return end()
}

// kernelMessage adds a message. A message of a tool repeats its result as text.
func (t *trace) kernelMessage(in *input, m node) {
	role := m.at("Role", "Label").text()
	if role == "" {
		role = m.either("Role", "role").text()
	}
	role = strings.ToLower(role)
	meta := kernelMetadata(m)
	items := m.either("Items", "items").list()
	text := kernelText(m, items)
	t.seen(meta.either("Created", "CreatedAt", "created", "created_at").time())
	switch role {
	case "user":
		t.ask(node{text})
	case "assistant":
		var calls []toolCall
		for _, item := range items {
			if kernelKind(item) == "call" {
				calls = append(calls, toolCall{item.either("Id", "id").text(), kernelTool(item), item.either("Arguments", "arguments")})
			}
		}
		t.reply(text, m.either("ModelId", "ai_model_id").wordsOnly(), calls, kernelUsage(meta))
	}
	if role == "system" || role == "developer" || role == "user" {
		return
	}
	results := 0
	for _, item := range items {
		if kernelKind(item) == "result" {
			results++
			t.kernelResult(in, item.either("CallId", "call_id", "id").text(), kernelTool(item), item.either("Result", "result"))
		}
	}
	if id := meta.at("ChatCompletionsToolCall.Id").text(); role == "tool" && results == 0 {
		t.kernelResult(in, id, "", node{text})
	}
}

func (t *trace) kernelResult(in *input, id, tool string, output node) {
	if step := t.give(id, tool, output); step == nil {
		in.notes.skip(resultWithoutCall)
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
	plugin, function := item.either("PluginName", "plugin_name").wordsOnly(), item.either("FunctionName", "function_name").wordsOnly()
	switch {
	case function == "":
		return item.either("Name", "name").wordsOnly()
	case plugin == "":
		return function
	}
	return plugin + "-" + function
}

func kernelText(m node, items []node) string {
	var parts []string
	for _, item := range items {
		if text := item.either("Text", "text").wordsOnly(); kernelKind(item) == "text" && text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return spoken(m.either("Content", "content"))
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
