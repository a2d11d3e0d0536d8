package fault

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// change changes an answer of a model, which came whole; !ok: it cannot have the fault.
type change func(*changedAnswer) (ok bool)

// changedAnswer is an answer that is changed.
type changedAnswer struct {
	fault    *Fault
	request  *wire.Request
	dialect  *dialect.Dialect
	streamed bool
	header   http.Header
	body     []byte
	cut      bool   // the connection breaks behind the body
	detail   string // for a person
	// broken are calls that no client may use.
	broken []dialect.Call
}

// changes are the changes of the kinds that change an answer.
var changes = map[Kind]change{
	CutStream:     (*changedAnswer).cutStream,
	Truncated:     (*changedAnswer).truncated,
	Empty:         (*changedAnswer).empty,
	Refusal:       (*changedAnswer).refusal,
	MalformedJSON: (*changedAnswer).malformedJSON,
	UnknownTool:   (*changedAnswer).unknownTool,
	SchemaDrift:   (*changedAnswer).schemaDrift,
	WrongModel:    (*changedAnswer).wrongModel,
}

// changed asks a model, and changes what it answers. An answer that cannot have the fault stays as it is, and so does
// an error.
func (f *Faults) changed(
	r *wire.Request, s *state, change change, next func(*http.Request) (*http.Response, error),
) (*http.Response, error) {
	r.HTTP.Header.Set("Accept-Encoding", "identity")
	answer, err := next(r.HTTP)
	if err != nil {
		return nil, err
	}
	d := dialect.Of(r.Path)
	if answer.StatusCode != http.StatusOK || d == nil {
		f.note(r, answer)
		return answer, nil
	}
	body, ok, err := whole(answer)
	if err != nil || !ok {
		return answer, err
	}
	g := &changedAnswer{
		fault: &s.fault, request: r, dialect: d, header: answer.Header, body: body,
		streamed: d.Streamed(r.Asked.Stream, answer.Header.Get("Content-Type")),
	}
	if !change(g) || !f.fire(s, r.Number) {
		f.note(r, answer)
		return answer, nil
	}
	f.tell(r, s, g.detail)
	f.distrust(r, s.fault.Kind, g.broken)
	setBody(answer, g.body)
	if !g.cut {
		return answer, nil
	}
	at := half(g.body, g.streamed)
	answer.Body = brokenBody{bytes.NewReader(g.body[:at])}
	if g.streamed { // its length is not told
		answer.ContentLength = -1
		answer.Header.Del("Content-Length")
	}
	f.distrust(r, s.fault.Kind, g.callsOf(g.body[:at]))
	return answer, nil
}

// callsOf are the calls of an answer, or of a part of one.
func (g *changedAnswer) callsOf(body []byte) []dialect.Call {
	a, err := g.dialect.Answer(body, g.streamed)
	if err != nil {
		return nil
	}
	g.request.Asked.Identify(a.Calls)
	return a.Calls
}

// cutStream lets the connection break.
func (g *changedAnswer) cutStream() bool {
	g.cut = true
	return len(g.body) > 1
}

// read is the answer as it was given.
func (g *changedAnswer) read() (a dialect.Answer, ok bool) {
	a, err := g.dialect.Answer(g.body, g.streamed)
	return a, err == nil && a.Failure == ""
}

// answerID is the id of answers that are written here.
const answerID = "tribunal_fault"

// write puts an answer in the place of the one that was given.
func (g *changedAnswer) write(a dialect.Answer) bool {
	asked := g.request.Asked
	asked.Stream, asked.Usage = g.streamed, asked.Usage || a.Usage.Output.Known
	asked.List = bytes.HasPrefix(bytes.TrimSpace(g.body), []byte("["))
	contentType, parts := g.dialect.Render(answerID, a, asked)
	g.body = bytes.Join(parts, nil)
	g.header.Set("Content-Type", contentType)
	return true
}

// callOf is the last call that a fault may be of; -1 is none.
func (g *changedAnswer) callOf(calls []dialect.Call) int {
	for i := len(calls) - 1; i >= 0; i-- {
		if g.fault.Tool == "" || calls[i].Name == g.fault.Tool {
			return i
		}
	}
	return -1
}

// truncated cuts an answer at the limit of tokens.
func (g *changedAnswer) truncated() bool {
	a, ok := g.read()
	if !ok {
		return false
	}
	i := g.callOf(a.Calls)
	if i < 0 && (g.fault.Tool != "" || a.Text == "") {
		return false
	}
	a.Finish = "length"
	if i < 0 {
		a.Text = prose.CutRunes(a.Text, max(1, len([]rune(a.Text))/2))
		return g.write(a)
	}
	g.breakCall(&a, i)
	return g.write(a)
}

// malformedJSON breaks the arguments of a call.
func (g *changedAnswer) malformedJSON() bool {
	a, ok := g.read()
	i := g.callOf(a.Calls)
	if !ok || i < 0 {
		return false
	}
	if g.dialect.Name == "gemini/generateContent" {
		a.Finish = "MALFORMED_FUNCTION_CALL" // which comes without the call
	}
	g.breakCall(&a, i)
	return g.write(a)
}

// breakCall leaves half of the arguments of a call, and none of the calls behind it. Where a provider's form has
// arguments as JSON of their own, the call is not told: Ollama tells it as a text, and Gemini not at all.
func (g *changedAnswer) breakCall(a *dialect.Answer, i int) {
	call := a.Calls[i]
	g.detail = "call of " + call.Name
	call.Arguments = cutArguments(call.Arguments)
	a.Calls = a.Calls[:i]
	switch g.dialect.Name {
	case "gemini/generateContent":
	case "ollama/chat":
		a.Text += `{"name": ` + string(jsonspan.Encoded(call.Name)) + `, "parameters": ` + call.Arguments
	default:
		a.Calls = append(a.Calls, call)
		g.broken = []dialect.Call{call}
	}
}

