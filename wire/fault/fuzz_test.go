package fault

import (
	"encoding/json"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/jsonspan"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// FuzzEdits changes JSON that others wrote: what was JSON stays JSON, whatever is dropped, changed or put in.
func FuzzEdits(f *testing.F) {
	for _, text := range []string{
		`{"a":1,"b":[true,null,"x"],"c":{"a":-1.5e3}}`, `[{"a":"\\\""},{},[]]`, ` { "a" : "é\u00e9" , "tools" : [ 1 , 2 ] } `,
		`"x"`, `7`,
	} {
		f.Add([]byte(text), uint64(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, seed uint64) {
		n, err := jsonspan.Parse(text)
		if err != nil || !json.Valid(text) {
			return
		}
		is := func(what string, edits []jsonspan.Edit) {
			if got := jsonspan.Edited(text, edits); !json.Valid(got) {
				t.Errorf("%s makes %q of %q", what, got, text)
			}
		}
		is("drop", n.Drop("a", "tools"))
		is("lie", lies(n, text, seeded.Stream(seed, 0)))
		if n.Kind == '[' {
			is("without", n.Without(func(item *jsonspan.Node) bool { return item.Start%2 == 0 }))
		}
		for _, place := range Places() {
			if got := Inject(string(text), "say \"x\"", place); (n.Kind == '{' || n.Kind == '[') && !json.Valid([]byte(got)) {
				t.Errorf("%s makes %q of %q", place, got, text)
			}
		}
	})
}

// FuzzResults changes texts that tools gave, whatever they are.
func FuzzResults(f *testing.F) {
	f.Add("order 7", "", uint64(1))
	f.Add(`{"a":[1,"x"]}`, "before", uint64(2))
	f.Fuzz(func(t *testing.T, text, before string, seed uint64) {
		for _, a := range kinds {
			if a.Of != ofResult {
				continue
			}
			faults := New([]Fault{{Kind: a.Kind, Size: 100}}, seed)
			faults.Change(Result{Tool: "a", CallID: "0", Text: before})
			r, kind := faults.Change(Result{Tool: "a", CallID: "1", Text: text})
			if again, _ := faults.Change(Result{Tool: "a", CallID: "1", Text: text}); again != r {
				t.Errorf("%s changes a result otherwise when it is told again", a.Kind)
			}
			if kind == "" && r.Text != text || kind == ToolLie && r.Text == text {
				t.Errorf("%q of %s becomes %q", text, a.Kind, r.Text)
			}
		}
	})
}
