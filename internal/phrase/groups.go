package phrase

import (
	"cmp"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// Group is the reasons that are one: the text of the first, and which they are.
type Group struct {
	Text string
	Of   []int // places in the list, in its order
}

// Groups puts reasons together that differ in numbers, in addresses of objects and in quoted output alone, the largest
// group first. What differs in quoted output is left out of the text.
func Groups(reasons []string) []Group {
	places := map[string]int{}
	var groups []Group
	for i, text := range reasons {
		key := reasonKey(text)
		at, known := places[key]
		if !known {
			at = len(groups)
			places[key] = at
			groups = append(groups, Group{Text: text})
		}
		g := &groups[at]
		if known && g.Text != text {
			g.Text = unquoted(g.Text)
		}
		g.Of = append(g.Of, i)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(len(b.Of), len(a.Of)) })
	return groups
}

// quoted is output of an agent that a reason quotes, at its end or before the next reason.
var quoted = lazy.Regexp(`: "(?:[^"\\]|\\.)*"(;|$)`)

// unquoted is a reason without the output of an agent.
func unquoted(text string) string { return quoted().ReplaceAllString(text, "$1") }

// numeral is a number, of which it does not matter how many digits it has, or the address of an object.
var numeral = lazy.Regexp(`0x[0-9a-fA-F]+|\p{Nd}+`)

// reasonKey is the same for the reasons of one group.
func reasonKey(text string) string { return numeral().ReplaceAllString(unquoted(text), "0") }