// cutArguments is half of some JSON, which does not parse.
func cutArguments(arguments string) string {
	arguments = strings.TrimRight(arguments, " \n\t")
	half := prose.CutBytes(arguments, len(arguments)/2)
	if strings.TrimSpace(half) == "" || !strings.HasPrefix(half, "{") {
		return `{"`
	}
	return half
}

// empty says nothing.
func (g *changedAnswer) empty() bool {
	a, ok := g.read()
	a.Text, a.Calls, a.Finish = "", nil, "stop"
	a.Usage.Output.Value = 0
	return ok && g.write(a)
}

// refusal declines.
func (g *changedAnswer) refusal() bool {
	a, ok := g.read()
	if !ok {
		return false
	}
	a.Text, a.Calls, a.Finish = "I'm sorry, but I can't help with that.", nil, "stop"
	switch g.dialect.Name {
	case "anthropic/messages", "gemini/generateContent":
		a.Text, a.Finish = "", "filter"
	case "openai/chat", "openai/responses":
		a.Refused = true
	}
	return g.write(a)
}

// unknownTool calls a tool that was not offered: in place of one that is called, or beside what is said.
func (g *changedAnswer) unknownTool() bool {
	a, ok := g.read()
	if !ok {
		return false
	}
	i := g.callOf(a.Calls)
	name := g.fault.Name
	switch {
	case i >= 0:
		if name == "" {
			name = a.Calls[i].Name + suffix
		}
		a.Calls[i].Name = name
	case g.fault.Tool != "":
		return false
	default:
		if name == "" {
			name = "lookup" + suffix
		}
		a.Calls = []dialect.Call{{ID: "call_unknown_tool", Name: name, Arguments: "{}"}}
		a.Finish = "calls"
	}
	g.detail = name
	return g.write(a)
}

// drifts are names of fields, and those that stand in their places, at the top of an answer, of a part of one, or of
// the answer within a part.
var drifts = map[string]map[string]string{
	"openai/chat":            {"choices": "outputs"},
	"openai/responses":       {"output": "outputs", "item": "entry", "delta": "change"},
	"anthropic/messages":     {"content": "contents", "content_block": "block", "delta": "change"},
	"gemini/generateContent": {"candidates": "results"},
	"ollama/chat":            {"message": "msg"},
}

// schemaDrift gives fields other names.
func (g *changedAnswer) schemaDrift() bool {
	names := drifts[g.dialect.Name]
	return g.edit(func(n *jsonspan.Node, _ []byte) (edits []jsonspan.Edit) {
		for _, m := range n.Members {
			if to, ok := names[m.Name]; ok {
				edits = append(edits, jsonspan.Put(m.Start, m.NameEnd, jsonspan.Encoded(to)))
				g.detail = m.Name + " as " + to
			}
		}
		return edits
	})
}

// others are models that no one asks for today.
var others = map[string]string{
	"openai": "gpt-3.5-turbo-0125", "anthropic": "claude-3-haiku-20240307", "gemini": "gemini-1.5-flash-8b",
	"ollama": "tinyllama",
}

// wrongModel names another model.
func (g *changedAnswer) wrongModel() bool {
	name := g.fault.Name
	if name == "" {
		name = others[family(g.dialect.Name)]
	}
	g.detail = name + " in place of " + g.request.Asked.Model
	return g.edit(func(n *jsonspan.Node, text []byte) (edits []jsonspan.Edit) {
		for _, field := range []string{"model", "modelVersion"} {
			if m := n.Get(field); m != nil && m.Str(text) != name {
				edits = append(edits, m.Replace(name))
			}
		}
		if n.Get("candidates") != nil && n.Get("modelVersion") == nil { // where it may be left out
			edits = append(edits, jsonspan.Put(n.End-1, n.End-1, append([]byte(`,"modelVersion":`), jsonspan.Encoded(name)...)))
		}
		return edits
	})
}

// edit edits the JSON of an answer, or of each of its parts: the top, and the answer within a part. !ok: nothing of it
// was edited.
func (g *changedAnswer) edit(edits func(n *jsonspan.Node, text []byte) []jsonspan.Edit) (ok bool) {
	one := func(text []byte) []byte {
		n, err := jsonspan.Parse(text)
		if err != nil {
			return text
		}
		var all []jsonspan.Edit
		for _, top := range append([]*jsonspan.Node{n}, n.Items...) {
			all = append(all, edits(top, text)...)
			for _, within := range []string{"response", "message"} {
				if m := top.Get(within); m != nil && m.Get("model") != nil {
					all = append(all, edits(m, text)...)
				}
			}
		}
		ok = ok || len(all) > 0
		return jsonspan.Edited(text, all)
	}
	if !g.streamed || bytes.HasPrefix(bytes.TrimSpace(g.body), []byte("[")) {
		g.body = one(g.body)
		return ok
	}
	g.body = eachPart(g.body, one)
	return ok
}

// eachPart changes the JSON of each line of a stream.
func eachPart(body []byte, change func([]byte) []byte) []byte {
	var out []byte
	for line := range bytes.Lines(body) {
		start, end := 0, len(bytes.TrimRight(line, "\r\n"))
		if bytes.HasPrefix(line, []byte("data:")) {
			start = len("data:")
			for start < end && line[start] == ' ' {
				start++
			}
		}
		if start < end && (line[start] == '{' || line[start] == '[') {
			out = append(append(append(out, line[:start]...), change(line[start:end])...), line[end:]...)
			continue
		}
		out = append(out, line...)
	}
	return out
}
