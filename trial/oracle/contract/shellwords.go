package contract

import (
	"errors"
	"strings"
)

// errNested says that a command holds more commands within commands than are read.
var errNested = errors.New("holds commands nested too deeply to be read")

// Chosen: far beyond what people write; texts that are made to be slow end here.
const (
	maxNesting = 16      // how deep commands may stand within commands
	maxSearch  = 1 << 26 // bytes that are looked at for the ends of here-documents
)

// shellCommands splits a text as a POSIX shell would, and returns the words of each
// simple command in it: those between ; & | && || newlines and parentheses, and
// those inside of $( ), backquotes and <( ), which stand before the command that
// they are part of. Quotes and escapes are taken away; variables, globs and aliases
// are not expanded, a word with a substitution keeps its text. Redirections leave
// no word but the name of their file, which is returned apart. It reads any text:
// a quote that is not closed ends with the text.
func shellCommands(text string) (commands [][]string, files []string, err error) {
	search := maxSearch
	return shellCommandsWithin(text, &search)
}

// shellCommandsWithin is [shellCommands] for one of several texts, which share what may
// be searched for the ends of documents.
func shellCommandsWithin(text string, search *int) (commands [][]string, files []string, err error) {
	s := &splitter{text: text, bounds: &bounds{documents: 16 * len(text), search: search}}
	s.list(0, 0)
	if s.nested {
		return s.commands, s.files, errNested
	}
	return s.commands, s.files, nil
}

// splitter reads a text from left to right.
//
// Commands come in the order in which they end: an inner one before the one that it is part of.
type splitter struct {
	text string
	// offset of the next byte
	at        int
	documents []hereDocument // that begin with the next line
	commands  [][]string
	files     []string
	// so that a text with many << is searched once for each end, not once for each <<
	missing map[hereDocument]bool // those whose end does not come
	unended bool                  // one of them was met
	bounds  *bounds
	nested  bool // more deeply, or more often, than is read
}

// bounds are what reading one text may still take.
type bounds struct {
	documents int  // bytes of documents: those within others are read again
	search    *int // bytes in search of the ends of documents
}

// list reads commands up to the byte that closes what they stand in; 0 is the end
// of the text.
//
// Everything that begins a level calls it again with the byte that ends the level. A closing byte
// that does not come ends with the text.
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
		case c == '\n':
			s.at++
			end()
			s.hereDocuments(depth)
		// Twice in a row, as in && and ||, ends an empty command the second time.
		case c == ';' || c == '&' && !strings.HasPrefix(s.text[s.at:], "&>") || c == '|' || c == ')':
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

// isNumber reports whether a word before or behind a redirection is that of a file
// descriptor.
func isNumber(word string) bool {
	return word != "" && strings.Trim(word, digits) == ""
}

// comment skips the rest of a line, or what is left of it before a backquote.
func (s *splitter) comment(closing byte) {
	for s.at < len(s.text) && s.text[s.at] != '\n' && (closing != '`' || s.text[s.at] != '`') {
		s.at++
	}
}

// redirection reads > >> < << <<< <> >| &> >& and the word after it, or the commands
// of <( ) and >( ).
func (s *splitter) redirection(depth int) {
	operator := s.at
	for s.at < len(s.text) && strings.IndexByte("<>&|-", s.text[s.at]) >= 0 {
		s.at++
	}
	here := strings.HasPrefix(s.text[operator:s.at], "<<")
	document := here && !strings.HasPrefix(s.text[operator:s.at], "<<<")
	indented := strings.HasSuffix(s.text[operator:s.at], "-")
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
	word, _ := s.word(depth, 0)
	switch {
	case document:
		s.documents = append(s.documents, hereDocument{word, indented})
	case !here && !isNumber(word):
		s.files = append(s.files, word)
	}
}

// hereDocument is the input of a command that stands on the lines after it.
type hereDocument struct {
	last     string // the line that ends it
	indented bool   // tabs before its lines do not count
}

// hereDocuments reads the documents that begin here. Each is read as commands too, for
// it may be the input of a shell; but a quote that is open at its end is no quote of
// what follows. In text of another language << is no document: one without an end is
// read as what follows.
func (s *splitter) hereDocuments(depth int) {
	for _, document := range s.documents {
		end, after, ok := s.endOf(document)
		switch {
		case ok:
			s.document(s.text[s.at:end], depth+1)
			s.at = after
		case !s.unended:
			s.unended = true
			s.substitutions(s.text[s.at:], depth+1) // a shell takes the rest for the document
		}
	}
	s.documents = nil
}

// endOf looks for the line that ends a document which begins here.
func (s *splitter) endOf(document hereDocument) (end, after int, ok bool) {
	if s.missing[document] {
		return 0, 0, false
	}
	if *s.bounds.search -= len(s.text) - s.at; *s.bounds.search < 0 {
		s.nested = true
		return 0, 0, false
	}
	for at := s.at; at < len(s.text); {
		line, rest, _ := strings.Cut(s.text[at:], "\n")
		after = len(s.text) - len(rest)
		if document.indented {
			line = strings.TrimLeft(line, "\t")
		}
		if line == document.last {
			return at, after, true
		}
		at = after
	}
	if s.missing == nil {
		s.missing = make(map[hereDocument]bool)
	}
	s.missing[document] = true
	return 0, 0, false
}

// document reads a text as commands, and a second time for the substitutions in it.
//
// The second time without quotes, since a shell substitutes in a document whatever quotes are in it.
func (s *splitter) document(text string, depth int) {
	if s.bounds.documents -= len(text); s.bounds.documents < 0 {
		s.nested = true
		return
	}
	inner := &splitter{text: text, bounds: s.bounds, commands: s.commands, files: s.files}
	inner.list(0, depth)
	s.commands, s.files, s.nested = inner.commands, inner.files, s.nested || inner.nested
	s.substitutions(text, depth)
}

// substitutions reads the commands that stand in a text which is no command: neither
// quotes nor # keep them from the shell.
func (s *splitter) substitutions(text string, depth int) {
	if s.bounds.documents -= len(text); s.bounds.documents < 0 {
		s.nested = true
		return
	}
	inner := &splitter{text: text, bounds: s.bounds, commands: s.commands, files: s.files}
	for inner.at < len(text) {
		inner.plain(new(strings.Builder), depth, "$`\\\n")
	}
	s.commands, s.files, s.nested = inner.commands, inner.files, s.nested || inner.nested
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
			// Nothing is special within single quotes, not even a backslash.
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
	// Octal with up to three digits, hexadecimal with up to two, as POSIX and bash read them.
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
