package otlp

import (
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Most exports have the members that the protocol names and no others. They are read from their text, without making
// objects of them: the same comes of it as of [otlpParts]. What has others, or has them in other shapes, is left to the
// functions for those: a value, an attribute, a span, or the whole.

// textReader reads spans from their text, into memory that it can use again.
type textReader struct {
	*record.Cursor
	parts      []otlpPart
	spans      []span
	attributes []spanAttribute
}

// How many spans there is room for at first, and at most when a line was read. Both are chosen.
const (
	fewSpans  = 16
	mostSpans = 1024
)

// free says that what was read is not in use any more.
func (r *textReader) free() {
	if cap(r.spans) > mostSpans {
		r.forget()
	}
	clear(r.parts)
	clear(r.spans)
	clear(r.attributes)
	r.parts, r.spans, r.attributes = r.parts[:0], r.spans[:0], r.attributes[:0]
}

// forget leaves the memory to what was read.
func (r *textReader) forget() { r.parts, r.spans, r.attributes = nil, nil, nil }

// newSpan returns an empty span. Those before it stay where they are.
func (r *textReader) newSpan() *span {
	if len(r.spans) == cap(r.spans) {
		r.spans = make([]span, 0, max(fewSpans, 2*cap(r.spans)))
	}
	r.spans = r.spans[:len(r.spans)+1]
	return &r.spans[len(r.spans)-1]
}

// memberSet are members that were there, as bits.
type memberSet uint16

// add notes a member, and reports whether it is the first of its name.
func (k *memberSet) add(member memberSet) bool {
	isFirst := *k&member == 0
	*k |= member
	return isFirst
}

// export reads an export that holds the spans of resources, and nothing else. The cursor fails on all others.
func (c *textReader) export() {
	var has memberSet
	for c.Object(); c.Member(); {
		if string(c.Name) != otlpTraces[0] || !has.add(1) {
			c.Fail()
			return
		}
		for c.List(); c.Element(); {
			c.resource()
		}
	}
	if has == 0 {
		c.Fail()
	}
}

// resource reads the spans of a resource.
func (c *textReader) resource() {
	const resourceKnown, scopesKnown = 1, 2
	var has memberSet
	var resource spanAttributes
	from := len(c.parts)
	for c.Object(); c.Member(); {
		switch name := string(c.Name); {
		case name == "resource" && has.add(resourceKnown):
			resource = c.resourceAttributes()
		case name == otlpScopes[0] && has.add(scopesKnown):
			for c.List(); c.Element(); {
				c.scope()
			}
		case name == "schemaUrl":
			c.Skip()
		default:
			c.Fail()
		}
	}
	for _, p := range c.parts[from:] {
		if p.span != nil {
			p.span.resource = resource
		}
	}
}

// resourceAttributes reads the attributes of a resource.
func (c *textReader) resourceAttributes() (attributes spanAttributes) {
	var has memberSet
	for c.Object(); c.Member(); {
		switch {
		case string(c.Name) != "attributes":
			c.Skip()
		case has.add(1):
			attributes = attributesOf(c.attributeList())
		default:
			c.Fail()
		}
	}
	return attributes
}

// scope reads the spans of a scope.
func (c *textReader) scope() {
	var has memberSet
	for c.Object(); c.Member(); {
		switch {
		case string(c.Name) != "spans":
			c.Skip()
		case has.add(1):
			for c.List(); c.Element(); {
				c.appendSpan()
			}
		default:
			c.Fail()
		}
	}
}

// appendSpan reads a span, whose resource is not known.
func (c *textReader) appendSpan() {
	at := c.Place()
	if s, trace, ok := c.span(); ok {
		c.parts = appendRead(c.parts, s, trace)
		return
	}
	c.Back(at)
	c.parts = appendSpan(c.parts, c.Value(), spanAttributes{})
}

// Members of a span.
const (
	traceIDKnown memberSet = 1 << iota
	spanIDKnown
	parentKnown
	nameKnown
	startKnown
	endKnown
	attributesKnown
	eventsKnown
	statusKnown
)

// span reads a span as [flatSpan] does, and the id of its trace. It is false where the span has members that not
// all have, or of a kind that they mostly are not.
func (c *textReader) span() (s *span, trace string, ok bool) {
	var has memberSet
	if c.Kind() != '{' {
		return nil, "", false
	}
	s = c.newSpan()
	for c.Object(); c.Member(); {
		ok = true
		switch string(c.Name) {
		case "traceId":
			if ok = has.add(traceIDKnown) && c.Kind() == '"'; ok {
				trace = idOf(c.Text())
			}
		case "spanId":
			if ok = has.add(spanIDKnown) && c.Kind() == '"'; ok {
				s.id = idOf(c.Text())
			}
		case "parentSpanId":
			if ok = has.add(parentKnown) && c.Kind() == '"'; ok {
				s.parent = idOf(c.Text())
			}
		case "name":
			if ok = has.add(nameKnown) && c.Kind() == '"'; ok {
				s.name = record.ValidText(c.Text())
			}
		case "startTimeUnixNano":
			if ok = has.add(startKnown); ok {
				s.start, ok = textInstant(c.Cursor)
			}
		case "endTimeUnixNano":
			if ok = has.add(endKnown); ok {
				s.end, ok = textInstant(c.Cursor)
			}
		case "attributes":
			if ok = has.add(attributesKnown) && c.Kind() == '['; ok {
				s.attributes = attributesOf(c.attributeList()).spread()
			}
		case "events":
			if ok = has.add(eventsKnown) && c.Kind() == '['; ok {
				s.events = eventsIn(c.Value())
			}
		case "status":
			if ok = has.add(statusKnown) && c.Kind() == '{'; ok {
				s.setStatus(c.Value())
			}
		case "kind", "flags", "traceState", "links", "droppedAttributesCount", "droppedEventsCount", "droppedLinksCount":
			c.Skip()
		default:
			ok = false
		}
		if !ok {
			return nil, "", false
		}
	}
	if s.end.IsZero() && !s.start.IsZero() {
		s.end = s.start
	}
	const needed = traceIDKnown | spanIDKnown | nameKnown | startKnown
	return s, trace, has&needed == needed
}

// textInstant reads a time as [instant] does, if it is written as the protocol has it: in nanoseconds. It is false
// where it is not.
func textInstant(c *record.Cursor) (time.Time, bool) {
	at := c.Place()
	digits, _, isPlain := c.Plain()
	if isPlain && len(digits) <= maxNanoDigits {
		if nanos, err := strconv.ParseInt(string(digits), 10, 64); err == nil && nanos >= leastNanos && digits[0] != '+' {
			return time.Unix(0, nanos).UTC(), true
		}
	}
	c.Back(at)
	return time.Time{}, false
}

// A number from this on counts nanoseconds, as [record.Node.Time] tells them from other units. They have so many
// digits at most.
const (
	leastNanos    = 1e17
	maxNanoDigits = 19
)

// attributeList reads a list of attributes as the function of that name does.
func (c *textReader) attributeList() []spanAttribute {
	if c.Kind() != '[' {
		return attributeList(c.Value())
	}
	from := len(c.attributes)
	for c.List(); c.Element(); {
		at := c.Place()
		name, value, ok := textAttribute(c.Cursor)
		if !ok {
			c.Back(at)
			c.attributes = append(c.attributes, attributeList(record.Node{Value: []any{c.Value().Value}})...)
		} else if name != "" {
			c.attributes = append(c.attributes, spanAttribute{name, value})
		}
	}
	return slices.Clip(c.attributes[from:])
}

// textAttribute reads an attribute. It is false where it is none that is a name and a value.
func textAttribute(c *record.Cursor) (name string, value record.Node, ok bool) {
	const keyKnown, valueKnown = 1, 2
	var has memberSet
	if c.Kind() != '{' {
		return "", value, false
	}
	for c.Object(); c.Member(); {
		switch {
		case string(c.Name) == "key" && has.add(keyKnown) && c.Kind() == '"':
			name = c.Text()
		case string(c.Name) == "value" && has.add(valueKnown):
			value = textValue(c)
		default:
			return "", value, false
		}
	}
	return name, value, true
}

// textValue reads what an AnyValue holds as [otlpValue] does.
func textValue(c *record.Cursor) record.Node {
	at := c.Place()
	if value, ok := textScalar(c); ok {
		return value
	}
	c.Back(at)
	return otlpValue(c.Value())
}

// textScalar reads an AnyValue that holds a text, a number or a truth, and is false of others.
func textScalar(c *record.Cursor) (value record.Node, ok bool) {
	if c.Kind() != '{' {
		return value, false
	}
	for c.Object(); c.Member(); {
		if ok { // there is another one
			return value, false
		}
		switch string(c.Name) {
		case "stringValue":
			value = c.TextValue()
		case "intValue":
			digits, _, isPlain := c.Plain()
			if !isPlain || !record.IsWhole(digits) {
				return value, false
			}
			value = c.NumberNode(digits)
		case "doubleValue", "boolValue":
			value = c.Value()
		}
		if ok = value.Exists(); !ok {
			return value, false
		}
	}
	return value, ok
}
