package otlp

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// OpenLLMetry, of Traceloop, wrote messages as attributes with indexed names until
// its version 0.5, and so does Koog. The prompt repeats the whole conversation.

// The names are such as gen_ai.completion.0.content and gen_ai.completion.0.tool_calls.0.name.
func indexedCompletion(s *span) []spanMessage {
	return messagesIn(s.attributes.unflatten("gen_ai.completion."))
}

// They are such as gen_ai.prompt.0.role, one prompt for each message so far.
func indexedPrompt(s *span) []spanMessage {
	return messagesIn(s.attributes.unflatten("gen_ai.prompt."))
}

// entityInput returns the arguments of a traced function: the named ones, if there
// are no others.
func entityInput(a *spanAttributes) record.Node {
	input := a.at("traceloop.entity.input").Parsed()
	if arguments := input.At("args"); arguments.IsList() && arguments.Length() == 0 && input.At("kwargs").Length() > 0 {
		return input.At("kwargs")
	}
	return input
}
