package trial

import (
	"github.com/tribunal-dev/tribunal/internal/exit"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// The errors of this package are alike: Message says what is wrong, and Hint what a
// person might do about it, which may be ""; Error is both. Where the hint names an
// option of a library, Option returns it, so that a program with other names for
// options can put its own in. ExitCode is for a program that such an error ends.

// SyntaxError says where a text is not what its format asks for, such as JSON
// that is cut off.
type SyntaxError struct {
	Place
	Problem string // such as "the JSON ends inside a value"
	Advice  string // what a person might do about it; may be ""
	About   string // the option that the advice names, such as "MaxLineBytes"; may be ""
}

// Error is the message and the hint.
func (e *SyntaxError) Error() string { return withHint(e.Message(), e.Advice) }

// Message says what is wrong and where.
func (e *SyntaxError) Message() string { return message(e.Place.String(), prose.Reason(e.Problem)) }

// Hint returns the advice.
func (e *SyntaxError) Hint() string { return e.Advice }

// Option returns the option that the hint names, or "".
func (e *SyntaxError) Option() string { return e.About }

// ExitCode is that of input that cannot be used.
func (e *SyntaxError) ExitCode() int { return exit.Input }

// FieldError says which field of a trial cannot be used, and why.
type FieldError struct {
	Place
	Field   string // such as "outcome" or "steps[3].cost_usd"
	Value   string // as it is written, perhaps cut; "" where the field is absent
	Problem string // such as "must not be negative"
	Advice  string // what a person might do about it; may be ""
	About   string // the option that the advice names, such as "PassScore"; may be ""
}

// Error is the message and the hint.
func (e *FieldError) Error() string { return withHint(e.Message(), e.Advice) }

// Message says what is wrong and where.
func (e *FieldError) Message() string {
	problem := prose.Excerpt(e.Field)
	if e.Value != "" {
		problem += " " + prose.Excerpt(e.Value)
	}
	return message(e.Place.String(), problem+" "+e.Problem)
}

// Hint returns the advice.
func (e *FieldError) Hint() string { return e.Advice }

// Option returns the option that the hint names, or "".
func (e *FieldError) Option() string { return e.About }

// ExitCode is that of input that cannot be used.
func (e *FieldError) ExitCode() int { return exit.Input }

// FileError says why a whole file cannot be used.
type FileError struct {
	File    string // "-" is standard input
	Problem string // such as "is empty"
	Advice  string // what a person might do about it; may be ""
	About   string // the option that the advice names, such as "From"; may be ""
	Err     error  // the cause; may be nil
}

// Error is the message and the hint.
func (e *FileError) Error() string { return withHint(e.Message(), e.Advice) }

// Message says which file it is, and what is wrong with it.
func (e *FileError) Message() string {
	file := prose.FileName(e.File)
	if file == "" {
		file = "input"
	}
	return file + " " + e.Problem
}

// Hint returns the advice.
func (e *FileError) Hint() string { return e.Advice }

// Option returns the option that the hint names, or "".
func (e *FileError) Option() string { return e.About }

// ExitCode is that of input that cannot be used.
func (e *FileError) ExitCode() int { return exit.Input }

// Unwrap returns the cause, such as [fs.ErrNotExist].
func (e *FileError) Unwrap() error { return e.Err }

// message puts the place before the problem, if there is one.
func message(place, problem string) string {
	if place == "" {
		return problem
	}
	return place + ": " + problem
}

// withHint puts the hint behind the message, if there is one.
func withHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}
