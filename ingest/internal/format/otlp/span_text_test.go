package otlp

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// exportOf is an export of one span with these members.
func exportOf(members string) string {
	return `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"x"}}]},"scopeSpans":[{"scope":{"name":"y"},"spans":[{` +
		members + `}]}]}]}`
}

const plainMembers = `"traceId":"5b8E","spanId":"a1","parentSpanId":"0xA0","name":"chat","kind":3,"startTimeUnixNano":"1772097937000000000",` +
	`"endTimeUnixNano":1772097938000000000,"attributes":[` +
	`{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"b","value":{"intValue":"7"}},{"key":"b","value":{"boolValue":false}},` +
	`{"key":"a","value":{"doubleValue":0.5}},{"value":{"stringValue":"\u00e9"},"key":"c"},{"key":"d","value":{"arrayValue":{"values":[{"intValue":1}]}}}],` +
	`"events":[{"name":"e","attributes":[{"key":"f","value":{"stringValue":"g"}}]}],"links":[],"status":{"code":2,"message":"m"}`

// readFromText are exports that are read from their text.
var readFromText = []string{
	`{"resourceSpans":[]}`, `{"resourceSpans":[{}]}`,
	` { "resourceSpans" : [ { "scopeSpans" : [ { "spans" : [ ] } ] } ] } `,
	exportOf(plainMembers), exportOf(strings.Replace(plainMembers, `"kind":3`, `"flags":256`, 1)),
	exportOf(strings.Replace(plainMembers, `"traceId":"5b8E"`, `"traceId":"00"`, 1)),
	exportOf(strings.Replace(plainMembers, `"chat"}}`,
		`"pending_span"}},{"key":"logfire.span_type","value":{"stringValue":"pending_span"}}`, 1)),
}

// readInParts are exports of which a part is left to the functions for all shapes.
var readInParts = []string{
	exportOf(``), exportOf(`"traceId":"5b8e"`), exportOf(`"traceId":"5b8e","spanId":"a1","name":"chat"`),
	exportOf(strings.Replace(plainMembers, `"kind":3`, `"kind":3,"span_kind":"LLM"`, 1)),
	exportOf(strings.Replace(plainMembers, `"kind":3`, `"traceId":"2"`, 1)),
	exportOf(strings.Replace(plainMembers, `"kind":3`, `"attributes":{"x":{"y":[{"z":1}]}}`, 1)),
	exportOf(strings.Replace(plainMembers, `"attributes":[`, `"attributes":{"x":1},"attributes.b":[`, 1)),
	exportOf(strings.Replace(plainMembers, `"5b8E"`, `5`, 1)), exportOf(strings.Replace(plainMembers, `"a1"`, `null`, 1)),
	exportOf(strings.Replace(plainMembers, `"0xA0"`, `null`, 1)),
	exportOf(strings.Replace(plainMembers, `"chat"`, `1`, 1)),
	exportOf(strings.Replace(plainMembers, `"1772097937000000000"`, `"2026-02-26T09:25:37Z"`, 1)),
	exportOf(strings.Replace(plainMembers, `"1772097937000000000"`, `""`, 1)),
	exportOf(strings.Replace(plainMembers, `1772097938000000000`, `0`, 1)),
	exportOf(strings.Replace(plainMembers, `{"intValue":"7"}`, `{"intValue":"07"}`, 1)),
	exportOf(strings.Replace(plainMembers, `{"intValue":"7"}`, `{"intValue":"7","stringValue":"8"}`, 1)),
	exportOf(strings.Replace(plainMembers, `{"intValue":"7"}`, `{"stringValue":null}`, 1)),
	exportOf(strings.Replace(plainMembers, `{"intValue":"7"}`, `{}`, 1)),
	exportOf(strings.Replace(plainMembers, `{"intValue":"7"}`, `[1]`, 1)),
	exportOf(strings.Replace(plainMembers, `{"key":"b","value":{"boolValue":false}}`,
		`5,{"key":1,"value":2},{"key":"","value":3},{"key":"h"}`, 1)),
	exportOf(strings.Replace(plainMembers, `{"code":2,"message":"m"}`, `null`, 1)),
	exportOf(strings.Replace(plainMembers, `"links":[]`, `"links":[{"a":["\ud800",1e5]}]`, 1)),
}

// leftToOthers are exports that are not read from their text at all.
var leftToOthers = []string{
	`{}`, `[]`, `null`, `{"resourceSpans":null}`, `{"resourceSpans":[],"resourceSpans":[]}`, `{"resourceSpans":[1]}`,
	`{"batches":[]}`,
	`{"resourceSpans":[{"scopeSpans":null,"scope_spans":[]}]}`, `{"resourceSpans":[{"resource":{},"resource":{}}]}`,
	`{"resourceSpans":[]} 1`,
	`{"resourceSpans":[{"scopeSpans":[{"spans":[],"spans":[]}]}]}`, `{"resourceSpans":[],"trace":{"resourceSpans":[]}}`,
	`{"resourceSpans":[`,
	exportOf(strings.Replace(plainMembers, `"links":[]`, `"links":["\x"]`, 1)),
}

// fromText reads a text, and reports whether it could.
func fromText(c *record.Cursor, text string) ([]otlpPart, bool) {
	c.Begin([]byte(text))
	r := &textReader{Cursor: c}
	r.export()
	return r.parts, c.Ended()
}

// differences compares what comes of a text with what comes of the objects in it.
func differences(t *testing.T, text string, got []otlpPart) string {
	n, err := record.DecodeNode([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return cmp.Diff(otlpParts(n), got, cmpopts.EquateEmpty(),
		cmp.AllowUnexported(otlpPart{}, span{}, spanAttributes{}, spanAttribute{}, spanEvent{}, spanPlace{}, spanContent{},
			spanMessage{}, spanTool{}))
}

func TestExportsAreReadFromText(t *testing.T) {
	c := &record.Cursor{}
	for _, text := range append(readFromText, readInParts...) {
		if got, ok := fromText(c, text); !ok {
			t.Errorf("not read: %s", text)
		} else if d := differences(t, text, got); d != "" {
			t.Errorf("%s: %s", text, d)
		}
	}
	for _, text := range leftToOthers {
		if got, ok := fromText(c, text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// Spans as most write them need no objects: else nothing is gained.
func TestPlainSpansAreReadFromText(t *testing.T) {
	c := &record.Cursor{}
	c.Begin([]byte("{" + plainMembers + "}"))
	if s, trace, ok := (&textReader{Cursor: c}).span(); !ok || trace != "5b8e" || s.id != "a1" || s.parent != "a0" || !c.Ended() {
		t.Errorf("%+v of %s, %v", s, trace, ok)
	}
}

// FuzzExportText compares what comes of a text with what comes of the objects in it.
func FuzzExportText(f *testing.F) {
	for _, text := range append(append(readFromText, readInParts...), leftToOthers...) {
		f.Add(text)
	}
	c := &record.Cursor{} // the same for all, as for the lines of a file
	f.Fuzz(func(t *testing.T, text string) {
		if got, ok := fromText(c, text); ok {
			if d := differences(t, text, got); d != "" {
				t.Errorf("%s: %s", text, d)
			}
		}
	})
}
