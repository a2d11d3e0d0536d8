package coverage

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

func read(text string) (*ToolList, error) { return ReadTools("tools.json", strings.NewReader(text)) }

// One tool in each of the shapes in which it is listed.
func TestShapes(t *testing.T) {
	const schema = `{"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}`
	want := &ToolList{Tools: []Tool{{
		Name: "t", Parameters: map[string]Domain{"n": {Minimum: trial.Some(1.0), Integer: true}},
		Schema: trial.Raw(strings.ReplaceAll(schema, " ", "")),
	}}}
	for name, text := range map[string]string{
		"MCP response": `{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "t", "inputSchema": ` + schema +
			`}], "nextCursor": ""}}`,
		"MCP result": `{"tools": [{"name": "t", "title": "T", "inputSchema": ` + schema +
			`, "outputSchema": {"x": 1}}]}`,
		"plain list":       `[{"name": "t", "description": "d", "inputSchema": ` + schema + `}]`,
		"OpenAI chat":      `[{"type": "function", "function": {"name": "t", "strict": true, "parameters": ` + schema + `}}]`,
		"OpenAI responses": `{"model": "m", "tools": [{"type": "function", "name": "t", "parameters": ` + schema + `}]}`,
		"Anthropic":        `[{"name": "t", "input_schema": ` + schema + `}]`,
		"byte order mark":  "\ufeff[{\"name\": \"t\", \"inputSchema\": " + schema + "}]\n",
	} {
		got, err := read(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if want.Tools[0].Description = ""; name == "plain list" {
			want.Tools[0].Description = "d"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	list, err := read(`[{"type": "web_search"}, {"name": "u", "inputSchema": null}, {"name": "v"}]`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"web_search", "u", "v"}, list.Names()); diff != "" || len(list.Boundaries()) > 0 {
		t.Error(diff, list)
	}
}

func TestSchemas(t *testing.T) {
	raws := func(texts ...string) (list []trial.Raw) {
		for _, text := range texts {
			list = append(list, trial.Raw(text))
		}
		return list
	}
	for _, c := range []struct {
		name, schema string
		want         map[string]Domain
	}{
		{"numbers", `{"properties": {"x": {"type": "number", "minimum": -1.5, "exclusiveMaximum": 1e3}}}`,
			map[string]Domain{"x": {Minimum: trial.Some(-1.5), ExclusiveMaximum: trial.Some(1000.0)}}},
		{"texts and lists", `{"properties": {"s": {"minLength": 0, "maxLength": 5.0}, "l": {"minItems": 1, "maxItems": 9, "items": {"enum": ["a", 2]}}}}`,
			map[string]Domain{"s": {MinLength: trial.Some(0), MaxLength: trial.Some(5)},
				"l": {MinItems: trial.Some(1), MaxItems: trial.Some(9)}, "l[]": {Enum: raws(`"a"`, "2")}}},
		{"const and boolean", `{"properties": {"c": {"const": {"a": [1, "b"]}}, "b": {"type": "boolean"}, "n": {"type": ["boolean", "null"]}}}`,
			map[string]Domain{"c": {Enum: raws(`{"a":[1,"b"]}`)}, "b": {Enum: raws("false", "true")},
				"n": {Enum: raws("false", "true")}}},
		{"nested", `{"properties": {"a": {"properties": {"b": {"type": "array", "items": {"properties": {"c": {"maximum": 1}}}}}}}}`,
			map[string]Domain{"a.b": {Types: []string{"array"}}, "a.b[].c": {Maximum: trial.Some(1.0)}}},
		{"optional, as pydantic writes it",
			`{"properties": {"s": {"anyOf": [{"type": "string", "maxLength": 3}, {"type": "null"}]}}}`,
			map[string]Domain{"s": {MaxLength: trial.Some(3)}}},
		{"references", `{"$defs": {"A": {"properties": {"z": {"$ref": "#/$defs/B~1~0"}}}, "B/~": {"minLength": 2}}, "properties": {"x": {"$ref": "#/$defs/A"}}}`,
			map[string]Domain{"x.z": {MinLength: trial.Some(2)}}},
		{"a reference with more beside it",
			`{"$defs": {"A": {"maximum": 7}}, "properties": {"x": {"$ref": "#/$defs/A", "minimum": 1, "maximum": 9}}}`,
			map[string]Domain{"x": {Minimum: trial.Some(1.0), Maximum: trial.Some(7.0)}}},
		{"a tree", `{"$defs": {"T": {"properties": {"n": {"maximum": 7}, "left": {"$ref": "#/$defs/T"}}}}, "properties": {"t": {"$ref": "#/$defs/T"}}}`,
			map[string]Domain{"t.n": {Maximum: trial.Some(7.0)}}},
		{"a tree at the root", `{"properties": {"n": {"maximum": 7}, "inner": {"$ref": "#"}}}`,
			map[string]Domain{"n": {Maximum: trial.Some(7.0)}, "inner.n": {Maximum: trial.Some(7.0)}}},
		{"draft 4", `{"properties": {"x": {"minimum": 0, "exclusiveMinimum": true}}}`,
			map[string]Domain{"x": {Minimum: trial.Some(0.0)}}},
		{"no limits", `{"properties": {"s": {"type": "string"}, "i": {"type": "integer"}, "any": true}, "required": ["s"]}`,
			map[string]Domain{"s": {Types: []string{"string"}}, "i": {Types: []string{"integer"}}}},
		{"types", `{"properties": {"s": {"anyOf": [{"type": "string"}, {"type": ["number", "null"]}]}, "f": {"type": "string", "format": "date"},
			"p": {"anyOf": [{"type": "string"}, {"type": "string", "pattern": "^a"}]}, "n": {"type": "null"}, "o": {"type": "object"},
			"m": {"type": "object", "properties": {"x": {"type": "array"}}}, "k": {"type": "object", "required": ["x"]},
			"l": {"type": "string", "maxLength": 4}, "u": {"type": "file"}}}`,
			map[string]Domain{"s": {Types: []string{"number", "string"}}, "o": {Types: []string{"object"}},
				"m.x": {Types: []string{"array"}},
				"l":   {MaxLength: trial.Some(4)}}},
	} {
		list, err := read(`[{"name": "t", "inputSchema": ` + c.schema + `}]`)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, list.Tools[0].Parameters); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// doubling are definitions of which each refers twice to the next.
func doubling(levels int) string {
	var b strings.Builder
	b.WriteString(`{"properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": {`)
	for i := range levels {
		fmt.Fprintf(&b, `"d%d": {"anyOf": [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}, `, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d": {"maximum": 1}}}`, levels)
	return b.String()
}

func TestBadTools(t *testing.T) {
	in := func(schema string) string { return "[\n {\"name\": \"t\", \"inputSchema\": " + schema + "}]" }
	for _, c := range []struct{ text, want string }{
		{"", "tools.json is empty; an empty list of tools is []"},
		{" \n", "tools.json is empty; an empty list of tools is []"},
		{`[{"name": "a"`, "tools.json:1:14: this is not JSON: it ends inside a value; is the file cut off, or no JSON at all?"},
		{"[\n{]", "tools.json:2:2: this is not JSON: invalid character ']' at start of value; is the file cut off, or no " +
			"JSON at all?"},
		{`[] []`, "tools.json:1:3: more follows the list of tools; the file holds one JSON value"},
		{`[{"name": "a", "name": "b"}]`, "tools.json:1:16: this is not JSON: a name stands twice in an object; remove one of the two"},
		{`7`, "tools.json:1:1: tools must be a list; in brackets"},
		{`{"name": "a"}`, "tools.json:1:1: tools is missing; write a list of tools, or an object that holds one as tools"},
		{`{"result": {}}`, "tools.json:1:12: result.tools is missing; write a list of tools, or an object that holds one as tools"},
		{`{"tools": {}}`, "tools.json:1:11: tools must be a list; in brackets"},
		{`{"tools": [], "nextCursor": "2"}`, "tools.json:1:29: nextCursor says that more tools follow; join the pages into one list"},
		{"[\n \"a\"]", "tools.json:2:2: tools[0] must be an object; with a name and a schema"},
		{`[{"title": "a"}]`, "tools.json:1:2: tools[0].name is missing; every tool has one"},
		{`[{"type": "function"}]`, "tools.json:1:2: tools[0].name is missing; every tool has one"},
		{`[{"type": "function", "function": {"parameters": {}}}]`, "tools.json:1:35: tools[0].function.name is missing; every tool has one"},
		{`[{"type": "function", "function": "a"}]`, "tools.json:1:35: tools[0].function must be an object; with a name and parameters"},
		{`[{"name": ""}]`, "tools.json:1:11: tools[0].name must be a text that is not empty; every tool has a name"},
		{`[{"name": "a"}, {"name": "a"}]`, `tools.json:1:17: tools[1] has the name "a" again; tools[0] has it already`},
		{in(`7`), "tools.json:2:31: tools[0].inputSchema must be a schema; an object"},
		{in(`{"properties": []}`), "tools.json:2:46: tools[0].inputSchema.properties must be an object; in braces"},
		{in(`{"properties": {"n": {"minimum": "1"}}}`), "tools.json:2:64: tools[0].inputSchema.properties.n.minimum must be a number; a finite one, without quotes"},
		{in(`{"properties": {"n": {"maximum": 1e999}}}`), "tools.json:2:64: tools[0].inputSchema.properties.n.maximum must be a number; a finite one, without quotes"},
		{in(`{"properties": {"n": {"minLength": 1.5}}}`), "tools.json:2:66: tools[0].inputSchema.properties.n.minLength must be a whole number that is not negative; without quotes"},
		{in(`{"properties": {"n": {"maxItems": -1}}}`), "tools.json:2:65: tools[0].inputSchema.properties.n.maxItems must be a whole number that is not negative; without quotes"},
		{in(`{"properties": {"n": {"enum": "a"}}}`), "tools.json:2:61: tools[0].inputSchema.properties.n.enum must be a list; in brackets"},
		{in(`{"anyOf": {}}`), "tools.json:2:41: tools[0].inputSchema.anyOf must be a list; in brackets"},
		{in(`{"properties": {"n": {"minimum": 3, "maximum": 2}}}`), "tools.json:2:31: tools[0].inputSchema: parameter n cannot be used: minimum 3 lies above the maximum; no value fits it"},
		{in(`{"$ref": "#/$defs/A"}`), `tools.json:2:40: tools[0].inputSchema.$ref "#/$defs/A" leads to nothing; is its definition missing from $defs?`},
		{in(`{"$ref": "https://example.com/a"}`), `tools.json:2:40: tools[0].inputSchema.$ref "https://example.com/a" does not lead into this schema; write the definition out, or put it below $defs`},
		{in(`{"$ref": 7}`), "tools.json:2:40: tools[0].inputSchema.$ref must be a text; such as \"#/$defs/amount\""},
	} {
		list, err := read(c.text)
		if err == nil || err.Error() != c.want || list != nil {
			t.Errorf("%s\ngives %v\nwant  %s", c.text, err, c.want)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"deep":          {strings.Repeat("[", 100_000), "nested deeper than 64 levels"},
		"doubling":      {in(doubling(30)), "is too large a schema; at most 32 levels and 20000 schemas are read"},
		"doubling more": {in(doubling(14)), "is too large a schema"},
		"many values": {"[" + strings.Repeat("0,", 600_000) + "0]",
			"holds more than 500000 values; is it a list of tools?"},
		"long": {strings.Repeat(" ", maxToolBytes+1), "is larger than 16 MiB; is it a list of tools?"},
		"long enum": {in(`{"properties": {"n": {"enum": [` + strings.Repeat("0,", 2000) + `0]}}}`),
			"has more than 1000 values"},
	} {
		if _, err := read(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := LoadTools("testdata/none.json"); err == nil ||
		!strings.HasPrefix(err.Error(), "testdata/none.json does not exist; ") {
		t.Error(err)
	}
	if _, err := LoadTools(os.TempDir()); err == nil {
		t.Error("a folder is read")
	}
}

func TestUse(t *testing.T) {
	list, err := read(`[{"name": "a", "inputSchema": {"properties": {"n": {"maximum": 1}, "m": {"maximum": 2}}}}, {"name": "b"}]`)
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]map[string]Domain{"a": {"n": {Maximum: trial.Some(9.0)}}, "b": {"x": {Minimum: trial.Some(0.0)}}}
	d := Declaration{Tools: []string{"old"}, Boundaries: given}
	d.Use(list)
	want := Declaration{Tools: []string{"a", "b"}, Boundaries: map[string]map[string]Domain{
		"a": {"n": {Maximum: trial.Some(9.0)}, "m": {Maximum: trial.Some(2.0)}}, "b": {"x": {Minimum: trial.Some(0.0)}},
	}}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
	if len(given["a"]) != 1 || list.Tools[0].Parameters["n"].Maximum.Value != 1 {
		t.Error("what was given is changed")
	}
	d.Use(nil)
	if len(d.Tools) != 2 {
		t.Error("no list is used")
	}
}

// ReadTools returns an error or a list that can be declared.
func FuzzReadTools(f *testing.F) {
	f.Add(`{"tools": [{"name": "t", "inputSchema": {"$defs": {"A": {"maximum": 1}}, "properties": {"n": {"$ref": "#/$defs/A"}, "l": {"items": {"enum": [1]}}}}}]}`)
	f.Add(`[{"type": "function", "function": {"name": "t", "parameters": {"properties": {"b": {"type": "boolean", "minLength": 1}}}}}]`)
	f.Add(`[{"name": "t", "inputSchema": ` + doubling(8) + `}]`)
	f.Add(`[{"name": "\ud800"`)
	f.Fuzz(func(t *testing.T, text string) {
		list, err := read(text)
		if err != nil {
			if list != nil || err.Error() == "" {
				t.Errorf("%v %v", list, err)
			}
			return
		}
		var d Declaration
		d.Use(list)
		if _, err := NewCollector(d); err != nil {
			t.Error(err)
		}
	})
}
