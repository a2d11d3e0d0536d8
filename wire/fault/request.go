package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/wire"
)

// place is where a request has a result, in the form of its dialect.
type place struct {
	result Result
	value  *jsonspan.Node // that holds the text
	owner  *jsonspan.Node // the object that says of it that it is an error; nil: its form cannot
	isJSON bool           // the value is an object, with an output or an error
}

// rewrite changes the results and the tools of a request, and tells which faults that was.
func (f *Faults) rewrite(r *wire.Request) {
	if !f.of(ofResult) && !f.of(ofList) || r.Dialect == "" {
		return
	}
	n, err := jsonspan.Parse(r.Body)
	if err != nil {
		return // which is understood, and nested too deep
	}
	var edits []jsonspan.Edit
	if f.of(ofResult) {
		edits = f.rewriteResults(r, n)
	}
	if f.of(ofList) {
		edits = append(edits, f.rewriteTools(r, n)...)
	}
	if len(edits) == 0 {
		return
	}
	body := jsonspan.Edited(r.Body, edits)
	r.HTTP.Body, r.HTTP.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.HTTP.GetBody = nil
}

// rewriteResults changes results.
func (f *Faults) rewriteResults(r *wire.Request, n *jsonspan.Node) (edits []jsonspan.Edit) {
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
func (p *place) put(text []byte, r Result) (edits []jsonspan.Edit) {
	if p.isJSON {
		switch {
		case r.Failed:
			return []jsonspan.Edit{p.value.Replace(object{"error": r.Text})}
		case json.Valid([]byte(r.Text)) && len(r.Text) > 0 && r.Text[0] == '{':
			return []jsonspan.Edit{p.value.Replace(json.RawMessage(r.Text))}
		}
		return []jsonspan.Edit{p.value.Replace(object{"output": r.Text})}
	}
	edits = []jsonspan.Edit{p.value.Replace(r.Text)}
	if p.owner == nil || r.Failed == p.result.Failed {
		return edits
	}
	if flag := p.owner.Get("is_error"); flag != nil {
		return append(edits, flag.Replace(r.Failed))
	}
	at := p.owner.End - 1
	return append(edits, jsonspan.Put(at, at, []byte(`, "is_error": true`)))
}

// results are those of a request, in the order of [wire.ParsedRequest.Results], whose ids and texts they have.
func results(r *wire.Request, n *jsonspan.Node) (all []place) {
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
	call := func(id, name *jsonspan.Node) {
		if name != nil {
			names[id.Str(text)] = name.Str(text)
		}
	}
	switch r.Dialect {
	case "openai/chat", "ollama/chat":
		for _, m := range n.Get("messages").List() {
			for _, c := range m.Get("tool_calls").List() {
				call(c.Get("id"), c.Get("function", "name"))
			}
			if m.Get("role").Str(text) == "tool" {
				add(place{value: m.Get("content"), result: Result{Tool: m.Get("tool_name").Str(text)}})
			}
		}
	case "openai/responses":
		for _, item := range n.Get("input").List() {
			call(item.Get("call_id"), item.Get("name"))
			if strings.HasSuffix(item.Get("type").Str(text), "_call_output") {
				add(place{value: item.Get("output")})
			}
		}
	case "anthropic/messages":
		for _, m := range n.Get("messages").List() {
			for _, b := range m.Get("content").List() {
				switch b.Get("type").Str(text) {
				case "tool_use":
					call(b.Get("id"), b.Get("name"))
				case "tool_result":
					add(place{value: b.Get("content"), owner: b})
				}
			}
		}
	case "gemini/generateContent":
		for _, c := range n.Get("contents").List() {
			for _, part := range c.Get("parts").List() {
				if told := part.Get("functionResponse"); told != nil {
					result := Result{Tool: told.Get("name").Str(text)}
					add(place{value: told.Get("response"), isJSON: true, result: result})
				}
			}
		}
	}
	return all
}

// tool is a tool that a request offers.
type tool struct {
	item, name, list *jsonspan.Node
}

// tools are those of a request.
func tools(r *wire.Request, n *jsonspan.Node) (all []tool) {
	list := n.Get("tools")
	for _, item := range list.List() {
		switch r.Dialect {
		case "openai/chat", "ollama/chat":
			all = append(all, tool{item, item.Get("function", "name"), list})
		case "gemini/generateContent":
			declared := item.Get("functionDeclarations")
			for _, one := range declared.List() {
				all = append(all, tool{one, one.Get("name"), declared})
			}
		default:
			all = append(all, tool{item, item.Get("name"), list})
		}
	}
	return slices.DeleteFunc(all, func(t tool) bool { return t.name == nil })
}

// rewriteTools removes and renames tools.
func (f *Faults) rewriteTools(r *wire.Request, n *jsonspan.Node) (edits []jsonspan.Edit) {
	text := r.Body
	offered := tools(r, n)
	gone, taken := map[*jsonspan.Node]bool{}, map[*jsonspan.Node]bool{}
	for i := range f.states {
		s := &f.states[i]
		if s.about.Of != ofList || f.isServed(s) {
			continue
		}
		at := slices.IndexFunc(offered, func(t tool) bool {
			return !taken[t.item] && (s.fault.Tool == "" || t.name.Str(text) == s.fault.Tool)
		})
		if at < 0 || !f.fire(s, r.Number) {
			continue
		}
		t := offered[at]
		taken[t.item] = true // no other fault is of it
		told := t.name.Str(text)
		if s.fault.Kind == ToolRemoved {
			gone[t.item] = true
		} else {
			to := s.fault.Name
			if to == "" {
				to = told + suffix
			}
			edits = append(edits, t.name.Replace(to))
			told += " as " + to
		}
		r.Tell(wire.Event{Act: Name, Name: string(s.fault.Kind), Detail: told})
	}
	return append(edits, removals(n, offered, gone)...)
}

// removals remove tools; with the last one, all that the request says of tools.
func removals(n *jsonspan.Node, offered []tool, gone map[*jsonspan.Node]bool) (edits []jsonspan.Edit) {
	if len(gone) > 0 && len(gone) == len(offered) {
		return n.Drop("tools", "tool_choice", "parallel_tool_calls", "toolConfig")
	}
	lists := map[*jsonspan.Node]bool{}
	for _, t := range offered {
		if gone[t.item] && !lists[t.list] {
			lists[t.list] = true
			edits = append(edits, t.list.Without(func(item *jsonspan.Node) bool { return gone[item] })...)
		}
	}
	return edits
}

// suffix makes the name of one tool that of another.
const suffix = "_v2"
