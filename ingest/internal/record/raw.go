package record

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// Raw returns the value as JSON with sorted names; nil where there is none.
func (n Node) Raw() trial.Raw {
	if !n.Exists() {
		return nil
	}
	if raw, isPlain := appendPlain(make([]byte, 0, fewBytes), n.Value); isPlain {
		return raw
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(n.Value) != nil {
		return nil // not reached: it was decoded from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'})
}

// fewBytes is what there is room for at first. It is chosen.
const fewBytes = 64

// appendPlain appends a value as encoding/json writes it, without its detours. It is false where there is a text that
// does not stand for itself, or anything but what comes of whole numbers, texts, truths, lists and objects.
func appendPlain(to []byte, value any) (_ []byte, isPlain bool) {
	switch v := value.(type) {
	case nil:
		return append(to, "null"...), true
	case bool:
		if v {
			return append(to, "true"...), true
		}
		return append(to, "false"...), true
	case string:
		return appendPlainText(to, v)
	case json.Number:
		return append(to, v...), IsWhole(string(v))
	case []any:
		return appendPlainList(to, v)
	case map[string]any:
		return appendPlainObject(to, v)
	}
	return to, false
}

func appendPlainText(to []byte, text string) (_ []byte, isPlain bool) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return to, false
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"'), true
}

func appendPlainList(to []byte, list []any) (_ []byte, isPlain bool) {
	if list == nil {
		return to, false
	}
	to = append(to, '[')
	for i, element := range list {
		if i > 0 {
			to = append(to, ',')
		}
		if to, isPlain = appendPlain(to, element); !isPlain {
			return to, false
		}
	}
	return append(to, ']'), true
}

func appendPlainObject(to []byte, object map[string]any) (_ []byte, isPlain bool) {
	if object == nil {
		return to, false
	}
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	to = append(to, '{')
	for i, name := range names {
		if i > 0 {
			to = append(to, ',')
		}
		if to, isPlain = appendPlainText(to, name); !isPlain {
			return to, false
		}
		to = append(to, ':')
		if to, isPlain = appendPlain(to, object[name]); !isPlain {
			return to, false
		}
	}
	return append(to, '}'), true
}

// IsWhole reports whether digits are a whole number as JSON has it, without a sign.
func IsWhole[T string | []byte](digits T) bool {
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return len(digits) == 1 || len(digits) > 1 && digits[0] != '0'
}
