package verify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// DecodeError says why a document is no saved result.
type DecodeError struct {
	Problem string // such as "is no saved result: it has no schema"
	Advice  string // what a person might do about it; may be ""
	Err     error  // the cause; may be nil
}

// adviceOneDocument is for a person who gave another kind of file.
const adviceOneDocument = "a result is one JSON document, as a command saves it, or prints it as JSON"

func (e *DecodeError) Error() string { return e.Problem }

// Message returns the problem.
func (e *DecodeError) Message() string { return e.Problem }

// Hint returns the advice.
func (e *DecodeError) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *DecodeError) ExitCode() int { return exit.Input }

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Decode reads a saved result, and returns a pointer to its type; see [verdict.Result]. It
// is strict: a field that is not known, and anything after the document, is a
// [DecodeError]. A result that is written again is the same, byte for byte.
func Decode(text []byte) (verdict.Result, error) {
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &DecodeError{
			Problem: "is no saved result: " + inWords(text, err),
			Advice:  adviceOneDocument, Err: err,
		}
	}
	if head.Schema == nil {
		return nil, &DecodeError{
			Problem: "is no saved result: it has no schema",
			Advice:  adviceOneDocument,
		}
	}
	// The schema alone says which type to read into.
	kind, is := kindOf(*head.Schema)
	if !is {
		if what, reads, is := besides(*head.Schema); is {
			return nil, &DecodeError{
				Problem: fmt.Sprintf("is a %s, %s: it is no result, and nothing is judged in it", *head.Schema, what),
				Advice:  reads + "; results are what run, verdict, compare, plan and others save",
			}
		}
		advice := "known are " + strings.Join(schemas(), ", ")
		for _, known := range schemas() {
			if version := strings.LastIndex(known, "/"); strings.HasPrefix(*head.Schema, known[:version+1]) {
				advice = "known is " + known + ": was it written by a later version of tribunal?"
			}
		}
		return nil, &DecodeError{
			Problem: fmt.Sprintf("has the schema %q, which is not known", *head.Schema), Advice: advice,
		}
	}
	into := kind.empty()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return nil, &DecodeError{
			Problem: fmt.Sprintf("is no %s: %s", *head.Schema, inWords(text, err)),
			Advice:  "was it written by another version, or changed?", Err: err,
		}
	}
	// A decoder stops after the first value, so whatever follows must be looked for.
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &DecodeError{
			Problem: "has something after the result",
			Advice:  "a result is one JSON document",
		}
	}
	// From here on a report can show the result without looking at lengths again.
	if problem := rejudged.Problem(into); problem != "" {
		return nil, &DecodeError{
			Problem: fmt.Sprintf("is no %s: %s", *head.Schema, problem),
			Advice:  "was it written by another version, or changed?",
		}
	}
	return into, nil
}

// inWords says what is wrong with a document as somebody would who knows JSON and not Go.
func inWords(text []byte, err error) string {
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		field := e.Field
		if field == "" {
			field = "the document"
		}
		return fmt.Sprintf("%s cannot be a JSON %s", field, e.Value)
	}
	switch e, ok := errors.AsType[*json.SyntaxError](err); {
	case len(bytes.TrimSpace(text)) == 0:
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF), ok && strings.HasPrefix(e.Error(), "unexpected end"):
		return "it ends inside a value"
	case ok:
		return "it is not JSON: " + e.Error()
	}
	// Such as of an unknown field, or in the words of a type that reads itself.
	return strings.TrimPrefix(err.Error(), "json: ")
}
