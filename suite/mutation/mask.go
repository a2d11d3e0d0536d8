package mutation

import (
	"slices"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// Parts of a text that stay whole: no sentence ends within them, and no word in them is another instruction's.
var (
	// strict are code, templates, tags and addresses: {{name}}, {%if%}, ${name}, {name}, <tag a="b">, [text](address).
	strict = lazy.Regexp("`[^`\n]+`" + `|\{\{[^{}]*\}\}|\{%[^%]*%\}|\$\{[^{}\s]*\}|\{[A-Za-z_][\w.\[\]:-]*\}` +
		`|<\/?[A-Za-z][\w.:-]*(?:\s[^<>]*)?\/?>|<!--(?s:.*?)-->|\]\([^()\s]*\)` +
		`|\b[a-z][a-z0-9+.-]*://[^\s<>"')\]]*[^\s<>"')\].,;:!?]` +
		`|\[\[/?mutate\]\]`)
	// quoted are texts between quotation marks, which an agent may be asked to say as they are.
	quoted = lazy.Regexp(`"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»`)
)

// masked are the parts of a text that stay whole, in their order; those between quotation marks are there if asked for.
// They do not overlap.
func masked(text string, quotes bool) (parts []span) {
	for _, m := range strict().FindAllStringIndex(text, -1) {
		parts = append(parts, span{m[0], m[1]})
	}
	if !quotes {
		return parts
	}
	for _, m := range quoted().FindAllStringIndex(text, -1) {
		q := span{m[0], m[1]}
		// A quotation mark within code begins no quotation.
		inside := func(p span) bool {
			return p.start < q.end && q.start < p.end && !(q.start <= p.start && p.end <= q.end)
		}
		if slices.ContainsFunc(parts, inside) {
			continue
		}
		parts = slices.DeleteFunc(parts, func(p span) bool { return q.start <= p.start && p.end <= q.end })
		parts = append(parts, q)
	}
	slices.SortFunc(parts, func(a, b span) int { return a.start - b.start })
	return parts
}

// within reports whether a place lies in one of the parts, and which.
func within(parts []span, at int) (span, bool) {
	i, found := slices.BinarySearchFunc(parts, at, func(p span, at int) int {
		switch {
		case p.end <= at:
			return -1
		case p.start > at:
			return 1
		}
		return 0
	})
	if !found {
		return span{}, false
	}
	return parts[i], true
}
