package trial

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Place is where something stands in a file. Zero fields are unknown.
type Place struct {
	File   string // "-" is standard input
	Line   int    // from 1, of the decompressed text
	Column int    // from 1, in bytes
}

// String returns "file:line:column", without the parts that are unknown.
func (p Place) String() string {
	var parts []string
	file := DisplayName(p.File)
	if file != "" {
		parts = append(parts, file)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"line ", p.Line}, {"column ", p.Column}} {
		switch {
		case n.value == 0:
			continue
		case file != "":
			parts = append(parts, strconv.Itoa(n.value))
		default:
			parts = append(parts, n.name+strconv.Itoa(n.value))
		}
	}
	if file == "" {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, ":")
}

// place lets the reader complete the place of an error that embeds it.
func (p *Place) place() *Place { return p }

// DisplayName returns the name of a file for messages: "-" is "standard input",
// and characters that do not print are escaped.
func DisplayName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return Printable(file)
}

// Printable returns the text with every character that does not print, such as a
// newline or the start of a terminal escape, as a Go escape sequence, and cut to
// a length that suits a message.
func Printable(text string) string {
	const longest = 120
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		switch {
		case i >= longest:
			b.WriteString("…")
			return b.String()
		case unicode.IsPrint(r) && (r != utf8.RuneError || size > 1):
			b.WriteRune(r)
		default:
			quoted := strconv.Quote(text[i : i+size])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
