package yamlnode

import (
	"bytes"
	"encoding/json"
	"slices"

	"go.yaml.in/yaml/v4"
)

// Schema is a JSON Schema: keywords, each with a value that encoding/json can write behind it, in their order; nil is
// the schema of any value.
type Schema []any

// MarshalJSON writes an object.
func (s Schema) MarshalJSON() ([]byte, error) {
	if s == nil {
		return []byte("true"), nil
	}
	text := []byte{'{'}
	for i := 0; i+1 < len(s); i += 2 {
		if i > 0 {
			text = append(text, ',')
		}
		keyword, _ := s[i].(string)
		value, err := json.Marshal(s[i+1])
		if err != nil {
			return nil, err
		}
		text = append(append(appendQuoted(text, keyword), ':'), value...)
	}
	return append(text, '}'), nil
}

// description is a schema as it is put together.
type description struct {
	said Schema // what the last reader takes
	defs Schema // by name
}

// Describe returns the JSON Schema (draft 2020-12) of a file, for editors. It says less than reading checks. The
// function reads the file: it is given a node that holds nothing, of which nothing is refused, and every reader that it
// calls says what it would take. A reader that looks at its node by itself says that by Takes or Either.
func (d *Decoder) Describe(title, about string, read func(n *yaml.Node)) []byte {
	d.described = &description{}
	read(&yaml.Node{})
	whole := Schema{"$schema", "https://json-schema.org/draft/2020-12/schema", "title", title, "description", about}
	whole = append(whole, d.described.said...)
	if d.described.defs != nil {
		whole = append(whole, "$defs", d.described.defs)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		return nil // not reached: it is made of texts and numbers
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, text, "", "  "); err != nil {
		return nil // not reached: it is JSON
	}
	indented.WriteByte('\n')
	return indented.Bytes()
}

// Describes reports whether it is asked for a schema, and reads nothing.
func (d *Decoder) Describes() bool { return d.described != nil }

// Takes says what a reader takes, as a [Schema], and reports whether that was all that is asked of it.
func (d *Decoder) Takes(schema ...any) bool {
	if d.described != nil {
		d.described.said = schema
	}
	return d.described != nil
}

// Also adds to the schema of what was said to be taken.
func (d *Decoder) Also(schema ...any) {
	if d.described != nil {
		d.described.said = append(slices.Clip(d.described.said), schema...)
	}
}

// taken is what a function reads.
func (d *Decoder) taken(read func(n *yaml.Node)) Schema {
	d.described.said = nil
	read(&yaml.Node{})
	return d.described.said
}

// Either says that a value is taken that one of the readers takes, and reports whether that was all that is asked.
func (d *Decoder) Either(readers ...func(n *yaml.Node)) bool {
	if d.described == nil {
		return false
	}
	var list []Schema
	for _, read := range readers {
		list = append(list, d.taken(read))
	}
	return d.Takes("anyOf", list)
}

// Named is a reader whose schema stands once, under a name, and is referred to.
func (d *Decoder) Named(name string, read func(n *yaml.Node)) func(n *yaml.Node) {
	return func(n *yaml.Node) {
		if d.described == nil {
			read(n)
			return
		}
		if !slices.Contains(d.described.defs, any(name)) {
			// The place is taken first: what is read may be within itself.
			at := len(d.described.defs) + 1
			d.described.defs = append(d.described.defs, name, nil)
			d.described.defs[at] = d.taken(read)
		}
		d.Takes("$ref", "#/$defs/"+name)
	}
}

// object says what a mapping of keys is.
func (d *Decoder) object(keys []Key) {
	var properties Schema
	var needed []string
	for _, k := range keys {
		read := k.Read
		if k.Later != nil {
			read = k.Later
		}
		value := d.taken(read)
		if k.About != "" {
			value = append(slices.Clip(value), "description", k.About)
		}
		properties = append(properties, k.Name, value)
		if k.Needed {
			needed = append(needed, k.Name)
		}
	}
	d.Takes("type", "object", "additionalProperties", false)
	if needed != nil {
		d.Also("required", needed)
	}
	d.Also("properties", properties)
}
