package recording

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Whatever white space stands between the parts of an input, and whatever is quoted in it, it has the hash of its
// compact form; what is no JSON has its own.
func TestInputsThatDifferInWhiteSpace(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"{", "}", "[", "]", ",", ":", `"`, `\`, ` `, "\t", "\n", "\r", `"a b"`, `"\\"`, `"\" "`, "1", "null", "é",
		}), 1, 12).Draw(t, "parts")
		text := []byte(strings.Join(parts, ""))
		want := text
		var compact bytes.Buffer
		if json.Compact(&compact, text) == nil {
			want = compact.Bytes()
		}
		if have := hashInput(text); have != max(maphash.Bytes(inputSeed, want), 1) {
			t.Fatalf("%q does not have the hash of %q", text, want)
		}
	})
	for _, text := range []string{`{"a": [1, " x "]}`, "[ \"\\\"\" ,\n1]", `{"a":"b c"}`} {
		var compact bytes.Buffer
		if err := json.Compact(&compact, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if hashInput([]byte(text)) != hashInput(compact.Bytes()) {
			t.Errorf("%s has another hash than %s", text, &compact)
		}
	}
}
