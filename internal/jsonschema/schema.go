// Package jsonschema reads JSON Schemas of draft 4, 6, 7, 2019-09 and 2020-12 that others wrote: they refer to nothing
// outside of themselves, and the work of a validation has a bound. What they mean is known by
// github.com/santhosh-tekuri/jsonschema.
//
//	schema, err := jsonschema.Compile(map[string]any{"type": "integer"}, false)
//	err = schema.Validate(ctx, json.Number("3"))
package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Schema is a schema that values are held against.
type Schema struct {
	compiled *jsonschema.Schema
	most     int // visits of a validation

	turn  sync.Mutex // of validations: they share visit
	visit func()     // is called at every part of the schema that is looked at
}

// InvalidError says which part of a value does not fit a schema, and why.
type InvalidError struct{ cause *jsonschema.ValidationError }

// place is a name that leads nowhere, for references within the schema. Messages are shown without it.
const place = "schema:///schema.json"

// Compile reads a schema, a decoded document with numbers as json.Number. Formats are held to where a draft or the
// caller says so. The error of what is no schema is an [InvalidError].
func Compile(document any, formats bool) (*Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if formats {
		compiler.AssertFormat()
	}
	if err := compiler.AddResource(place, document); err != nil {
		return nil, oneLine(err)
	}
	compiled, err := compiler.Compile(place)
	if refused, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return nil, invalid(refused.Err)
	}
	if err != nil {
		return nil, oneLine(err)
	}
	s := &Schema{compiled: compiled, most: mostVisits}
	s.watch(reflect.ValueOf(compiled), map[*jsonschema.Schema]bool{})
	return s, nil
}

// noLoader refuses every reference to another document.
type noLoader struct{}

// Load refuses: a schema must judge in the same way everywhere and always.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("other documents are not read: put it under $defs")
}

// watch has every schema within a value of the library's call visit when it is looked at. The format is what is asked
// before a schema asks others, whatever its keywords. What a $dynamicRef may lead to is in a field that has no name
// outside of the library, so that fields are gone through by reflection.
func (s *Schema) watch(v reflect.Value, known map[*jsonschema.Schema]bool) {
	switch v.Kind() {
	case reflect.Interface:
		s.watch(v.Elem(), known)
	case reflect.Slice:
		for i := range v.Len() {
			s.watch(v.Index(i), known)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			s.watch(entries.Value(), known)
		}
	case reflect.Pointer:
		switch v.Type() {
		case reflect.TypeFor[*jsonschema.DynamicRef]():
		case reflect.TypeFor[*jsonschema.Schema]():
			schema := (*jsonschema.Schema)(v.UnsafePointer())
			if schema == nil || known[schema] {
				return
			}
			known[schema] = true
			schema.Format = s.watched(schema.Format)
		default:
			return
		}
		if !v.IsNil() {
			for i := range v.Elem().NumField() {
				s.watch(v.Elem().Field(i), known)
			}
		}
	}
}

// watched is a format, or none, that calls visit first.
func (s *Schema) watched(format *jsonschema.Format) *jsonschema.Format {
	if format == nil {
		format = &jsonschema.Format{Validate: func(any) error { return nil }}
	}
	return &jsonschema.Format{Name: format.Name, Validate: func(value any) error {
		s.visit()
		return format.Validate(value)
	}}
}

// mostVisits bounds the parts of a schema that are looked at for one document: a schema of some lines, whose parts
// refer to each other, can ask for more of them than anybody waits for. It is chosen: an output has some thousand
// values, and these take a second or two.
const mostVisits = 2_000_000

// budgetError ends a validation from within.
type budgetError struct{ why error }

// Validate returns nil where a decoded document, with numbers as json.Number, fits the schema, and an [InvalidError]
// where it does not. Any other error says why that was not found out: it takes too long, or the context ended.
func (s *Schema) Validate(ctx context.Context, document any) (err error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case budgetError:
			err = r.why
		default:
			panic(r)
		}
	}()
	const between = 1 << 10 // looks at the context
	visits := 0
	s.visit = func() {
		if visits++; visits > s.most {
			panic(budgetError{fmt.Errorf("more than %d parts of the schema were to be looked at", s.most)})
		}
		if visits%between == 1 && ctx.Err() != nil {
			panic(budgetError{context.Cause(ctx)})
		}
	}
	if err := s.compiled.Validate(document); err != nil {
		return invalid(err)
	}
	return nil
}

// invalid is an [InvalidError] of the first cause of the first cause: the innermost names a value and a keyword.
func invalid(err error) error {
	cause, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	for len(cause.Causes) > 0 {
		cause = cause.Causes[0]
	}
	return &InvalidError{cause}
}

// Error returns such as "at /department: value must be 'billing'".
func (e *InvalidError) Error() string {
	text := e.cause.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if len(e.cause.InstanceLocation) > 0 {
		text = "at /" + strings.Join(e.cause.InstanceLocation, "/") + ": " + text
	}
	return prose.Excerpt(text)
}

// oneLine is an error without line ends and the name that the schema has for the library.
func oneLine(err error) error {
	return errors.New(strings.ReplaceAll(strings.Join(strings.Fields(err.Error()), " "), place, ""))
}
