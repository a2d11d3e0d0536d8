package mutation

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// blockKind says what a part of a prompt is.
type blockKind uint8

// The kinds of blocks. Those from fixedBlock on stay whole: nothing in them is an instruction.
const (
	paragraphBlock blockKind = iota
	listBlock
	headingBlock
	fixedBlock   // code, tables, JSON, and lines of nothing but tags or templates
	exampleBlock // between tags of an example
)

// block is a part of a prompt: some lines, without blank ones around them.
type block struct {
	span
	kind   blockKind
	level  int      // of a heading, from 1
	groups [][]unit // its instructions: of a paragraph its sentences, of a list the items below each item
}

// unit is a sentence of a paragraph or an item of a list.
type unit struct {
	span      // of a sentence its text, of an item its own text behind the mark, without items below it
	full span // with the items below it
	cut  span // what goes with it when it is left out
	item bool
	lead bool // it ends with a colon, and announces what follows
}

// line is a line of a text: its bytes without the end of the line, and where the next begins.
type line struct {
	span
	next int
}

// linesOf are the lines of a part of a text.
func linesOf(text string, part span) (lines []line) {
	for at := part.start; at < part.end; {
		end, next := part.end, part.end
		if i := strings.IndexByte(text[at:part.end], '\n'); i >= 0 {
			end, next = at+i, at+i+1
		}
		lines = append(lines, line{span{at, at + len(strings.TrimRight(text[at:end], "\r"))}, next})
		at = next
	}
	return lines
}

var (
	fenceLine   = lazy.Regexp("^[ \t]*(```+|~~~+)")
	headingLine = lazy.Regexp(`^ {0,3}(#{1,6})(?:\s|$)`)
	boldLine    = lazy.Regexp(`^\s*(?:\*\*[^*]+\*\*|__[^_]+__):?\s*$`)
	ruleLine    = lazy.Regexp(`^\s*(?:-{3,}|\*{3,}|_{3,}|={3,}|~{3,})\s*$`)
	tableLine   = lazy.Regexp(`^\s*\|`)
	itemLine    = lazy.Regexp(`^([ \t]*)(?:[-*+•–]|\d{1,3}[.)]|[A-Za-z][.)]|\(\w{1,3}\))[ \t]+(\S)`)
	// aloneLine has nothing but tags and templates.
	aloneLine = lazy.Regexp(`^\s*(?:(?:</?[A-Za-z][\w.:-]*(?:\s[^<>]*)?/?>|<!--.*-->|\{\{[^{}]*\}\}|\{%[^%]*%\}|` +
		`\$?\{[\w.\[\]:-]*\})\s*)+$`)
	exampleTag = lazy.Regexp(`^\s*<([A-Za-z_-]*example[\w-]*)(?:\s[^<>]*)?>`)
	quoteLine  = lazy.Regexp(`^\s*>`)
)

// parser finds the blocks of a part of a prompt.
type parser struct {
	text   string
	part   span
	lines  []line
	at     int // of the next line
	blocks []block
}

// blocksOf are the blocks of a part of a prompt, in their order.
func blocksOf(text string, part span) []block {
	p := &parser{text: text, part: part, lines: linesOf(text, part)}
	for p.at < len(p.lines) {
		p.block()
	}
	return p.blocks
}

// of is the text of a line.
func (p *parser) of(i int) string { return p.text[p.lines[i].start:p.lines[i].end] }

// blank reports whether a line is blank, or behind the last.
func (p *parser) blank(i int) bool { return i >= len(p.lines) || strings.TrimSpace(p.of(i)) == "" }

// take makes a block of the next lines, up to one.
func (p *parser) take(kind blockKind, to int) *block {
	b := block{span: span{p.lines[p.at].start, p.lines[to-1].end}, kind: kind}
	p.at = to
	p.blocks = append(p.blocks, b)
	return &p.blocks[len(p.blocks)-1]
}

// block reads the next block.
func (p *parser) block() {
	i, text := p.at, p.of(p.at)
	switch {
	case p.blank(i):
		p.at++
	case fenceLine().MatchString(text):
		p.take(fixedBlock, p.fenceEnd(i))
	case exampleTag().MatchString(text):
		p.example(i)
	case headingLine().MatchString(text):
		p.take(headingBlock, i+1).level = len(headingLine().FindStringSubmatch(text)[1])
	case boldLine().MatchString(text):
		p.take(headingBlock, i+1).level = 7
	case p.underlined(i):
		p.take(headingBlock, i+2).level = 1
	case ruleLine().MatchString(text), tableLine().MatchString(text), aloneLine().MatchString(text),
		quoteLine().MatchString(text):
		p.take(fixedBlock, i+1)
	case p.jsonEnd(i) > i:
		p.take(fixedBlock, p.jsonEnd(i))
	case itemLine().MatchString(text):
		p.list(i)
	case strings.HasPrefix(text, "    ") || strings.HasPrefix(text, "\t"):
		p.take(fixedBlock, i+1) // code, as no list is open
	default:
		p.paragraph(i)
	}
}

// fenceEnd is the line behind a block of code that begins at a line.
func (p *parser) fenceEnd(i int) int {
	mark := fenceLine().FindStringSubmatch(p.of(i))[1]
	for j := i + 1; j < len(p.lines); j++ {
		closing := strings.TrimSpace(p.of(j))
		if strings.HasPrefix(closing, mark) && strings.Trim(closing, mark[:1]) == "" {
			return j + 1
		}
	}
	return len(p.lines)
}

