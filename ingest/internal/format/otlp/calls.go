package otlp

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// callIndex joins the calls that the messages of a trace ask for with the spans of
// the tools that answer them, so that each is one step.
// The number of a call is its place among all calls of the trace, which orders tools that
// began at once.
type callIndex struct {
	byID, byName map[string][]*spanCall // not answered yet, the oldest first
	number       int
}

// joinCalls reads what models say and tools do, and joins them: by id, or else by
// the name of the tool, or else as what follows directly on the answer.
// Frameworks give the span of a tool an id in some versions only, and a name that may
// differ from the one that the model uses; hence three ways, from the surest on.
func joinCalls(steps []*span) {
	index := &callIndex{byID: map[string][]*spanCall{}, byName: map[string][]*spanCall{}}
	for _, s := range steps {
		switch s.kind {
		case llmSpan:
			for _, c := range s.modelAnswer.calls {
				index.add(c)
			}
		case toolSpan:
			s.join(index.find(s.toolCall))
		// A handoff is asked for by a tool named transfer_to_<agent>.
		case handoffSpan:
			s.join(index.handoff())
		}
	}
	// What is left: the span of a tool right after an answer of its own depth whose call is open.
	var last []*span // answers, by depth
	for _, s := range steps {
		for len(last) <= s.depth {
			last = append(last, nil)
		}
		switch {
		case s.kind == llmSpan:
			last[s.depth] = s
		case s.kind == toolSpan && s.call == nil && last[s.depth] != nil:
			fits := func(c *spanCall) bool { return s.toolCall.id == "" || c.id == "" }
			s.join(firstOpen(last[s.depth].modelAnswer.calls, fits))
		}
	}
}

func (x *callIndex) add(c *spanCall) {
	c.number = x.number
	x.number++
	if c.id != "" {
		x.byID[c.id] = append(x.byID[c.id], c)
	}
	x.byName[c.name] = append(x.byName[c.name], c)
}

// find returns the call that a tool answers, nil if there is none.
// A call with another id is another call, though the name is the same. The names are cleaned
// of joined calls as they are used, so that long traces stay fast.
func (x *callIndex) find(t spanTool) *spanCall {
	if c := firstOpen(x.byID[t.id], nil); t.id != "" && c != nil {
		return c
	}
	x.byName[t.name] = slices.DeleteFunc(x.byName[t.name], func(c *spanCall) bool { return c.joined })
	return firstOpen(x.byName[t.name], func(c *spanCall) bool { return t.id == "" || c.id == "" })
}

// handoff returns the oldest call that hands the task over.
func (x *callIndex) handoff() (oldest *spanCall) {
	for name, calls := range x.byName {
		if !strings.HasPrefix(name, "transfer_to_") {
			continue
		}
		if c := firstOpen(calls, nil); c != nil && (oldest == nil || c.number < oldest.number) {
			oldest = c
		}
	}
	return oldest
}

// firstOpen returns the first call that nothing answers yet.
// fits may be nil, which fits all.
func firstOpen(calls []*spanCall, fits func(*spanCall) bool) *spanCall {
	for _, c := range calls {
		if !c.joined && (fits == nil || fits(c)) {
			return c
		}
	}
	return nil
}

// join notes the call that the span stands for, nil for none.
func (s *span) join(c *spanCall) {
	if s.call = c; c != nil {
		c.joined = true
	}
}

// severalDocuments reports whether arguments are documents of JSON in a row. OpenInference's exporter for OpenAI
// (JavaScript, 4.2.7) writes the parallel calls of a stream so, under their joined names and ids.
func severalDocuments(arguments record.Node) bool {
	text, isText := arguments.Value.(string)
	if !isText || !strings.HasPrefix(text, "{") {
		return false
	}
	d := json.NewDecoder(strings.NewReader(text))
	for n := 0; ; n++ {
		var document json.RawMessage
		if err := d.Decode(&document); err != nil {
			return n > 1 && errors.Is(err, io.EOF)
		}
	}
}

// resultsByID returns what later messages say that the tools answered.
// The next request to a model repeats them; a tool without a span has its result nowhere else.
func resultsByID(steps []*span) map[string]string {
	results := map[string]string{}
	for _, s := range steps {
		if s.kind != llmSpan {
			continue
		}
		for _, m := range s.prompt() {
			for _, r := range m.results {
				if r.id != "" {
					results[r.id] = r.text
				}
			}
		}
	}
	return results
}
