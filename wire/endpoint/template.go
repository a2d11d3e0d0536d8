package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// holderPattern is what stands for a value: {input}, {input.PATH}, {seed}, {trial}, {scenario}, {variant} and {id}.
// Other braces are text.
var holderPattern = lazy.Regexp(`\{(input(?:[.\[][^{}]*)?|seed|trial|scenario|variant|id)\}`)

// Values are what a trial is asked with.
type Values struct {
	Request  []byte    // the whole of it, as JSON: the body where none is given
	Input    trial.Raw // of the scenario, JSON; nil is null
	Scenario string
	Variant  string
	Trial    int
	Seed     uint64
	ID       string // a name that no other attempt has
}

// value returns what a holder stands for.
func (v Values) value(holder string) (any, error) {
	switch holder {
	case "seed":
		return json.Number(strconv.FormatUint(v.Seed, 10)), nil
	case "trial":
		return json.Number(strconv.Itoa(v.Trial)), nil
	case "scenario":
		return v.Scenario, nil
	case "variant":
		return v.Variant, nil
	case "id":
		return v.ID, nil
	}
	input := v.Input
	if len(input) == 0 {
		input = trial.Raw("null")
	}
	document, err := Decode(input)
	if err != nil {
		return nil, fmt.Errorf("the input is not JSON: %w", err)
	}
	text := pathOf(holder, "input")
	if text == "" {
		return document, nil
	}
	path, err := oracle.ParsePath(text)
	if err != nil {
		return nil, err
	}
	found, ok := path.Find(document)
	if !ok {
		return nil, fmt.Errorf("{%s} stands for nothing: the input has no %s", holder, text)
	}
	return found, nil
}

// pathOf is the path of a holder behind its name, "" for the whole.
func pathOf(holder, name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(holder, name), ".")
}

// Decode reads a document, with its numbers as they are written. Nothing may follow it.
func Decode(text []byte) (document any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err = decoder.Decode(&document); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	return document, nil
}

// Holders checks the holders of a text, and returns whether there are any.
func Holders(text string) (any bool, err error) {
	for _, found := range holderPattern().FindAllStringSubmatch(text, -1) {
		any = true
		if rest := strings.TrimPrefix(strings.TrimPrefix(found[1], "input"), "."); rest != found[1] && rest != "" {
			if _, err := oracle.ParsePath(rest); err != nil {
				return any, err
			}
		}
	}
	return any, nil
}

// Text puts the values into a text, each as it would stand in a body.
func (v Values) Text(template string) (string, error) {
	return v.fill(template, func(text string) string { return text })
}

// fill puts values into a text, each as a text that is written so.
func (v Values) fill(text string, write func(string) string) (string, error) {
	return replaced(holderPattern(), text, v.value, write)
}

// replaced puts what holders stand for into a text, each as a text that is written so.
func replaced(
	pattern *regexp.Regexp, text string, value func(holder string) (any, error), write func(string) string,
) (string, error) {
	var problem error
	filled := pattern.ReplaceAllStringFunc(text, func(found string) string {
		value, err := value(strings.Trim(found, "{}"))
		if err != nil {
			problem = err
			return found
		}
		return write(textOf(value))
	})
	return filled, problem
}

// textOf writes a value within a text: texts as they are, and others as JSON.
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "" // not reached: it was read as JSON
	}
	return string(text)
}

// escaped writes a text for any part of an address.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

// Document fills a JSON document. A text that is one holder and nothing else becomes its value.
func (v Values) Document(template trial.Raw) ([]byte, error) {
	document, err := Decode(template)
	if err != nil {
		return nil, err
	}
	filled, err := v.document(document)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(filled)
	return bytes.TrimSpace(b.Bytes()), err
}

// document fills the texts of a document, wherever they stand. Names stay.
func (v Values) document(document any) (any, error) {
	var err error
	switch document := document.(type) {
	case string:
		if holder := holderPattern().FindString(document); holder != "" && holder == document {
			return v.value(strings.Trim(holder, "{}"))
		}
		return v.Text(document)
	case []any:
		for i := range document {
			if document[i], err = v.document(document[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for name := range document {
			if document[name], err = v.document(document[name]); err != nil {
				return nil, err
			}
		}
	}
	return document, nil
}
