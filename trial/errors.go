package trial

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// SyntaxError says where a text is not what its format asks for, such as JSON
// that is cut off.
type SyntaxError struct {
	Place
	Problem string
	Hint    string // what a person might do about it; may be ""
}

func (e *SyntaxError) Error() string {
	return message(e.Place.String(), prose.Excerpt(e.Problem), e.Hint)
}

// FieldError says which field of a trial cannot be used, and why.
type FieldError struct {
	Place
	Field   string // such as "outcome" or "steps[3].cost_usd"
	Value   string // as it is written, perhaps cut; "" where the field is absent
	Problem string // such as "must not be negative"
	Hint    string // what a person might do about it; may be ""
}

func (e *FieldError) Error() string {
	problem := prose.Excerpt(e.Field)
	if e.Value != "" {
		problem += " " + prose.Excerpt(e.Value)
	}
	return message(e.Place.String(), problem+" "+e.Problem, e.Hint)
}

// FileError says why a whole file cannot be used.
type FileError struct {
	File    string // "-" is standard input
	Problem string // such as "is empty"
	Hint    string // what a person might do about it; may be ""
	Err     error  // the cause; may be nil
}

func (e *FileError) Error() string {
	file := prose.FileName(e.File)
	if file == "" {
		file = "input"
	}
	return message("", file+" "+e.Problem, e.Hint)
}

// Unwrap returns the cause, such as [fs.ErrNotExist].
func (e *FileError) Unwrap() error { return e.Err }

func message(place, problem, hint string) string {
	var b strings.Builder
	if place != "" {
		b.WriteString(place)
		b.WriteString(": ")
	}
	b.WriteString(problem)
	if hint != "" {
		b.WriteString("; ")
		b.WriteString(hint)
	}
	return b.String()
}
