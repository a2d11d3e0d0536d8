package record

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTagTree(t *testing.T) {
	long, edge := strings.Repeat("y", 1001), strings.Repeat("é", 500)
	n, err := DecodeNode([]byte(`{"b":{"c":1.50,"d":null,"e":[1,"x",{}]},"a":true,"f":"` + long + `","` + long +
		`":1,"g":"` + edge + `","":"z"}`))
	if err != nil {
		t.Fatal(err)
	}
	var x Trace
	x.SetTag("m", n)
	x.SetTag("", Node{map[string]any{"top": "t"}})
	x.SetScalarTags(Node{map[string]any{"in": "i", "out": "o", "deep": map[string]any{"no": "n"}}}, "out")
	x.SetTags("", n, "a", "f", "absent")
	var got []string
	for _, tag := range x.Tags {
		got = append(got, tag.Name+"="+tag.Value.Text())
	}
	want := []string{"m.=z", "m.a=true", "m.b.c=1.50", "m.b.e=1,x", "m.g=" + edge, "top=t", "in=i", "a=true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTagsAreBounded(t *testing.T) {
	var x Trace
	x.SetTag("first", Node{"a"})
	for i := range 100 {
		x.SetTag(strings.Repeat("x", i+1), Node{"v"})
	}
	x.SetTag("first", Node{"b"}) // known: there is room
	if text, _ := x.Tag("first"); len(x.Tags) != mostTags || text != "b" {
		t.Errorf("%d tags, the first is %q", len(x.Tags), text)
	}
	deep := Node{"v"}
	for range 100 {
		deep = Node{map[string]any{"d": deep.Value}}
	}
	var y Trace
	if y.SetTag("m", deep); len(y.Tags) != 0 {
		t.Errorf("%v", y.Tags)
	}
}
