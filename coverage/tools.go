package coverage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"

	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// maxTools is the longest list of tools that is read. No model could choose among so many;
// a longer one is something else.
const maxTools = 10_000

// ToolList is a list of tools with the domains of their parameters.
type ToolList struct {
	Tools []Tool // in the order of the list, each with a name of its own
}

// Tool is a tool of a list. Of parameters without limits there are types alone.
type Tool struct {
	Name        string            // as calls name it
	Description string            // "" where there is none
	Parameters  map[string]Domain // by path, see [Domain]
	Schema      trial.Raw         // of the arguments, as the list has it; nil where there is none
}

// Names returns the names of the tools, in the order of the list.
func (l *ToolList) Names() []string {
	list := make([]string, len(l.Tools))
	for i, t := range l.Tools {
		list[i] = t.Name
	}
	return list
}

// Boundaries returns the domains of the tools that have some, as [Declaration] takes
// them. The maps are new.
func (l *ToolList) Boundaries() map[string]map[string]Domain {
	all := make(map[string]map[string]Domain)
	for _, t := range l.Tools {
		if len(t.Parameters) > 0 {
			all[t.Name] = maps.Clone(t.Parameters)
		}
	}
	return all
}

// LoadTools reads the file of that name; see [ReadTools].
func LoadTools(name string) (*ToolList, error) { return LoadToolsContext(context.Background(), name) }

// LoadToolsContext is [LoadTools] of a file that the context lets be opened.
func LoadToolsContext(ctx context.Context, name string) (*ToolList, error) {
	file, err := input.Open(ctx, name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer file.Close()
	return ReadTools(name, file)
}

// unreadable is the error of a file that cannot be opened or read.
func unreadable(name string, err error) error {
	if refused, ok := errors.AsType[*trial.FileError](err); ok {
		return refused
	}
	e := &trial.FileError{File: name, Problem: "cannot be read: " + err.Error(), Err: err}
	// The message of the system alone: the name stands in the error already.
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		e.Problem = "cannot be read: " + path.Err.Error()
	}
	if errors.Is(err, fs.ErrNotExist) {
		e.Problem, e.Advice = "does not exist", "it is a list of tools, as an MCP server or an OpenAI request holds it"
	}
	return e
}

// ReadTools reads a list of tools: the result of tools/list of an MCP server, with or
// without its envelope, a plain list of such tools (name, inputSchema), or the tools
// of an OpenAI request in either form, with the members below "function" or beside
// "type". The domains of the parameters come from their JSON Schema; what is not
// understood of one is no limit.
//
// The name stands in errors, which are [trial.FileError], [trial.SyntaxError] or
// [trial.FieldError]. A list that says that it goes on elsewhere is refused.
func ReadTools(name string, from io.Reader) (*ToolList, error) {
	// One byte more than is allowed shows that the file is too long.
	text, err := io.ReadAll(io.LimitReader(from, maxToolBytes+1))
	if err != nil {
		return nil, unreadable(name, err)
	}
	if len(text) > maxToolBytes {
		problem := fmt.Sprintf("is larger than %d MiB", maxToolBytes>>20)
		return nil, &trial.FileError{File: name, Problem: problem, Advice: listHint}
	}
	// A byte order mark, as some editors of Windows write it, is no JSON.
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &trial.FileError{File: name, Problem: "is empty", Advice: "an empty list of tools is []"}
	}
	d := &document{file: name, text: text}
	root, err := d.parse()
	if err != nil {
		return nil, err
	}
	return d.toolList(root)
}

// toolList finds the list within its envelopes: the answer of a JSON-RPC call, whose result
// it is, and an object that holds it as tools. A name that is there twice is refused: which
// of the two a call means is not to be told.
func (d *document) toolList(root *node) (*ToolList, error) {
	field := "tools"
	list := root
	if root.kind == '{' {
		at := root
		if result := root.get("result"); result != nil && result.kind == '{' {
			at, field = result, "result.tools"
		}
		list = at.get("tools")
		if list == nil {
			return nil, d.refuse(at, field, "is missing", "write a list of tools, or an object that holds one as tools")
		}
		// A page of a longer list would count as all tools: coverage would look better than it is.
		if cursor := at.get("nextCursor"); cursor != nil && cursor.kind == '"' && string(cursor.raw) != `""` {
			return nil, d.refuse(cursor, "nextCursor", "says that more tools follow", "join the pages into one list")
		}
	}
	if list.kind != '[' {
		return nil, d.refuse(list, field, "must be a list", "in brackets")
	}
	if len(list.items) > maxTools {
		return nil, d.refuse(list, field, fmt.Sprintf("holds more than %d tools", maxTools), listHint)
	}
	result := &ToolList{Tools: make([]Tool, 0, len(list.items))}
	seen := make(map[string]int, len(list.items))
	for i, item := range list.items {
		at := fmt.Sprintf("%s[%d]", field, i)
		tool, err := d.tool(item, at)
		if err != nil {
			return nil, err
		}
		if first, twice := seen[tool.Name]; twice {
			hint := fmt.Sprintf("%s[%d] has it already", field, first)
			return nil, d.refuse(item, at, "has the name "+shown(tool.Name)+" again", hint)
		}
		seen[tool.Name] = i
		result.Tools = append(result.Tools, tool)
	}
	return result, nil
}

// tool reads one tool. A tool that the provider runs itself has no name but its type.
func (d *document) tool(n *node, at string) (Tool, error) {
	if n.kind != '{' {
		return Tool{}, d.refuse(n, at, "must be an object", "with a name and a schema")
	}
	// OpenAI's chat completions put name and parameters below "function", its responses beside "type".
	outer := n
	if function := n.get("function"); function != nil {
		n, at = function, at+".function"
		if n.kind != '{' {
			return Tool{}, d.refuse(n, at, "must be an object", "with a name and parameters")
		}
	}
	name := n.get("name")
	if kind := outer.get("type"); name == nil && n == outer && kind != nil && string(kind.raw) != `"function"` {
		name = kind
	}
	switch {
	case name == nil:
		return Tool{}, d.refuse(n, at+".name", "is missing", "every tool has one")
	case name.kind != '"' || string(name.raw) == `""`:
		return Tool{}, d.refuse(name, at+".name", "must be a text that is not empty", "every tool has a name")
	}
	tool := Tool{Name: trial.Raw(name.raw).Text()}
	if about := n.get("description"); about != nil && about.kind == '"' {
		tool.Description = trial.Raw(about.raw).Text()
	}
	// MCP has inputSchema, OpenAI parameters, Anthropic input_schema; the first that is there counts.
	for _, key := range []string{"inputSchema", "parameters", "input_schema"} {
		schema := n.get(key)
		if schema == nil || schema.kind == 'n' {
			continue
		}
		s := schemaReader{document: d, root: schema, found: make(map[string]Domain), open: make(openTypes)}
		if err := s.read(schema, "", at+"."+key, 0); err != nil {
			return Tool{}, err
		}
		if err := s.check(schema, at+"."+key); err != nil {
			return Tool{}, err
		}
		tool.Parameters, tool.Schema = s.found, schema.json()
		break
	}
	return tool, nil
}

// shown quotes a text of the list, whatever is in it.
func shown(text string) string { return `"` + prose.Excerpt(text) + `"` }
