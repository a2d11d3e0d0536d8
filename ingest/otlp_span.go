package ingest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// span is one operation of a trace: an OpenTelemetry span, or an observation of
// Langfuse.
type span struct {
	id, parent string
	name       string
	start, end time.Time // zero if unknown
	attributes spanAttributes
	resource   spanAttributes
	events     []spanEvent
	failed     bool
	message    string // of the status

	// Known from elsewhere than the attributes, if at all.
	input, output node
	model         string
	used          trial.Optional[usage]

	kind spanKind
	spanPlace
	spanContent
}

// spanPlace is where a span stands in its trace.
type spanPlace struct {
	up      *span // the parent, if the trace has it
	level   int   // number of ancestors
	around  *span // nearest ancestor with a kind
	within  *span // nearest ancestor that is an agent or a tool
	inner   []*span
	depth   int  // of sub-agents
	judging bool // it evaluates the trial, and is no part of it
}

// spanContent is what a span says, by its kind.
type spanContent struct {
	said spanMessage // what the model answered
	done bool        // by the call of an output tool
	call *spanCall   // the call that a tool answers, if a message asks for it
	runs spanTool    // the tool
}

// spanAttributes are attributes by name.
type spanAttributes map[string]node

// first returns the first of the attributes that there is, and not an empty text.
func (a spanAttributes) first(names ...string) node {
	for _, name := range names {
		if n := a[name]; n.exists() && n.value != "" {
			return n
		}
	}
	return node{}
}

// spanEvent is something that happened during a span.
type spanEvent struct {
	name       string
	attributes spanAttributes
}

// otlpSpan reads a span.
func otlpSpan(n node) *span {
	status := n.at("status")
	s := &span{
		id:         spanID(n.either("spanId", "span_id")),
		parent:     spanID(n.either("parentSpanId", "parent_span_id")),
		name:       validText(n.at("name").text()),
		start:      n.either("startTimeUnixNano", "start_time_unix_nano").time(),
		end:        n.either("endTimeUnixNano", "end_time_unix_nano").time(),
		attributes: otlpAttributes(n.at("attributes")),
		message:    status.at("message").text(),
	}
	switch status.at("code").text() {
	case "2", "STATUS_CODE_ERROR", "ERROR":
		s.failed = true
	}
	for _, e := range n.at("events").list() {
		s.events = append(s.events, spanEvent{e.at("name").text(), otlpAttributes(e.at("attributes"))})
	}
	return s
}

// otlpAttributes reads a list of attributes, or an object of them, as some writers
// have it.
func otlpAttributes(n node) spanAttributes {
	attributes := spanAttributes{}
	for _, a := range n.list() {
		if name := a.at("key").text(); name != "" {
			attributes[name] = otlpValue(a.at("value"))
		}
	}
	for name, value := range n.members() {
		attributes[name] = otlpValue(value)
	}
	return attributes
}

// otlpValue returns what an AnyValue holds. A value that is not wrapped stays what it
// is.
func otlpValue(n node) node {
	if list := n.either("arrayValue", "array_value"); list.exists() {
		values := []any{}
		for _, v := range list.at("values").list() {
			values = append(values, otlpValue(v).value)
		}
		return node{values}
	}
	if pairs := n.either("kvlistValue", "kvlist_value"); pairs.exists() {
		object := map[string]any{}
		for _, p := range pairs.at("values").list() {
			object[p.at("key").text()] = otlpValue(p.at("value")).value
		}
		return node{object}
	}
	if whole := n.either("intValue", "int_value"); whole.exists() {
		if text := whole.text(); decimal().MatchString(text) && json.Valid([]byte(text)) {
			return node{json.Number(text)} // written as a string: it may be too long for others
		}
		return whole
	}
	if v := n.either("stringValue", "string_value", "doubleValue", "double_value", "boolValue", "bool_value", "bytesValue", "bytes_value"); v.exists() {
		return v
	}
	if n.isObject() && n.length() == 0 {
		return node{}
	}
	return n
}

// failure returns why the span failed, "" if it did not: by its status, the
// attribute error.type, or an exception that it recorded.
func (s *span) failure() string {
	reason, failed := s.attributes.first("error.type", "exception.type"), s.failed || s.attributes["error.type"].text() != ""
	message := s.message
	for _, e := range s.events {
		if e.name != "exception" {
			continue
		}
		failed = true
		if text := e.attributes["exception.message"].text(); message == "" {
			message = text
		}
		if !reason.exists() {
			reason = e.attributes["exception.type"]
		}
	}
	switch {
	case !failed:
		return ""
	case message == "":
		message = reason.text()
	}
	return stepError(message)
}

// failureType is the class of the error: error.type, or the type of the exception.
func (s *span) failureType() string {
	if t := s.attributes["error.type"].text(); t != "" {
		return t
	}
	for _, e := range s.events {
		if e.name == "exception" {
			return e.attributes["exception.type"].text()
		}
	}
	return ""
}

// sortedNames returns the names of the attributes in their order.
func sortedNames(a spanAttributes) []string { return slices.Sorted(maps.Keys(a)) }

func hasPrefix(name string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
