package suite

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial/prices"
)

// frameSchema is the schema of a suite without the parts that follow from the keys that are read: see [parts].
//
//go:embed schema.json
var frameSchema []byte

// object is a JSON Schema.
type object = yamlnode.Schema

// Schema returns the JSON Schema (draft 2020-12) of a suite file, for editors. It
// says less than [Parse] checks: whether a path, a regular expression or a test
// makes sense is not for a schema to tell.
func Schema() []byte { return bytes.Clone(wholeSchema()) }

// wholeSchema is made once, at its first use.
var wholeSchema = sync.OnceValue(func() []byte {
	part, err := json.Marshal(parts())
	if err != nil {
		return frameSchema // not reached: it is made of texts and numbers
	}
	const begin = `"$defs": {`
	var indented bytes.Buffer
	whole := bytes.Replace(frameSchema, []byte(begin), append([]byte(begin), append(part[1:len(part)-1], ',')...), 1)
	if err := json.Indent(&indented, whole, "", "  "); err != nil {
		return frameSchema // not reached: both are JSON
	}
	return indented.Bytes()
})

// parts are the schemas of what stands within a suite, by their names.
func parts() object {
	d := &decoder{ctx: context.Background()}
	s := &Suite{}
	return d.Definitions(
		func(n *yaml.Node) { prices.ParseNode(&d.Decoder, "", n) },
		func(n *yaml.Node) { d.evaluations(n, new([]Evaluation)) },
		d.Named("agent", func(n *yaml.Node) { d.agent(n, &s.Agent) }),
		d.Named("changes", func(n *yaml.Node) { d.agentOver(n, &s.Agent) }),
		func(n *yaml.Node) { d.variantList(n, s.Agent) },
		d.Named("wire", func(n *yaml.Node) { d.wireOf(n) }),
		d.Named("test", func(n *yaml.Node) { d.suiteTest(n, &s.Test, new(float64)) }),
		d.Named("scenario", func(n *yaml.Node) { d.scenario(n, s, inherited{}) }),
		d.Named("corpus", (&reading{decoder: d, suite: s}).corpus),
		d.Named("budget", func(n *yaml.Node) { d.budget(n, &s.Budget) }),
		d.Named("limits", func(n *yaml.Node) { d.limits(n, &limits{}) }),
		d.Named("calibrate", func(n *yaml.Node) { d.calibrate(n, &s.Calibrate) }),
		d.Named("gate", func(n *yaml.Node) { d.gate(n, &s.Gate) }),
		d.Named("coverage", func(n *yaml.Node) { d.coverage(n, &s.Coverage) }),
	)
}

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
