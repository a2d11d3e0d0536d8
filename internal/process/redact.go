package process

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf16"
)

// secrets removes the values of variables from texts. Longest values come first in the
// list, which remove goes through in order. That an empty list removes nothing is the usual
// case.
type secrets struct {
	values []secret
	// Of the values; what is kept of an output beyond its limit, see head and tail.
	longest int // bytes
}

// secret is a text to be removed, and "[redacted NAME]", which stands in its place so that
// a reader of the output knows which variable it was.
type secret struct{ value, instead []byte }

// newSecrets finds the values of the names in the program's variables, and in those
// of this process, which may reach it in another way. A value is also removed as it
// stands in a JSON string, and line by line where it has several.
func newSecrets(environment, names []string) secrets {
	var s secrets
	for _, name := range names {
		for _, value := range valuesOf(name, environment) {
			s.add(value, name)
			for _, form := range inJSON(value) {
				s.add(form, name)
			}
			for _, line := range strings.FieldsFunc(value, func(r rune) bool { return r == '\n' || r == '\r' }) {
				s.add(line, name)
			}
		}
	}
	// A secret that contains another is removed first, and whole.
	slices.SortStableFunc(s.values, func(a, b secret) int { return cmp.Compare(len(b.value), len(a.value)) })
	if len(s.values) > 0 {
		s.longest = len(s.values[0].value)
	}
	return s
}

// add notes a form of the value of a variable. An empty one is left out, as it would be
// found everywhere, and one that is known already keeps the name it was first seen under.
func (s *secrets) add(form, name string) {
	known := slices.ContainsFunc(s.values, func(o secret) bool { return string(o.value) == form })
	if form != "" && !known {
		s.values = append(s.values, secret{[]byte(form), []byte("[redacted " + name + "]")})
	}
}

// inJSON returns the value as it stands in a JSON string: what must be escaped is escaped
// alike everywhere, what may be is not. The forms are those of Go with and without its
// escapes for HTML, of Python's json.dumps, and of PHP's json_encode: agents print their
// messages with one of these.
func inJSON(value string) []string {
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // a string always can be
	// The quotation marks are not part of the value: it may stand in the middle of a
	// string.
	text := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(plain.String()), `"`), `"`)
	html := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`).Replace(text) // as Go
	return []string{
		text, html, inASCII(text, 0x7e), // as Python
		inASCII(strings.ReplaceAll(text, "/", `\/`), 0x7f), // as PHP
	}
}

// inASCII writes every character beyond the last one as JSON's \uXXXX, in two halves where
// it is beyond the basic plane. Python leaves characters up to ~ (0x7e) as they are; PHP
// also leaves DEL (0x7f).
func inASCII(text string, last rune) string {
	var b strings.Builder
	for _, r := range text {
		if r <= last {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// valuesOf returns the values of a variable, in the program's list and in this process's
// own, which may differ: the list may set another one.
func valuesOf(name string, environment []string) (values []string) {
	for _, variable := range environment {
		if n, value, _ := strings.Cut(variable, "="); n == name {
			values = append(values, value)
		}
	}
	if value, ok := os.LookupEnv(name); ok {
		values = append(values, value)
	}
	return values
}

// remove returns the text without the secrets. The longest are replaced first, so that a
// short secret within a long one does not leave the rest of the long one standing.
func (s secrets) remove(text []byte) []byte {
	for _, v := range s.values {
		if bytes.Contains(text, v.value) {
			text = bytes.ReplaceAll(text, v.value, v.instead)
		}
	}
	return text
}
