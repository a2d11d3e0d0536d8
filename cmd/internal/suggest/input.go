package suggest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/arbitrary"
)

// textNames are members that usually say what is asked, the usual ones first.
var textNames = []string{
	"text", "prompt", "question", "message", "query", "request", "instruction", "instructions", "task", "input", "content",
}

// textOf returns the text of an input that says what is asked, and the names of the members that lead to it: the input
// itself, a member with a usual name, or else the longest text.
func textOf(input any) (path []string, text string, ok bool) {
	switch x := input.(type) {
	case string:
		return nil, x, true
	case map[string]any:
		for _, name := range textNames {
			if text, ok := x[name].(string); ok {
				return []string{name}, text, true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			within, found, isText := textOf(x[name])
			if isText && (!ok || len(found) > len(text)) {
				path, text, ok = append([]string{name}, within...), found, true
			}
		}
	}
	return path, text, ok
}

// put returns an input with another text at the path; what it was is not changed.
func put(input any, path []string, value any) any {
	object, _ := input.(map[string]any)
	if len(path) == 0 || object == nil {
		return value
	}
	object = maps.Clone(object)
	object[path[0]] = put(object[path[0]], path[1:], value)
	return object
}

// asking returns an input like one that was recorded, which asks for something else: its text is another, or where it
// has none, members say it. An input that was not recorded is the text.
func asking(input any, text string, members map[string]any) any {
	if path, _, ok := textOf(input); ok {
		return put(input, path, text)
	}
	if object, ok := input.(map[string]any); ok && len(members) > 0 {
		object = maps.Clone(object)
		maps.Copy(object, members)
		return object
	}
	return text
}

// also returns an input that asks for something more.
func also(input any, sentence string) any {
	path, text, ok := textOf(input)
	if !ok {
		return asking(input, sentence, nil)
	}
	return put(input, path, sentences(text, sentence))
}

// sentences puts a sentence behind a text.
func sentences(text, sentence string) string {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	if text == "" {
		return sentence
	}
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".!?…", last) {
		text += "."
	}
	return text + " " + sentence
}

// moved returns an input in which the value of a parameter is another: a member of that name, or the recorded argument
// where it stands in the input, or else a sentence that says so. how tells which.
func moved(input any, tool, parameter string, recorded, value any) (changed any, how string) {
	name := parameter[strings.LastIndexAny(parameter, ".]")+1:]
	if name != "" {
		if changed, ok := replaceMember(input, name, value); ok {
			return changed, "its member " + quoted(name) + " is set"
		}
	}
	if isWord(recorded) {
		if changed, ok := replaceValue(input, recorded, value); ok {
			return changed, "the " + excerpt(recorded) + " in it is replaced"
		}
	}
	if input == nil {
		how = "there is no input that was recorded: a sentence asks for it"
	} else {
		how = "a sentence asks for it"
	}
	return also(input, fmt.Sprintf("Use %s with %s %s.", tool, parameter, arbitrary.Encoded(value))), how
}

// isWord reports whether a recorded argument can be found again in an input: a number or a text, of some length.
func isWord(recorded any) bool {
	switch x := recorded.(type) {
	case json.Number:
		return true
	case string:
		return utf8.RuneCountInString(strings.TrimSpace(x)) > 1
	}
	return false
}

// replaceMember sets the first member of that name, whatever its case, that is no object.
func replaceMember(input any, name string, value any) (any, bool) {
	object, _ := input.(map[string]any)
	names := slices.Sorted(maps.Keys(object))
	for _, member := range names {
		if _, isObject := object[member].(map[string]any); strings.EqualFold(member, name) && !isObject {
			object = maps.Clone(object)
			object[member] = value
			return object, true
		}
	}
	for _, member := range names {
		if inner, ok := replaceMember(object[member], name, value); ok {
			object = maps.Clone(object)
			object[member] = inner
			return object, true
		}
	}
	return input, false
}

// replaceValue replaces a value where it is a member, an item or a word of a text, once.
func replaceValue(input, old, value any) (any, bool) {
	switch x := input.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(x)) {
			if inner, ok := replaceValue(x[member], old, value); ok {
				x = maps.Clone(x)
				x[member] = inner
				return x, true
			}
		}
	case []any:
		for i := range x {
			if inner, ok := replaceValue(x[i], old, value); ok {
				x = slices.Clone(x)
				x[i] = inner
				return x, true
			}
		}
	case json.Number:
		if x == old {
			return value, true
		}
	case string:
		if x == old {
			return value, true
		}
		if at := wordAt(x, written(old)); at >= 0 {
			return x[:at] + written(value) + x[at+len(written(old)):], true
		}
	}
	return input, false
}

// written is a value as it stands in a text: a text without its quotation marks.
func written(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return string(arbitrary.Encoded(value))
}

// wordAt is where a word stands in a text by itself; -1 where it does not.
func wordAt(text, word string) int {
	for from := 0; word != ""; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(word):])
		if !isLetter(before) && !isLetter(after) {
			return i
		}
		from = i + 1
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	return -1
}

func isLetter(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}

// excerpt is a value as a sentence has it.
func excerpt(value any) string { return cut(string(arbitrary.Encoded(value)), 60) }
