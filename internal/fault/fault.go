// Package fault says what is wrong with input: in which file, where in it, and what a person might do about it.
//
// The errors are alike: Message says what is wrong, and Hint what a person might do about it, which may be ""; Error
// is both. Where the hint names an option of a library, Option returns it, so that a program with other names for
// options can put its own in. ExitCode is for a program that such an error ends.
package fault

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
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
	file := prose.FileName(p.File)
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

// FileError says why a whole file cannot be used.
type FileError struct {
	File    string // "-" is standard input
	Problem string // such as "is empty"
	Advice  string // what a person might do about it; may be ""
	About   string // the option that the advice names, such as "From"; may be ""
	Err     error  // the cause; may be nil
}

// Error is the message and the hint.
func (e *FileError) Error() string { return WithHint(e.Message(), e.Advice) }

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

// Error says in words what is wrong, where nobody asks for more than the words.
type Error struct {
	Problem string
	Advice  string // what a person might do about it; may be ""
	Code    int    // exit code; 0 is that of input that cannot be used
	Err     error  // the cause; may be nil
}

// Error is the message and the hint.
func (e *Error) Error() string { return WithHint(e.Problem, e.Advice) }

// Message says what is wrong.
func (e *Error) Message() string { return e.Problem }

// Hint returns the advice.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of a program that the error ends.
func (e *Error) ExitCode() int { return cmp.Or(e.Code, exit.Input) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// At puts the place before the problem, if there is one.
func At(place, problem string) string {
	if place == "" {
		return problem
	}
	return place + ": " + problem
}

// WithHint puts the hint behind the message, if there is one.
func WithHint(message, hint string) string {
	if hint == "" {
		return message
	}
	return message + "; " + hint
}
