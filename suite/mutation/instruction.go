package mutation

import (
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// instruction is a sentence or an item of a prompt.
type instruction struct {
	Start, End      int // of its bytes in the prompt, without the mark of an item
	Line, EndOfLine int // from 1, both included
}

// instructions finds the instructions of a prompt, in their order: the sentences of its paragraphs and the items of its
// lists, where the prompt has markers, those between them. Headings, code, tables, JSON, examples, and lines of nothing
// but tags or templates are none, and no instruction breaks a tag or a template in two. The error is that of markers
// that do not pair.
func instructions(prompt string) (all []instruction, err error) {
	p, err := parsed(prompt)
	if err != nil {
		return nil, err
	}
	for _, u := range p.instructions() {
		all = append(all, instruction{u.start, u.end, p.line(u.start), p.line(max(u.start, u.end-1))})
	}
	return all, nil
}

// parsedPrompt is a prompt with its parts.
type parsedPrompt struct {
	text     string
	blocks   []block
	examples []span // that are left out as a whole
	breaks   []int  // of the lines
}

// parsed finds the parts of a prompt.
func parsed(prompt string) (*parsedPrompt, error) {
	parts, err := marked(prompt)
	if err != nil {
		return nil, err
	}
	p := &parsedPrompt{text: prompt}
	for i := range len(prompt) {
		if prompt[i] == '\n' {
			p.breaks = append(p.breaks, i)
		}
	}
	for _, part := range parts {
		found := blocksOf(prompt, part)
		p.examples = append(p.examples, examplesOf(prompt, found)...)
		p.blocks = append(p.blocks, found...)
	}
	return p, nil
}

// line is the number of the line of a place.
func (p *parsedPrompt) line(at int) int {
	n, _ := slices.BinarySearch(p.breaks, at)
	return n + 1
}

// spoken are the blocks that have instructions.
func (p *parsedPrompt) spoken() (blocks []block) {
	for _, b := range p.blocks {
		example := func(e span) bool { return e.start <= b.start && b.end <= e.end }
		if len(b.groups) > 0 && !slices.ContainsFunc(p.examples, example) {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// instructions are the units that ask for something, in their order.
func (p *parsedPrompt) instructions() (units []unit) {
	for _, u := range p.units() {
		example := !u.item && exampleText().MatchString(p.text[u.start:u.end])
		if !example && (!u.lead || u.item && u.full.end > u.end) {
			units = append(units, u)
		}
	}
	return units
}

// units are all sentences and items, in their order.
func (p *parsedPrompt) units() (units []unit) {
	for _, b := range p.spoken() {
		for _, group := range b.groups {
			units = append(units, group...)
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return a.start - b.start })
	return units
}

var (
	exampleTitle = lazy.Regexp(`(?i)^[\s#*_]*(?:few[- ]shot )?(?:worked |sample |good |bad )?examples?\b`)
	// exampleText begins a paragraph that is an example, or announces one.
	exampleText = lazy.Regexp(`(?i)^[\s*_]*(?:for example\b|for instance\b|e\.g\.|` +
		`(?:here (?:is|are) )?(?:an? |some )?examples?\b[^.:\n]{0,60}:)`)
	// dialogue is a paragraph of what is asked and what is answered.
	dialogue = lazy.Regexp(`(?i)^[\s*_]*(?:input|user|human|question|q)[*_ ]*:[^\n]*\n(?:[^\n]*\n){0,6}?` +
		`[\s*_]*(?:output|assistant|ai|answer|a)[*_ ]*:`)
)

// examplesOf are the examples among blocks: between tags, below a heading, or in a paragraph, with what it announces.
func examplesOf(text string, blocks []block) (examples []span) {
	for i := 0; i < len(blocks); i++ {
		b := blocks[i]
		own := text[b.start:b.end]
		last := i
		switch {
		case b.kind == exampleBlock:
		case b.kind == headingBlock && exampleTitle().MatchString(own):
			for last+1 < len(blocks) && !(blocks[last+1].kind == headingBlock && blocks[last+1].level <= b.level) &&
				!closesTag(text, blocks[last+1]) {
				last++
			}
			if last == i {
				continue
			}
		case b.kind == paragraphBlock && dialogue().MatchString(own):
		case b.kind == paragraphBlock && exampleText().MatchString(own):
			announces := strings.HasSuffix(strings.TrimRight(own, "*_ "), ":")
			if announces && i+1 < len(blocks) && blocks[i+1].kind != headingBlock {
				last++
			} else if !startsWhole(text, b) {
				continue
			}
		default:
			continue
		}
		examples = append(examples, span{b.start, blocks[last].end})
		i = last
	}
	return examples
}

// startsWhole reports whether a paragraph that begins as an example is one as a whole: it has a colon in its first
// line, or is a single sentence.
func startsWhole(text string, b block) bool {
	first, _, _ := strings.Cut(text[b.start:b.end], "\n")
	return strings.Contains(first, ":") || len(b.groups) > 0 && len(b.groups[0]) == 1
}

// closesTag reports whether a block is a line that begins with a closing tag.
func closesTag(text string, b block) bool {
	return b.kind == fixedBlock && strings.HasPrefix(strings.TrimSpace(text[b.start:b.end]), "</")
}
