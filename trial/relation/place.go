package relation

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Place is where something stands in an input, written as input.documents; input alone is the whole of it, which is the
// zero value.
type Place struct {
	path  oracle.Path
	inner bool // it is a part of the input
}

const inputWord = "input"

// ParsePlace reads a place. It returns an [oracle.OptionError] for anything else than input, and paths that begin with
// input.
func ParsePlace(text string) (Place, error) {
	if text == inputWord {
		return Place{}, nil
	}
	rest, ok := strings.CutPrefix(text, inputWord)
	if !ok || !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "[") {
		return Place{}, &oracle.OptionError{
			Option: "on", Value: `"` + text + `"`, Problem: "does not begin with input",
			Advice: "such as input.documents, or input for all of it",
		}
	}
	path, err := oracle.ParsePath(strings.TrimPrefix(rest, "."))
	return Place{path, true}, err
}

// String returns the place as it is written.
func (p Place) String() string {
	switch text := p.path.String(); {
	case !p.inner:
		return inputWord
	case strings.HasPrefix(text, "["):
		return inputWord + text
	default:
		return inputWord + "." + text
	}
}

// span finds the value there.
func (p Place) span(input trial.Raw) (begin, end int, err error) {
	if begin, end, found := p.path.Span(input); found {
		return begin, end, nil
	}
	return 0, 0, &inputError{Place: p, Problem: "is not there", Advice: p.meant(input)}
}

// meant is what may have been meant by a place where nothing stands.
func (p Place) meant(input trial.Raw) string {
	for text := p.String(); ; {
		at := strings.LastIndexByte(text, '.')
		if at < 0 {
			return "the relation is about what stands there in the input"
		}
		name := text[at+1:]
		text = text[:at]
		outer, err := ParsePlace(text)
		if err != nil {
			continue
		}
		begin, end, found := outer.path.Span(input)
		var members map[string]json.RawMessage
		if !found || json.Unmarshal(input[begin:end], &members) != nil {
			continue
		}
		if near, is := prose.Nearest(name, slices.Sorted(maps.Keys(members))); is {
			return "did you mean " + text + "." + near + "?"
		}
	}
}

// Value returns the JSON that stands there. It is an [inputError] that nothing does.
func (p Place) Value(input trial.Raw) (trial.Raw, error) {
	begin, end, err := p.span(input)
	return input[begin:end], err
}

// Replace returns the input with another JSON value there, and the rest as it is written. It is an [inputError] that
// nothing stands there.
func (p Place) Replace(input, value trial.Raw) (trial.Raw, error) {
	begin, end, err := p.span(input)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{input[:begin], value, input[end:]}, nil), nil
}

// text is the text that stands there.
func (p Place) text(input trial.Raw) (string, error) {
	value, err := p.Value(input)
	if err != nil {
		return "", err
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		return "", &inputError{Place: p, Problem: "is not a text", Advice: "name a text in it, such as input.question"}
	}
	return text, nil
}
