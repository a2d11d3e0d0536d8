package record

import (
	"reflect"
	"strings"
	"testing"
)

var jsonTexts = []string{
	`{}`, `[]`, `null`, ` true `, `false`, `""`, `"a"`, `{"a":{"b":[1,-0.5e+7,"x"]},"a":2}`, "[ 1 ,\t2,\r\n3 ]",
	`"\u00e9\ud83d\ude00\n"`,
	`"é😀"`, "\"\xff\"", "{\"\xff\":1}", `{"\u0061":1,"a":2}`, `0`, `-0`, `1E9`, `12345678901234567890`,
	``, ` `, `{`, `[`, `"`, `"\`, `"\"`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,]`, `01`, `1.`, `.5`, `-`, `1e`, `+1`,
	`NaN`, `[NaN]`, `nul`, `truex`,
	`{} {}`, `1 2`, "\"a\nb\"", `{a:1}`, `{"a" 1}`, `[1 2]`, `"\x"`, `"\u12"`, `Infinity`, "\x00", `{}` + "\x00", `]`, `}`,
	`[}`, `{]`,
	strings.Repeat("[", 400) + strings.Repeat("]", 400), strings.Repeat("[", 600) + strings.Repeat("]", 600),
	strings.Repeat(`{"a":`, 20000),
}

// FuzzFastDecoder compares the fast decoder with that of the standard library: where it does not give up, both say the
// same.
func FuzzFastDecoder(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var d fastDecoder
		got, ok := d.decode(text)
		if !ok {
			return
		}
		want, err := slowNode(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %#v, and %#v (%v)", text, got, want, err)
		}
	})
}

// Nothing that is plain JSON is given up on.
func TestFastDecoderReadsJSON(t *testing.T) {
	var d fastDecoder
	for _, text := range jsonTexts {
		_, err := slowNode([]byte(text))
		if _, ok := d.decode([]byte(text)); !ok && err == nil && len(text) < 1000 && !strings.Contains(text, "NaN") {
			t.Errorf("gives up on %s", text)
		}
	}
}
