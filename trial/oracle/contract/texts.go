package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial"
)

// argumentText is a text in the arguments of a step, and the name that it stands under.
type argumentText struct {
	name, text string
	words      []string // of a list of texts, which may be the words of a command
}

// textsIn returns the texts of a JSON value, in the order of their names; of a text
// that holds a JSON object or list, also those in it. What is not JSON is one text.
//
// Names are sorted so that the first breach is the same one in every run.
func textsIn(raw trial.Raw) (texts []argumentText) {
	if raw == nil {
		return nil
	}
	value, ok := parsed(raw)
	if !ok {
		return []argumentText{{text: string(raw)}}
	}
	return appendTexts(nil, "", value, true)
}

// appendTexts appends the texts of a value; inside says whether texts may hold further
// JSON.
func appendTexts(texts []argumentText, name string, value any, inside bool) []argumentText {
	switch value := value.(type) {
	case string:
		texts = append(texts, argumentText{name: name, text: value})
		// Tools take JSON in a text often; JSON within that once more is not followed.
		if inner, ok := parsed([]byte(value)); inside && ok && strings.IndexAny(strings.TrimSpace(value), "{[") == 0 {
			texts = appendTexts(texts, name, inner, false)
		}
	case []any:
		var words []string
		for _, item := range value {
			texts = appendTexts(texts, name, item, inside)
			if word, ok := item.(string); ok && len(words) < len(value) {
				words = append(words, word)
			}
		}
		// All are texts: it may be an argv, which no shell splits.
		if len(words) > 0 && len(words) == len(value) {
			texts = append(texts, argumentText{name: name, words: words})
		}
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(value)) {
			texts = appendTexts(texts, member, value[member], inside)
		}
	}
	return texts
}

// parsed decodes one JSON value: whole numbers as int where they are small enough to
// be one, others as float64. What is out of their range cannot be decoded.
func parsed(text []byte) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil || decoder.More() {
		return nil, false
	}
	return numbers(value)
}

// numbers makes numbers of Go of those of JSON, in place. It is false for one that is
// out of range.
func numbers(value any) (any, bool) {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return int(whole), true
		}
		x, err := v.Float64()
		return x, err == nil
	case []any:
		for i := range v {
			item, ok := numbers(v[i])
			if !ok {
				return nil, false
			}
			v[i] = item
		}
	case map[string]any:
		for name := range v {
			member, ok := numbers(v[name])
			if !ok {
				return nil, false
			}
			v[name] = member
		}
	}
	return value, true
}