// underlined reports whether a line is a heading by the line below it.
func (p *parser) underlined(i int) bool {
	if i+1 >= len(p.lines) || i > 0 && !p.blank(i-1) {
		return false
	}
	below := strings.TrimSpace(p.of(i + 1))
	return len(below) >= 3 && (strings.Trim(below, "=") == "" || strings.Trim(below, "-") == "")
}

// jsonEnd is the line behind JSON that begins at a line; the line itself where none does.
func (p *parser) jsonEnd(i int) int {
	first := strings.TrimSpace(p.of(i))
	if first[0] != '{' && first[0] != '[' {
		return i
	}
	const most = 400 // lines; chosen
	depth := 0
	for j := i; j < min(len(p.lines), i+most); j++ {
		for _, c := range []byte(p.of(j)) {
			switch c {
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			}
		}
		if depth <= 0 {
			whole := strings.TrimSpace(p.text[p.lines[i].start:p.lines[j].end])
			if end := whole[len(whole)-1]; j > i && (end == '}' || end == ']') || json.Valid([]byte(whole)) {
				return j + 1
			}
			return i
		}
	}
	return i
}

// example reads what stands between tags of an example; a tag that is not closed is a line of its own.
func (p *parser) example(i int) {
	name := exampleTag().FindStringSubmatch(p.of(i))[1]
	closing := "</" + name + ">"
	for j := i; j < len(p.lines); j++ {
		if strings.Contains(p.of(j), closing) {
			p.take(exampleBlock, j+1)
			return
		}
	}
	p.take(fixedBlock, i+1)
}

// ends reports whether a line ends a paragraph that goes on before it.
func (p *parser) ends(i int) bool {
	if p.blank(i) {
		return true
	}
	text := p.of(i)
	for _, other := range []func() *regexp.Regexp{
		fenceLine, exampleTag, headingLine, boldLine, ruleLine, tableLine, aloneLine, itemLine, quoteLine,
	} {
		if other().MatchString(text) {
			return true
		}
	}
	return p.jsonEnd(i) > i
}

// paragraph reads lines up to what ends them, and their sentences.
func (p *parser) paragraph(i int) {
	to := i + 1
	for !p.ends(to) {
		to++
	}
	lines := p.lines[i:to]
	b := p.take(paragraphBlock, to)
	b.groups = [][]unit{sentences(p.text, lines, p.part)}
}

// indent is how far a line is indented; a tab is four columns.
func indent(text string) (columns int) {
	for _, c := range text {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// list reads items, with what is indented below them.
func (p *parser) list(i int) {
	type item struct {
		unit
		indent int
		parent int // -1 is none
	}
	var items []item
	to, last := i, i // behind the list; its last line that is not blank
	for to < len(p.lines) {
		text := p.of(to)
		if p.blank(to) {
			// A list goes on behind a blank line with an item, or with what is indented.
			if p.blank(to+1) || indent(p.of(to+1)) <= items[0].indent && !itemLine().MatchString(p.of(to+1)) {
				break
			}
			to++
			continue
		}
		m := itemLine().FindStringSubmatchIndex(text)
		switch {
		case m != nil:
			at := indent(text)
			if len(items) > 0 && at < items[0].indent {
				p.endList(i, last+1, nil)
				return
			}
			parent := len(items) - 1
			for parent >= 0 && items[parent].indent >= at {
				parent = items[parent].parent
			}
			start := p.lines[to].start + m[4]
			items = append(items, item{
				unit:   unit{span: span{start, p.lines[to].end}, cut: span{p.lines[to].start, p.lines[to].next}, item: true},
				indent: at, parent: parent,
			})
			last = to
			to++
			continue
		case fenceLine().MatchString(text) && indent(text) > items[len(items)-1].indent:
			last = p.fenceEnd(to) - 1
			to = last + 1
		case indent(text) > items[len(items)-1].indent:
			last = to
			to++
		case to > last+1 || p.ends(to): // behind a blank line, or another block
			to = len(p.lines) + 1
		default: // a line that is not indented continues the item, as Markdown has it
			last = to
			to++
		}
		if to > len(p.lines) {
			break
		}
		own := &items[len(items)-1]
		own.end, own.cut.end = p.lines[last].end, p.lines[last].next
	}
	groups := map[int][]unit{}
	for j := len(items) - 1; j >= 0; j-- {
		own := &items[j]
		own.full = span{own.start, max(own.end, own.full.end)}
		if parent := own.parent; parent >= 0 {
			items[parent].full.end = max(items[parent].full.end, own.full.end)
			items[parent].cut.end = max(items[parent].cut.end, own.cut.end)
		}
	}
	order := []int{}
	for _, own := range items {
		own.lead = strings.HasSuffix(strings.TrimRight(p.text[own.start:own.end], " *_"), ":")
		if groups[own.parent] == nil {
			order = append(order, own.parent)
		}
		groups[own.parent] = append(groups[own.parent], own.unit)
	}
	var ordered [][]unit
	for _, parent := range order {
		ordered = append(ordered, groups[parent])
	}
	p.endList(i, last+1, ordered)
}

// endList makes a block of a list; one whose items stand less deep than the first is left whole.
func (p *parser) endList(from, to int, groups [][]unit) {
	kind := listBlock
	if groups == nil {
		kind = fixedBlock
	}
	p.at = from
	p.take(kind, max(to, from+1)).groups = groups
}
