package jsonspan

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is changed is changed, and all else stays byte by byte, spaces and the spelling of numbers included.
func TestOnePartChanges(t *testing.T) {
	const text = `{ "b" : 1.50,  "a":{"x":["é\u00e9", null ,"\\\""]} , "c":[1 , 2,3] }`
	for _, test := range []struct {
		name  string
		edits func(*Node) []Edit
		want  string
	}{
		{"nothing", func(n *Node) []Edit { return nil }, text},
		{"a value", func(n *Node) []Edit { return []Edit{n.Get("b").Replace("<2>")} },
			`{ "b" : "<2>",  "a":{"x":["é\u00e9", null ,"\\\""]} , "c":[1 , 2,3] }`},
		{"a value within", func(n *Node) []Edit { return []Edit{n.Get("a", "x").List()[1].Replace(true)} },
			`{ "b" : 1.50,  "a":{"x":["é\u00e9", true ,"\\\""]} , "c":[1 , 2,3] }`},
		{"the first member", func(n *Node) []Edit { return n.Drop("b") },
			`{ "a":{"x":["é\u00e9", null ,"\\\""]} , "c":[1 , 2,3] }`},
		{"the last member", func(n *Node) []Edit { return n.Drop("c") },
			`{ "b" : 1.50,  "a":{"x":["é\u00e9", null ,"\\\""]} }`},
		{"an item", func(n *Node) []Edit {
			return n.Get("c").Without(func(i *Node) bool { return string(i.Raw([]byte(text))) == "2" })
		}, `{ "b" : 1.50,  "a":{"x":["é\u00e9", null ,"\\\""]} , "c":[1,3] }`},
		{"put in", func(n *Node) []Edit { return []Edit{Put(n.End-1, n.End-1, []byte(`,"d":0`))} },
			`{ "b" : 1.50,  "a":{"x":["é\u00e9", null ,"\\\""]} , "c":[1 , 2,3] ,"d":0}`},
	} {
		n, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Edited([]byte(text), test.edits(n))); got != test.want {
			t.Errorf("%s:\n%s", test.name, cmp.Diff(test.want, got))
		}
	}
}

// What the nodes say of a text is what encoding/json says of it.
func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"a":1,"b":[true,null,"x"]}`, ` [ "\\\"" , -1.5e3 ] `, `"é\ud83d\ude00"`, `7`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := Parse(text)
		if err != nil || !json.Valid(text) {
			return
		}
		var want, got any
		if err := json.Unmarshal(text, &want); err != nil {
			return // a number that is none of float64
		}
		if err := json.Unmarshal(n.Raw(text), &got); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%q is %q: %v", text, n.Raw(text), err)
		}
		for _, item := range n.List() {
			if !json.Valid(item.Raw(text)) {
				t.Errorf("an item of %q is %q", text, item.Raw(text))
			}
		}
		for _, m := range n.Members {
			if !json.Valid(m.Value.Raw(text)) || !json.Valid(text[m.Start:m.NameEnd]) {
				t.Errorf("a member of %q is %q: %q", text, text[m.Start:m.NameEnd], m.Value.Raw(text))
			}
		}
	})
}

// A text with more values than a request has is refused, before they take memory.
func TestManyValues(t *testing.T) {
	text := []byte("[" + strings.Repeat("1,", 600_000) + "1]")
	if _, err := Parse(text); err == nil {
		t.Error("600,001 values are read")
	}
	if _, err := Parse(text[:2*100_000+2]); err == nil || errors.Is(err, errTooMany) {
		t.Error(err)
	}
}
