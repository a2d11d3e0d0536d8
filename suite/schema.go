package suite

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// otherSchemas are those of what is read in another way than by a table of keys, by their names.
//
//go:embed schema.json
var otherSchemas []byte

// object is a JSON Schema.
type object = yamlnode.Schema

// Schema returns the JSON Schema (draft 2020-12) of a suite file, for editors. It
// says less than [Parse] checks: whether a path, a regular expression or a test
// makes sense is not for a schema to tell.
func Schema() []byte { return bytes.Clone(wholeSchema()) }

// wholeSchema is made once, at its first use.
var wholeSchema = sync.OnceValue(func() []byte {
	d := &decoder{ctx: context.Background()}
	text := d.Describe("tribunal.yaml", "What to run, and how to judge it", func(n *yaml.Node) { d.suite(n) })
	const begin = `"$defs": {`
	others := bytes.TrimSpace(otherSchemas)
	others = others[1 : len(others)-1]
	var indented bytes.Buffer
	whole := bytes.Replace(text, []byte(begin), slices.Concat([]byte(begin), others, []byte(",")), 1)
	if err := json.Indent(&indented, whole, "", "  "); err != nil {
		return text // not reached: both are JSON
	}
	return indented.Bytes()
})

// eitherOf are schemas of mappings, each with one of the keys.
func eitherOf(keys ...string) (list []object) {
	for _, name := range keys {
		list = append(list, object{"required", []string{name}})
	}
	return list
}

// weightSchema is that of an evaluator with a weight beside it.
func weightSchema() object {
	properties := object{"weight", object{"type", "number", "exclusiveMinimum", 0}}
	for _, e := range evaluators() {
		properties = append(properties, e.name, object{"$ref", "#/$defs/evaluator/properties/" + e.name})
	}
	return object{
		"type", "object", "minProperties", 1, "maxProperties", 2, "additionalProperties", false,
		"properties", properties,
	}
}

// textSchema is that of a text of at least so many characters.
func textSchema(least int) object { return object{"type", "string", "minLength", least} }
