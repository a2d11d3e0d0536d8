package oracle

import (
	"fmt"
	"strconv"
	"strings"
)

// Path leads into a JSON document: names of members, separated by dots, and
// numbers of items in brackets, from 0, such as items[0].price. A name that holds
// a dot or a bracket stands in brackets and double quotes: ["a.b"]. The zero value
// is the whole document.
type Path struct {
	text  string
	parts []pathPart
}

// pathPart is one step into a document: into an object by a name, or into an array by an index.
type pathPart struct {
	name  string
	index int
	item  bool // index, not name
}

// maxPathParts is more than any document that a person addresses.
const maxPathParts = 64

// ParsePath reads a path. It returns an [OptionError] that says what is wrong and
// where; an empty text is an error too.
func ParsePath(text string) (Path, error) {
	refuse := func(problem string) (Path, error) {
		return Path{}, &OptionError{
			Option: "path", Value: strconv.Quote(text), Problem: problem,
			Advice: "write it like department or items[0].price",
		}
	}
	p := Path{text: text}
	// An empty text goes in once, to be refused by nextPart.
	for rest := text; rest != "" || len(p.parts) == 0; {
		var part pathPart
		var err error
		if part, rest, err = nextPart(rest); err != nil {
			return refuse(err.Error())
		}
		if p.parts = append(p.parts, part); len(p.parts) > maxPathParts {
			return refuse(fmt.Sprintf("has more than %d parts", maxPathParts))
		}
		// What follows a part: a dot and a name, a bracket, or the end.
		if next, dot := strings.CutPrefix(rest, "."); dot {
			if next == "" || next[0] == '[' {
				return refuse("has no name after a dot")
			}
			rest = next
		} else if rest != "" && rest[0] != '[' {
			return refuse("has no dot after a bracket")
		}
	}
	return p, nil
}

// nextPart cuts the first part off.
func nextPart(text string) (part pathPart, rest string, err error) {
	if text == "" {
		return part, "", fmt.Errorf("is empty")
	}
	if text[0] != '[' {
		end := strings.IndexAny(text, ".[")
		if end < 0 {
			end = len(text)
		}
		if end == 0 {
			return part, "", fmt.Errorf("has no name before a dot")
		}
		if strings.Contains(text[:end], "]") {
			return part, "", fmt.Errorf("has ] without [")
		}
		return pathPart{name: text[:end]}, text[end:], nil
	}
	if strings.HasPrefix(text, `["`) {
		quoted, err := strconv.QuotedPrefix(text[1:])
		if err != nil || !strings.HasPrefix(text[1+len(quoted):], "]") {
			return part, "", fmt.Errorf("has a quoted name that does not end")
		}
		name, err := strconv.Unquote(quoted)
		return pathPart{name: name}, text[len(quoted)+2:], err
	}
	inside, rest, found := strings.Cut(text[1:], "]")
	if !found {
		return part, "", fmt.Errorf("has [ without ]")
	}
	index, err := strconv.Atoi(inside)
	if err != nil || index < 0 || inside[0] == '+' {
		return part, "", fmt.Errorf("has [%s], which is not the number of an item", inside)
	}
	return pathPart{index: index, item: true}, rest, nil
}

// String returns the path as it was written; "" is the whole document.
func (p Path) String() string { return p.text }

// shown names what the path leads to in a sentence.
func (p Path) shown() string {
	if p.text == "" {
		return "the output"
	}
	return p.text
}

// Find follows the path into a document as encoding/json decodes it: of map[string]any, []any and
// scalars. found is whether it leads anywhere, be it to a null.
func (p Path) Find(document any) (value any, found bool) {
	value, depth, _ := p.Reach(document)
	if depth < len(p.parts) {
		return nil, false
	}
	return value, true
}

// Reach follows the path as far as it leads. It returns the value there, how many parts of the path lead
// there, and the name or number that is missing from it, "" where none is.
func (p Path) Reach(document any) (value any, depth int, missing string) {
	value = document
	for i, part := range p.parts {
		if part.item {
			items, ok := value.([]any)
			if !ok || part.index >= len(items) {
				return value, i, strconv.Itoa(part.index)
			}
			value = items[part.index]
			continue
		}
		members, _ := value.(map[string]any)
		member, found := members[part.name]
		if !found {
			return value, i, part.name
		}
		value = member
	}
	return value, len(p.parts), ""
}
