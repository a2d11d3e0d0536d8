package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/wire"
)

// place is where a request has a result, in the form of its dialect.
type place struct {
	result Result
	value  *node // that holds the text
	owner  *node // the object that says of it that it is an error; nil: its form cannot
	isJSON bool  // the value is an object, with an output or an error
}

// rewrite changes the results and the tools of a request, and tells which faults that was.
func (f *Faults) rewrite(r *wire.Request) {
	if !f.of(OfResult) && !f.of(OfList) || r.Dialect == "" {
		return
	}
	n, err := parse(r.Body)
	if err != nil {
		return // which is understood, and nested too deep
	}
	var edits []edit
	if f.of(OfResult) {
		edits = f.rewriteResults(r, n)
	}
	if f.of(OfList) {
		edits = append(edits, f.rewriteTools(r, n)...)
	}
	if len(edits) == 0 {
		return
	}
	body := edited(r.Body, edits)
	r.HTTP.Body, r.HTTP.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.HTTP.GetBody = nil
}

// rewriteResults changes results.
func (f *Faults) rewriteResults(r *wire.Request, n *node) (edits []edit) {
	for _, p := range results(r, n) {
		if f.servers.called(f, p.result.Tool) {
			continue // it was decided on when the server told it
		}
		f.mu.Lock()
		c, first := f.change(p.result)
		detail := f.detailOf(c.fault)
		f.mu.Unlock()
		if c.fault == "" {
			continue
		}
		if first {
			told := "result of " + p.result.Tool
			if detail != "" {
				told += ": " + detail
			}
			r.Tell(wire.Event{Act: Name, Name: string(c.fault), Detail: told})
		}
		edits = append(edits, p.put(r.Body, c.result)...)
	}
	return edits
}

// put writes a result.
func (p *place) put(text []byte, r Result) (edits []edit) {
	if p.isJSON {
		switch {
		case r.Failed:
			return []edit{p.value.replace(object{"error": r.Text})}
		case json.Valid([]byte(r.Text)) && len(r.Text) > 0 && r.Text[0] == '{':
			return []edit{p.value.replace(json.RawMessage(r.Text))}
		}
		return []edit{p.value.replace(object{"output": r.Text})}
	}
	edits = []edit{p.value.replace(r.Text)}
	if p.owner == nil || r.Failed == p.result.Failed {
		return edits
	}
	if flag := p.owner.get("is_error"); flag != nil {
		return append(edits, flag.replace(r.Failed))
	}
	at := p.owner.end - 1
	return append(edits, edit{at, at, []byte(`, "is_error": true`)})
}

// results are those of a request, in the order of [wire.Asked.Results], whose ids and texts they have.
func results(r *wire.Request, n *node) (all []place) {
	text := r.Body
	names := map[string]string{} // of the tools, by the ids of their calls
	next := 0
	add := func(p place) {
		if next >= len(r.Asked.Results) {
			return
		}
		told := r.Asked.Results[next]
		if next++; p.value == nil {
			return // there is nothing to change
		}
		p.result.CallID, p.result.Text, p.result.Failed = told.CallID, told.Output, told.Failed
		if p.result.Tool == "" {
			p.result.Tool = names[told.CallID]
		}
		all = append(all, p)
	}
	call := func(id, name *node) {
		if name != nil {
			names[id.str(text)] = name.str(text)
		}
	}
	switch r.Dialect {
	case "openai/chat", "ollama/chat":
		for _, m := range n.get("messages").list() {
			for _, c := range m.get("tool_calls").list() {
				call(c.get("id"), c.get("function", "name"))
			}
			if m.get("role").str(text) == "tool" {
				add(place{value: m.get("content"), result: Result{Tool: m.get("tool_name").str(text)}})
			}
		}
	case "openai/responses":
		for _, item := range n.get("input").list() {
			call(item.get("call_id"), item.get("name"))
			if strings.HasSuffix(item.get("type").str(text), "_call_output") {
				add(place{value: item.get("output")})
			}
		}
	case "anthropic/messages":
		for _, m := range n.get("messages").list() {
			for _, b := range m.get("content").list() {
				switch b.get("type").str(text) {
				case "tool_use":
					call(b.get("id"), b.get("name"))
				case "tool_result":
					add(place{value: b.get("content"), owner: b})
				}
			}
		}
	case "gemini/generateContent":
		for _, c := range n.get("contents").list() {
			for _, part := range c.get("parts").list() {
				if told := part.get("functionResponse"); told != nil {
					result := Result{Tool: told.get("name").str(text)}
					add(place{value: told.get("response"), isJSON: true, result: result})
				}
			}
		}
	}
	return all
}

// tool is a tool that a request offers.
type tool struct {
	item, name, list *node
}

// tools are those of a request.
func tools(r *wire.Request, n *node) (all []tool) {
	list := n.get("tools")
	for _, item := range list.list() {
		switch r.Dialect {
		case "openai/chat", "ollama/chat":
			all = append(all, tool{item, item.get("function", "name"), list})
		case "gemini/generateContent":
			declared := item.get("functionDeclarations")
			for _, one := range declared.list() {
				all = append(all, tool{one, one.get("name"), declared})
			}
		default:
			all = append(all, tool{item, item.get("name"), list})
		}
	}
	return slices.DeleteFunc(all, func(t tool) bool { return t.name == nil })
}

// rewriteTools removes and renames tools.
func (f *Faults) rewriteTools(r *wire.Request, n *node) (edits []edit) {
	text := r.Body
	offered := tools(r, n)
	gone, taken := map[*node]bool{}, map[*node]bool{}
	for i := range f.states {
		s := &f.states[i]
		if s.about.Of != OfList || f.isServed(s) {
			continue
		}
		at := slices.IndexFunc(offered, func(t tool) bool {
			return !taken[t.item] && (s.fault.Tool == "" || t.name.str(text) == s.fault.Tool)
		})
		if at < 0 || !f.fire(s, r.Number) {
			continue
		}
		t := offered[at]
		taken[t.item] = true // no other fault is of it
		told := t.name.str(text)
		if s.fault.Kind == ToolRemoved {
			gone[t.item] = true
		} else {
			to := s.fault.Name
			if to == "" {
				to = told + suffix
			}
			edits = append(edits, t.name.replace(to))
			told += " as " + to
		}
		r.Tell(wire.Event{Act: Name, Name: string(s.fault.Kind), Detail: told})
	}
	return append(edits, removals(n, offered, gone)...)
}

// removals remove tools; with the last one, all that the request says of tools.
func removals(n *node, offered []tool, gone map[*node]bool) (edits []edit) {
	if len(gone) > 0 && len(gone) == len(offered) {
		return n.drop("tools", "tool_choice", "parallel_tool_calls", "toolConfig")
	}
	lists := map[*node]bool{}
	for _, t := range offered {
		if gone[t.item] && !lists[t.list] {
			lists[t.list] = true
			edits = append(edits, t.list.without(func(item *node) bool { return gone[item] })...)
		}
	}
	return edits
}

// suffix makes the name of one tool that of another.
const suffix = "_v2"
