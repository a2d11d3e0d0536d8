package relation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// document decodes an output: JSON, or a text that holds JSON, with numbers as json.Number.
func document(output trial.Raw) (any, bool) {
	value, ok := decode(output)
	if text, is := value.(string); ok && is {
		return decode([]byte(text))
	}
	return value, ok
}

// decode decodes one JSON value.
func decode(text []byte) (value any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil, false
	}
	_, err := d.Token()
	return value, errors.Is(err, io.EOF)
}

// valueAt is what stands at a path in an output; a problem says why there is nothing.
func valueAt(e Execution, at oracle.Path) (value any, problem string) {
	whole, ok := document(e.Trial.Output)
	if !ok {
		return nil, "is no JSON: " + shown(e.text())
	}
	value, found := at.Find(whole)
	if !found {
		return nil, "has nothing at " + at.String()
	}
	return value, ""
}

// textOf writes a decoded value: a text as it is, anything else as JSON.
func textOf(value any) string {
	if text, is := value.(string); is {
		return text
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return "" // not reached: it came from a decoder
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte{'\n'}))
}
