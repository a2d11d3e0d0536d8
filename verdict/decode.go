package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// savedForm returns an empty result of a schema; nil where it is not known.
func savedForm(schema string) any {
	switch schema {
	case RunSchema:
		return &RunResult{}
	case GateSchema:
		return &GateResult{}
	case ThresholdSchema:
		return &ThresholdResult{}
	case CompareSchema:
		return &Comparison{}
	case SequentialSchema:
		return &SequentialResult{}
	case BehaviourSchema:
		return &BehaviourResult{}
	}
	return nil
}

// SavedSchemas are the schemas that [Decode] reads.
func SavedSchemas() []string {
	return []string{RunSchema, GateSchema, ThresholdSchema, CompareSchema, SequentialSchema, BehaviourSchema}
}

// DecodeError says why a document is no saved result.
type DecodeError struct {
	Problem string
	Hint    string
	Err     error // the cause; may be nil
}

func (e *DecodeError) Error() string { return e.Problem }

// Unwrap returns the cause.
func (e *DecodeError) Unwrap() error { return e.Err }

// Decode reads a saved result, and returns a pointer to its type: [RunResult],
// [GateResult],
// [ThresholdResult], [Comparison], [SequentialResult] or [BehaviourResult]. It is strict: a field that
// is not known, and anything after the document, is a [DecodeError]. A result that is
// written again is the same, byte for byte.
func Decode(text []byte) (any, error) {
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, &DecodeError{"is no saved result: " + err.Error(), "a result is one JSON document, as --json or --output writes it", err}
	}
	if head.Schema == nil {
		return nil, &DecodeError{Problem: "is no saved result: it has no schema", Hint: "a result is one JSON document, as --json or --output writes it"}
	}
	into := savedForm(*head.Schema)
	if into == nil {
		return nil, &DecodeError{Problem: fmt.Sprintf("the schema %q is not known", *head.Schema), Hint: fmt.Sprintf("known are %s", wordList(SavedSchemas()))}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return nil, &DecodeError{fmt.Sprintf("is no %s: %v", *head.Schema, err), "was it written by another version, or changed?", err}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, &DecodeError{Problem: "something follows after the result", Hint: "a result is one JSON document"}
	}
	return into, nil
}

func wordList(words []string) string { return names(words).list() }
