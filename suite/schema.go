package suite

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// frameSchema is the schema of a suite without its evaluators, which stand in place of
// the mark.
//
//go:embed schema.json
var frameSchema []byte

// It is a JSON string, so that the frame is valid JSON by itself.
const evaluatorsMark = `"the evaluators stand here"`

// evaluatorReference is the schema of an evaluator within another, or of the name of a set.
var evaluatorReference = object{{"$ref", "#/$defs/evaluation"}}

// Schema returns the JSON Schema (draft 2020-12) of a suite file, for editors. It
// says less than [Parse] checks: whether a path, a regular expression or a test
// makes sense is not for a schema to tell.
func Schema() []byte { return bytes.Clone(wholeSchema()) }

// wholeSchema is made once, at its first use.
var wholeSchema = sync.OnceValue(func() []byte {
	part, err := json.Marshal(evaluatorsSchema())
	if err != nil {
		return frameSchema // not reached: it is made of texts and numbers
	}
	var indented bytes.Buffer
	whole := bytes.Replace(frameSchema, []byte(evaluatorsMark), part, 1)
	if err := json.Indent(&indented, whole, "", "  "); err != nil {
		return frameSchema // not reached: both are JSON
	}
	return indented.Bytes()
})

// evaluatorsSchema is the schema of an item of evaluate: a mapping with one key.
func evaluatorsSchema() object {
	var properties object
	for _, e := range evaluators() {
		f := form{decoder: &decoder{}}
		e.read(&f) // without a node, it says its schema
		// Clip keeps rows that share a schema, such as all and any, from writing over each other.
		schema := append(slices.Clip(f.schema), member{"description", e.about})
		properties = append(properties, member{e.name, schema})
	}
	return object{
		{"minProperties", 1}, {"maxProperties", 1}, {"type", "object"}, {"additionalProperties", false},
		{"properties", properties},
	}
}

// weightSchema is that of an evaluator with a weight beside it.
func weightSchema() object {
	properties := object{{"weight", object{{"type", "number"}, {"exclusiveMinimum", 0}}}}
	for _, e := range evaluators() {
		properties = append(properties, member{e.name, object{{"$ref", "#/$defs/evaluator/properties/" + e.name}}})
	}
	return object{
		{"type", "object"}, {"minProperties", 1}, {"maxProperties", 2}, {"additionalProperties", false},
		{"properties", properties},
	}
}

// schemaOf is the schema of options, or of the value that stands for the short one.
func schemaOf(short string, options []option) object {
	var properties, bare object
	var needed []string
	var either []object
	for _, o := range options {
		// Any value is true as a schema. A bare one may be anything but a mapping, which is read as options.
		value, alone := any(o.schema), o.schema
		if o.schema == nil {
			value, alone = true, object{{"not", object{{"type", "object"}}}}
		}
		properties = append(properties, member{o.Name, value})
		if o.Name == short {
			bare = alone
		}
		if o.Needed {
			needed = append(needed, o.Name)
		}
		if o.either {
			either = append(either, object{{"required", []string{o.Name}}})
		}
	}
	mapping := object{{"type", "object"}, {"additionalProperties", false}, {"properties", properties}}
	if needed != nil {
		mapping = append(mapping, member{"required", needed})
	}
	if either != nil {
		mapping = append(mapping, member{"anyOf", either})
	}
	if bare == nil {
		return mapping
	}
	return object{{"anyOf", []object{bare, mapping}}}
}

// textSchema is that of a text of at least so many characters.
func textSchema(least int) object {
	if least == 0 {
		return object{{"type", "string"}}
	}
	return object{{"type", "string"}, {"minLength", least}}
}

// durationSchema is that of a time such as 1h30m.
//
// The pattern is what time.ParseDuration reads, without negative times.
func durationSchema() object {
	const part = `([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h)`
	return object{{"type", "string"}, {"pattern", `^[+]?` + part + `(` + part + `)*$|^[+]?0$`}}
}

// object is an object of JSON with its members in their order.
//
// A map would be written in the order of its keys, not in that of the table.
type object []member

// member is a name and a value that encoding/json can write.
type member struct {
	name  string
	value any
}

// MarshalJSON writes the members.
func (o object) MarshalJSON() ([]byte, error) {
	text := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			text = append(text, ',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		text = append(append(append(text, name...), ':'), value...)
	}
	return append(text, '}'), nil
}
