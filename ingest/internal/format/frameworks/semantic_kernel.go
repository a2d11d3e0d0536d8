package frameworks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// isKernelMessage reports whether n is a message of .NET, with capital names, or of
// Python.
// A ChatHistory of .NET 1.15 is a list of
//
//	{"Role":{"Label":"assistant"},"Items":[{"$type":"FunctionCallContent","PluginName":"Orders","Id":"c1"}]}
//
// and of Python, {"messages":[{"role":"assistant","items":[{"content_type":"function_call"}]}]}.
func isKernelMessage(n record.Node) bool {
	if n.At("Role", "Label").IsText() || n.At("Role").IsText() {
		return n.Has("Items") || n.Has("Content")
	}
	return n.At("role").IsText() && n.At("items").IsList() &&
		(n.Has("content_type") || n.Has("ai_model_id") || hasKernelItem(n))
}

// hasKernelItem reports whether an item of a message names its type as Semantic Kernel does.
func hasKernelItem(n record.Node) bool {
	for _, item := range n.At("items").List() {
		return item.Has("content_type") || item.Has("$type")
	}
	return false
}

// showsSemanticKernel looks at the first message alone: a history is of one kind.
func showsSemanticKernel(s *record.Shape) bool {
	for _, m := range s.First().Either("messages", "Messages").List() {
		return isKernelMessage(m)
	}
	return isKernelMessage(s.First())
}

// SemanticKernel decodes Semantic Kernel chat histories.
var SemanticKernel = record.Decoder{Shows: showsSemanticKernel, Read: readSemanticKernel}

// readSemanticKernel makes a trial of each chat history.
func readSemanticKernel(in *record.Input) error {
	// One list, one trial; messages a line are one trial until a list or the end.
	history := func(messages []record.Node, line int) error {
		t := record.NewTrace(in, line)
		for _, m := range messages {
			addKernelMessage(t, m)
		}
		return in.EmitTrace(t)
	}
	loose := record.Group{Read: history}
	return loose.ReadValues(in, func(n record.Node, line int) error {
		messages := n.Either("messages", "Messages")
		switch {
		case messages.IsList():
			if err := loose.End(); err != nil {
				return err
			}
			return history(messages.List(), line)
		case isKernelMessage(n):
			loose.Add(n, line)
			return nil
		}
		in.Notes.Skip(record.NoMessages)
		return nil
	})
}

// addKernelMessage adds a message. A message of a tool repeats its result as text.
// The role is an object in .NET ({"Label": "assistant"}), later a text, and lower case in
// Python.
func addKernelMessage(t *record.Trace, m record.Node) {
	role := m.At("Role", "Label").Text()
	if role == "" {
		role = m.Either("Role", "role").Text()
	}
	role = strings.ToLower(role)
	meta := kernelMetadata(m)
	items := m.Either("Items", "items").List()
	text := kernelText(m, items)
	t.AddTime(meta.Either("Created", "CreatedAt", "created", "created_at").Time())
	switch role {
	case "user":
		t.SetInput(record.Node{Value: text})
	// Of the items, texts and calls are read; images and the like are left out.
	case "assistant":
		var calls []record.Call
		for _, item := range items {
			if kernelKind(item) == "call" {
				calls = append(calls, record.Call{ID: item.Either("Id", "id").Text(), Tool: kernelTool(item),
					Arguments: item.Either("Arguments", "arguments")})
			}
		}
		t.AddAnswer(record.Answer{Text: text, Model: m.Either("ModelId", "ai_model_id").Words(), Calls: calls,
			Usage: kernelUsage(meta)})
	}
	// What is left is a tool, or an assistant whose message holds results as well.
	if role == "system" || role == "developer" || role == "user" {
		return
	}
	results := 0
	for _, item := range items {
		if kernelKind(item) == "result" {
			results++
			t.SetResult(item.Either("CallId", "call_id", "id").Text(), kernelTool(item),
				item.Either("Result", "result"))
		}
	}
	// Some histories of .NET have the result as the text of the message, and its id in the
	// metadata.
	if id := meta.At("ChatCompletionsToolCall.Id").Text(); role == "tool" && results == 0 {
		t.SetResult(id, "", record.Node{Value: text})
	}
}

// kernelKind tells what an item of a message is.
// What has no type is text; types that are neither, such as images, are "".
func kernelKind(item record.Node) string {
	switch item.Either("$type", "content_type", "ContentType").Text() {
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
// OpenAI's names allow no point, so that the connectors join plugin and function by a dash.
func kernelTool(item record.Node) string {
	plugin, function := item.Either("PluginName", "plugin_name").Words(), item.Either("FunctionName",
		"function_name").Words()
	switch {
	case function == "":
		return item.Either("Name", "name").Words()
	case plugin == "":
		return function
	}
	return plugin + "-" + function
}

// kernelText is the text of a message: that of its items, or its plain content.
func kernelText(m record.Node, items []record.Node) string {
	var parts []string
	for _, item := range items {
		if text := item.Either("Text", "text").Words(); kernelKind(item) == "text" && text != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return m.Either("Content", "content").Speech()
	}
	return strings.Join(parts, "\n")
}

// kernelMetadata returns what is known of a message: newer versions keep it with an
// item.
func kernelMetadata(m record.Node) record.Node {
	if meta := m.Either("Metadata", "metadata"); meta.Length() > 0 {
		return meta
	}
	for _, item := range m.Either("Items", "items").List() {
		if meta := item.Either("Metadata", "metadata"); meta.Length() > 0 {
			return meta
		}
	}
	return record.Node{}
}

// kernelUsage reads the tokens, whose names follow the version of the connector's client.
func kernelUsage(meta record.Node) record.Usage {
	n := meta.Either("Usage", "usage")
	return record.Usage{
		Input: n.Either("PromptTokens", "InputTokenCount", "InputTokens", "prompt_tokens", "input_tokens").Count(),
		Output: n.Either("CompletionTokens", "OutputTokenCount", "OutputTokens", "completion_tokens",
			"output_tokens").Count(),
	}
}
