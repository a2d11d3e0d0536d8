package ingest

import (
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// attach puts the attachments of a sample where it refers to them, as far as they
// are not longer in all than a document may be.
func (l *inspectLog) attach(sample node) {
	left := l.in.options.maxDocumentBytes()
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
			for _, s := range t.Steps {
				t.spend(usage{s.InputTokens, s.OutputTokens, s.CostUSD})
			}
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
		if s := e.t.result(id, ""); s != nil {
			s.Output = returned(m.at("content"))
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
		s := e.t.result(m.at("tool_call_id").text(), m.at("function").text())
		if s == nil {
			e.log.in.notes.skip("tool results without a call")
			return
		}
		s.Output = returned(m.at("content"))
		e.ended(s, m.at("error"), e.calls[m.at("tool_call_id").text()])
	}
}

// answer adds an answer of a model and its calls. event is the model's, if there is
// one.
func (e *inspectEvents) answer(m, event node, depth int) {
	calls := m.at("tool_calls").list()
	s := e.t.answer(validText(spoken(m.at("content"))), len(calls) > 0, inspectUsage(event.at("output", "usage")))
	s.Model = validText(m.at("model").text())
	if s.Model == "" {
		s.Model = validText(event.at("output", "model").text())
	}
	s.DurationSeconds = event.at("working_time").amount()
	if !s.DurationSeconds.Known {
		s.DurationSeconds = event.at("output", "time").amount()
	}
	s.Depth = below(depth)
	for _, c := range calls {
		call := e.t.call(c.at("id").text(), c.at("function").text(), c.at("arguments"))
		call.Depth = below(depth)
		if problem := c.at("parse_error").text(); problem != "" {
			call.Error = failure(problem)
		}
	}
}

// ended completes the step of a call.
func (e *inspectEvents) ended(s *trial.Step, problem, event node) {
	if problem.isObject() {
		s.Error = failure(problem.either("message", "type").text())
	}
	s.DurationSeconds = event.at("working_time").amount()
	if begin, end := event.at("timestamp").time(), event.at("completed").time(); !s.DurationSeconds.Known && !begin.IsZero() && end.After(begin) {
		s.DurationSeconds = trial.Some(end.Sub(begin).Seconds())
	}
}

// below is the depth of a sub-agent; that of the agent itself is not said.
func below(depth int) trial.Optional[int] {
	if depth == 0 {
		return trial.Optional[int]{}
	}
	return trial.Some(depth)
}
