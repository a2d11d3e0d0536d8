package world

import (
	"io"
	"strings"

	"golang.org/x/term"
)

// Screen is what is known of where text goes.
type Screen struct {
	// Columns, DefaultWidth where nothing is known.
	Width    int
	Terminal bool // a person watches: the stream is a terminal, and not that of a CI job
	// Escape sequences for colour may be written.
	Color bool
	Ascii bool // the locale has no box or block characters
}

// DefaultWidth is that of a CI log, a file, and a terminal that does not say.
const DefaultWidth = 80

// PageWidth is the width of what is read as a page on the stream: beyond 100 columns lines are hard to read, below 40
// there is no room beside names. Both are chosen.
func (w *World) PageWidth(stream io.Writer) int {
	return max(40, min(NewScreen(stream, w.Env, w.TerminalWidth).Width, 100))
}

// NewScreen looks at the stream and at NO_COLOR, FORCE_COLOR, TERM, CI and the
// locale. A nil stream stands for a file, which never gets colour.
func NewScreen(stream io.Writer, env LookupEnv, terminalWidth func(io.Writer) (int, bool)) Screen {
	s := Screen{Width: DefaultWidth, Ascii: !isUTF8Locale(env)}
	if stream == nil {
		return s
	}
	width, terminal := terminalWidth(stream)
	if s.Terminal = terminal && !isSet(env, "CI"); s.Terminal && width > 0 {
		s.Width = width
	}
	// NO_COLOR wins, see no-color.org; FORCE_COLOR gives colour to a log or a pipe too.
	switch {
	case env.Get("NO_COLOR") != "":
	case isSet(env, "FORCE_COLOR"):
		s.Color = true
	default:
		s.Color = s.Terminal && env.Get("TERM") != "dumb"
	}
	return s
}

// isSet reports whether a variable switches something on: it is there, and says
// neither 0 nor false.
func isSet(env LookupEnv, name string) bool {
	switch strings.ToLower(env.Get(name)) {
	case "", "0", "false":
		return false
	}
	return true
}

// isUTF8Locale reports whether the locale's characters are UTF-8. The first
// variable that is not empty counts (POSIX.1-2017, 8.2); with none the locale is
// C, which is ASCII.
func isUTF8Locale(env LookupEnv) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env.Get(name)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return false
}

// terminalWidth returns the columns of the terminal that the stream is, if it is
// one; 0 if the terminal does not say.
func terminalWidth(stream io.Writer) (width int, terminal bool) {
	// Anything with a descriptor may be a terminal; a buffer of a test has none.
	file, ok := stream.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0, true
	}
	return width, true
}
