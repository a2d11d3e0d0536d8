package mutation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// abbreviation ends with a point that ends no sentence.
var abbreviation = lazy.Regexp(`(?i)(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|mr|mrs|ms|dr|prof|st|no|nr|fig|eq|sec|approx|` +
	`max|min|incl|excl|a\.m|p\.m|u\.s|inc|ltd|co|jr|sr|[a-z])\.$`)

// sentences finds those of a paragraph. A line ends one too where what follows begins with no small letter and would
// have fitted on it, or where the paragraph is not wrapped: then the line was ended on purpose.
func sentences(text string, lines []line, part span) (units []unit) {
	paragraph := span{lines[0].start, lines[len(lines)-1].end}
	ends := sentenceEnds(text, paragraph, lines)
	start := paragraph.start
	for i, end := range ends {
		u := withoutTags(text, trimmed(text, span{start, end}))
		// What opens within it and is not closed continues the next: tags, emphasis, quotations.
		if !balanced(text[u.start:u.end]) && i+1 < len(ends) {
			continue
		}
		start = end
		if u.start >= u.end || !balanced(text[u.start:u.end]) || !hasLetters(text[u.start:u.end]) {
			continue
		}
		lead := strings.HasSuffix(strings.TrimRight(text[u.start:u.end], "*_ "), ":")
		units = append(units, unit{span: u, full: u, cut: cutOf(text, u, part), lead: lead})
	}
	return units
}

// sentenceEnds are the places behind each sentence.
func sentenceEnds(text string, part span, lines []line) (ends []int) {
	whole := masked(text[part.start:part.end], true)
	width, next := 0, 0
	for _, l := range lines {
		width = max(width, utf8.RuneCountInString(text[l.start:l.end]))
	}
	for at := part.start; at < part.end; at++ {
		if m, in := within(whole, at-part.start); in {
			at = part.start + m.end - 1
			for next < len(lines) && lines[next].end <= at {
				next++
			}
			// A quotation may end with the point of the sentence.
			if at+1 < part.end && strings.ContainsRune(".!?", rune(text[max(at-1, 0)])) && sentenceBegins(text, at+1, part.end) {
				ends = append(ends, at+1)
			}
			continue
		}
		for next < len(lines) && lines[next].end < at {
			next++
		}
		switch c := text[at]; {
		case c == '\n' && next < len(lines) && lineEnds(text, lines, at, width):
			ends = append(ends, at)
		case c == '.' || c == '!' || c == '?':
			end := at + 1
			for end < part.end && strings.IndexByte(`.!?)"'*_]`, text[end]) >= 0 {
				end++
			}
			if c == '.' && abbreviation().MatchString(text[max(part.start, at-12):at+1]) || !sentenceBegins(text, end,
				part.end) {
				continue
			}
			ends = append(ends, end)
			at = end - 1
		}
	}
	return append(ends, part.end)
}

// sentenceBegins reports whether what stands at a place could be the next sentence: blanks, and then no small letter.
func sentenceBegins(text string, at, end int) bool {
	rest := strings.TrimLeft(text[at:end], " \t\r\n")
	if rest == "" || len(rest) == end-at {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, `"'“«(*_`))
	return !unicode.IsLower(r)
}

// Columns at which texts are wrapped. They are chosen.
const (
	leastWrapped = 60
	mostWrapped  = 120
)

// lineEnds reports whether the end of a line is that of a sentence.
func lineEnds(text string, lines []line, at, width int) bool {
	for i, l := range lines {
		if l.next != at+1 || i+1 >= len(lines) {
			continue
		}
		this, next := strings.TrimSpace(text[l.start:l.end]), strings.TrimSpace(text[lines[i+1].start:lines[i+1].end])
		if strings.HasSuffix(this, ":") || strings.HasSuffix(this, ";") {
			return true
		}
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(next, `"'“«(*_`))
		first, _, _ := strings.Cut(next, " ")
		fits := utf8.RuneCountInString(text[l.start:l.end])+1+utf8.RuneCountInString(first) <= width
		// Who wraps lines does it at some width, which lines that are all short, or very long, do not show.
		wrapped := width >= leastWrapped && width <= mostWrapped
		return (fits || !wrapped) && !unicode.IsLower(r)
	}
	return false
}

// trimmed is a part of a text without blanks around it.
func trimmed(text string, s span) span {
	part := text[s.start:s.end]
	s.start += len(part) - len(strings.TrimLeft(part, " \t\r\n"))
	if s.start > s.end {
		s.start = s.end
	}
	s.end = s.start + len(strings.TrimRight(text[s.start:s.end], " \t\r\n"))
	return s
}

var (
	leadingTags  = lazy.Regexp(`^(?:\s*(?:</?[A-Za-z][\w.:-]*(?:\s[^<>]*)?/?>|\{\{[#/^>!][^{}]*\}\}|\{%[^%]*%\}))+\s*`)
	trailingTags = lazy.Regexp(`\s*(?:(?:</?[A-Za-z][\w.:-]*(?:\s[^<>]*)?/?>|\{\{[#/^>!][^{}]*\}\}|\{%[^%]*%\})\s*)+$`)
	anyTag       = lazy.Regexp(`<(/?)([A-Za-z][\w.:-]*)(?:\s[^<>]*?)?(/?)>`)
	anyTemplate  = lazy.Regexp(`\{\{([#/^])[^{}]*\}\}|\{%-?\s*(end)?(if|for|block|macro|raw|with)\b[^%]*%\}`)
)

// withoutTags leaves out tags at both ends, which hold more than one sentence.
func withoutTags(text string, s span) span {
	s.start += len(leadingTags().FindString(text[s.start:s.end]))
	s.end -= len(trailingTags().FindString(text[s.start:s.end]))
	return s
}

// balanced reports whether all that opens in a text is closed in it.
func balanced(text string) bool {
	if strings.Count(text, "**")%2 != 0 || strings.Count(text, "`")%2 != 0 || strings.Count(text, `"`)%2 != 0 ||
		strings.Count(text, "“") != strings.Count(text, "”") {
		return false
	}
	var open []string
	for _, m := range anyTag().FindAllStringSubmatch(text, -1) {
		switch {
		case m[3] != "": // <br/>
		case m[1] == "":
			open = append(open, m[2])
		case len(open) == 0 || open[len(open)-1] != m[2]:
			return false
		default:
			open = open[:len(open)-1]
		}
	}
	depth := 0
	for _, m := range anyTemplate().FindAllStringSubmatch(text, -1) {
		if m[1] == "/" || m[2] != "" {
			depth--
		} else {
			depth++
		}
		if depth < 0 {
			return false
		}
	}
	return len(open) == 0 && depth == 0
}

// hasLetters reports whether a text says anything.
func hasLetters(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// cutOf is what goes with a sentence when it is left out: the blanks behind it, or, at the end of a line, those before
// it; with all of its lines, their end. What stands outside of the part of the prompt stays.
func cutOf(text string, u, part span) span {
	end := u.end
	for end < part.end && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r') {
		end++
	}
	atEnd := end == part.end || text[end] == '\n'
	start := u.start
	for start > part.start && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}
	atStart := start == part.start || text[start-1] == '\n'
	switch {
	case atStart && atEnd && end < part.end:
		return span{start, end + 1}
	case atStart && atEnd:
		return span{start, end}
	case atEnd:
		return span{start, u.end}
	}
	return span{u.start, end}
}
