package mutation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
)

// Tool is a tool that an agent is offered, as its JSON stands where it was read: an object with a name, or one whose
// member function has it, as OpenAI's chat API takes it.
type Tool struct{ Raw json.RawMessage }

// Name is the name of the tool, or of one without a name its type, such as web_search; "" is none.
func (t Tool) Name() string {
	_, about := t.parsed()
	if name := about.Get("name").Str(t.Raw); name != "" {
		return name
	}
	return about.Get("type").Str(t.Raw)
}

// Description is what the tool says of itself; "" is nothing.
func (t Tool) Description() string {
	_, about := t.parsed()
	return about.Get("description").Str(t.Raw)
}

// Parameters is the JSON schema of its arguments; nil is none.
func (t Tool) Parameters() json.RawMessage {
	_, about := t.parsed()
	return schemaOf(about).Raw(t.Raw)
}

// check returns what is wrong with the JSON of a tool.
func (t Tool) check() error {
	if !json.Valid(t.Raw) {
		return errors.New("it is no JSON")
	}
	if root, about := t.parsed(); root == nil || root.Kind != '{' || about.Kind != '{' {
		return errors.New("it is no JSON object")
	}
	return nil
}

// parsed is the object of the tool, and the one that has its name. Both are nil of what cannot be read.
func (t Tool) parsed() (root, about *jsonspan.Node) {
	root, err := jsonspan.Parse(t.Raw)
	if err != nil {
		return nil, nil
	}
	if inner := root.Get("function"); inner != nil && inner.Kind == '{' {
		return root, inner
	}
	return root, root
}

// schemaOf is the schema of the arguments, under the name that providers and MCP have for it; nil is none.
func schemaOf(about *jsonspan.Node) *jsonspan.Node {
	for _, name := range []string{
		"parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema",
	} {
		if schema := about.Get(name); schema != nil && schema.Kind == '{' {
			return schema
		}
	}
	return nil
}

// edited is the tool after edits.
func (t Tool) edited(edits ...jsonspan.Edit) Tool { return Tool{jsonspan.Edited(t.Raw, edits)} }

// frame is a text around items that stand in it, from which it is made again with others.
type frame struct {
	lead, tail string
	between    []string // what stands between an item and the next
	usual      string   // where more items stand than there were
}

// framed takes items out of a text.
func framed(text string, items []span, usual string) frame {
	if len(items) == 0 {
		return frame{lead: text, usual: usual}
	}
	f := frame{lead: text[:items[0].start], tail: text[items[len(items)-1].end:], usual: usual}
	for i := 1; i < len(items); i++ {
		f.between = append(f.between, text[items[i-1].end:items[i].start])
	}
	if len(f.between) > 0 {
		f.usual = f.between[0]
	}
	return f
}

// put is the text with items in their places.
func (f frame) put(items []string) string {
	var b bytes.Buffer
	b.WriteString(f.lead)
	for i, item := range items {
		switch {
		case i == 0:
		case i <= len(f.between):
			b.WriteString(f.between[i-1])
		default:
			b.WriteString(f.usual)
		}
		b.WriteString(item)
	}
	b.WriteString(f.tail)
	return b.String()
}

// toolList finds the list of tools in a document: the document itself, or its member tools, also within result as an
// MCP server answers; of Gemini's declarations the first list of them.
func toolList(text []byte) (*jsonspan.Node, error) {
	if !json.Valid(text) {
		var syntax *json.SyntaxError
		if errors.As(json.Unmarshal(text, new(any)), &syntax) {
			line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
			return nil, fmt.Errorf("line %d: %w", line, syntax)
		}
		return nil, errors.New("it is no JSON")
	}
	n, err := jsonspan.Parse(text)
	if err != nil {
		return nil, err
	}
	for _, inner := range []*jsonspan.Node{n.Get("tools"), n.Get("result", "tools")} {
		if n.Kind == '{' && inner != nil {
			n = inner
		}
	}
	if n.Kind != '[' {
		return nil, errors.New("it is no JSON list of tools, nor an object with one in tools")
	}
	for _, item := range n.List() {
		for _, name := range []string{"functionDeclarations", "function_declarations"} {
			if declared := item.Get(name); declared != nil && declared.Kind == '[' {
				return declared, nil
			}
		}
	}
	return n, nil
}

// ParseTools reads a list of tools as a provider or MCP takes it: a JSON list, or an object whose member tools is one,
// such as the body of a request; of Gemini's function declarations the first list.
func ParseTools(text []byte) ([]Tool, error) {
	list, err := toolList(text)
	if err != nil {
		return nil, err
	}
	tools := []Tool{}
	for i, item := range list.List() {
		t := Tool{bytes.Clone(item.Raw(text))}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("tool %d: %w", i+1, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// PutTools is a document of [ParseTools] with other tools in the places of those that it has. What does not change
// stays byte for byte.
func PutTools(text []byte, tools []Tool) ([]byte, error) {
	list, err := toolList(text)
	if err != nil {
		return nil, err
	}
	items := list.List()
	if len(items) == 0 {
		if len(tools) == 0 {
			return text, nil
		}
		f := frame{lead: string(text[:list.Start+1]), tail: string(text[list.End-1:]), usual: ", "}
		return []byte(f.put(rawsOf(tools))), nil
	}
	var spans []span
	for _, item := range items {
		spans = append(spans, span{item.Start, item.End})
	}
	return []byte(framed(string(text), spans, ", ").put(rawsOf(tools))), nil
}

// rawsOf are the texts of tools.
func rawsOf(tools []Tool) (texts []string) {
	for _, t := range tools {
		texts = append(texts, string(t.Raw))
	}
	return texts
}
