package otlphttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object.
type object = map[string]any

// fromJSON reads an export in JSON, as it stands.
func fromJSON(text []byte) (object, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // nanoseconds have more digits than a float64
	var export object
	if err := decoder.Decode(&export); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, errors.New("it is more than one object")
	}
	return export, nil
}

// list is a member that is a list; what is none is empty.
func list(o object, names ...string) []any {
	for _, name := range names {
		if l, ok := o[name].([]any); ok {
			return l
		}
	}
	return nil
}

// eachScope visits the spans of an export by resource and scope. Members have the names of JSON, or those of the
// protocol.
func eachScope(export object, visit func(resource, scope object, spans []any)) {
	for _, r := range list(export, "resourceSpans", "resource_spans") {
		resource, _ := r.(object)
		for _, s := range list(resource, "scopeSpans", "scope_spans") {
			scope, _ := s.(object)
			visit(resource, scope, list(scope, "spans"))
		}
	}
}

// part is what one export has of a trace.
type part struct {
	id   string
	text []byte
	root bool
}

// divide returns the parts of an export by trace, in the order of the ids. Spans without an id are left out.
func divide(export object) (parts []part) {
	resources := map[string][]any{} // by trace
	roots := map[string]bool{}
	eachScope(export, func(resource, scope object, spans []any) {
		traces := map[string][]any{}
		for _, s := range spans {
			span, _ := s.(object)
			id := idOf(span, "traceId", "trace_id")
			if id == "" {
				continue
			}
			traces[id] = append(traces[id], span)
			roots[id] = roots[id] || idOf(span, "parentSpanId", "parent_span_id") == ""
		}
		for id, spans := range traces {
			resources[id] = append(resources[id], object{"resource": resource["resource"],
				"scopeSpans": []any{object{"scope": scope["scope"], "spans": spans}}})
		}
	})
	for _, id := range slices.Sorted(maps.Keys(resources)) {
		// What was read as JSON can be written.
		if text, err := json.Marshal(object{"resourceSpans": resources[id]}); err == nil {
			parts = append(parts, part{id, text, roots[id]})
		}
	}
	return parts
}

// idOf returns an id, in lower case; zeros stand for none.
func idOf(span object, names ...string) string {
	for _, name := range names {
		id, _ := span[name].(string)
		if strings.Trim(id, "0") != "" && len(id) <= mostID {
			return strings.ToLower(id)
		}
	}
	return ""
}

// mostID is how long an id may be. Those of the specification have 32 digits.
const mostID = 128
