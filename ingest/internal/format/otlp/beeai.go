package otlp

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// BeeAI writes a span for each event of a call: its start, its success or error, and
// its finish. They all last until the run ends.
//
//	target = "agent.react.start", name = "start", openinference.span.kind = "AGENT"

// beeEvent is such a span.
// call joins the events of one call: the target without the event, and the id that follows
// the target in the name.
type beeEvent struct {
	*span
	call, event string // what the event is of, and which one
	subject     string // kind of what it is of
}

// beeEventOf returns a span as an event, and whether it is one: its target ends in the name of
// the event, which no other writer does.
func beeEventOf(s *span) (beeEvent, bool) {
	target, event := s.attributes.at("target").Text(), s.attributes.at("name").Text()
	base, ok := strings.CutSuffix(target, "."+event)
	kind := s.attributes.at("openinference.span.kind").Text()
	if !ok || event == "" || kind == "" {
		return beeEvent{}, false
	}
	return beeEvent{s, base + strings.TrimPrefix(s.name, target), event, kind}, true
}

// joinBeeAI makes one span of the events of each call. Traces of others stay what
// they are.
// What is joined begins with its first event and ends with the last: the spans' own ends are
// those of the run.
func joinBeeAI(spans []*span) []*span {
	var others []*span
	var events []beeEvent
	for _, s := range spans {
		if e, ok := beeEventOf(s); ok {
			events = append(events, e)
		} else {
			others = append(others, s)
		}
	}
	if len(events) == 0 {
		return spans
	}
	others, events = adoptBeeAI(others, events)
	slices.SortStableFunc(events, func(a, b beeEvent) int {
		return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.order(), b.order()))
	})
	steps, tools := beeSteps(events)
	joined := map[string]*beeEvent{}
	var calls []*span
	for _, e := range events {
		switch first := joined[e.call]; {
		case e.subject == "AGENT":
			// a step of the loop of the agent, whose calls stand among the steps
		case e.subject == "TOOL" && tools:
			e.failInto(steps)
		case first != nil:
			first.complete(e)
		default:
			e.end = time.Time{}
			joined[e.call] = &e
			calls = append(calls, e.span)
		}
	}
	return append(append(others, calls...), steps...)
}

// adoptBeeAI adds the events that have lost their attributes, as happens to those
// with long answers: their names tell.
// Such a name ends in .event-id; the call is known from an event that kept its attributes.
func adoptBeeAI(others []*span, events []beeEvent) ([]*span, []beeEvent) {
	known := map[string]string{} // kinds, by call
	for _, e := range events {
		known[e.call] = e.subject
	}
	others = slices.DeleteFunc(others, func(s *span) bool {
		dash := strings.LastIndexByte(s.name, '-')
		dot := strings.LastIndexByte(s.name[:max(dash, 0)], '.')
		if dot < 0 {
			return false
		}
		call := s.name[:dot] + s.name[dash:]
		subject, ok := known[call]
		if ok {
			events = append(events, beeEvent{s, call, s.name[dot+1 : dash], subject})
		}
		return ok
	})
	return others, events
}

// order sorts the events of a call that came at once.
func (e beeEvent) order() int {
	return slices.Index([]string{"success", "error", "finish"}, e.event)
}

// beeSteps returns the steps of the agent, as plain spans but for those that end a
// call of a tool. tools is true if there are such: then the events of the tools say
// nothing more, and not all of them are traced.
func beeSteps(events []beeEvent) (steps []*span, tools bool) {
	for _, e := range events {
		if e.subject != "AGENT" {
			continue
		}
		e.attributes.remove("openinference.span.kind")
		e.kind = plainSpan
		if e.event == "update" && e.attributes.first("tool.name").Exists() &&
			e.attributes.first("output.value").Exists() {
			e.kind, e.end, tools = toolSpan, time.Time{}, true
		}
		steps = append(steps, e.span)
	}
	return steps, tools
}

// complete adds a later event of the same call.
// What an earlier event said stays.
func (e *beeEvent) complete(later beeEvent) {
	e.attributes.complete(later.attributes)
	if e.end.IsZero() && later.event != "start" {
		e.end = later.start
	}
	if later.failed || later.event == "error" {
		e.failed, e.message = true, later.message
	}
	e.events = append(e.events, later.events...)
	if !e.output.Exists() {
		e.output = later.output
	}
}

// failInto passes the failure of a tool on to the step that ends after it.
// An error of a tool is an event of the tool, and the step that reports it comes later.
func (e beeEvent) failInto(steps []*span) {
	if e.event != "error" && !e.failed {
		return
	}
	for _, s := range steps {
		if s.kind == toolSpan && !s.start.Before(e.start) {
			s.failed, s.message = true, e.message
			s.events = append(s.events, e.events...)
			return
		}
	}
}
