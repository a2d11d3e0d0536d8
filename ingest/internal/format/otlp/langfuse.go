package otlp

import (
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Langfuse exports a trace with its observations, which are spans that it has already
// read: their input, output, model and usage stand beside the attributes.

//	{"trace":{"id":"tr","timestamp":"...","name":"calc","scores":[...]},
//	 "observations":[{"id":"o1","type":"GENERATION","model":"m-1","usageDetails":{"input":5}}]}
//
// is what the user interface of version 3 exports. Only names that others do not have
// together are asked for: id and timestamp are common.
func showsLangfuse(s *record.Shape) bool {
	return s.Any(func(n record.Node) bool {
		t := n.At("trace")
		if t.Has("id", "timestamp") && (n.Has("observations") || t.Has("projectId") || t.Has("observations")) {
			return true
		}
		return n.Has("id", "timestamp", "observations") &&
			(n.Has("projectId") || n.Has("htmlPath") || n.At("observations").IsList())
	})
}

// Langfuse decodes Langfuse trace exports.
var Langfuse = record.Decoder{Shows: showsLangfuse, Read: readLangfuse}

// readLangfuse makes a trial of each trace, of a list of traces, or of a page of the API.
func readLangfuse(in *record.Input) error {
	return in.Records(func(n record.Node, line int) error {
		switch {
		case n.At("data").IsList() && n.Has("meta"): // a page of the API
			for _, inner := range n.At("data").List() {
				if err := readLangfuseTrace(in, inner, line); err != nil {
					return err
				}
			}
			return nil
		default:
			return readLangfuseTrace(in, n, line)
		}
	})
}

// readLangfuseTrace reads one trace: {"trace":{...},"observations":[...]}, as the user
// interface exports it, or with the observations inside, as the API does.
// The API lists traces with the ids of their observations only: those give no trial.
func readLangfuseTrace(in *record.Input, n record.Node, line int) error {
	head := n.At("trace")
	if !head.IsObject() {
		head = n
	}
	rows := n.At("observations")
	if !rows.IsList() {
		rows = head.At("observations")
	}
	if !rows.IsList() {
		in.Notes.Skip("objects that are no trace with its observations")
		return nil
	}
	var spans []*span
	for _, row := range rows.List() {
		if row.IsObject() {
			spans = append(spans, langfuseSpan(row))
		}
	}
	tree := newSpanTree(spans, nil)
	tree.at = in.Place(line)
	if len(spans) == 0 {
		in.Notes.Skip("traces without their observations")
		return nil
	}
	tree.langfuseTools()
	x := tree.langfuseTrial(in, head)
	x.ID = head.At("id").Text()
	return in.EmitTrace(x)
}

// langfuseTrial adds what the head of the export says to the trial.
// The spans may be OpenTelemetry's, whose attributes Langfuse keeps in the metadata: those
// three members repeat what the spans have.
func (t *spanTree) langfuseTrial(in *record.Input, head record.Node) *record.Trace {
	x := t.trial(in, langfuseScores(head, t.root())...)
	x.SetTags("", head, "id", "name", "sessionId", "userId", "release", "version", "environment")
	x.SetTag("tags", head.At("tags"))
	for name, value := range head.At("metadata").Parsed().Members() {
		if name != "attributes" && name != "resourceAttributes" && name != "scope" {
			x.SetTag("metadata."+name, value)
		}
	}
	if task := taskNamed(x); task != "" {
		x.Scenario = task
	} else if name := withoutIDs(record.ValidText(head.At("name").Text())); name != "" {
		x.Scenario = name
	}
	t.langfuseTexts(x, head)
	return x
}

// langfuseTexts takes the input and output that the trace itself names, where they
// are texts or messages.
// An input that is an object is that of the program, and the user's words are looked for in it.
func (t *spanTree) langfuseTexts(x *record.Trace, head record.Node) {
	input, output := head.At("input").Parsed(), head.At("output").Parsed()
	switch text := firstOfUser(messagesIn(input)); {
	case text != "":
		x.Input = record.RawText(text)
	case input.IsText() && !strings.HasPrefix(input.Text(), "{"):
		x.Input = record.RawText(input.Text())
	case x.Input == nil && input.Exists():
		x.Input = record.RawText(plainRequest(input))
	}
	switch {
	case output.IsText():
		x.Output = record.RawText(output.Text())
	case x.Output == nil && output.Exists():
		last := &span{output: output}
		x.Output = record.RawText(last.finalText())
	}
}

// langfuseScores returns the scores of the trace, without those of a part of it.
// A boolean is 1 or 0 with its text beside it; a category has a text; the rest are numbers.
func langfuseScores(head record.Node, root *span) (verdicts []spanVerdict) {
	for _, s := range head.At("scores").List() {
		if part := s.At("observationId").Text(); part != "" && part != root.id {
			continue
		}
		v := spanVerdict{name: s.At("name").Text(), label: s.At("stringValue").Text(),
			explanation: s.At("comment").Text()}
		v.tag = "scores." + v.name
		switch value := s.At("value"); s.At("dataType").Text() {
		case "BOOLEAN":
			v.truth, v.label = value.Truth(), ""
			if c := value.Count(); c.Known && c.Value <= 1 {
				v.truth.Known, v.truth.Value = true, c.Value == 1
			}
		case "CATEGORICAL":
			if v.label == "" && value.IsText() {
				v.label = value.Text()
			}
		default:
			v.score = value.Number()
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}
