package oracle

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/tribunal-dev/tribunal/internal/jsonschema"
	"github.com/tribunal-dev/tribunal/internal/prose"
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
	// A name that leads nowhere, for references within the schema; messages are shown without it.
	const place = "schema:///schema.json"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(place, document); err != nil {
		return refuse("cannot be used: " + oneLine(err))
	}
	compiled, err := compiler.Compile(place)
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return refuse("is not a schema: " + violation(invalid.Err))
	}
	if err != nil {
		return refuse("cannot be used: " + strings.ReplaceAll(oneLine(err), place, ""))
	}
	return &Schema{compiled}, nil
}

// mostNodes bounds the nodes of a schema that are visited for one document. It is chosen: an output has some thousand
// values, and these take a second or two.
const mostNodes = 2_000_000

// Violation says which part of a decoded document, with numbers as json.Number, does not fit, and why; "" where all of
// it does. The error says why that was not found out: it takes too long, or the context ended.
func (s *Schema) Violation(ctx context.Context, document any) (problem string, err error) {
	invalid, err := s.compiled.ValidateWithin(ctx, document, mostNodes)
	if err != nil || invalid == nil {
		return "", err
	}
	return violation(invalid), nil
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

// noLoader refuses every reference to another document.
type noLoader struct{}

// Load refuses: a suite must judge in the same way everywhere and always.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("other documents are not read: put it under $defs")
}

// violation names the first part that does not fit.
func violation(err error) string {
	v, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return oneLine(err)
	}
	// The first cause of the first cause: the innermost message names a value and a keyword.
	for len(v.Causes) > 0 {
		v = v.Causes[0]
	}
	text := v.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if len(v.InstanceLocation) > 0 {
		text = "at /" + strings.Join(v.InstanceLocation, "/") + ": " + text
	}
	return prose.Excerpt(text)
}

// oneLine writes an error without its line ends.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
