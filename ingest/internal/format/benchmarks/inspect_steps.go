package benchmarks

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// attach puts the attachments of a sample where it refers to them, as far as they
// are not longer in all than a document may be.
// inspect_ai writes long texts once, under their hash, and refers to them by
// "attachment://<hash>". A few bytes may so refer to a long text many times, which is why
// what they add is limited.
func (l *inspectLog) attach(sample record.Node) {
	left := l.in.Options.MaxDocumentBytes
	attachments := sample.At("attachments")
	for _, name := range []string{"input", "messages", "events", "output"} {
		if object, ok := sample.Value.(map[string]any); ok && object[name] != nil {
			object[name] = attached(object[name], attachments, &left)
		}
	}
	if left < 0 {
		l.in.Notes.Remark("attachments that repeat too often are left out")
	}
}

// attached replaces the references in a value, in place. left goes below zero when the
// limit is reached; what follows stays a reference.
func attached(value any, attachments record.Node, left *int) any {
	switch v := value.(type) {
	case string:
		hash, ok := strings.CutPrefix(v, "attachment://")
		if !ok {
			return v
		}
		text, ok := attachments.At(hash).Value.(string)
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
func (l *inspectLog) steps(t *record.Trace, sample record.Node) {
	messages, events := sample.At("messages"), sample.At("events")
	if !messages.IsList() && !events.IsList() {
		t.Steps = nil // a summary
		return
	}
	e := &inspectEvents{
		log: l, t: t,
		spans: map[string]inspectSpan{}, answers: map[string]record.Node{}, calls: map[string]record.Node{},
	}
	// The events are indexed in any case: they add times and tokens to the messages.
	e.index(events.List(), 0)
	if e.covers(messages.List()) {
		for _, v := range e.steps {
			e.step(v)
		}
		e.complete(messages.List())
		// Both models are in the sums of the sample, and which took what is not known.
		if e.scoring { // the totals of the sample are with a model that scores
			t.AddTotals(t.StepUsage())
		}
		return
	}
	if e.scoring {
		l.in.Notes.Remark("tokens are with those of the models that score")
	}
	for _, m := range messages.List() {
		e.message(m)
	}
}

// complete adds the results of those calls that have no event.
// The result of such a call stands among the messages alone.
func (e *inspectEvents) complete(messages []record.Node) {
	for _, m := range messages {
		id := m.At("tool_call_id").Text()
		if m.At("role").Text() != "tool" || id == "" {
			continue
		}
		if s := e.t.TakeCall(id, ""); s != nil {
			s.Output = m.At("content").Output()
			e.endCall(s, m.At("error"), record.Node{})
		}
	}
}

// message makes steps of a message.
// Messages know no sub-agents: their depth is that of the agent itself.
func (e *inspectEvents) message(m record.Node) {
	switch m.At("role").Text() {
	case "assistant":
		if m.At("source").Text() != "input" { // an example in the prompt
			e.answer(m, e.answers[m.At("id").Text()], 0)
		}
	case "tool":
		id := m.At("tool_call_id").Text()
		if s := e.t.SetResult(id, m.At("function").Text(), m.At("content")); s != nil {
			e.endCall(s, m.At("error"), e.calls[id])
		}
	}
}

// answer adds an answer of a model and its calls. event is the model's, if there is
// one.
func (e *inspectEvents) answer(m, event record.Node, depth int) {
	calls := m.At("tool_calls").List()
	model := m.At("model").Text()
	if model == "" {
		model = event.At("output", "model").Text()
	}
	s := e.t.AddAnswer(record.Answer{
		Text: m.At("content").Speech(), Model: model, CallsTools: len(calls) > 0, Depth: depth,
		Usage: inspectUsage(event.At("output", "usage")),
	})
	// The working time leaves out waiting for rate limits; older logs have the time alone.
	s.DurationSeconds = event.At("working_time").Amount()
	if !s.DurationSeconds.Known {
		s.DurationSeconds = event.At("output", "time").Amount()
	}
	for _, c := range calls {
		call := e.t.AddCall(record.Call{ID: c.At("id").Text(), Tool: c.At("function").Text(),
			Arguments: c.At("arguments")})
		call.Depth = record.DepthOf(depth)
		// The model wrote arguments that could not be read; the call is a step all the same.
		if problem := c.At("parse_error").Text(); problem != "" {
			call.Error = record.StepError(problem)
		}
	}
}

// endCall completes the step of a call.
func (e *inspectEvents) endCall(s *trial.Step, problem, event record.Node) {
	if problem.IsObject() {
		s.Error = record.StepError(problem.Either("message", "type").Text())
	}
	s.DurationSeconds = event.At("working_time").Amount()
	begin, end := event.At("timestamp").Time(), event.At("completed").Time()
	if !s.DurationSeconds.Known && end.After(begin) {
		s.DurationSeconds = record.SecondsBetween(begin, end)
	}
}
