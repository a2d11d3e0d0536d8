package record

import (
	"bytes"
	"encoding/json"
)

// Shape is what the beginning of a JSON file shows.
type Shape struct {
	Array   bool   // the file is one array, of the objects
	lists   bool   // it is an array of arrays of them
	Zip     bool   // it is an archive, and there are no objects
	Text    []byte // the beginning itself, which may be cut anywhere
	Objects []Node // the first ones; the last may be a part of one
}

// shapeObjects is the most objects that are looked at; chosen.
const shapeObjects = 32

// ZipShape is the shape of a file that begins as an archive does; nil of any other.
func ZipShape(text []byte) *Shape {
	if !bytes.HasPrefix(text, []byte("PK\x03\x04")) {
		return nil
	}
	return &Shape{Text: text, Zip: true}
}

// ShapeOf looks at the beginning of a file of JSON.
// The text is cut anywhere, so that it is read token by token, and what is whole so far is
// kept: an error is the end of what can be seen.
func ShapeOf(text []byte) *Shape {
	if zip := ZipShape(text); zip != nil {
		return zip
	}
	s := &Shape{Text: text}
	if n, err := DecodeNode(text); err == nil && n.IsObject() { // as an answer often is
		s.Objects = []Node{n}
		return s
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for len(s.Objects) < shapeObjects {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch token {
		case json.Delim('['):
			// A bracket before the first object opens the file's own list, a second one a list in it;
			// any other is a value beside the objects.
			if !s.Array && len(s.Objects) == 0 {
				s.Array = true
				continue
			}
			if !s.lists && len(s.Objects) == 0 {
				s.lists = true
				continue
			}
			if skipRest(d) != nil {
				return s
			}
		case json.Delim('{'):
			n, whole := partialObject(d, 0)
			s.Objects = append(s.Objects, Node{n})
			if !whole {
				return s
			}
		}
	}
	return s
}

// First returns the first object.
func (s *Shape) First() Node {
	if len(s.Objects) == 0 {
		return Node{}
	}
	return s.Objects[0]
}

// Any reports whether one of the objects is as asked.
func (s *Shape) Any(is func(Node) bool) bool {
	for _, n := range s.Objects {
		if is(n) {
			return true
		}
	}
	return false
}

// shapeDepth is how deep an object is looked into.
// It is chosen; what is deeper is passed over.
const shapeDepth = 24

// partialObject decodes the object that is open, as far as it lies in the text.
func partialObject(d *json.Decoder, depth int) (object map[string]any, whole bool) {
	object = map[string]any{}
	for d.More() {
		name, err := d.Token()
		text, ok := name.(string)
		if err != nil || !ok {
			return object, false
		}
		value, whole := partialValue(d, depth)
		if value != nil || whole {
			object[text] = value
		}
		if !whole {
			return object, false
		}
	}
	_, err := d.Token()
	return object, err == nil
}

// partialValue decodes the next value, as far as it lies in the text.
func partialValue(d *json.Decoder, depth int) (value any, whole bool) {
	token, err := d.Token()
	switch {
	case err != nil:
		return nil, false
	case token == json.Delim('{') && depth < shapeDepth:
		return partialObject(d, depth+1)
	case token == json.Delim('[') && depth < shapeDepth:
		return partialList(d, depth+1)
	case token == json.Delim('{') || token == json.Delim('['):
		return nil, skipRest(d) == nil
	}
	return token, true
}

// partialList decodes the array that is open, as far as it lies in the text.
func partialList(d *json.Decoder, depth int) (list []any, whole bool) {
	list = []any{}
	for d.More() {
		value, whole := partialValue(d, depth)
		if value != nil || whole {
			list = append(list, value)
		}
		if !whole {
			return list, false
		}
	}
	_, err := d.Token()
	return list, err == nil
}

// skipRest reads to the end of the object or array that is open.
func skipRest(d *json.Decoder) error {
	for depth := 1; depth > 0; {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	return nil
}

// MemberNames returns the names in the first object of the text, which may be the
// first element of an array. whole is true if the object ends in the text.
func MemberNames(text []byte) (names []string, whole bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	open, err := d.Token()
	if open == json.Delim('[') {
		open, err = d.Token()
	}
	if err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return names, false
		}
		text, ok := name.(string)
		if !ok {
			return names, false
		}
		names = append(names, text)
		if skipValue(d) != nil {
			return names, false
		}
	}
	_, err = d.Token()
	return names, err == nil
}

// FirstValue says what the first value of a JSON text is, or of the array that it is: "an object", "a number" and so
// on, or "an empty array". It is "" where the text ends or is broken before that shows.
func FirstValue(text []byte) string {
	d := json.NewDecoder(bytes.NewReader(text))
	token, err := d.Token()
	if err == nil && token == json.Delim('[') {
		token, err = d.Token()
	}
	if err != nil {
		return ""
	}
	switch token := token.(type) {
	case json.Delim:
		switch token {
		case '{':
			return "an object"
		case '[':
			return "an array of arrays"
		}
		return "an empty array"
	case string:
		return "strings"
	case float64:
		return "numbers"
	case bool:
		return "true or false"
	}
	return "null"
}

// skipValue reads the next value, however deep, without keeping it.
func skipValue(d *json.Decoder) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	if token == json.Delim('{') || token == json.Delim('[') {
		return skipRest(d)
	}
	return nil
}

// IsLogLine reports whether a text that begins with a bracket is a log, and no array:
// a time or a word is in the bracket.
func IsLogLine(text []byte) bool {
	if !bytes.HasPrefix(text, []byte{'['}) {
		return false
	}
	inner := text[1:]
	// These begin with a letter and are JSON.
	for _, value := range []string{"true", "false", "null"} {
		if bytes.HasPrefix(inner, []byte(value)) {
			return false
		}
	}
	return bytes.HasPrefix(inner, []byte("20")) || len(inner) > 0 && (inner[0]|0x20 >= 'a' && inner[0]|0x20 <= 'z')
}
