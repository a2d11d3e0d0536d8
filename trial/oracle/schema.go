package oracle

import (
	"context"
	"errors"

	"github.com/tribunal-dev/tribunal/internal/jsonschema"
	"github.com/tribunal-dev/tribunal/trial"
)

// Schema is a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12; the last where it does not say. References lead within
// the schema: nothing is read from a file or the network.
type Schema struct{ compiled *jsonschema.Schema }

// NewSchema reads a schema. The error is an [OptionError].
func NewSchema(schema trial.Raw) (*Schema, error) {
	refuse := func(problem string) (*Schema, error) { return nil, &OptionError{Option: "schema", Problem: problem} }
	document, err := decode(schema)
	if err != nil {
		return refuse(err.Error())
	}
	switch document.(type) {
	case map[string]any, bool:
	default:
		return refuse("must be a mapping, or true or false")
	}
	compiled, err := jsonschema.Compile(document, false)
	if invalid, ok := errors.AsType[*jsonschema.InvalidError](err); ok {
		return refuse("is not a schema: " + invalid.Error())
	}
	if err != nil {
		return refuse("cannot be used: " + err.Error())
	}
	return &Schema{compiled}, nil
}

// Violation says which part of a decoded document, with numbers as json.Number, does not fit, and why; "" where all of
// it does. The error says why that was not found out: it takes too long, or the context ended.
func (s *Schema) Violation(ctx context.Context, document any) (problem string, err error) {
	err = s.compiled.Validate(ctx, document)
	if invalid, ok := errors.AsType[*jsonschema.InvalidError](err); ok {
		return invalid.Error(), nil
	}
	return "", err
}

// JSONSchema passes if the value at the path is valid under the [Schema]. Text that holds a JSON object or array stands
// for it. It returns an [OptionError] for a schema that is none.
func JSONSchema(at Path, schema trial.Raw) (Evaluator, error) {
	ready, err := NewSchema(schema)
	if err != nil {
		return nil, err
	}
	return evaluator{"json-schema", unsure, timed(func(ctx context.Context, e Evidence) Result {
		found := locate(e.Trial, at)
		if found.stop != nil {
			return *found.stop
		}
		// At the root, text that holds JSON is checked as that JSON; a path has decoded it already.
		if at.text == "" {
			value, err := structured(e.Trial.Output)
			if err != nil {
				return failed(0, "the output "+err.Error())
			}
			found.value = value
		}
		problem, err := ready.Violation(ctx, found.value)
		switch {
		case err != nil:
			return unjudged("whether %s fits the schema was not found out: %v", at.shown(), err)
		case problem != "":
			return decided(false, at.shown()+" does not fit the schema: "+problem)
		}
		return decided(true, at.shown()+" fits the schema")
	})}, nil
}
