package ingest

import (
	"errors"

	"github.com/tribunal-dev/tribunal/trial"
)

// UnjudgedError says that nothing tells the outcome of a trial, and that the options
// do not admit such a trial.
type UnjudgedError struct{ *trial.FieldError }

// Unwrap returns the error about the field.
func (e *UnjudgedError) Unwrap() error { return e.FieldError }

// asUnjudged marks the errors about an outcome that is missing, of all formats.
func asUnjudged(err error) error {
	e, ok := errors.AsType[*trial.FieldError](err)
	if ok && e.Field == "outcome" && e.Value == "" {
		return &UnjudgedError{e}
	}
	return err
}
