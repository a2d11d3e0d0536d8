package mutation

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Site is where a mutant changes something. What does not apply is zero.
type Site struct {
	Line      int    // of the prompt, from 1: the first that it touches
	EndOfLine int    // the last that it touches
	Tool      string // by its name
	Parameter string // of the tool
	Segment   int    // of the context, from 1; of what is put in, the one behind it
	Text      string // what is changed there, and to what, as far as it is known before: a few words
}

// String is the place and what is changed there, such as "lines 3-5: the order of 4 items".
func (s Site) String() string {
	var parts []string
	switch {
	case s.Line > 0 && s.EndOfLine > s.Line:
		parts = append(parts, fmt.Sprintf("lines %d-%d", s.Line, s.EndOfLine))
	case s.Line > 0:
		parts = append(parts, fmt.Sprintf("line %d", s.Line))
	}
	if s.Tool != "" {
		parts = append(parts, prose.Printable(s.Tool))
	}
	if s.Parameter != "" {
		parts[len(parts)-1] += "." + prose.Printable(s.Parameter)
	}
	if s.Segment > 0 {
		parts = append(parts, fmt.Sprintf("document %d", s.Segment))
	}
	if s.Text != "" {
		parts = append(parts, s.Text)
	}
	return strings.Join(parts, ": ")
}

// short is a text of others for a site: in one line, and cut.
func short(text string) string {
	return prose.Printable(prose.CutRunes(strings.Join(strings.Fields(text), " "), 60))
}
