package rewrite

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/trial"
)

// request is the body of a request, with what the agent is made of where it stands.
type request struct {
	dialect string
	path    string
	body    []byte
	root    *jsonspan.Node
	system  []text // system and developer messages
	tools   []mutation.Tool
	users   []*jsonspan.Node // contents of the user's messages
}

// text is a text of a request. Where it is left out, the item goes with it from its list; nil: it is a member.
type text struct {
	value, item, list *jsonspan.Node
}

// between stands between several system messages of a request, as one prompt.
const between = "\n\n"

var errUnknown = errors.New("no request in a known form")

// read finds the parts of a request.
func read(dialect, path string, body []byte) (*request, error) {
	root, err := jsonspan.Parse(body)
	if err != nil || root.Kind != '{' {
		return nil, errUnknown
	}
	q := &request{dialect: dialect, path: path, body: body, root: root}
	switch dialect {
	case "openai/chat", "ollama/chat":
		q.messages(root.Get("messages"))
	case "openai/responses":
		q.member(root.Get("instructions"))
		input := root.Get("input")
		if input != nil && input.Kind == '"' {
			q.users = append(q.users, input)
		}
		q.messages(input)
	case "anthropic/messages":
		q.texts(root.Get("system"), nil, nil)
		q.messages(root.Get("messages"))
	case "gemini/generateContent":
		for _, name := range []string{"systemInstruction", "system_instruction"} {
			q.texts(root.Get(name, "parts"), nil, nil)
		}
		for _, c := range root.Get("contents").List() {
			if role := c.Get("role").Str(body); role == "user" || role == "" {
				q.users = append(q.users, c.Get("parts"))
			}
		}
	default:
		return nil, errUnknown
	}
	q.tools, _ = mutation.ParseTools(body) // of a request without any there is an error
	if root.Get("tools") == nil {
		q.tools = nil
	}
	return q, nil
}

// messages takes in messages with roles.
func (q *request) messages(list *jsonspan.Node) {
	for _, m := range list.List() {
		switch m.Get("role").Str(q.body) {
		case "system", "developer":
			q.texts(m.Get("content"), m, list)
		case "user":
			q.users = append(q.users, m.Get("content"))
		}
	}
}

// member takes in a text that is a member.
func (q *request) member(n *jsonspan.Node) {
	if n != nil && n.Kind == '"' {
		q.system = append(q.system, text{value: n})
	}
}

// texts takes in a content: a text, or a list of parts with texts. With its only text, a message goes as a whole.
func (q *request) texts(content, message, messages *jsonspan.Node) {
	if content == nil {
		return
	}
	if content.Kind == '"' {
		q.system = append(q.system, text{content, message, messages})
		return
	}
	parts := content.List()
	for _, p := range parts {
		if inner := p.Get("text"); inner != nil && inner.Kind == '"' {
			t := text{inner, p, content}
			if len(parts) == 1 && message != nil {
				t.item, t.list = message, messages
			}
			q.system = append(q.system, t)
		}
	}
}

// configuration is what the request says of the agent.
func (q *request) configuration() (c mutation.Configuration) {
	var texts []string
	for _, t := range q.system {
		texts = append(texts, t.value.Str(q.body))
	}
	c.Prompt = strings.Join(texts, between)
	c.Tools, c.Context = q.tools, q.documents().segments
	c.Model = q.root.Get("model").Str(q.body)
	if q.dialect == "gemini/generateContent" {
		c.Model = modelOf(q.path)
	}
	if n := q.temperature(); n != nil {
		if x, err := strconv.ParseFloat(string(n.Raw(q.body)), 64); err == nil {
			c.Temperature = trial.Some(x)
		}
	}
	return c
}

// modelOf is the model that a path of Gemini has; "" is none.
func modelOf(path string) string {
	_, rest, found := strings.Cut(path, "/models/")
	name, _, colon := strings.Cut(rest, ":")
	if !found || !colon {
		return ""
	}
	return name
}

// temperature is where the request has it; nil is nowhere.
func (q *request) temperature() *jsonspan.Node {
	switch q.dialect {
	case "gemini/generateContent":
		return q.root.Get("generationConfig", "temperature")
	case "ollama/chat":
		return q.root.Get("options", "temperature")
	}
	return q.root.Get("temperature")
}

// edit makes edits.
func (q *request) edit(edits ...jsonspan.Edit) { q.body = jsonspan.Edited(q.body, edits) }

// putPrompt puts a prompt in the place of the one that there is: into the text in which it differs, or, where it
// differs in several, into the first of these, and the others go.
func (q *request) putPrompt(prompt string) error {
	if len(q.system) == 0 {
		return errUnknown
	}
	first, last := 0, len(q.system)-1
	rest := prompt
	for ; first < last; first++ {
		after, same := strings.CutPrefix(rest, q.system[first].value.Str(q.body)+between)
		if !same {
			break
		}
		rest = after
	}
	for ; last > first; last-- {
		before, same := strings.CutSuffix(rest, between+q.system[last].value.Str(q.body))
		if !same {
			break
		}
		rest = before
	}
	edits := []jsonspan.Edit{q.system[first].value.Replace(rest)}
	gone := map[*jsonspan.Node]bool{}
	for _, t := range q.system[first+1 : last+1] {
		if t.list == nil {
			edits = append(edits, t.value.Replace(""))
			continue
		}
		gone[t.item] = true
	}
	lists := map[*jsonspan.Node]bool{}
	for _, t := range q.system[first+1 : last+1] {
		if t.list != nil && !lists[t.list] {
			lists[t.list] = true
			edits = append(edits, t.list.Without(func(item *jsonspan.Node) bool { return gone[item] })...)
		}
	}
	q.edit(edits...)
	return nil
}

// putTools puts tools in the place of those that there are. Without any, the request says nothing of tools; what it
// says of one that is not there any more goes too.
func (q *request) putTools(tools []mutation.Tool) error {
	if len(tools) == 0 {
		q.edit(q.root.Drop("tools", "tool_choice", "parallel_tool_calls", "toolConfig", "tool_config")...)
		return nil
	}
	made, err := mutation.PutTools(q.body, tools)
	if err != nil {
		return err
	}
	chosen := q.chosen()
	q.body = made
	if chosen == "" || slices.ContainsFunc(tools, func(t mutation.Tool) bool { return t.Name() == chosen }) {
		return nil
	}
	root, err := jsonspan.Parse(made)
	if err != nil {
		return err
	}
	q.edit(root.Drop("tool_choice")...)
	return nil
}

// chosen is the tool that the request wants to be called; "" is none.
func (q *request) chosen() string {
	choice := q.root.Get("tool_choice")
	if name := choice.Get("function", "name").Str(q.body); name != "" {
		return name
	}
	return choice.Get("name").Str(q.body)
}

// putModel puts a model and a temperature in the place of those that there are, and returns the model that the path is
// to have.
func (q *request) putModel(c mutation.Configuration) (inPath string, err error) {
	var edits []jsonspan.Edit
	if n := q.temperature(); n != nil && c.Temperature.Known {
		if x, err := strconv.ParseFloat(string(n.Raw(q.body)), 64); err != nil || x != c.Temperature.Value {
			edits = append(edits, n.Replace(c.Temperature.Value))
		}
	}
	if q.dialect == "gemini/generateContent" {
		if c.Model != modelOf(q.path) {
			inPath = c.Model
		}
	} else if n := q.root.Get("model"); n != nil && n.Str(q.body) != c.Model {
		edits = append(edits, n.Replace(c.Model))
	}
	q.edit(edits...)
	return inPath, nil
}
