package arbitrary

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
)

// How values are drawn. All of it is chosen.
const (
	mostAttempts = 200           // values that are drawn until one is allowed
	mostNodes    = 2_000         // of a value; what is beyond them is as small as the schema has it
	endless      = 4 * mostNodes // where a value is given up, as what is required goes on and on
	mostDrawn    = 20 * endless  // of all attempts
	deepestValue = 12            // of values within values, for the same
	moreItems    = 4             // beyond the least number of items, where there is no limit
)

// Value draws a value that the schema allows, as JSON. Limits of numbers, lengths and items are drawn more often than
// what lies between them. The error is a [SchemaError]: none of up to 200 values was allowed.
func (s *Source) Value(random *rand.Rand) (json.RawMessage, error) {
	attempts, drawn := 0, 0
	for attempts < mostAttempts && drawn <= mostDrawn {
		d := &drawing{Source: s, random: random}
		value := d.value(s.root, 0)
		if d.nodes <= endless && s.valid(value) {
			return Encoded(value), nil
		}
		attempts, drawn = attempts+1, drawn+d.nodes
	}
	return nil, noValue(attempts)
}

// drawing is one value as it is drawn.
type drawing struct {
	*Source
	random *rand.Rand
	nodes  int
}

// small reports whether what is drawn here is to be as small as it may be.
func (d *drawing) small(depth int) bool { return depth >= deepestValue || d.nodes >= mostNodes }

// value draws a value of a schema, which stands so deep within others.
func (d *drawing) value(schema any, depth int) any {
	d.nodes++
	if d.nodes > endless {
		return nil
	}
	object, _ := schema.(map[string]any)
	if object == nil || depth > deepest {
		return d.anything(depth)
	}
	object = d.joined(object, 0)
	if value, ok := object["const"]; ok {
		return value
	}
	if values, ok := object["enum"].([]any); ok && len(values) > 0 {
		return values[d.random.IntN(len(values))]
	}
	switch d.typeOf(object) {
	case "object":
		return d.object(object, depth)
	case "array":
		return d.list(object, depth)
	case "string":
		return d.text(object)
	case "integer":
		return d.number(object, true)
	case "number":
		return d.number(object, false)
	case "boolean":
		return d.random.IntN(2) == 0
	case "null":
		return nil
	}
	return d.anything(depth)
}

// joined is a schema with what its references, and one choice of each of its lists, ask.
func (d *drawing) joined(schema map[string]any, depth int) map[string]any {
	if depth > deepest {
		return schema
	}
	for _, key := range []string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"} {
		value, there := schema[key]
		if !there {
			continue
		}
		schema = maps.Clone(schema)
		delete(schema, key)
		var parts []any
		if reference, ok := value.(string); ok {
			parts = []any{d.resolved(reference)}
		} else if parts, _ = value.([]any); key != "allOf" && len(parts) > 0 {
			parts = []any{parts[d.random.IntN(len(parts))]}
		}
		for _, part := range parts {
			if other, ok := part.(map[string]any); ok {
				schema = merged(schema, other)
			}
		}
		return d.joined(schema, depth+1)
	}
	return schema
}

// typeOf is the type that is drawn: one of those that the schema names, or that its keywords are of; "" is any.
func (d *drawing) typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			word, _ := t[d.random.IntN(len(t))].(string)
			return word
		}
	}
	for _, kind := range []struct {
		word string
		keys []string
	}{
		{"object", []string{"properties", "required", "additionalProperties", "minProperties", "patternProperties"}},
		{"array", []string{"items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"}},
		{"string", []string{"minLength", "maxLength", "pattern", "format"}},
		{"number", []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}},
	} {
		if slices.ContainsFunc(kind.keys, func(key string) bool { _, there := schema[key]; return there }) {
			return kind.word
		}
	}
	return ""
}

// anything draws a value of no schema: one of each type, and nothing within it.
func (d *drawing) anything(depth int) any {
	if d.small(depth) {
		return nil
	}
	return []any{
		nil, false, true, json.Number("0"), json.Number("-1"), json.Number("1.5"), "", "a", []any{}, map[string]any{},
	}[d.random.IntN(10)]
}

// object draws the members that are required and about half of the others.
func (d *drawing) object(schema map[string]any, depth int) any {
	properties, _ := schema["properties"].(map[string]any)
	required := map[string]bool{}
	names, _ := schema["required"].([]any)
	for _, name := range names {
		if text, ok := name.(string); ok {
			required[text] = true
		}
	}
	value := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if required[name] || !d.small(depth) && d.random.IntN(2) == 0 {
			value[name] = d.value(properties[name], depth+1)
		}
	}
	rest, restricted := schema["additionalProperties"]
	for name := range required {
		if _, there := value[name]; !there {
			value[name] = d.value(rest, depth+1)
		}
	}
	for i := 1; len(value) < whole(schema["minProperties"], 0) && i <= mostNodes; i++ {
		if name := "p" + strconv.Itoa(i); !restricted || rest != false {
			value[name] = d.value(rest, depth+1)
		}
	}
	return value
}

// list draws as many items as the schema asks for and a few more. The first ones may have schemas of their own.
func (d *drawing) list(schema map[string]any, depth int) any {
	first, _ := schema["prefixItems"].([]any)
	items, there := schema["items"]
	if list, ok := items.([]any); ok { // as before draft 2020-12
		first = list
		items, there = schema["additionalItems"], schema["additionalItems"] != nil
	}
	least := whole(schema["minItems"], 0)
	most := whole(schema["maxItems"], max(least, len(first))+moreItems)
	if there && items == false {
		most = min(most, len(first))
	}
	size := d.between(least, min(most, least+mostNodes))
	if d.small(depth) {
		size = least
	}
	value := make([]any, 0, min(size, mostNodes))
	seen := map[string]bool{}
	for i := 0; len(value) < size && i < 2*size+moreItems && d.nodes <= endless; i++ {
		itemSchema := items
		if len(value) < len(first) {
			itemSchema = first[len(value)]
		}
		item := d.value(itemSchema, depth+1)
		if schema["uniqueItems"] == true {
			text := string(Encoded(item))
			if seen[text] {
				continue
			}
			seen[text] = true
		}
		value = append(value, item)
	}
	return value
}

// between draws a whole number, its limits in two of five draws.
func (d *drawing) between(low, high int) int {
	switch {
	case high <= low:
		return low
	case d.random.IntN(5) == 0:
		return low
	case d.random.IntN(4) == 0:
		return high
	}
	return low + d.random.IntN(high-low+1)
}
