package report

import (
	"bytes"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
)

const (
	indent     = 2  // of everything between the headline and the closing sentence
	labelWidth = 14 // of the labels of lines
	mostLines  = 6  // of one text
	mostWord   = 48 // columns of a word in a text
)

// page collects the lines of a report.
type page struct {
	width         int // columns
	colour, ascii bool
	lines         []string
	err           error
}

func newPage(width int, o Options) *page {
	return &page{width: width, colour: o.Colour, ascii: o.ASCII}
}

// flush writes the page in one piece.
func (p *page) flush(w io.Writer) error {
	if p.err != nil {
		return p.err
	}
	var content bytes.Buffer
	for _, line := range p.lines {
		content.WriteString(line)
		content.WriteByte('\n')
	}
	return write(w, content.Bytes())
}

// blank separates parts; there are never two in a row.
func (p *page) blank() {
	if n := len(p.lines); n > 0 && p.lines[n-1] != "" {
		p.lines = append(p.lines, "")
	}
}

// title is a word in the colour of a verdict, and text beside it.
func (p *page) title(v verdict.Verdict, word, text string) {
	hang := table.Width(word) + indent
	for i, line := range p.wrap(text, p.width-hang) {
		start := strings.Repeat(" ", hang)
		if i == 0 {
			start = p.paint(v, word) + strings.Repeat(" ", indent)
		}
		p.lines = append(p.lines, start+line)
	}
}

// paragraph is text over the whole width.
func (p *page) paragraph(text string) {
	p.lines = append(p.lines, p.wrap(text, p.width)...)
}

// note is an indented text without a label.
func (p *page) note(text string) {
	if text = clean(text); table.Width(text) <= p.width-indent {
		p.lines = append(p.lines, strings.Repeat(" ", indent)+text)
		return
	}
	for _, line := range p.wrap(text, p.width-indent) {
		p.lines = append(p.lines, strings.Repeat(" ", indent)+line)
	}
}

// labelled is text beside a label. Without text there is no line.
func (p *page) labelled(label, text string) {
	if text == "" {
		return
	}
	label = clean(label)
	label += strings.Repeat(" ", max(labelWidth-len(label), 1))
	for _, line := range p.wrap(text, p.width-indent-len(label)) {
		p.lines = append(p.lines, strings.TrimRight(strings.Repeat(" ", indent)+label+line, " "))
		label = strings.Repeat(" ", len(label))
	}
}

// wrap cleans a text and breaks it into lines; overlong words and texts lose their
// middle.
func (p *page) wrap(text string, width int) []string {
	words := strings.Fields(clean(text))
	for i, word := range words {
		words[i] = table.Shorten(word, min(mostWord, width), p.ellipsis())
	}
	text = table.Shorten(strings.Join(words, " "), mostLines*width, p.ellipsis())
	return table.Wrap(text, width)
}

func (p *page) ellipsis() string {
	if p.ascii {
		return "..."
	}
	return "…"
}

func (p *page) strokes() strokes {
	if p.ascii {
		return strokes{line: "-", estimate: "O", mark: "|", crossing: "+", full: "#", empty: "."}
	}
	return strokes{line: "━", estimate: "█", mark: "│", crossing: "┿", full: "█", empty: "·"}
}

// paint colours a text by a verdict, if there is colour at all: bold, and green, red
// or yellow.
func (p *page) paint(v verdict.Verdict, text string) string {
	if !p.colour || text == "" {
		return text
	}
	switch v {
	case verdict.Pass:
		return "\x1b[1;32m" + text + reset
	case verdict.Fail:
		return "\x1b[1;31m" + text + reset
	case verdict.Inconclusive:
		return "\x1b[1;33m" + text + reset
	}
	return text
}

const reset = "\x1b[0m"
