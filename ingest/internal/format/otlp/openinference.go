package otlp

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// OpenInference, of Arize Phoenix, writes lists as attributes with indexed names.
//
//	llm.input_messages.0.message.role = "user"
//	llm.output_messages.0.message.tool_calls.0.tool_call.function.name = "search"

// openInferenceAnswer returns what the model said.
func openInferenceAnswer(s *span) []spanMessage {
	return messagesIn(s.attributes.unflatten("llm.output_messages."))
}

// openInferencePrompt returns what it was given.
func openInferencePrompt(s *span) []spanMessage {
	return messagesIn(s.attributes.unflatten("llm.input_messages."))
}

// unflatten returns the value whose members and elements the attributes are whose names begin with the prefix, which
// ends in a point.
// Attributes come in no order, so that an object is built first and made into lists at the
// end. Where a.b and a.b.c are both there, the object under b is kept.
func (a *spanAttributes) unflatten(prefix string) record.Node {
	var root any
	for _, e := range a.under(prefix) {
		object, _ := root.(map[string]any)
		if object == nil {
			object = map[string]any{}
			root = object
		}
		parts := strings.Split(e.name[len(prefix):], ".")
		for _, part := range parts[:len(parts)-1] {
			inner, ok := object[part].(map[string]any)
			if !ok {
				inner = map[string]any{}
				object[part] = inner
			}
			object = inner
		}
		if last := parts[len(parts)-1]; !isInner(object[last]) {
			object[last] = e.value.Value
		}
	}
	return record.Node{Value: listed(root)}
}

// isInner reports whether a value is an object that other attributes are in.
func isInner(value any) bool { _, ok := value.(map[string]any); return ok }

// listed makes lists of the objects whose names count from 0.
// Members beside the numbers are lost.
func listed(value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for name, inner := range object {
		object[name] = listed(inner)
	}
	var list []any
	for {
		element, ok := object[strconv.Itoa(len(list))]
		if !ok {
			break
		}
		list = append(list, element)
	}
	if list == nil {
		return object
	}
	return list
}
