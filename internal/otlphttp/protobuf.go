package otlphttp

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// kind is the type of a field, and with it how a value is written in JSON.
type kind uint8

const (
	characters kind = iota
	digits          // bytes, in hexadecimal digits as OTLP asks for
	octets          // bytes, in base64
	nested          // a message, as an object
	boolean
	small   // a varint of 32 bits, as a number
	count   // the same without a sign
	large   // a varint of 64 bits, as a text
	fixed32 // as a number
	fixed64 // as a text
	double  // as a number
)

// wires are the types of the kinds on the wire.
var wires = [...]protowire.Type{characters: protowire.BytesType, digits: protowire.BytesType,
	octets: protowire.BytesType, nested: protowire.BytesType, boolean: protowire.VarintType, small: protowire.VarintType,
	count: protowire.VarintType, large: protowire.VarintType, fixed32: protowire.Fixed32Type,
	fixed64: protowire.Fixed64Type, double: protowire.Fixed64Type}

// message is the fields of a message, by their numbers.
type message map[protowire.Number]field

// field is a field of a message.
type field struct {
	name   string // in JSON
	kind   kind
	list   bool    // whether it is repeated
	fields message // the fields of a nested one
}

// tracesData is the message of an export, of opentelemetry-proto 1.11: a request has the fields of stored traces.
var tracesData = sync.OnceValue(func() message {
	value := message{}
	pair := message{1: {name: "key"}, 2: {name: "value", kind: nested, fields: value},
		3: {name: "keyStrindex", kind: small}}
	values := message{1: {name: "values", kind: nested, list: true, fields: value}}
	pairs := message{1: {name: "values", kind: nested, list: true, fields: pair}}
	// A value may hold others, so its message is there before its fields are.
	value[1] = field{name: "stringValue"}
	value[2] = field{name: "boolValue", kind: boolean}
	value[3] = field{name: "intValue", kind: large}
	value[4] = field{name: "doubleValue", kind: double}
	value[5] = field{name: "arrayValue", kind: nested, fields: values}
	value[6] = field{name: "kvlistValue", kind: nested, fields: pairs}
	value[7] = field{name: "bytesValue", kind: octets}
	value[8] = field{name: "stringValueStrindex", kind: small}
	attributes := field{name: "attributes", kind: nested, list: true, fields: pair}
	dropped := field{name: "droppedAttributesCount", kind: count}
	flags := field{name: "flags", kind: fixed32}
	trace, span := field{name: "traceId", kind: digits}, field{name: "spanId", kind: digits}
	state, schema := field{name: "traceState"}, field{name: "schemaUrl"}
	event := message{1: {name: "timeUnixNano", kind: fixed64}, 2: {name: "name"}, 3: attributes, 4: dropped}
	link := message{1: trace, 2: span, 3: state, 4: attributes, 5: dropped, 6: flags}
	status := message{2: {name: "message"}, 3: {name: "code", kind: small}}
	spans := message{1: trace, 2: span, 3: state, 4: {name: "parentSpanId", kind: digits}, 5: {name: "name"},
		6: {name: "kind", kind: small}, 7: {name: "startTimeUnixNano", kind: fixed64},
		8: {name: "endTimeUnixNano", kind: fixed64}, 9: attributes, 10: dropped,
		11: {name: "events", kind: nested, list: true, fields: event}, 12: {name: "droppedEventsCount", kind: count},
		13: {name: "links", kind: nested, list: true, fields: link}, 14: {name: "droppedLinksCount", kind: count},
		15: {name: "status", kind: nested, fields: status}, 16: flags}
	scope := message{1: {name: "name"}, 2: {name: "version"}, 3: attributes, 4: dropped}
	scopes := message{1: {name: "scope", kind: nested, fields: scope},
		2: {name: "spans", kind: nested, list: true, fields: spans}, 3: schema}
	entity := message{1: schema, 2: {name: "type"}, 3: {name: "idKeys", list: true},
		4: {name: "descriptionKeys", list: true}}
	resource := message{1: attributes, 2: dropped, 3: {name: "entityRefs", kind: nested, list: true, fields: entity}}
	resources := message{1: {name: "resource", kind: nested, fields: resource},
		2: {name: "scopeSpans", kind: nested, list: true, fields: scopes}, 3: schema}
	return message{1: {name: "resourceSpans", kind: nested, list: true, fields: resources}}
})

// fromProtobuf reads an export in protobuf as what it would be in JSON.
func fromProtobuf(text []byte) (object, error) { return tracesData().read(text, 0) }

// mostNested is how deep messages are in each other at most. Chosen: JSON as deep can be read again.
const mostNested = 1000

// read reads a message. Unknown fields are passed over, as are those that have another type than theirs.
func (m message) read(text []byte, depth int) (object, error) {
	if depth > mostNested {
		return nil, errors.New("its messages are too deep in each other")
	}
	found := object{}
	for len(text) > 0 {
		number, wire, n := protowire.ConsumeTag(text)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		text = text[n:]
		if n = protowire.ConsumeFieldValue(number, wire, text); n < 0 {
			return nil, protowire.ParseError(n)
		}
		f, known := m[number]
		if known && wire == wires[f.kind] {
			value, err := f.value(text[:n], depth)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.name, err)
			}
			if f.list {
				value = append(list(found, f.name), value)
			}
			found[f.name] = value
		}
		text = text[n:]
	}
	return found, nil
}

// value reads one value, which protowire has found to be whole.
func (f field) value(text []byte, depth int) (any, error) {
	varint, _ := protowire.ConsumeVarint(text)
	word, _ := protowire.ConsumeFixed64(text)
	content, _ := protowire.ConsumeBytes(text)
	switch f.kind {
	case digits:
		return hex.EncodeToString(content), nil
	case octets:
		return base64.StdEncoding.EncodeToString(content), nil
	case nested:
		return f.fields.read(content, depth+1)
	case boolean:
		return protowire.DecodeBool(varint), nil
	case small:
		return int32(varint), nil
	case count:
		return uint32(varint), nil
	case large:
		return strconv.FormatInt(int64(varint), 10), nil
	case fixed32:
		word, _ := protowire.ConsumeFixed32(text)
		return word, nil
	case fixed64:
		return strconv.FormatUint(word, 10), nil
	case double:
		return number(math.Float64frombits(word)), nil
	}
	if !utf8.Valid(content) {
		return nil, errors.New("it is not in UTF-8")
	}
	return string(content), nil
}

// number is a number in JSON, which has texts for those that are none.
func number(x float64) any {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 0):
		return map[bool]string{false: "Infinity", true: "-Infinity"}[x < 0]
	}
	return x
}
