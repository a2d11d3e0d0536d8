package otlp

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// spanTool is the call of a tool as its span tells it.
// arguments and result are absent where the span does not record them.
type spanTool struct {
	id, name          string // id may be ""
	arguments, result record.Node
	failure           string // "" if it did not fail
}

var (
	// The names of each list are, in this order, those of the conventions and of frameworks; the
	// last ones are general names, that other kinds of spans have as well.
	toolNames = namesOf("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name",
		"mcp.tool.name")
	toolCallIDs   = namesOf("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id")
	toolArguments = namesOf("gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args",
		"ai.toolCall.args", "ai.toolCall.input", "input.value", "tool.parameters")
	toolResults = namesOf("gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response",
		"ai.toolCall.result", "ai.toolCall.output", "output.value", "traceloop.entity.output")
)

// tool reads the span of a tool.
// MCP reports the failure of a tool in its result, with a span that went well.
func (s *span) tool() spanTool {
	a := &s.attributes
	t := spanTool{id: a.firstOf(toolCallIDs).Text(), name: a.firstOf(toolNames).Text(),
		arguments: a.firstOf(toolArguments), result: a.firstOf(toolResults)}
	if t.name == "" {
		t.name = toolOfSpan(s.name)
	}
	if !t.arguments.Exists() {
		if t.arguments = entityInput(a); !t.arguments.Exists() {
			t.arguments = s.input
		}
	}
	if !t.result.Exists() {
		t.result = s.output
	}
	if t.failure = s.failure(); t.failure == "" {
		t.failure = mcpFailure(t.result)
	}
	t.message()
	return t
}

// message takes the text out of a result that is a message of LangChain.
// LangChain's instrumentations record the ToolMessage, plain or as dumpd writes it.
func (t *spanTool) message() {
	message := t.result.Parsed()
	if message.Has("lc") {
		message = message.At("kwargs")
	}
	if !message.Has("tool_call_id", "content") {
		return
	}
	if t.result = message.At("content"); message.At("status").Text() == "error" && t.failure == "" {
		t.failure = record.StepError(plainText(t.result))
	}
	if t.id == "" {
		t.id = message.At("tool_call_id").Text()
	}
}

// toolOfSpan takes the name of a tool out of that of its span.
// They are how the conventions, Pydantic AI, MCP and others name the spans of tools.
func toolOfSpan(name string) string {
	for _, prefix := range []string{"execute_tool ", "running tool: ", "tools/call ", "tool."} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" {
			return rest
		}
	}
	return strings.TrimSuffix(name, ".tool")
}
