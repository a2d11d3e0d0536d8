// Package redact removes secrets from texts that are kept: the values of variables, and what looks like a
// key of a known service, however they are written.
//
// A value is found within other text, in any case, with escapes of JSON, XML and URLs and several layers of
// them, with space and line ends in it, in hexadecimal, in base64 at any of its three alignments, and in
// pieces over several texts. It is not found encrypted, compressed, hashed, reversed, or with other characters
// between its own.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// MinBytes is the length of the shortest value that is looked for. A shorter one would be found in texts
// that have nothing to do with it.
const MinBytes = 6

// Secrets are what is removed. The zero value and nil remove what looks like a key.
type Secrets struct {
	values []value
	// Variables of which nothing is removed, by the reason.
	unset, short []string
	namedOnly    bool
}

// value is one form of a secret, without space, see [plainText].
type value struct {
	form  []byte
	exact bool   // in this case alone, as base64 is
	shown string // what stands in its place
}

// Of finds the values of variables in environments, lists of NAME=value. A variable may have another value in
// each of them; all are removed.
func Of(names []string, environments ...[]string) *Secrets {
	s := &Secrets{}
	for _, name := range names {
		set, long := false, false
		for _, environment := range environments {
			for _, variable := range environment {
				n, text, _ := strings.Cut(variable, "=")
				if n != name || text == "" {
					continue
				}
				set = true
				long = s.add(name, text) || long
			}
		}
		switch {
		case !set:
			s.unset = append(s.unset, name)
		case !long:
			s.short = append(s.short, name)
		}
	}
	// A secret that contains another is removed first, and whole.
	slices.SortStableFunc(s.values, func(a, b value) int { return cmp.Compare(len(b.form), len(a.form)) })
	return s
}

// Unset are the names of variables that have no value.
func (s *Secrets) Unset() []string { return s.unset }

// Short are the names of variables whose values are shorter than [MinBytes].
func (s *Secrets) Short() []string { return s.short }

// Named reports whether there are values that are looked for.
func (s *Secrets) Named() bool { return s != nil && len(s.values) > 0 }

// NamedOnly leaves what only looks like a key.
func (s *Secrets) NamedOnly() { s.namedOnly = true }

// add notes the forms of a value and, where it has several lines, of each of them. It reports whether there
// is one that is long enough.
func (s *Secrets) add(name, text string) bool {
	shown := "[redacted " + name + "]"
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	if len(parts) != 1 {
		parts = append(parts, text)
	}
	any := false
	for _, part := range parts {
		if len(part) < MinBytes {
			continue
		}
		any = true
		plain, _ := plainText(part, 0, false)
		s.form(lowerASCII(plain.text), false, shown)
		s.form([]byte(hex.EncodeToString([]byte(part))), false, shown)
		for alignment := range 3 {
			form := inBase64(part, alignment)
			s.form(form, true, shown)
			s.form([]byte(urlSafe.Replace(string(form))), true, shown)
		}
	}
	return any
}

// form notes a form, unless it is known or too short to mean anything.
func (s *Secrets) form(form []byte, exact bool, shown string) {
	known := slices.ContainsFunc(s.values, func(v value) bool { return v.exact == exact && bytes.Equal(v.form, form) })
	if len(form) >= MinBytes && !known {
		s.values = append(s.values, value{form, exact, shown})
	}
}

// inBase64 returns the characters of base64 that are the value's alone where it begins so many bytes after
// a group of three.
func inBase64(text string, alignment int) []byte {
	padded := append(make([]byte, alignment), text...)
	encoded := []byte(base64.RawStdEncoding.EncodeToString(padded))
	// A character is six bits: the first that has none of the padding, and the last that is whole.
	first := (alignment*8 + 5) / 6
	return encoded[first : len(padded)*8/6]
}

// Text returns the text without the secrets.
func (s *Secrets) Text(text string) string { return s.Texts([]string{text})[0] }

// Texts returns texts that belong together without the secrets, also those that are spread over several of
// them. Where nothing is to be removed it returns what it was given.
func (s *Secrets) Texts(texts []string) []string {
	if s.Named() {
		for layers := 0; layers <= maxLayers; layers++ {
			found, deep := s.within(texts, layers)
			if found {
				texts = s.without(texts, layers)
			}
			if !deep {
				break
			}
		}
	}
	if s != nil && s.namedOnly {
		return texts
	}
	changed := false
	for i, text := range texts {
		if clean := withoutKeys(text); clean != text {
			if !changed {
				texts, changed = slices.Clone(texts), true
			}
			texts[i] = clean
		}
	}
	return texts
}

