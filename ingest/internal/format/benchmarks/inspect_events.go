package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// inspectEvents are the events of a sample.
type inspectEvents struct {
	log     *inspectLog
	t       *record.Trace
	spans   map[string]inspectSpan
	scorers int  // steps of scorers that are open, in older logs
	scoring bool // a model scored

	steps   []inspectEvent         // of models and tools, without those of scorers
	answers map[string]record.Node // events of models, by the id of the message
	calls   map[string]record.Node // events of tools, by the id of the call
}

type inspectSpan struct{ parent, kind, name string }

type inspectEvent struct {
	record.Node
	depth int
}

// index finds the events of models and tools.
func (e *inspectEvents) index(events []record.Node, depth int) {
	for _, v := range events {
		scores := e.scorers > 0 || e.within(v.At("span_id").Text(), isScorer)
		kind := v.At("event").Text()
		switch kind {
		case "span_begin":
			e.spans[v.At("id").Text()] = inspectSpan{v.At("parent_id").Text(), v.At("type").Text(), v.At("name").Text()}
		case "step":
			scores = e.stepEvent(v) || scores
		case "model":
			e.scoring = e.scoring || scores
		}
		if scores {
			continue
		}
		e.t.AddTime(v.At("timestamp").Time())
		e.t.AddTime(v.At("completed").Time())
		switch {
		case v.At("pending").IsTrue():
		case kind == "model":
			e.model(v, depth)
		case kind == "tool":
			e.calls[v.At("id").Text()] = v
			e.steps = append(e.steps, inspectEvent{v, depth + e.depth(v.At("span_id").Text())})
			e.index(v.At("events").List(), depth+1) // of a sub-agent, in older logs
		case kind == "subtask":
			e.index(v.At("events").List(), depth)
		}
	}
}

// model takes in an event of a model.
func (e *inspectEvents) model(v record.Node, depth int) {
	message := v.At("output", "choices").First().At("message")
	if !message.Exists() {
		e.log.in.Notes.Pass("calls of a model that failed")
		return
	}
	if v.At("cache").Text() == "read" {
		e.log.in.Notes.Remark("answers come from the cache: they repeat earlier ones and are no new trials")
	}
	if id := message.At("id").Text(); id != "" {
		e.answers[id] = v
	}
	e.steps = append(e.steps, inspectEvent{v, depth + e.depth(v.At("span_id").Text())})
}

// stepEvent takes in the begin or end of a step of an older log, and reports whether
// it is a scorer's.
func (e *inspectEvents) stepEvent(v record.Node) bool {
	if v.At("type").Text() != "scorer" {
		return false
	}
	if v.At("action").Text() == "begin" {
		e.scorers++
	} else {
		e.scorers = max(0, e.scorers-1)
	}
	return true
}

func isScorer(s inspectSpan) bool {
	return s.kind == "scorer" || s.kind == "scorers" || s.name == "scorers"
}

// spanDepth is the most spans inside one another that are looked at.
const spanDepth = 100

// within reports whether the span or one around it is as asked.
func (e *inspectEvents) within(id string, is func(inspectSpan) bool) bool {
	for range spanDepth {
		s, ok := e.spans[id]
		if !ok {
			return false
		}
		if is(s) {
			return true
		}
		id = s.parent
	}
	return false
}

// depth is the number of agents around a span that a tool runs: sub-agents.
func (e *inspectEvents) depth(id string) (depth int) {
	for range spanDepth {
		s, ok := e.spans[id]
		if !ok {
			return depth
		}
		if s.kind == "agent" && e.within(s.parent, func(s inspectSpan) bool { return s.kind == "tool" }) {
			depth++
		}
		id = s.parent
	}
	return depth
}

// covers reports whether there is an event for each answer among the messages: then
// the events are all there.
func (e *inspectEvents) covers(messages []record.Node) bool {
	models, missing := 0, 0
	for _, v := range e.steps {
		if v.At("event").Text() == "model" {
			models++
		}
	}
	answers := 0
	for _, m := range messages {
		if m.At("role").Text() != "assistant" || m.At("source").Text() == "input" {
			continue
		}
		answers++
		if id := m.At("id").Text(); id != "" && !e.answers[id].Exists() {
			missing++
		}
	}
	return models > 0 && models >= answers && missing == 0
}

// step makes steps of an event.
func (e *inspectEvents) step(v inspectEvent) {
	if v.At("event").Text() == "model" {
		e.answer(v.At("output", "choices").First().At("message"), v.Node, v.depth)
		return
	}
	id, tool := v.At("id").Text(), v.At("function").Text()
	s := e.t.TakeCall(id, record.ValidText(tool))
	if s == nil { // not called by a model that was logged
		s = e.t.AddEndedCall(record.Call{ID: id, Tool: tool, Arguments: v.At("arguments")})
		s.Depth = record.DepthOf(v.depth)
	}
	s.Output = v.At("result").Output()
	e.endCall(s, v.At("error"), v.Node)
}
