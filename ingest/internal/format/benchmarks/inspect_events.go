package benchmarks

import (
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// inspectEvents are the events of a sample.
//
//	{"event":"model","span_id":"s2","timestamp":"...","output":{"choices":[...],"usage":{}},"working_time":1.5}
//	{"event":"tool","id":"call-1","function":"search","arguments":{},"result":"..."}
//	{"event":"span_begin","id":"s2","parent_id":"s1","type":"agent","name":"helper"}
//
// Events of older logs nest: a tool or subtask holds those that it caused, and pairs of step
// events take the place of spans.
type inspectEvents struct {
	log *inspectLog
	t   *record.Trace
	// spans are those that have begun, by id.
	spans   map[string]inspectSpan
	scorers int  // steps of scorers that are open, in older logs
	scoring bool // a model scored

	steps   []inspectEvent         // of models and tools, without those of scorers
	answers map[string]record.Node // events of models, by the id of the message
	calls   map[string]record.Node // events of tools, by the id of the call
}

// inspectSpan is a span: the id of the one around it, its type, and its name.
type inspectSpan struct{ parent, kind, name string }

// inspectEvent is an event with the depth of the agent that caused it.
type inspectEvent struct {
	record.Node
	depth int
}

// index finds the events of models and tools.
// depth is that of the event which holds these. What scorers do is judging, and no part of
// the trial: their events are known by a span, or in older logs by the step that is open.
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
		// A scorer's model counts among the usage of the sample, which is why e.scoring is noted.
		if scores {
			continue
		}
		e.t.AddTime(v.At("timestamp").Time())
		e.t.AddTime(v.At("completed").Time())
		switch {
		// The same event comes again when it is complete.
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
// An event without a message is a call that failed and was tried again.
func (e *inspectEvents) model(v record.Node, depth int) {
	message := v.At("output", "choices").First().At("message")
	if !message.Exists() {
		e.log.in.Notes.Pass("calls of a model that failed")
		return
	}
	// A cached answer is a copy of an earlier one, so that trials are not independent.
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
// Steps may nest, so that they are counted.
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

// isScorer reports whether a span is that of scoring, by its type or its name.
func isScorer(s inspectSpan) bool {
	return s.kind == "scorer" || s.kind == "scorers" || s.name == "scorers"
}

// spanDepth is the most spans inside one another that are looked at.
// It is chosen; parents may form a circle in a file that was tampered with.
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
// Where some are missing the messages are the better source. Messages of source "input" are
// examples in the prompt, which no model wrote here.
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
// The call itself was added with the answer that asked for it.
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
