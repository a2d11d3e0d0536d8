package otlp

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Names of the members of an OTLP export, as they are written in camel case and by
// writers that keep the names of the protocol.
var (
	// Grafana Tempo calls them batches.
	otlpTraces  = []string{"resourceSpans", "resource_spans", "batches"}
	otlpLogs    = []string{"resourceLogs", "resource_logs"}
	otlpMetrics = []string{"resourceMetrics", "resource_metrics"}

	// The third name is that of older exports.
	otlpScopes = []string{"scopeSpans", "scope_spans", "instrumentationLibrarySpans"}
)

// showsOTLP knows an export by its outermost members, and spans that stand alone by theirs.
// Metrics alone show nothing: no trial can come of them, though they may stand between the
// traces of a file.
func showsOTLP(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		return isExport(n) || isExport(n.At("trace")) || isFlatSpan(n) || isFlatSpan(flatSpans(n).First())
	})
}

// isExport reports whether n holds the spans or the log records of resources.
func isExport(n record.Node) bool {
	spans := n.Either(otlpTraces...)
	isBatches := spans.First().Either(otlpScopes...).IsList()
	return spans.IsList() && (isBatches || !n.Has("batches")) || n.Either(otlpLogs...).IsList()
}

// OTLP decodes OpenTelemetry OTLP JSON: GenAI conventions, OpenInference, OpenLLMetry.
var OTLP = record.Decoder{Shows: showsOTLP, Read: readOTLP, IDs: traceIDs, Ends: readEnds}

// readOTLP reads exports of traces, and of logs that belong to their spans. The spans
// of a trace may be spread over all the lines of a file: it is read to its end before
// the first trial is handed out, unless it is known where each trace ends.
// An export is one document, an element of an array, or a line, as the file exporter of the
// OpenTelemetry collector writes it.
func readOTLP(in *record.Input) error {
	file := &otlpFile{in: in, notes: in.Notes, traces: map[string]*otlpTrace{}}
	lines := &otlpLines{in: record.Input{File: in.File, Options: in.Options, Sink: in.Sink}}
	read := file.take
	// The lines of a document are not those that are read.
	if start, _ := in.Text.Peek(record.PrefixBytes); in.Ends != nil && !in.IsOneValue(start) {
		file.early = &earlyTrials{}
		read = file.takeLine
		lines.ends = in.Ends
	}
	if err := record.PreparedRecords(in, lines, read); err != nil {
		return err
	}
	return file.handOut(in)
}

// otlpFile is what a file holds, by trace.
type otlpFile struct {
	in     *record.Input
	notes  *record.Notes
	joined int // traces that earlier files have parts of
	traces map[string]*otlpTrace
	order  []*otlpTrace // as they appear
	early  *earlyTrials // nil where all traces are handed out in the end
}

// otlpTrace is one trace of a file.
type otlpTrace struct {
	id    string
	at    trial.Place // of its first span or log record
	spans []*span
	logs  map[string][]spanEvent // by the id of the span; "" belongs to the trace

	made *madeTrial // of it, if all of it stood in one line; there are no spans and logs then

	number int   // in the order in which they appear
	bytes  int64 // that are held for it
}

// otlpPart is what an export says of a trace: a span, or an event that is written as a log record.
type otlpPart struct {
	trace string // its id
	span  *span  // nil: it is an event
	event *spanEvent
	owner string // the id of the span that the event belongs to
	skip  string // what is not read, and why; "" is read

	made *madeTrial // of all that the line says of the trace, which is nothing else then
}

// otlpParts reads one export object.
// The members nest as resource, scope and span. The scope, which names the instrumentation,
// is not needed: the attributes tell more.
func otlpParts(n record.Node) (parts []otlpPart) {
	switch spans := flatSpans(n); {
	case isExport(n.At("trace")): // an answer of Grafana Tempo
		n = n.At("trace")
	case isFlatSpan(n):
		resource := otlpAttributes(n.At("resource", "attributes").OrElse(n.At("resource")))
		return appendSpan(nil, n, resource)
	case isFlatSpan(spans.First()):
		for _, s := range spans.List() {
			parts = append(parts, otlpParts(s)...)
		}
		return parts
	case isFlatLog(n):
		return appendLog(nil, n)
	}
	traces, logs := n.Either(otlpTraces...), n.Either(otlpLogs...)
	if !traces.IsList() && !logs.IsList() && !n.Either(otlpMetrics...).IsList() {
		parts = append(parts, otlpPart{skip: "objects that are no OTLP export"})
	}
	for _, r := range traces.List() {
		resource := otlpAttributes(r.At("resource", "attributes"))
		for _, scope := range r.Either(otlpScopes...).List() {
			for _, s := range scope.At("spans").List() {
				parts = appendSpan(parts, s, resource)
			}
		}
	}
	for _, r := range logs.List() {
		for _, scope := range r.Either("scopeLogs", "scope_logs").List() {
			for _, record := range scope.Either("logRecords", "log_records").List() {
				parts = appendLog(parts, record)
			}
		}
	}
	return parts
}

// appendSpan appends one span of a resource.
func appendSpan(parts []otlpPart, n record.Node, resource spanAttributes) []otlpPart {
	var s *span
	if isFlatSpan(n) {
		s = flatSpan(n)
	} else {
		s = otlpSpan(n)
	}
	s.resource = resource
	return appendRead(parts, s, spanID(place(n, "traceId", "trace_id")))
}

// appendRead appends a span that was read.
func appendRead(parts []otlpPart, s *span, trace string) []otlpPart {
	switch {
	case trace == "":
		return append(parts, otlpPart{skip: "spans without a trace id"})
	// Logfire writes a span when it begins, too.
	case s.attributes.at("logfire.span_type").Text() == "pending_span":
		return parts // it only announces the span
	}
	s.observed()
	return append(parts, otlpPart{trace: trace, span: s})
}

