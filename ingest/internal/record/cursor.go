package record

import (
	"encoding/json"
	"hash/maphash"
)

// Cursor goes through a JSON text value by value, for decoders that know what they look for: they take what they
// need, and nothing is made of the rest but that it is looked at. It takes what [DecodeNode] does, but for what is
// rare: where that comes it fails, and what was taken until then is of no use.
//
//	for c.Object(); c.Member(); {
//		switch string(c.Name) {
//		case "id":
//			id, isText = c.Text()
//		default:
//			c.Skip()
//		}
//	}
//
// After a failure there are no members and no elements, and values are absent.
type Cursor struct {
	Name []byte // of the last member, valid until the next value is looked at

	json   fastDecoder
	failed bool
	isNew  bool // the object or the list has just begun
	recent []recentText
}

// recentText is a text that came a while ago, and what was made of it.
type recentText struct {
	text     string
	asText   any // a string; nil if nobody has asked
	asNumber any // a json.Number; the same
}

// Texts that come again are made once, as far as they are short. The numbers are chosen.
const (
	recentTexts   = 1024 // a power of two
	longestRecent = 48   // bytes
)

var recentSeed = maphash.MakeSeed()

// Begin goes to the beginning of a text.
func (c *Cursor) Begin(text []byte) {
	c.json.Text, c.json.At, c.json.depth = text, 0, 0
	c.failed, c.isNew = false, false
}

// Ended reports whether nothing has failed, and the text has ended.
func (c *Cursor) Ended() bool {
	return !c.failed && c.json.Next() == 0 && c.json.At == len(c.json.Text)
}

// Fail gives up.
func (c *Cursor) Fail() { c.failed = true }

// Failed reports whether it has given up.
func (c *Cursor) Failed() bool { return c.failed }

// CursorPlace is where a cursor is.
type CursorPlace struct{ at, depth int }

// Place returns where the cursor is, before a value.
func (c *Cursor) Place() CursorPlace { return CursorPlace{c.json.At, c.json.depth} }

// Back goes back to a place.
func (c *Cursor) Back(p CursorPlace) { c.json.At, c.json.depth, c.isNew = p.at, p.depth, false }

// Kind is the first byte of the next value: a brace, a bracket, a quote, a letter, or of a number.
func (c *Cursor) Kind() byte { return c.json.Next() }

// Object goes into the next value, which must be an object.
func (c *Cursor) Object() { c.enter('{') }

// List goes into the next value, which must be an array.
func (c *Cursor) List() { c.enter('[') }

func (c *Cursor) enter(open byte) {
	c.isNew = true
	c.failed = c.failed || c.json.Next() != open || !c.json.enter()
}

// Element goes to the next element of the list. It is false at its end.
func (c *Cursor) Element() bool { return c.more(']') }

// Member goes to the next member of the object, whose name is then known. It is false at its end.
func (c *Cursor) Member() bool {
	if !c.more('}') {
		return false
	}
	text, isPlain, ok := c.json.quotedNext()
	switch {
	case !ok:
		c.failed = true
		return false
	case isPlain:
		c.Name = text[1 : len(text)-1]
	default:
		name, ok := unquoted(text)
		c.Name, c.failed = []byte(name), !ok
	}
	if c.failed || c.json.Next() != ':' {
		c.failed = true
		return false
	}
	c.json.At++
	return true
}

// more goes past what stands between values, or past the closing bracket.
func (c *Cursor) more(closing byte) bool {
	if c.failed {
		return false
	}
	if c.isNew {
		c.isNew = false
		if c.json.Next() != closing {
			return true
		}
		c.json.At++
		c.json.depth--
		return false
	}
	more, ok := c.json.more(closing)
	c.failed = !ok
	return more && ok
}

// Value returns the next value.
func (c *Cursor) Value() Node {
	if c.failed {
		return Node{}
	}
	value, ok := c.json.value()
	c.failed = !ok
	if c.failed {
		return Node{}
	}
	return Node{value}
}

// Plain returns the bytes of the next value as they are written, without quotes, if it is a number, or a string that
// stands for itself. Anything else is not passed.
func (c *Cursor) Plain() (text []byte, isNumber, isPlain bool) {
	if c.failed {
		return nil, false, false
	}
	at := c.Place()
	switch kind := c.json.Next(); {
	case kind == '"':
		text, isPlain, ok := c.json.quoted()
		if !ok || !isPlain {
			c.Back(at)
			return nil, false, false
		}
		return text[1 : len(text)-1], false, true
	case kind == '-' || '0' <= kind && kind <= '9':
		from := c.json.At
		if !c.json.Number() {
			c.Back(at)
			return nil, false, false
		}
		return c.json.Text[from:c.json.At], true, true
	}
	return nil, false, false
}

// Text returns the next value, which must be a string.
func (c *Cursor) Text() string {
	if c.failed || c.json.Next() != '"' {
		c.failed = true
		return ""
	}
	if text, _, isPlain := c.Plain(); isPlain {
		return c.String(text)
	}
	text, _, ok := c.json.quoted()
	if ok {
		var plain string
		if plain, ok = unquoted(text); ok {
			return plain
		}
	}
	c.failed = true
	return ""
}

// String returns the string of the bytes, one for many that are equal.
func (c *Cursor) String(text []byte) string {
	if len(text) > longestRecent {
		return string(text)
	}
	return c.recently(text).text
}

// TextNode is the string of the bytes as a node.
func (c *Cursor) TextNode(text []byte) Node {
	if len(text) > longestRecent {
		return Node{string(text)}
	}
	r := c.recently(text)
	if r.asText == nil {
		r.asText = r.text
	}
	return Node{r.asText}
}

// NumberNode is the number of the bytes as a node.
func (c *Cursor) NumberNode(text []byte) Node {
	if len(text) > longestRecent {
		return Node{json.Number(text)}
	}
	r := c.recently(text)
	if r.asNumber == nil {
		r.asNumber = json.Number(r.text)
	}
	return Node{r.asNumber}
}

// recently returns where a text is kept.
func (c *Cursor) recently(text []byte) *recentText {
	if c.recent == nil {
		c.recent = make([]recentText, recentTexts)
	}
	r := &c.recent[maphash.Bytes(recentSeed, text)%recentTexts]
	if r.text != string(text) {
		*r = recentText{text: string(text)}
	}
	return r
}

// Skip passes the next value, of which nothing is made.
func (c *Cursor) Skip() {
	c.failed = c.failed || !c.json.pass()
}

// TextValue returns the next value as a node, absent unless it is a string.
func (c *Cursor) TextValue() Node {
	if c.failed || c.json.Next() != '"' {
		return Node{}
	}
	text, isPlain, ok := c.json.quoted()
	if ok && isPlain {
		return c.TextNode(text[1 : len(text)-1])
	}
	if ok {
		var plain string
		if plain, ok = unquoted(text); ok {
			return Node{plain}
		}
	}
	c.failed = true
	return Node{}
}
