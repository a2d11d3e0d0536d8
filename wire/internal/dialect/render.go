package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tribunal-dev/tribunal/trial"
)

// Render writes an answer as the provider would, whole or in parts as it was asked. The id is of the answer, and begins
// those of its items. Finish is a common word (stop, length, filter; "" is stop, or that of calls where there are any)
// or the provider's own. Arguments that are no JSON stay so where the form has them as a text. The parts of a stream
// are to be written one after the other. A model that the answer does not name is the one that was asked.
func (d *Dialect) Render(id string, a Answer, asked ParsedRequest) (contentType string, parts [][]byte) {
	if a.Model == "" {
		a.Model = asked.Model
	}
	a.Finish = d.finish(&a)
	if !asked.Stream {
		return "application/json", [][]byte{encoded(d.whole(id, &a))}
	}
	return d.framed(d.parts(id, &a, &asked), &asked)
}

// object is a JSON object.
type object = map[string]any

// encoded is JSON of texts, numbers, and JSON that is valid.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // arguments are made valid before
	}
	return bytes.TrimSpace(b.Bytes())
}

func framed(events []object, frame func([]byte) []byte) (parts [][]byte) {
	for _, e := range events {
		parts = append(parts, frame(encoded(e)))
	}
	return parts
}

// unnamed are server-sent events.
func unnamed(events []object) [][]byte {
	return framed(events, func(e []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", e) })
}

// named are server-sent events that have their type as their name.
func named(events []object, _ *ParsedRequest) (contentType string, parts [][]byte) {
	for _, e := range events {
		parts = append(parts, fmt.Appendf(nil, "event: %s\ndata: %s\n\n", e["type"], encoded(e)))
	}
	return eventStream, parts
}

// eventStream is the type of server-sent events.
const eventStream = "text/event-stream"

// finish is the provider's word for a common one.
func (d *Dialect) finish(a *Answer) string {
	word := a.Finish
	if word == "" {
		word = "stop"
		if len(a.Calls) > 0 {
			word = "calls"
		}
	}
	if own, ok := d.words[word]; ok {
		return own
	}
	return word
}

// input are a call's arguments as JSON; what is none is a JSON string.
func (c *Call) input() json.RawMessage {
	switch {
	case c.Arguments == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(c.Arguments)):
		return json.RawMessage(c.Arguments)
	}
	return json.RawMessage(trial.RawString(c.Arguments))
}

// set gives an object the numbers that are known.
func set(o object, name string, n trial.Optional[int64]) {
	if n.Known {
		o[name] = n.Value
	}
}

// less is a number without others that are in it.
func less(n trial.Optional[int64], others ...trial.Optional[int64]) trial.Optional[int64] {
	for _, o := range others {
		n.Value -= o.Value
	}
	n.Value = max(n.Value, 0)
	return n
}

// pieces are a text in its words, each with the space before it.
func pieces(text string) (all []string) {
	start := 0
	for i := 1; i < len(text); i++ {
		if text[i] == ' ' && text[i-1] != ' ' {
			all, start = append(all, text[start:i]), i
		}
	}
	if start < len(text) {
		all = append(all, text[start:])
	}
	return all
}
