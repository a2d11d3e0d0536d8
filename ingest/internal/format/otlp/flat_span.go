package otlp

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Spans are also written one by one, or as a list of them, without the resource and the
// scope around them: by the exporters of the SDKs that print, by Phoenix, and by what AWS
// writes into its logs.
//
//	{"name":"chat","context":{"trace_id":"0x5b8e","span_id":"0xa1"},"parent_id":null,"start_time":"2026-02-26T09:25:37Z",
//	 "status":{"status_code":"UNSET"},"attributes":{"gen_ai.operation.name":"chat"},"events":[]}
//	{"name":"chat","span_kind":"LLM","parent_id":"a0","context.trace_id":"5b8e","context.span_id":"a1",
//	 "start_time":1772097937000,"status_code":"OK","attributes.llm.model_name":"m-1"}
//	{"traceId":"5b8e","spanId":"a1","parentSpanId":"a0","name":"chat","startTimeUnixNano":1772097937000000000,
//	 "attributes":{"gen_ai.operation.name":"chat"},"status":{"code":"UNSET"},"resource":{"attributes":{}}}

// place returns a member of a span, or of the context inside of it, by either of its names.
func place(n record.Node, names ...string) record.Node {
	if m := n.Either(names...); m.Exists() {
		return m
	}
	if m := n.Either("context", "spanContext", "span_context", "_spanContext").Either(names...); m.Exists() {
		return m
	}
	for _, name := range names {
		if m := n.At("context." + name); m.Exists() {
			return m
		}
	}
	return record.Node{}
}

// isFlatSpan reports whether n is a span that stands alone.
func isFlatSpan(n record.Node) bool {
	if !n.At("name").IsText() || !place(n, "traceId", "trace_id").IsText() || n.Has("span_data") {
		return false
	}
	isPrinted := n.Has("id", "timestamp", "duration") && n.At("attributes").IsObject() // by the console of JavaScript
	return isPrinted || place(n, "spanId", "span_id").IsText() && n.Either(startTimes...).Exists()
}

// isFlatLog reports whether n is a log record that stands alone.
func isFlatLog(n record.Node) bool {
	return n.Either("traceId", "trace_id").IsText() && n.Has("body") &&
		n.Either("timeUnixNano", "observedTimeUnixNano").Exists()
}

// flatSpans returns the list of spans that an object is around.
func flatSpans(n record.Node) record.Node { return n.Either("spans", "data") }

// The names of the times, with their units: nanoseconds, or any that [record.Node.Time] tells.
var (
	startTimes = []string{"startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "timestamp"}
	endTimes   = []string{"endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime"}
)

// flatSpan reads a span that stands alone.
func flatSpan(n record.Node) *span {
	status := n.At("status")
	s := &span{
		id: spanID(place(n, "spanId", "span_id").OrElse(n.At("id"))),
		parent: spanID(n.Either("parentSpanId", "parent_span_id", "parent_id", "parentId").OrElse(
			n.Either("parentSpanContext", "parent_span_context").Either("spanId", "span_id"))),
		name:       record.ValidText(n.At("name").Text()),
		start:      instant(n.Either(startTimes...)),
		end:        instant(n.Either(endTimes...)),
		attributes: flatAttributes(n),
	}
	s.setStatus(status)
	if !status.Either("message", "description").Exists() {
		s.message = n.Either("status_message", "statusMessage").Text()
	}
	if s.end.IsZero() && !s.start.IsZero() {
		s.end = s.start.Add(interval(n.At("duration")))
	}
	s.failed = s.failed || isErrorCode(n.Either("status_code", "statusCode"))
	if kind := n.At("span_kind"); kind.IsText() {
		s.attributes.complete(attributesOf([]spanAttribute{{"openinference.span.kind", kind}}))
	}
	s.events = eventsIn(n.Either("events", "span_events").Parsed())
	return s
}

// setStatus takes in the status of a span.
func (s *span) setStatus(n record.Node) {
	s.message = n.Either("message", "description").Text()
	s.failed = isErrorCode(n.Either("code", "status_code"))
}

// instant returns a time: as [record.Node.Time] does, or of a list of seconds and
// nanoseconds, as JavaScript has it.
func instant(n record.Node) time.Time {
	if parts := n.List(); len(parts) == 2 {
		seconds, nanos := parts[0].Count(), parts[1].Count()
		if seconds.Known && nanos.Known && seconds.Value < 1e11 && nanos.Value < 1e9 {
			return time.Unix(seconds.Value, nanos.Value).UTC()
		}
		return time.Time{}
	}
	return n.Time()
}

// interval returns how long a span of JavaScript took: microseconds, or a list of seconds
// and nanoseconds. What is longer than a year is none.
func interval(n record.Node) time.Duration {
	const longest = 365 * 24 * 3600 // seconds
	if parts := n.List(); len(parts) == 2 {
		seconds, nanos := parts[0].Count(), parts[1].Count()
		if seconds.Value < longest && nanos.Value < 1e9 {
			return time.Duration(seconds.Value)*time.Second + time.Duration(nanos.Value)
		}
		return 0
	}
	if micros := n.Amount(); micros.Value < longest*1e6 {
		return time.Duration(micros.Value * float64(time.Microsecond))
	}
	return 0
}

// flatAttributes are those of a span that stands alone: an object or a list of them, or
// columns of a table whose names begin with attributes. What is in objects inside of it has
// the names that lead there as well, as other writers have it.
func flatAttributes(n record.Node) spanAttributes {
	list := attributeList(n.At("attributes").Parsed())
	for name, value := range n.Members() {
		if rest, ok := strings.CutPrefix(name, "attributes."); ok && value.Exists() {
			list = append(list, spanAttribute{rest, value})
		}
	}
	return attributesOf(list).spread()
}

// spread adds what is in objects, and in lists of objects, under names of its own.
func (a spanAttributes) spread() spanAttributes {
	isOuter := func(e spanAttribute) bool { return e.value.IsObject() || e.value.First().IsObject() }
	if !slices.ContainsFunc(a.list, isOuter) {
		return a
	}
	values := make(map[string]record.Node, len(a.list))
	for _, e := range a.list {
		values[e.name] = e.value
	}
	for _, e := range a.list {
		if isOuter(e) {
			spreadInto(values, e.name, e.value, deepestAttribute)
		}
	}
	return attributesIn(values)
}

// deepestAttribute is how deep objects among the attributes are looked into. It is chosen.
const deepestAttribute = 12

// spreadInto adds what is in one of them.
func spreadInto(values map[string]record.Node, name string, value record.Node, depth int) {
	if depth == 0 {
		return
	}
	inner := func(member string, v record.Node) {
		full := name + "." + member
		if !values[full].Exists() {
			values[full] = v
		}
		spreadInto(values, full, v, depth-1)
	}
	for member, v := range value.Members() {
		inner(member, v)
	}
	if value.First().IsObject() {
		for i, v := range value.List() {
			inner(strconv.Itoa(i), v)
		}
	}
}
