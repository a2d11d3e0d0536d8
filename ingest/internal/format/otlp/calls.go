package otlp

import (
	"slices"
	"strings"
)

// callBook joins the calls that the messages of a trace ask for with the spans of
// the tools that answer them, so that each is one step.
type callBook struct {
	byID, byName map[string][]*spanCall // not answered yet, the oldest first
	number       int
}

// joinCalls reads what models say and tools do, and joins them: by id, or else by
// the name of the tool, or else as what follows directly on the answer.
func joinCalls(steps []*span) {
	book := &callBook{byID: map[string][]*spanCall{}, byName: map[string][]*spanCall{}}
	for _, s := range steps {
		switch s.kind {
		case llmSpan:
			for _, c := range s.said.calls {
				book.ask(c)
			}
		case toolSpan:
			s.answers(book.find(s.runs))
		case handoffSpan:
			s.answers(book.handoff())
		}
	}
	var last []*span // answers, by depth
	for _, s := range steps {
		for len(last) <= s.depth {
			last = append(last, nil)
		}
		switch {
		case s.kind == llmSpan:
			last[s.depth] = s
		case s.kind == toolSpan && s.call == nil && last[s.depth] != nil:
			s.answers(firstOpen(last[s.depth].said.calls, func(c *spanCall) bool { return s.runs.id == "" || c.id == "" }))
		}
	}
}

func (b *callBook) ask(c *spanCall) {
	c.number = b.number
	b.number++
	if c.id != "" {
		b.byID[c.id] = append(b.byID[c.id], c)
	}
	b.byName[c.name] = append(b.byName[c.name], c)
}

// find returns the call that a tool answers, nil if there is none.
func (b *callBook) find(t spanTool) *spanCall {
	if c := firstOpen(b.byID[t.id], nil); t.id != "" && c != nil {
		return c
	}
	b.byName[t.name] = slices.DeleteFunc(b.byName[t.name], func(c *spanCall) bool { return c.answered })
	return firstOpen(b.byName[t.name], func(c *spanCall) bool { return t.id == "" || c.id == "" })
}

// handoff returns the oldest call that hands the task over.
func (b *callBook) handoff() (oldest *spanCall) {
	for name, calls := range b.byName {
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
func firstOpen(calls []*spanCall, fits func(*spanCall) bool) *spanCall {
	for _, c := range calls {
		if !c.answered && (fits == nil || fits(c)) {
			return c
		}
	}
	return nil
}

func (s *span) answers(c *spanCall) {
	if s.call = c; c != nil {
		c.answered = true
	}
}

// resultsByID returns what later messages say that the tools answered.
func resultsByID(steps []*span) map[string]string {
	results := map[string]string{}
	for _, s := range steps {
		if s.kind != llmSpan {
			continue
		}
		for _, m := range s.asks() {
			for _, r := range m.results {
				if r.id != "" {
					results[r.id] = r.text
				}
			}
		}
	}
	return results
}
