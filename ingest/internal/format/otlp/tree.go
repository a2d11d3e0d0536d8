package otlp

import (
	"cmp"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// spanTree is the spans of one trace.
type spanTree struct {
	id    string      // "" if something else names it
	at    trial.Place // where it begins
	spans []*span     // by start, outer before inner ones
	logs  []spanEvent
}

// newSpanTree joins the spans of a trace, and the log records that belong to them.
// The steps depend on one another: BeeAI's events become spans before they are classified,
// and a span is classified with the attributes of its events.
func newSpanTree(spans []*span, logs map[string][]spanEvent) *spanTree {
	t := &spanTree{spans: joinBeeAI(lastOfEach(spans)), logs: logs[""]}
	byID := make(map[string]*span, len(t.spans))
	for _, s := range t.spans {
		s.events = append(s.events, logs[s.id]...)
		s.absorb()
	}
	t.findCached()
	for _, s := range t.spans {
		// Observations of Langfuse come with a kind.
		if s.kind == plainSpan {
			s.kind = s.classify()
		}
		byID[s.id] = s
	}
	for _, s := range t.spans {
		// A parent that is not in the file is as good as none.
		if s.parentSpan = byID[s.parent]; s.parent == "" || s.parentSpan == s {
			s.parentSpan = nil
		}
	}
	t.levels()
	slices.SortStableFunc(t.spans, bySpanStart)
	t.place()
	return t
}

// bySpanStart sorts by time and level, and calls that began at once as they were
// asked for.
// Clocks of some writers count milliseconds, in which much begins at once.
func bySpanStart(a, b *span) int {
	return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.level, b.level), cmp.Compare(a.callNumber(), b.callNumber()))
}

// callNumber is the place of the call that the span answers among all calls.
func (s *span) callNumber() int {
	if s.call == nil {
		return math.MaxInt
	}
	return s.call.number
}

// lastOfEach leaves one of the spans with the same id: exporters repeat them, and the
// one that ends last is complete.
func lastOfEach(spans []*span) []*span {
	last := map[string]int{}
	kept := make([]*span, 0, len(spans))
	for _, s := range spans {
		i, again := last[s.id]
		switch {
		case s.id == "" || !again:
			last[s.id] = len(kept)
			kept = append(kept, s)
		case !s.end.Before(kept[i].end):
			kept[i] = s
		}
	}
	return kept
}

// absorb takes over the attributes of an event that holds the content of the span.
// The first is of conventions 1.37 and later, the others of before.
func (s *span) absorb() {
	for _, e := range s.events {
		if e.name != "gen_ai.client.inference.operation.details" && e.name != "gen_ai.content.prompt" &&
			e.name != "gen_ai.content.completion" {
			continue
		}
		s.attributes.complete(e.attributes)
	}
}

// levels counts the ancestors of each span. A circle of parents is cut.
// It walks up from each span to one that is known, and then back down: each span is seen
// once, and depth costs no stack.
func (t *spanTree) levels() {
	const (
		onPath = 1 + iota
		done
	)
	var path []*span
	for _, s := range t.spans {
		path = path[:0]
		for s != nil && s.walked == 0 {
			s.walked = onPath
			path = append(path, s)
			s = s.parentSpan
		}
		if s != nil && s.walked == onPath {
			path[len(path)-1].parentSpan = nil
		}
		for _, s := range slices.Backward(path) {
			s.walked = done
			if s.parentSpan != nil {
				s.level = s.parentSpan.level + 1
			}
		}
	}
}

// place finds out of each span what it belongs to, outer spans first.
// Everything is set anew, as it runs again when more spans turn out to be tools. First what
// surrounds each span, then the depths, which need to know which agents think.
func (t *spanTree) place() {
	outerFirst := t.byLevel()
	for _, s := range outerFirst {
		s.spanPlace = spanPlace{parentSpan: s.parentSpan, level: s.level}
	}
	for _, s := range outerFirst {
		up := s.parentSpan
		if up == nil {
			continue
		}
		s.enclosing, s.owner, s.evaluates = up.enclosing, up.owner, up.evaluates || up.kind == evaluatorSpan
		if up.kind != plainSpan {
			s.enclosing = up
		}
		if up.kind == agentSpan || up.kind == toolSpan {
			s.owner = up
		}
		if s.kind == llmSpan && s.owner != nil {
			s.owner.thinks = true
		}
		if s.enclosing != nil && s.enclosing.kind == s.kind {
			s.enclosing.nested = append(s.enclosing.nested, s)
		}
	}
	for _, s := range outerFirst {
		up := s.parentSpan
		if up == nil {
			continue
		}
		s.depth = up.depth
		// Agents stand inside agents for many reasons. One that an agent that thinks
		// itself, or a tool of it, has called is a sub-agent.
		if up.kind == toolSpan ||
			s.kind == agentSpan && s.owner != nil && s.owner.kind == agentSpan && s.owner.thinks {
			s.depth++
		}
	}
}

// byLevel returns the spans, outer ones first.
func (t *spanTree) byLevel() []*span {
	spans := slices.Clone(t.spans)
	slices.SortStableFunc(spans, func(a, b *span) int { return cmp.Compare(a.level, b.level) })
	return spans
}

// root is the first of the outermost spans.
func (t *spanTree) root() *span {
	for _, s := range t.spans {
		if s.parentSpan == nil {
			return s
		}
	}
	return &span{} // not reached: there are spans, and no circles
}

// isAgents reports whether the trace is of an agent, and not of any other program.
// Web servers and databases write traces into the same files.
func (t *spanTree) isAgents() bool {
	return slices.ContainsFunc(t.spans, func(s *span) bool { return s.kind != plainSpan })
}
