package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// attach puts the attachments of a sample where it refers to them, as far as they
// are not longer in all than a document may be.
func (l *inspectLog) attach(sample node) {
	left := l.in.options.maxDocumentBytes
	attachments := sample.at("attachments")
	for _, name := range []string{"input", "messages", "events", "output"} {
		if object, ok := sample.value.(map[string]any); ok && object[name] != nil {
			object[name] = attached(object[name], attachments, &left)
		}
	}
	if left < 0 {
		l.in.notes.remark("attachments that repeat too often are left out")
	}
}

func attached(value any, attachments node, left *int) any {
	switch v := value.(type) {
	case string:
		hash, ok := strings.CutPrefix(v, "attachment://")
		if !ok {
			return v
		}
		text, ok := attachments.at(hash).value.(string)
		if ok && *left >= 0 {
			*left -= len(text)
			return text
		}
	case []any:
		for i := range v {
			v[i] = attached(v[i], attachments, left)
		}
	case map[string]any:
		for name := range v {
			v[name] = attached(v[name], attachments, left)
		}
	}
	return value
}

// steps puts together the steps of a sample. Its events tell the most: sub-agents,
// times, tokens. Where they are not all there, its messages give the steps, and the
// events what they add to them.
func (l *inspectLog) steps(t *trace, sample node) {
	messages, events := sample.at("messages"), sample.at("events")
	if !messages.isList() && !events.isList() {
		t.Steps = nil // a summary
		return
	}
	e := &inspectEvents{log: l, t: t, spans: map[string]inspectSpan{}, answers: map[string]node{}, calls: map[string]node{}}
	e.index(events.list(), 0)
	if e.covers(messages.list()) {
		for _, v := range e.found {
			e.step(v)
		}
		e.complete(messages.list())
		if e.scoring { // the totals of the sample are with a model that scores
			t.addTotals(t.stepUsage())
		}
		return
	}
	if e.scoring {
		l.in.notes.remark("tokens are with those of the models that score")
	}
	for _, m := range messages.list() {
		e.message(m)
	}
}

// complete adds the results of those calls that have no event.
func (e *inspectEvents) complete(messages []node) {
	for _, m := range messages {
		id := m.at("tool_call_id").text()
		if m.at("role").text() != "tool" || id == "" {
			continue
		}
		if s := e.t.takeCall(id, ""); s != nil {
			s.Output = m.at("content").output()
			e.ended(s, m.at("error"), node{})
		}
	}
}

// message makes steps of a message.
func (e *inspectEvents) message(m node) {
	switch m.at("role").text() {
	case "assistant":
		if m.at("source").text() != "input" { // an example in the prompt
			e.answer(m, e.answers[m.at("id").text()], 0)
		}
	case "tool":
		id := m.at("tool_call_id").text()
		if s := e.t.setResult(id, m.at("function").text(), m.at("content")); s != nil {
			e.ended(s, m.at("error"), e.calls[id])
		}
	}
}

// answer adds an answer of a model and its calls. event is the model's, if there is
// one.
func (e *inspectEvents) answer(m, event node, depth int) {
	calls := m.at("tool_calls").list()
	model := m.at("model").text()
	if model == "" {
		model = event.at("output", "model").text()
	}
	s := e.t.addAnswer(answer{
		text: m.at("content").speech(), model: model, callsTools: len(calls) > 0, depth: depth,
		usage: inspectUsage(event.at("output", "usage")),
	})
	s.DurationSeconds = event.at("working_time").amount()
	if !s.DurationSeconds.Known {
		s.DurationSeconds = event.at("output", "time").amount()
	}
	for _, c := range calls {
		call := e.t.addCall(toolCall{c.at("id").text(), c.at("function").text(), c.at("arguments")})
		call.Depth = depthOf(depth)
		if problem := c.at("parse_error").text(); problem != "" {
			call.Error = stepError(problem)
		}
	}
}

// ended completes the step of a call.
func (e *inspectEvents) ended(s *trial.Step, problem, event node) {
	if problem.isObject() {
		s.Error = stepError(problem.either("message", "type").text())
	}
	s.DurationSeconds = event.at("working_time").amount()
	if begin, end := event.at("timestamp").time(), event.at("completed").time(); !s.DurationSeconds.Known && end.After(begin) {
		s.DurationSeconds = secondsBetween(begin, end)
	}
}
