package mutation

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// Segment is a document or passage of a context.
type Segment struct {
	Raw  string // as it stands where it was read
	JSON bool   // Raw is a JSON string, or an object that has the text in a member
}

// textNames are the members that have the text of a document, in the order in which they are looked for.
var textNames = []string{"text", "content", "page_content", "pageContent", "body", "document"}

// textNode is where a segment of JSON has its text; nil is nowhere.
func (s Segment) textNode() *jsonspan.Node {
	n, err := jsonspan.Parse([]byte(s.Raw))
	if err != nil {
		return nil
	}
	if n.Kind == '"' {
		return n
	}
	for _, name := range textNames {
		if inner := n.Get(name); inner != nil && inner.Kind == '"' {
			return inner
		}
	}
	if inner := n.Get("source", "data"); inner != nil && inner.Kind == '"' { // as Anthropic takes documents
		return inner
	}
	return nil
}

// Text is what the segment says; of JSON without a member for it, the JSON.
func (s Segment) Text() string {
	if !s.JSON {
		return s.Raw
	}
	if n := s.textNode(); n != nil {
		return n.Str([]byte(s.Raw))
	}
	return s.Raw
}

// with is the segment with another text; one of JSON that has none stays as it is.
func (s Segment) with(text string) Segment {
	if !s.JSON {
		return Segment{Raw: text}
	}
	n := s.textNode()
	if n == nil {
		return s
	}
	return Segment{Raw: string(jsonspan.Edited([]byte(s.Raw), []jsonspan.Edit{n.Replace(text)})), JSON: true}
}

// like is a new segment of the same form as another, and nothing but a text.
func like(s Segment, text string) Segment {
	if !s.JSON {
		return Segment{Raw: text}
	}
	n, err := jsonspan.Parse([]byte(s.Raw))
	quoted := string(jsonspan.Encoded(text))
	if err != nil || n.Kind == '"' {
		return Segment{Raw: quoted, JSON: true}
	}
	if n.Get("type") != nil { // what kind of object it is, is not for a text to say
		return s.with(text)
	}
	name := textNames[0]
	for _, known := range textNames {
		if inner := n.Get(known); inner != nil && inner.Kind == '"' {
			name = known
			break
		}
	}
	return Segment{Raw: `{"` + name + `": ` + quoted + `}`, JSON: true}
}

var (
	// ruledLine parts segments of a text: a line of three dashes or more.
	ruledLine = lazy.Regexp(`(?m)^[ \t]*-{3,}[ \t]*(?:\r?\n|\z)`)
	// blankLines part paragraphs.
	blankLines = lazy.Regexp(`\n[ \t\r]*\n\s*`)
)

// segments finds the segments of a document, and whether they are JSON.
func segments(text []byte) (found []span, isJSON bool, err error) {
	if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 && (trimmed[0] == '[' || trimmed[0] == '{') {
		if found, ok := jsonSegments(text); ok {
			return found, true, nil
		}
		if trimmed[0] == '[' && json.Valid(text) {
			return nil, false, errors.New("it is a JSON list of neither texts nor objects")
		}
	}
	by := blankLines()
	if ruledLine().Match(text) {
		by = ruledLine()
	}
	return parted(string(text), by), false, nil
}

// parted are the parts of a text between matches, without blanks around them; blank parts are none.
func parted(text string, by *regexp.Regexp) (found []span) {
	add := func(start, end int) {
		part := text[start:end]
		start += len(part) - len(strings.TrimLeft(part, " \t\r\n"))
		end -= len(part) - len(strings.TrimRight(part, " \t\r\n"))
		if start < end {
			found = append(found, span{start, end})
		}
	}
	at := 0
	for _, m := range by.FindAllStringIndex(text, -1) {
		add(at, m[0])
		at = m[1]
	}
	add(at, len(text))
	return found
}

// jsonSegments are those of a JSON list of texts or objects, or of lines of JSON objects; !ok: it is neither.
func jsonSegments(text []byte) (found []span, ok bool) {
	if json.Valid(text) {
		n, err := jsonspan.Parse(text)
		if err != nil {
			return nil, false
		}
		if n.Kind == '{' {
			if inner := n.Get("documents"); inner != nil && inner.Kind == '[' {
				n = inner
			} else {
				return []span{{n.Start, n.End}}, true
			}
		}
		for _, item := range n.List() {
			if item.Kind != '"' && item.Kind != '{' {
				return nil, false
			}
			found = append(found, span{item.Start, item.End})
		}
		return found, true
	}
	at := 0
	for line := range bytes.SplitAfterSeq(text, []byte("\n")) {
		trimmed := bytes.TrimSpace(line)
		if len(trimmed) > 0 {
			if trimmed[0] != '{' || !json.Valid(trimmed) {
				return nil, false
			}
			start := at + bytes.IndexByte(line, '{')
			found = append(found, span{start, start + len(trimmed)})
		}
		at += len(line)
	}
	return found, true
}

// ParseContext reads the segments of a context: the items of a JSON list, or of the member documents of an object,
// lines of JSON, the parts of a text between lines of dashes, or else its paragraphs.
func ParseContext(text []byte) ([]Segment, error) {
	spans, isJSON, err := segments(text)
	if err != nil {
		return nil, err
	}
	all := []Segment{}
	for _, s := range spans {
		all = append(all, Segment{Raw: string(text[s.start:s.end]), JSON: isJSON})
	}
	return all, nil
}

// PutContext is a document of [ParseContext] with other segments in the places of those that it has. What does not
// change stays byte for byte.
func PutContext(text []byte, all []Segment) ([]byte, error) {
	spans, isJSON, err := segments(text)
	if err != nil {
		return nil, err
	}
	usual := "\n\n"
	switch {
	case isJSON && !json.Valid(text):
		usual = "\n"
	case isJSON:
		usual = ", "
	case ruledLine().Match(text):
		usual = "\n\n---\n\n"
	}
	if len(spans) == 1 && isJSON && json.Valid(text) && text[spans[0].start] == '{' && spans[0].start == leading(text) {
		usual = "\n" // one document, and so a line of JSON
	}
	var raws []string
	for _, s := range all {
		raws = append(raws, s.Raw)
	}
	if len(spans) == 0 && len(all) == 0 {
		return text, nil
	}
	if len(spans) == 0 {
		return []byte(strings.Join(raws, usual)), nil
	}
	return []byte(framed(string(text), spans, usual).put(raws)), nil
}

// leading is how many bytes of a text are blank at its beginning.
func leading(text []byte) int { return len(text) - len(bytes.TrimLeft(text, " \t\r\n")) }
