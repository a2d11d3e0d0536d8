package contract

import (
	"errors"
	"strings"
)

// errNested says that a command holds more commands within commands than are read.
var errNested = errors.New("holds commands nested too deeply to be read")

// maxNesting is how deep commands may stand within commands.
const maxNesting = 16

// shellCommands splits a text as a POSIX shell would, and returns the words of each
// simple command in it: those between ; & | && || newlines and parentheses, and
// those inside of $( ), backquotes and <( ), which stand before the command that
// they are part of. Quotes and escapes are taken away; variables, globs and aliases
// are not expanded, a word with a substitution keeps its text. Redirections leave
// no word but the name of their file, which is returned apart. It reads any text:
// a quote that is not closed ends with the text.
func shellCommands(text string) (commands [][]string, files []string, err error) {
	s := &splitter{text: text}
	s.list(0, 0)
	if s.nested {
		return s.commands, s.files, errNested
	}
	return s.commands, s.files, nil
}

// splitter reads a text from left to right.
type splitter struct {
	text     string
	at       int
	commands [][]string
	files    []string
	nested   bool
}

// list reads commands up to the byte that closes what they stand in; 0 is the end
// of the text.
func (s *splitter) list(closing byte, depth int) {
	if depth > maxNesting {
		s.nested = true
		s.at = len(s.text)
		return
	}
	var words []string
	end := func() {
		if len(words) > 0 {
			s.commands = append(s.commands, words)
			words = nil
		}
	}
	defer end()
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == closing && closing != 0:
			s.at++
			return
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case c == '#': // a comment begins where a word would
			s.comment(closing)
		case c == '(':
			s.at++
			end()
			s.list(')', depth+1)
		case c == '\n' || c == ';' || c == '&' && !strings.HasPrefix(s.text[s.at:], "&>") || c == '|' || c == ')':
			s.at++
			end()
		case c == '<' || c == '>' || c == '&':
			s.redirection(depth)
		default:
			word, quoted := s.word(depth, closing)
			if !quoted && isNumber(word) && s.at < len(s.text) && (s.text[s.at] == '<' || s.text[s.at] == '>') {
				continue // the 2 of 2>file
			}
			if word != "" || quoted { // a line that goes on is no word
				words = append(words, word)
			}
		}
	}
}

func isNumber(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

func (s *splitter) comment(closing byte) {
	for s.at < len(s.text) && s.text[s.at] != '\n' && (closing != '`' || s.text[s.at] != '`') {
		s.at++
	}
}

// redirection reads > >> < << <<< <> >| &> >& and the word after it, or the commands
// of <( ) and >( ).
func (s *splitter) redirection(depth int) {
	here := strings.HasPrefix(s.text[s.at:], "<<")
	for s.at < len(s.text) && strings.IndexByte("<>&|-", s.text[s.at]) >= 0 {
		s.at++
	}
	if s.at < len(s.text) && s.text[s.at] == '(' {
		s.at++
		s.list(')', depth+1)
		return
	}
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
	if s.at == len(s.text) || strings.IndexByte("\n;&|()<>", s.text[s.at]) >= 0 {
		return
	}
	if word, _ := s.word(depth, 0); !here && !isNumber(word) {
		s.files = append(s.files, word)
	}
}

// word reads one word, which ends at a blank or an operator outside of quotes.
func (s *splitter) word(depth int, closing byte) (word string, quoted bool) {
	var b strings.Builder
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == closing && closing != 0 || strings.IndexByte(" \t\r\n;&|()<>", c) >= 0:
			return b.String(), quoted
		case c == '\'':
			quoted = true
			s.at++
			end := strings.IndexByte(s.text[s.at:], '\'')
			if end < 0 {
				end = len(s.text) - s.at
			}
			b.WriteString(s.text[s.at : s.at+end])
			s.at = min(s.at+end+1, len(s.text))
		case c == '"':
			quoted = true
			s.at++
			s.double(&b, depth)
		case c == '$' && strings.HasPrefix(s.text[s.at:], "$'"):
			quoted = true
			s.at += 2
			s.ansi(&b)
		case c == '$' && strings.HasPrefix(s.text[s.at:], `$"`):
			s.at++ // a translated string: as double quotes
		default:
			s.plain(&b, depth, "")
		}
	}
	return b.String(), quoted
}

// double reads the rest of a text in double quotes.
func (s *splitter) double(b *strings.Builder, depth int) {
	for s.at < len(s.text) {
		if s.text[s.at] == '"' {
			s.at++
			return
		}
		s.plain(b, depth, "$`\"\\\n")
	}
}

// plain reads a byte, an escape or a substitution. A backslash escapes the bytes
// named, or any where none is.
func (s *splitter) plain(b *strings.Builder, depth int, escaped string) {
	c := s.text[s.at]
	start := s.at
	switch {
	case c == '\\' && s.at+1 < len(s.text):
		next := s.text[s.at+1]
		s.at += 2
		switch {
		case next == '\n': // the line goes on
		case escaped != "" && strings.IndexByte(escaped, next) < 0:
			b.WriteByte('\\')
			b.WriteByte(next)
		default:
			b.WriteByte(next)
		}
	case c == '`':
		s.at++
		s.list('`', depth+1)
		b.WriteString(s.text[start:s.at])
	case strings.HasPrefix(s.text[s.at:], "$("):
		s.at += 2
		s.list(')', depth+1)
		b.WriteString(s.text[start:s.at])
	default:
		b.WriteByte(c)
		s.at++
	}
}

// ansi reads the rest of a text in $'…'.
func (s *splitter) ansi(b *strings.Builder) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		s.at++
		switch {
		case c == '\'':
			return
		case c == '\\' && s.at < len(s.text):
			b.WriteByte(s.escape())
		default:
			b.WriteByte(c)
		}
	}
}

// escape reads what follows a backslash in $'…': a letter, or a byte by its octal
// or hexadecimal digits.
func (s *splitter) escape() byte {
	c := s.text[s.at]
	s.at++
	if at := strings.IndexByte(`abefnrtv`, c); at >= 0 {
		return "\a\b\x1b\f\n\r\t\v"[at]
	}
	base, most := 8, 3
	switch {
	case c == 'x':
		base, most = 16, 2
	case c >= '0' && c <= '7':
		s.at--
	default:
		return c
	}
	value := 0
	for i := 0; i < most && s.at < len(s.text); i++ {
		digit := strings.IndexByte("0123456789abcdef", s.text[s.at]|0x20)
		if s.text[s.at] >= '0' && s.text[s.at] <= '9' {
			digit = int(s.text[s.at] - '0')
		}
		if digit < 0 || digit >= base {
			break
		}
		value = value*base + digit
		s.at++
	}
	return byte(value)
}
