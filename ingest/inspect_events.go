package ingest

// inspectEvents are the events of a sample.
type inspectEvents struct {
	log     *inspectLog
	t       *trace
	spans   map[string]inspectSpan
	scorers int  // steps of scorers that are open, in older logs
	scoring bool // a model scored

	found   []inspectEvent  // of models and tools, without those of scorers
	answers map[string]node // events of models, by the id of the message
	calls   map[string]node // events of tools, by the id of the call
}

type inspectSpan struct{ parent, kind, name string }

type inspectEvent struct {
	node
	depth int
}

// index finds the events of models and tools.
func (e *inspectEvents) index(events []node, depth int) {
	for _, v := range events {
		scores := e.scorers > 0 || e.within(v.at("span_id").text(), isScorer)
		kind := v.at("event").text()
		switch kind {
		case "span_begin":
			e.spans[v.at("id").text()] = inspectSpan{v.at("parent_id").text(), v.at("type").text(), v.at("name").text()}
		case "step":
			scores = e.stepEvent(v) || scores
		case "model":
			e.scoring = e.scoring || scores
		}
		if scores {
			continue
		}
		e.t.addTime(v.at("timestamp").time())
		e.t.addTime(v.at("completed").time())
		switch {
		case v.at("pending").isTrue():
		case kind == "model":
			e.model(v, depth)
		case kind == "tool":
			e.calls[v.at("id").text()] = v
			e.found = append(e.found, inspectEvent{v, depth + e.depth(v.at("span_id").text())})
			e.index(v.at("events").list(), depth+1) // of a sub-agent, in older logs
		case kind == "subtask":
			e.index(v.at("events").list(), depth)
		}
	}
}

// model takes in an event of a model.
func (e *inspectEvents) model(v node, depth int) {
	message := v.at("output", "choices").first().at("message")
	if !message.exists() {
		e.log.in.notes.pass("calls of a model that failed")
		return
	}
	if v.at("cache").text() == "read" {
		e.log.in.notes.remark("answers come from the cache: they repeat earlier ones and are no new trials")
	}
	if id := message.at("id").text(); id != "" {
		e.answers[id] = v
	}
	e.found = append(e.found, inspectEvent{v, depth + e.depth(v.at("span_id").text())})
}

// stepEvent takes in the begin or end of a step of an older log, and reports whether
// it is a scorer's.
func (e *inspectEvents) stepEvent(v node) bool {
	if v.at("type").text() != "scorer" {
		return false
	}
	if v.at("action").text() == "begin" {
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
func (e *inspectEvents) covers(messages []node) bool {
	models, missing := 0, 0
	for _, v := range e.found {
		if v.at("event").text() == "model" {
			models++
		}
	}
	answers := 0
	for _, m := range messages {
		if m.at("role").text() != "assistant" || m.at("source").text() == "input" {
			continue
		}
		answers++
		if id := m.at("id").text(); id != "" && !e.answers[id].exists() {
			missing++
		}
	}
	return models > 0 && models >= answers && missing == 0
}

// step makes steps of an event.
func (e *inspectEvents) step(v inspectEvent) {
	if v.at("event").text() == "model" {
		e.answer(v.at("output", "choices").first().at("message"), v.node, v.depth)
		return
	}
	id, tool := v.at("id").text(), v.at("function").text()
	s := e.t.takeCall(id, validText(tool))
	if s == nil { // not called by a model that was logged
		s = e.t.addEndedCall(toolCall{id, tool, v.at("arguments")})
		s.Depth = depthOf(v.depth)
	}
	s.Output = v.at("result").output()
	e.ended(s, v.at("error"), v.node)
}
