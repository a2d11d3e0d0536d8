package arbitrary

import (
	"regexp/syntax"
	"strings"
)

// mostMatching bounds the length of a text of a pattern, in characters; chosen.
const mostMatching = 10_000

// matching draws a text that a regular expression matches, repeating what may be repeated until it has about so many
// characters at the least. It is false for an expression that is not read here, as of a dialect.
func (d *drawing) matching(pattern string, least int) (string, bool) {
	expression, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", false
	}
	var b strings.Builder
	ok := d.match(&b, expression, min(least, mostMatching))
	return b.String(), ok && b.Len() <= 4*mostMatching
}

// match writes a text of an expression. What matches nothing makes it false.
func (d *drawing) match(b *strings.Builder, e *syntax.Regexp, least int) bool {
	if b.Len() > 4*mostMatching {
		return false
	}
	switch e.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
	case syntax.OpCharClass:
		b.WriteRune(d.oneOf(e.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune('a' + rune(d.random.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range e.Sub {
			if !d.match(b, part, least) {
				return false
			}
		}
	case syntax.OpAlternate:
		return d.match(b, e.Sub[d.random.IntN(len(e.Sub))], least)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		low, high := e.Min, e.Max
		switch e.Op {
		case syntax.OpStar:
			low, high = 0, -1
		case syntax.OpPlus:
			low, high = 1, -1
		case syntax.OpQuest:
			low, high = 0, 1
		}
		if high < 0 {
			high = max(low, least) + moreItems
			low = max(low, least)
		}
		for range low + d.random.IntN(max(high-low, 0)+1) {
			if !d.match(b, e.Sub[0], 0) {
				return false
			}
		}
	}
	return true // anchors and word boundaries write nothing: whether they hold is checked with the value
}

// oneOf draws a character of pairs of first and last ones, of those that print where there are any.
func (d *drawing) oneOf(pairs []rune) rune {
	var all [][2]rune
	for i := 0; i+1 < len(pairs); i += 2 {
		if low, high := max(pairs[i], ' '), min(pairs[i+1], '~'); low <= high {
			all = append(all, [2]rune{low, high})
		}
	}
	if len(all) == 0 {
		if len(pairs) == 0 {
			return 'a'
		}
		return pairs[0]
	}
	pair := all[d.random.IntN(len(all))]
	return pair[0] + rune(d.random.IntN(int(pair[1]-pair[0])+1))
}
