package rewrite

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/suite/mutation"
)

// element is a document in a text, as prompts mark it.
var element = lazy.Regexp(`(?s)<(?:document|doc)\b[^>]*>.*?</(?:document|doc)>`)

// documents are those of the user's messages: the elements <document> of a text, or the blocks of that type that stand
// one after the other, in the first message that has some.
type documents struct {
	segments []mutation.Segment
	within   *jsonspan.Node // the text that has elements; nil: they are blocks
	blocks   []*jsonspan.Node
	spans    [][]int // of the elements, in the text
}

// documents finds the documents of a request.
func (q *request) documents() (d documents) {
	for _, content := range q.users {
		if content == nil {
			continue
		}
		if content.Kind == '"' {
			if d = q.elements(content); d.segments != nil {
				return d
			}
		}
		for _, p := range content.List() {
			if p.Get("type").Str(q.body) == "document" && p.Get("source", "data").Str(q.body) != "" &&
				p.Get("source", "type").Str(q.body) == "text" {
				d.blocks = append(d.blocks, p)
				d.segments = append(d.segments, mutation.Segment{Raw: string(p.Raw(q.body)), JSON: true})
				continue
			}
			if d.blocks != nil {
				break
			}
			if inner := p.Get("text"); inner != nil && inner.Kind == '"' {
				if found := q.elements(inner); found.segments != nil {
					return found
				}
			}
		}
		if d.segments != nil {
			return d
		}
	}
	return d
}

// elements are the documents in a text.
func (q *request) elements(n *jsonspan.Node) (d documents) {
	said := n.Str(q.body)
	d.within, d.spans = n, element().FindAllStringIndex(said, -1)
	for _, s := range d.spans {
		d.segments = append(d.segments, mutation.Segment{Raw: said[s[0]:s[1]]})
	}
	return d
}

// putContext puts documents in the places of those that there are.
func (q *request) putContext(all []mutation.Segment) error {
	d := q.documents()
	if len(d.segments) == 0 {
		return errUnknown
	}
	var raws []string
	for _, s := range all {
		raws = append(raws, s.Raw)
	}
	if d.within != nil {
		said := d.within.Str(q.body)
		q.edit(d.within.Replace(placed(said, d.spans, raws, "\n")))
		return nil
	}
	var spans [][]int
	for _, b := range d.blocks {
		spans = append(spans, []int{b.Start, b.End})
	}
	q.body = []byte(placed(string(q.body), spans, raws, ", "))
	return nil
}

// placed is a text with others in places of it: what stands between two places stays, and is used again where there are
// more texts than places.
func placed(text string, places [][]int, others []string, usual string) string {
	var b strings.Builder
	b.WriteString(text[:places[0][0]])
	if len(places) > 1 {
		usual = text[places[0][1]:places[1][0]]
	}
	for i, other := range others {
		if i > 0 && i < len(places) {
			b.WriteString(text[places[i-1][1]:places[i][0]])
		} else if i > 0 {
			b.WriteString(usual)
		}
		b.WriteString(other)
	}
	b.WriteString(text[places[len(places)-1][1]:])
	return b.String()
}
