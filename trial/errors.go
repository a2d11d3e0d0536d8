package trial

import (
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// The errors of this package are alike, see package internal/fault: Message says what is wrong, and Hint what a
// person might do about it, which may be ""; Error is both.

// Place is where something stands in a file.
type Place = fault.Place

// FileError says why a whole file cannot be used.
type FileError = fault.FileError

// SyntaxError says where a text is not what its format asks for, such as JSON
// that is cut off.
type SyntaxError struct {
	Place
	Problem string // such as "the JSON ends inside a value"
	Advice  string // what a person might do about it; may be ""
	About   string // the option that the advice names, such as "MaxLineBytes"; may be ""
}

// Error is the message and the hint.
func (e *SyntaxError) Error() string { return fault.WithHint(e.Message(), e.Advice) }

// Message says what is wrong and where.
func (e *SyntaxError) Message() string { return fault.At(e.Place.String(), prose.Reason(e.Problem)) }

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
func (e *FieldError) Error() string { return fault.WithHint(e.Message(), e.Advice) }

// Message says what is wrong and where.
func (e *FieldError) Message() string {
	problem := prose.Excerpt(e.Field)
	if e.Value != "" {
		problem += " " + prose.Excerpt(e.Value)
	}
	return fault.At(e.Place.String(), problem+" "+e.Problem)
}

// Hint returns the advice.
func (e *FieldError) Hint() string { return e.Advice }

// Option returns the option that the hint names, or "".
func (e *FieldError) Option() string { return e.About }

// ExitCode is that of input that cannot be used.
func (e *FieldError) ExitCode() int { return exit.Input }

// place lets the reader complete the place of the error.
func (e *SyntaxError) place() *Place { return &e.Place }

// place lets the reader complete the place of the error.
func (e *FieldError) place() *Place { return &e.Place }
