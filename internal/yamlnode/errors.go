package yamlnode

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Error is one thing that is wrong with a file.
type Error struct {
	fault.Place
	Field   string // such as "scenarios[1].evaluate[0].regex"; "" is the whole
	Problem string // such as "must not be empty"
	Advice  string // what a person might do about it; may be ""

	Whole string   // what the whole is called; "" is "the suite"
	Keys  []string // that the field knows, where it is given another
}

// Error is the message and the hint.
func (e *Error) Error() string {
	if e.Advice == "" {
		return e.Message()
	}
	return e.Message() + "; " + e.Advice
}

// Hint returns the advice.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *Error) ExitCode() int { return exit.Input }

// Message says what is wrong and where.
func (e *Error) Message() string {
	// As in "tribunal.yaml:3:7: scenarios[0].name must not be empty".
	var b strings.Builder
	if place := e.Place.String(); place != "" {
		b.WriteString(place + ": ")
	}
	field := prose.Excerpt(e.Field)
	switch {
	case field != "":
	case e.Whole != "":
		field = e.Whole
	default:
		field = "the suite"
	}
	b.WriteString(field + " " + e.Problem)
	return b.String()
}

// Errors are the problems of a file in their order, at most [MaxErrors] of them.
type Errors []*Error

// MaxErrors is how many problems of a file are told.
const MaxErrors = 20

// Error writes one problem a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, problem := range e {
		lines[i] = problem.Error()
	}
	// The decoder stops to count there, so nobody knows.
	if len(e) == MaxErrors {
		lines = append(lines, "there may be more")
	}
	return strings.Join(lines, "\n")
}

// ExitCode is that of input that cannot be used.
func (e Errors) ExitCode() int { return exit.Input }

// Unwrap returns the problems.
func (e Errors) Unwrap() []error {
	problems := make([]error, len(e))
	for i, problem := range e {
		problems[i] = problem
	}
	return problems
}
