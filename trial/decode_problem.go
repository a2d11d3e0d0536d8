package trial

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// at is the place of an offset of the text, relative to its first line.
func (d *decoder) at(offset int) Place {
	offset = min(max(offset, 0), len(d.text))
	before := d.text[:offset]
	return Place{Line: bytes.Count(before, []byte{'\n'}), Column: offset - bytes.LastIndexByte(before, '\n')}
}

// syntaxAt is an error at an offset of the text.
func (d *decoder) syntaxAt(offset int, problem, hint string) error {
	return &SyntaxError{Place: d.at(offset), Problem: problem, Advice: hint}
}

// fieldError is about the value read last.
func (d *decoder) fieldError(field, value, problem, hint string) error {
	return &FieldError{Place: d.at(d.start), Field: d.path(field), Value: value, Problem: problem, Advice: hint}
}

// typeError says that a value is of the wrong kind.
func (d *decoder) typeError(field string, value []byte, want, hint string) error {
	return d.fieldError(field, string(value[:min(len(value), 200)]), "must be "+want+", not "+kindName(value), hint)
}

// path is the name of a field of the object that is decoded.
func (d *decoder) path(field string) string {
	path := d.within.name
	if path == "steps" || path == "model_usage" {
		path += "[" + strconv.Itoa(d.within.index) + "]"
	}
	if path != "" && field != "" {
		path += "."
	}
	return path + field
}

// kindName names the kind of a JSON value.
func kindName(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 'n':
		return "null"
	case 't', 'f':
		return string(value)
	}
	return "a number"
}

// missing says that a field of a step is absent.
func (d *decoder) missing(field, hint string) error {
	line := d.at(d.offset()).Line
	return &FieldError{Place: Place{Line: line}, Field: d.path(field), Problem: "is missing", Advice: hint}
}

// meant names in the hint the field that may have been meant for one that is
// missing.
//
// Names of known fields are passed over: they are there on purpose.
func (d *decoder) meant(e *FieldError) {
	fields := []string{e.Field}
	if e.Field == "outcome" {
		fields = append(fields, "passed")
	}
	for _, name := range memberNames(d.text) {
		if field, near := prose.Nearest(name, fields); near && !slices.Contains(trialFields, name) {
			e.Advice = fmt.Sprintf("is %q meant? Names are written as here, in lower case", prose.Excerpt(name))
			if field != e.Field {
				e.Advice = fmt.Sprintf("write %q for %q", field, prose.Excerpt(name))
			}
			return
		}
	}
}

// memberNames returns the names of an object that is known to be valid JSON.
func memberNames(text []byte) (names []string) {
	json := jsontext.NewDecoder(bytes.NewBuffer(text), anySurrogate)
	if _, err := json.ReadToken(); err != nil {
		return nil
	}
	for json.PeekKind() == '"' {
		name, err := json.ReadToken()
		if err != nil {
			return names
		}
		names = append(names, name.String())
		if json.SkipValue() != nil {
			return names
		}
	}
	return names
}

// syntax turns an error of the JSON decoder into one for a person; nil is nil.
func (d *decoder) syntax(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return d.syntaxOf(s, "line")
	}
	return d.syntaxAt(len(d.text), "no JSON value", "")
}

// syntaxOf describes a syntax error. Its offset is into the text, which is called
// by the unit: a line, or the text of a document.
func (d *decoder) syntaxOf(s *jsontext.SyntacticError, unit string) error {
	offset := int(s.ByteOffset)
	inside := pointerPath(s.JSONPointer)
	switch {
	case errors.Is(s.Err, io.ErrUnexpectedEOF):
		const advice = "it seems to be cut off: was the program that wrote it stopped?"
		return d.syntaxAt(len(d.text), "the "+unit+" ends inside "+inside, advice)
	case errors.Is(s.Err, jsontext.ErrDuplicateName):
		return d.syntaxAt(offset, inside+" is given twice", "a name may stand only once in a JSON object")
	}
	problem, hint := s.Err.Error(), ""
	if offset >= 0 && offset < len(d.text) {
		hint = literalHint(d.text[offset:])
	}
	if inside != wholeTrial {
		problem += " in " + inside
	}
	return d.syntaxAt(offset, "not valid JSON: "+problem, hint)
}

const wholeTrial = "the trial"

// pointerPath writes a JSON pointer as a person would: steps[3].output.
func pointerPath(pointer jsontext.Pointer) string {
	path := ""
	for token := range pointer.Tokens() {
		switch _, err := strconv.Atoi(token); {
		case err == nil && path != "":
			path += "[" + token + "]"
		case path == "":
			path = token
		default:
			path += "." + token
		}
	}
	if path == "" {
		return wholeTrial
	}
	return path
}

// literalHint recognises values of other languages that are not JSON.
//
// Most are what Python leaves in files, by print or by json.dumps.
func literalHint(rest []byte) string {
	for _, l := range []struct{ literal, hint string }{
		{"NaN", "JSON has no NaN: leave the field out where the number is unknown"},
		{"nan", "JSON has no NaN: leave the field out where the number is unknown"},
		{"Infinity", "JSON has no infinity: leave the field out"},
		{"-Infinity", "JSON has no infinity: leave the field out"},
		{"inf", "JSON has no infinity: leave the field out"},
		{"None", "JSON writes null, or leaves the field out"},
		{"True", "JSON writes true"},
		{"False", "JSON writes false"},
		{",}", "remove the comma before }"},
		{",]", "remove the comma before ]"},
		{"'", "JSON strings stand in double quotes"},
	} {
		if strings.HasPrefix(string(rest[:min(len(rest), 12)]), l.literal) {
			return l.hint
		}
	}
	return ""
}
