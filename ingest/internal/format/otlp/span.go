package otlp

import (
	"encoding/json"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// span is one operation of a trace: an OpenTelemetry span, or an observation of
// Langfuse.
type span struct {
	// id and parent are "" if unknown; name is what the writer calls the operation.
	id, parent string
	name       string
	start, end time.Time // zero if unknown
	attributes spanAttributes
	resource   spanAttributes
	events     []spanEvent
	// failed is what the status says; an exception among the events counts as well.
	failed  bool
	message string // of the status

	// Known from elsewhere than the attributes, if at all.
	input, output record.Node
	model         string
	used          trial.Optional[record.Usage] // known from the attributes as well, once it was asked for
	cachedBeside  bool                         // the writer counts cached tokens beside the input

	// What the spans around it and its content make of it, found by classify, place and steps.
	kind spanKind
	spanPlace
	spanContent
}

// spanPlace is where a span stands in its trace.
type spanPlace struct {
	parentSpan *span   // the parent, if the trace has it
	level      int     // number of ancestors
	enclosing  *span   // nearest ancestor with a kind
	owner      *span   // nearest ancestor that is an agent or a tool
	nested     []*span // of the same kind, of which this is the nearest one around them
	depth      int     // of sub-agents
	evaluates  bool    // it evaluates the trial, and is no part of it
	thinks     bool    // it calls a model itself
	walked     int     // by levels
	isCounted  bool    // its usage, or that of a span around it, is in that of the trace
}

// spanContent is what a span says, by its kind.
type spanContent struct {
	modelAnswer   spanMessage // what the model answered
	answersByTool bool        // the answer was the call of an output tool
	call          *spanCall   // the call of a message that a tool's span stands for, nil if none
	toolCall      spanTool    // the call as the tool's own span tells it
}

// spanEvent is something that happened during a span.
type spanEvent struct {
	name       string
	attributes spanAttributes
}

// otlpSpan reads a span.
// Times are nanoseconds since 1970, as a string where they are too long for a number.
func otlpSpan(n record.Node) *span {
	status := n.At("status")
	s := &span{
		id:         spanID(n.Either("spanId", "span_id")),
		parent:     spanID(n.Either("parentSpanId", "parent_span_id")),
		name:       record.ValidText(n.At("name").Text()),
		start:      n.Either("startTimeUnixNano", "start_time_unix_nano").Time(),
		end:        n.Either("endTimeUnixNano", "end_time_unix_nano").Time(),
		attributes: otlpAttributes(n.At("attributes")),
		message:    status.At("message").Text(),
	}
	s.failed = isErrorCode(status.At("code"))
	s.events = eventsIn(n.At("events"))
	return s
}

// eventsIn reads a list of events.
func eventsIn(n record.Node) (events []spanEvent) {
	for _, e := range n.List() {
		events = append(events, spanEvent{e.At("name").Text(), otlpAttributes(e.At("attributes"))})
	}
	return events
}

// isErrorCode reports whether the code of a status is that of an error. The enumeration is
// a number in JSON, and a name with writers that follow protobuf or print it.
func isErrorCode(n record.Node) bool {
	switch n.Text() {
	case "2", "STATUS_CODE_ERROR", "ERROR", "StatusCode.ERROR", "Error":
		return true
	}
	return false
}

// otlpAttributes reads a list of attributes, or an object of them, as some writers
// have it.
func otlpAttributes(n record.Node) spanAttributes {
	return attributesOf(attributeList(n))
}

// attributeList are the attributes as they are written, of which the last of a name counts.
func attributeList(n record.Node) []spanAttribute {
	list := make([]spanAttribute, 0, n.Length())
	for _, a := range n.List() {
		if name := a.At("key").Text(); name != "" {
			list = append(list, spanAttribute{name, otlpValue(a.At("value"))})
		}
	}
	for name, value := range n.Members() {
		list = append(list, spanAttribute{name, otlpValue(value)})
	}
	return list
}

// otlpValue returns what an AnyValue holds. A value that is not wrapped stays what it
// is.
// An AnyValue is {"stringValue":"x"}, {"intValue":"7"}, {"arrayValue":{"values":[...]}},
// {"kvlistValue":{"values":[{"key":"k","value":{...}}]}} or {}, which is null.
func otlpValue(n record.Node) record.Node {
	if list := n.Either("arrayValue", "array_value"); list.Exists() {
		values := []any{}
		for _, v := range list.At("values").List() {
			values = append(values, otlpValue(v).Value)
		}
		return record.Node{Value: values}
	}
	if pairs := n.Either("kvlistValue", "kvlist_value"); pairs.Exists() {
		object := map[string]any{}
		for _, p := range pairs.At("values").List() {
			object[p.At("key").Text()] = otlpValue(p.At("value")).Value
		}
		return record.Node{Value: object}
	}
	if whole := n.Either("intValue", "int_value"); whole.Exists() {
		if text := whole.Text(); record.IsWhole(text) || record.IsDecimal(text) && json.Valid([]byte(text)) {
			return record.Node{Value: json.Number(text)} // written as a string: it may be too long for others
		}
		return whole
	}
	if v := n.Either("stringValue", "string_value", "doubleValue", "double_value", "boolValue", "bool_value",
		"bytesValue", "bytes_value"); v.Exists() {
		return v
	}
	if n.IsObject() && n.Length() == 0 {
		return record.Node{}
	}
	return n
}

// failure returns why the span failed, "" if it did not: by its status, the
// attribute error.type, or an exception that it recorded.
func (s *span) failure() string {
	reason, failed := s.attributes.first("error.type", "exception.type"), s.failed ||
		s.attributes.at("error.type").Text() != ""
	message := s.message
	for _, e := range s.events {
		if e.name != "exception" {
			continue
		}
		failed = true
		if text := e.attributes.at("exception.message").Text(); message == "" {
			message = text
		}
		if !reason.Exists() {
			reason = e.attributes.at("exception.type")
		}
	}
	switch {
	case !failed && s.finishesInError():
		return "the answer ended in an error"
	case !failed:
		return ""
	case message == "":
		message = reason.Text()
	}
	return record.StepError(message)
}

// failureType is the class of the error: error.type, or the type of the exception.
func (s *span) failureType() string {
	if t := s.attributes.at("error.type").Text(); t != "" {
		return t
	}
	for _, e := range s.events {
		if e.name == "exception" {
			return e.attributes.at("exception.type").Text()
		}
	}
	return ""
}
