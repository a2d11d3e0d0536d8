package oracle

import (
	"reflect"
	"testing"
)

// A path leads as far as its names and items are there.
func TestPathReach(t *testing.T) {
	document := map[string]any{"a": map[string]any{"b": []any{"x", nil}}}
	for _, c := range []struct {
		path    string
		value   any
		depth   int
		missing string
		found   bool
	}{
		{"a.b[0]", "x", 3, "", true},
		{"a.b[1]", nil, 3, "", true},
		{"a.b[2]", []any{"x", nil}, 2, "2", false},
		{"a.c.d", map[string]any{"b": []any{"x", nil}}, 1, "c", false},
		{"a.b.c", []any{"x", nil}, 2, "c", false},
		{"z", document, 0, "z", false},
	} {
		p, err := ParsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		value, depth, missing := p.Reach(document)
		if !reflect.DeepEqual(value, c.value) || depth != c.depth || missing != c.missing {
			t.Errorf("%s: %v, %d, %q", c.path, value, depth, missing)
		}
		if found, ok := p.Find(document); ok != c.found || ok && !reflect.DeepEqual(found, c.value) {
			t.Errorf("%s: %v, %v", c.path, found, ok)
		}
	}
}