// appendLog appends a log record that belongs to a trace; others are of no interest.
// By the conventions the content of a span may be an event, and so may be an evaluation;
// events may be written as log records. The body of a record holds attributes as well.
func appendLog(parts []otlpPart, n record.Node) []otlpPart {
	trace := spanID(n.Either("traceId", "trace_id"))
	if trace == "" {
		return parts
	}
	event := spanEvent{name: n.Either("eventName", "event_name").Text(), attributes: otlpAttributes(n.At("attributes"))}
	if event.name == "" {
		event.name = event.attributes.at("event.name").Text()
	}
	event.attributes.complete(plainAttributes(otlpValue(n.At("body")).Parsed()))
	if !strings.HasPrefix(event.name, "gen_ai.") {
		return parts
	}
	return append(parts, otlpPart{trace: trace, event: &event, owner: spanID(n.Either("spanId", "span_id"))})
}

// take takes in the parts of a line.
func (f *otlpFile) take(l otlpLine, line int) error {
	for _, p := range l.parts {
		switch {
		case p.made != nil:
			f.trace(p.trace, line).made = p.made
		case p.skip != "":
			f.notes.Skip(p.skip)
		default:
			f.trace(p.trace, line).take(p)
		}
	}
	return nil
}

// take takes in a part of the trace.
func (t *otlpTrace) take(p otlpPart) {
	if p.span != nil {
		t.spans = append(t.spans, p.span)
		return
	}
	if t.logs == nil {
		t.logs = map[string][]spanEvent{}
	}
	t.logs[p.owner] = append(t.logs[p.owner], *p.event)
}

// trace returns the trace with the id, which begins with the first that is heard of it.
func (f *otlpFile) trace(id string, line int) *otlpTrace {
	t := f.traces[id]
	if t == nil {
		var isKept bool
		if t, isKept = f.in.Spread.Take(id).(*otlpTrace); isKept {
			f.joined++
		} else {
			t = &otlpTrace{id: id, at: f.in.Place(line)}
		}
		f.traces[id] = t
		f.add(t)
	}
	if f.early != nil {
		f.early.touch(t)
	}
	return t
}

// add notes that a trace appears.
func (f *otlpFile) add(t *otlpTrace) {
	if f.early == nil {
		f.order = append(f.order, t)
		return
	}
	t.number = f.early.appeared
	f.early.appeared++
}

// handOut hands out the trials in the order in which they began.
// The order in the file is that in which spans ended, or none at all.
func (f *otlpFile) handOut(in *record.Input) error {
	if f.early != nil {
		return f.handOutRest()
	}
	trees := make([]*spanTree, 0, len(f.order))
	if f.joined > 0 {
		f.notes.Remark("traces that are joined with what the files before have of them: " + strconv.Itoa(f.joined))
	}
	for _, t := range f.order {
		if in.Spread.Keep(t.id, t) {
			f.notes.Pass("traces that a later file names, too")
			continue
		}
		tree := t.tree()
		if tree == nil {
			f.notes.Pass(noAgents)
			continue
		}
		trees = append(trees, tree)
	}
	slices.SortStableFunc(trees, func(a, b *spanTree) int { return a.root().start.Compare(b.root().start) })
	for _, tree := range trees {
		x := tree.trial(in)
		x.ID = tree.id
		if err := in.EmitTrace(x); err != nil {
			return err
		}
	}
	return nil
}

// noAgents is why a trace is no trial.
const noAgents = "traces without calls of models, tools or agents"

// tree joins the spans of a trace, nil where it is of no agent.
func (t *otlpTrace) tree() *spanTree {
	tree := newSpanTree(t.spans, t.logs)
	tree.id, tree.at = t.id, t.at
	if slices.ContainsFunc(t.spans, func(s *span) bool { return s.attributes.at("langfuse.observation.type").Exists() }) {
		tree.langfuseTools()
	}
	if !tree.isAgents() {
		return nil
	}
	return tree
}

// traceIDs hands out what looks like the id of a trace, without reading the file as JSON.
func traceIDs(text io.Reader, found func(id string)) error {
	const longest = 300 // bytes from the name to the end of an id
	buffer := make([]byte, 1<<20)
	kept := 0 // bytes of the block before, which may end inside of an id
	for {
		n, err := io.ReadFull(text, buffer[kept:])
		block := buffer[:kept+n]
		for _, m := range traceIDMember().FindAllSubmatch(block, -1) {
			if id := spanID(record.Node{Value: string(m[1])}); id != "" {
				found(id)
			}
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return nil
		case err != nil:
			return err
		}
		kept = copy(buffer, block[len(block)-longest:])
	}
}

// traceIDMember is a member that names a trace.
var traceIDMember = lazy.Regexp(`trace(?:Id|_id)"\s*:\s*"([^"\\]{1,128})"`)

// spanID returns an id, in lower case if it is written in hexadecimal digits as the
// specification asks: writers differ in the case, and some begin it with 0x. Zeros stand
// for none.
func spanID(n record.Node) string { return idOf(n.Text()) }

// idOf is spanID of a text.
func idOf(id string) string {
	id = strings.TrimPrefix(id, "0x")
	isZero, isLower := true, true
	for i := range len(id) {
		switch c := id[i]; {
		case c == '0':
		case '1' <= c && c <= '9', 'a' <= c && c <= 'f':
			isZero = false
		case 'A' <= c && c <= 'F':
			isZero, isLower = false, false
		default: // it is not in hexadecimal digits
			return id
		}
	}
	switch {
	case len(id)%2 != 0:
		return id
	case isZero:
		return ""
	case isLower:
		return id
	}
	return strings.ToLower(id)
}
