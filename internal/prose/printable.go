package prose

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// excerptBytes is about how much of somebody's text suits a message.
const excerptBytes = 120

// Printable returns the text with every character that does not print, such as a
// newline, the start of a terminal escape or a change of the writing direction, and
// every byte that is not UTF-8, as a Go escape sequence.
func Printable(text string) string { return printable(text, len(text)) }

// Excerpt returns the beginning of a text, [Printable], in a length that suits a
// message: 120 bytes of it, and "…" where it goes on.
func Excerpt(text string) string { return printable(text, excerptBytes) }

// Quote returns the [Excerpt] of a text between quotation marks. Those within the
// text stay as they are.
func Quote(text string) string { return `"` + Excerpt(text) + `"` }

// FileName returns the name of a file for messages: the [Excerpt] of it, and "standard
// input" for "-".
func FileName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return Excerpt(file)
}

// printable makes a text printable up to the first character that begins after most
// bytes.
func printable(text string, most int) string {
	var b strings.Builder
	for i, size := 0, 0; i < len(text); i += size {
		if i >= most {
			b.WriteString("…")
			break
		}
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		invalid := r == utf8.RuneError && size == 1
		if strconv.IsPrint(r) && !invalid {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.Quote(text[i : i+size])
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
