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
// every byte that is not UTF-8, as a Go escape sequence, and without commands, see
// [BreakCommands].
func Printable(text string) string { return printable(text, len(text)) }

// Excerpt returns the beginning of a text, [Printable], in a length that suits a
// message: 120 bytes of it, and "…" where it goes on.
func Excerpt(text string) string { return printable(text, excerptBytes) }

// Reason returns the text of an error, [Printable], where a message is the only place that tells it: as good as whole,
// that is 1,000 bytes of it. An [Excerpt] would end before the part that matters, which comes last.
func Reason(text string) string { return printable(text, 1000) }

// OneLine joins the lines of a text, such as an error that lists its causes below each other: with a blank behind a
// colon, and elsewhere with a semicolon. Blanks around a line, and lines of nothing else, are left out.
func OneLine(text string) string {
	var b strings.Builder
	between := ""
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		b.WriteString(between)
		b.WriteString(line)
		between = "; "
		if strings.HasSuffix(line, ":") {
			between = " "
		}
	}
	return b.String()
}

// PrintableUpTo is Excerpt of about so many bytes of the text.
func PrintableUpTo(text string, most int) string { return printable(text, most) }

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
	return BreakCommands(b.String(), `\x23`)
}

// BreakCommands replaces the second of two number signs that begin a command of a build server, such as
// ##vso[, ##teamcity[ or ##[, by an escape: servers take commands from anywhere in the lines of a log.
func BreakCommands(text, escape string) string {
	const mark = "##"
	if !strings.Contains(text, mark) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i+1])
		rest := text[i+len(mark):]
		if word := strings.TrimLeft(rest, letters); strings.HasPrefix(word, "[") {
			b.WriteString(escape)
			text = rest
			continue
		}
		text = text[i+1:] // the second sign may be the first of a command
	}
}

// letters are those of the words of commands.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
