package record

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzRaw compares what a node writes with what the standard library does.
func FuzzRaw(f *testing.F) {
	for _, text := range append(jsonTexts, `{"b":[1,null,true,false,"x<&>"],"a":{}}`, `"a\"b"`, `[-1,1.5,1e3,007]`,
		`{"é":1}`, `"\u2028"`, `"\u007f"`) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := DecodeNode(text)
		if err != nil || !n.Exists() {
			return
		}
		var want strings.Builder
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		if err := e.Encode(n.Value); err != nil {
			t.Fatal(err)
		}
		if got := string(n.Raw()); got+"\n" != want.String() {
			t.Errorf("%q: %s, and %s", text, got, want.String())
		}
	})
}

// Values that decoders make, and that no JSON holds, are those of the standard library, too.
func TestRawOfWhatIsNoJSON(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{nil, ""}, {[]any(nil), "null"}, {map[string]any(nil), "null"}, {json.Number("NaN"), ""}, {json.Number(""), "0"},
		{1.5, "1.5"},
		{map[string]any{"b": []any{json.Number("7")}, "a": true}, `{"a":true,"b":[7]}`},
	} {
		if got := string(Node{c.value}.Raw()); got != c.want {
			t.Errorf("%#v: %q, want %q", c.value, got, c.want)
		}
	}
}

func TestIsWhole(t *testing.T) {
	for text, want := range map[string]bool{"": false, "0": true, "7": true, "07": false, "-1": false, "1.5": false,
		"1234567890123456789012": true, "1e3": false} {
		if IsWhole(text) != want || IsWhole([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
