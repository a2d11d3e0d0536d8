// Package safe makes names and texts that others wrote safe to show: what a terminal, a log or a build server would act
// on is spelled out. What escapes a text for a format, such as HTML, comes after that.
package safe

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// mostMarks is how many combining marks a character may carry: more of them are
// drawn over the lines above and below, and take no width.
const mostMarks = 4

// Text makes text that others wrote safe to print within a line. What a terminal
// acts on (control characters, escapes, line ends, bidirectional overrides,
// invisible characters, bytes that are not UTF-8) is shown as an escape such as
// \x1b; blanks of other scripts become blanks; and the words by which build
// servers take commands from a log are broken.
func Text(s string) string {
	if plain(s) {
		return breakCommands(s)
	}
	c := cleaner{marks: mostMarks} // a mark needs a character to stand on
	c.text.Grow(len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			c.show(s[:1])
		} else {
			c.add(r)
		}
		s = s[size:]
	}
	return breakCommands(c.text.String())
}

// cleaner builds clean text.
type cleaner struct {
	text     strings.Builder
	previous rune // the last character, if it was kept as it was
	marks    int  // that it carries
}

func (c *cleaner) add(r rune) {
	switch {
	case r == '\ufe0e' || r == '\ufe0f':
		// Asks for a picture or for text; terminals disagree on its width.
	// A joiner draws nothing by itself. It stays where a script or an emoji needs it.
	case joins(c.previous, r):
		c.text.WriteRune(r)
		c.previous = r
	case unicode.Is(unicode.Zs, r):
		c.keep(' ')
	case !visible(r) || unicode.IsMark(r) && c.marks >= mostMarks:
		c.show(string(r))
	default:
		c.keep(r)
	}
}

// keep writes a character as it is, and counts the marks that it carries.
func (c *cleaner) keep(r rune) {
	c.text.WriteRune(r)
	c.previous = r
	if c.marks++; !unicode.IsMark(r) {
		c.marks = 0
	}
}

// show writes an escape in place of a character.
func (c *cleaner) show(character string) {
	quoted := strconv.QuoteToASCII(character)
	c.text.WriteString(quoted[1 : len(quoted)-1])
	// An escape carries no marks: what follows it would be drawn over its last
	// letter.
	c.previous, c.marks = 0, mostMarks
}

// plain reports whether s is printable ASCII, as almost everything is.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// visible reports whether a character is drawn and moves nothing but the cursor.
func visible(r rune) bool {
	return unicode.IsPrint(r) &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		r != '\u2800' // a Braille pattern without dots
}

// joins reports whether r is one of the joiners that scripts and emoji need, in a
// place where it can join.
func joins(previous, r rune) bool {
	return (r == '\u200c' || r == '\u200d') && previous > unicode.MaxASCII && visible(previous)
}

// breakCommands defuses the commands of build servers: "::" is one at the
// beginning of a line, so it stays only where it follows a word, as in
// "suite::case"; wrapping never breaks a line there.
func breakCommands(s string) string {
	s = prose.BreakCommands(s, `\x23`)
	if !strings.Contains(s, "::") {
		return s
	}
	var b strings.Builder
	word := false // the text so far ends in a word
	for len(s) > 0 {
		if strings.HasPrefix(s, "::") {
			if word {
				b.WriteString("::")
			} else {
				b.WriteString(`\x3a:`)
			}
			s, word = s[2:], false
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		b.WriteString(s[:size])
		s, word = s[size:], unicode.In(r, unicode.L, unicode.N, unicode.M) || strings.ContainsRune("_)]}>\"'", r)
	}
	return b.String()
}

// Name is a name that others gave, in a table; an empty one is seen as such.
func Name(s string) string {
	if s = Text(s); strings.TrimSpace(s) == "" {
		return `""`
	}
	return s
}

// Lines makes a text of several lines safe, and keeps its lines.
func Lines(text string) string {
	list := strings.Split(text, "\n")
	for i, line := range list {
		list[i] = Text(strings.ReplaceAll(line, "\t", "    "))
	}
	return strings.Join(list, "\n")
}

// TrialName is the name by which a person finds a trial again: "refund#2" is that of the number 2.
func TrialName(scenario string, number int) string {
	return Name(scenario) + "#" + strconv.Itoa(number)
}