// within reports whether a secret is in the texts without so many layers of escapes, and whether one of them
// has so many. It is asked of all that is kept, and keeps no places.
func (s *Secrets) within(texts []string, layers int) (found, deep bool) {
	var all []byte
	for _, text := range texts {
		p, more := plainText(text, layers, false)
		deep = deep || more
		all = append(all, p.text...)
	}
	lower := lowerASCII(all)
	found = slices.ContainsFunc(s.values, func(v value) bool { return bytes.Contains(v.in(all, lower), v.form) })
	return found, deep
}

// in chooses the text in which a form is sought.
func (v value) in(exact, lower []byte) []byte {
	if v.exact {
		return exact
	}
	return lower
}

// lowerASCII returns a copy in lower case, of the same length.
func lowerASCII(text []byte) []byte {
	lower := slices.Clone(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

// without removes the secrets that are in the texts without so many layers of escapes.
func (s *Secrets) without(texts []string, layers int) []string {
	var all []byte
	parts := make([]bareText, len(texts))
	for i, text := range texts {
		parts[i], _ = plainText(text, layers, true)
		all = append(all, parts[i].text...)
	}
	lower := lowerASCII(all)
	taken := make([]bool, len(all)) // by a longer form
	var found []match
	for _, v := range s.values {
		text := v.in(all, lower)
		for at := 0; ; {
			i := bytes.Index(text[at:], v.form)
			if i < 0 {
				break
			}
			from, to := at+i, at+i+len(v.form)
			at = from + 1
			if slices.Contains(taken[from:to], true) {
				continue
			}
			for j := from; j < to; j++ {
				taken[j] = true
			}
			found = append(found, match{from, to, v.shown})
		}
	}
	slices.SortFunc(found, func(a, b match) int { return cmp.Compare(a.from, b.from) })
	clean := make([]string, len(texts))
	offset := 0
	for i, part := range parts {
		clean[i] = part.replace(texts[i], found, offset)
		offset += len(part.text)
	}
	return clean
}

// match is where a secret stands in the plain text of all texts.
type match struct {
	from, to int
	shown    string
}

// replace returns a text, whose plain text begins at the offset, with the matches replaced. What of a match
// begins in an earlier text is left out.
func (p bareText) replace(text string, found []match, offset int) string {
	var b strings.Builder
	kept := 0 // bytes of the text that are written, or left out
	for _, m := range found {
		from, to := max(m.from-offset, 0), min(m.to-offset, len(p.text))
		if from >= to {
			continue
		}
		b.WriteString(text[kept:max(kept, int(p.from[from]))])
		if m.from >= offset {
			b.WriteString(m.shown)
		}
		kept = int(p.to[to-1])
	}
	b.WriteString(text[kept:])
	return b.String()
}

// Cut returns how much of a text may be kept of at most so many bytes, so that it does not end within a
// secret, whose beginning nobody would find any more. What follows the limit must be long enough to hold the
// rest of a secret: see [Secrets.Longest].
func (s *Secrets) Cut(text []byte, limit int) int {
	if s == nil || len(text) <= limit {
		return min(limit, len(text))
	}
	// Only what lies across the limit matters.
	first := max(0, limit-s.Longest())
	for layers := 0; layers <= maxLayers; layers++ {
		p, deep := plainText(string(text[first:]), layers, true)
		lower := lowerASCII(p.text)
		for _, v := range s.values {
			sought := v.in(p.text, lower)
			for at := 0; ; at++ {
				i := bytes.Index(sought[at:], v.form)
				if i < 0 {
					break
				}
				at += i
				from, to := first+int(p.from[at]), first+int(p.to[at+len(v.form)-1])
				if from < limit && to > limit {
					limit = from
				}
			}
		}
		if !deep {
			break
		}
	}
	return limit
}

// Longest is the length in bytes of the longest way to write a secret that is reckoned with where a text is
// cut off: as \uXXXX, character by character.
func (s *Secrets) Longest() int {
	if s == nil || len(s.values) == 0 {
		return 0
	}
	const escape = len(`\u0000`)
	return escape * len(s.values[0].form)
}

// urlSafe turns the characters of base64 into those of its form for URLs (RFC 4648, section 5).
var urlSafe = strings.NewReplacer("+", "-", "/", "_")
