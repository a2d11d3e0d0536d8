package otlp

import (
	"slices"
	"sync"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// otlpLines prepares the lines of a file: it reads them, and makes the trials of traces that stand in one line each.
type otlpLines struct {
	in      record.Input // for one trial: the name of the file and the options, with the sink for contents
	ends    *record.Ends // nil where it is not known which traces stand in one line
	readers sync.Pool    // of *textReader
}

// otlpLine is what a line says.
type otlpLine struct {
	parts []otlpPart
	text  []byte // valid until it was handed out
}

// madeTrial is what is made of a trace.
type madeTrial struct {
	trial *record.Trace // nil: it is of no agent
	start int64         // nanoseconds since 1970
	notes record.Notes  // on the trial, where they are not on those of the file
}

// Prepare implements [record.Preparer].
func (l *otlpLines) Prepare(n record.Node, at record.Line) otlpLine {
	return otlpLine{l.withTrials(otlpParts(n), at.Number), at.Text}
}

// PrepareText implements [record.Preparer].
func (l *otlpLines) PrepareText(c *record.Cursor, at record.Line) (otlpLine, bool) {
	r, _ := l.readers.Get().(*textReader)
	if r == nil {
		r = &textReader{}
	}
	defer l.readers.Put(r)
	r.Cursor = c
	r.export()
	if !c.Ended() {
		r.free()
		return otlpLine{}, false
	}
	parts := l.withTrials(r.parts, at.Number)
	if l.ends == nil || slices.ContainsFunc(parts, func(p otlpPart) bool { return p.span != nil }) {
		r.forget()
	}
	r.free()
	return otlpLine{parts, at.Text}, true
}

// withTrials puts a trial in the place of what a line says of a trace that no other line names: at its first part. The
// trial shares no memory with the parts.
func (l *otlpLines) withTrials(parts []otlpPart, line int) []otlpPart {
	if l.ends == nil {
		return parts
	}
	traces := map[string]*otlpTrace{}
	for id := range l.ends.Within(line) {
		traces[id] = &otlpTrace{id: id, at: l.in.Place(line)}
	}
	var kept []otlpPart
	for _, p := range parts {
		t := traces[p.trace]
		switch {
		case t == nil:
			kept = append(kept, p)
			continue
		case t.made == nil:
			t.made = &madeTrial{}
			kept = append(kept, otlpPart{trace: p.trace, made: t.made})
		}
		t.take(p)
	}
	for _, t := range traces {
		if t.made != nil { // else the id is within a text
			in := l.in
			in.Notes = &t.made.notes
			t.make(t.made, &in)
			if t.made.trial != nil {
				t.made.trial.Close(l.in.Sink)
			}
		}
	}
	return kept
}

// make makes the trial of a trace.
func (t *otlpTrace) make(made *madeTrial, in *record.Input) {
	tree := t.tree()
	if tree == nil {
		return
	}
	made.trial, made.start = tree.trial(in), record.Always
	made.trial.ID = t.id
	if start := tree.root().start; !start.IsZero() {
		made.start = start.UnixNano()
	}
}
