package record

import (
	"reflect"
	"testing"
)

// rebuilt makes the value again that a cursor goes through: of the first members of objects and of all texts and
// numbers by the methods for them, of others as a whole.
func rebuilt(c *Cursor) any {
	switch c.Kind() {
	case '{':
		object := map[string]any{}
		for c.Object(); c.Member(); {
			name := c.String(c.Name)
			object[name] = rebuilt(c)
		}
		return object
	case '[':
		list := []any{}
		for c.List(); c.Element(); {
			list = append(list, rebuilt(c))
		}
		return list
	case '"':
		at := c.Place()
		text := c.Text()
		c.Back(at)
		if value := c.TextValue(); !c.Failed() && value.Text() != text {
			c.Fail()
		}
		return text
	}
	if digits, isNumber, isPlain := c.Plain(); isPlain && isNumber {
		return c.NumberNode(digits).Value
	}
	return c.Value().Value
}

// A cursor goes through what the fast decoder decodes, and through nothing else, and so does one that skips it.
func FuzzCursor(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	c := &Cursor{}
	f.Fuzz(func(t *testing.T, text []byte) {
		var d fastDecoder
		want, ok := d.decode(text)
		c.Begin(text)
		got := rebuilt(c)
		if c.Ended() != ok || ok && !reflect.DeepEqual(got, want.Value) {
			t.Errorf("%q: %#v, and %#v (%v)", text, got, want, ok)
		}
		c.Begin(text)
		if c.Skip(); c.Ended() != ok {
			t.Errorf("%q: skipped, and %v", text, ok)
		}
	})
}

// After a failure nothing more is taken, so that loops end.
func TestCursorEndsAfterFailure(t *testing.T) {
	c := &Cursor{}
	c.Begin([]byte(`{"a":[1,{"b":"c"}]}`))
	c.Object()
	if !c.Member() || string(c.Name) != "a" {
		t.Fatal(string(c.Name))
	}
	c.Fail()
	c.List()
	if c.Element() || c.Member() || c.Value().Exists() || c.Text() != "" || c.TextValue().Exists() || c.Ended() {
		t.Error("something is taken")
	}
	if _, _, isPlain := c.Plain(); isPlain {
		t.Error("something is plain")
	}
	// It starts again with another text.
	if c.Begin([]byte(` "c" `)); c.Text() != "c" || !c.Ended() {
		t.Error("the failure stays")
	}
}
