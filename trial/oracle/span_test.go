package oracle

import "testing"

func TestSpan(t *testing.T) {
	const document = ` { "a.b" : 1, "docs": [ {"id": 1} , "two",[3] ], "q" : "where?" , "q": 2, "é": null}`
	for _, c := range []struct{ path, want string }{
		{"docs", `[ {"id": 1} , "two",[3] ]`},
		{"docs[0]", `{"id": 1}`},
		{"docs[0].id", `1`},
		{"docs[1]", `"two"`},
		{"docs[2][0]", `3`},
		{`["a.b"]`, `1`},
		{"q", `"where?"`},
		{"é", `null`},
		{"docs[3]", ""},
		{"docs.id", ""},
		{"q[0]", ""},
		{"none", ""},
	} {
		path, err := ParsePath(c.path)
		if err != nil {
			t.Fatal(err)
		}
		begin, end, found := path.Span([]byte(document))
		if got := document[begin:end]; found != (c.want != "") || got != c.want {
			t.Errorf("%s: %q, found %v; want %q", c.path, got, found, c.want)
		}
	}
	if begin, end, found := (Path{}).Span([]byte(" [1] ")); begin != 1 || end != 4 || !found {
		t.Errorf("the whole: %d to %d, found %v", begin, end, found)
	}
	for _, broken := range []string{"", "{", `{"docs": [1, `, `{"docs"`, "nonsense"} {
		path, _ := ParsePath("docs[1]")
		if _, _, found := path.Span([]byte(broken)); found {
			t.Errorf("%q: found", broken)
		}
	}
}
