package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// No key is without a mark, or it would not be searched for.
func TestEveryKeyHasAMark(t *testing.T) {
	pattern := strings.NewReplacer(`\b`, "", `|$)`, ")", `[\s\S]`, `[a-z]`).Replace(keys().String())
	key := rapid.StringMatching(pattern)
	thorough.Check(t, func(t *rapid.T) {
		if text := key.Draw(t, "key"); !hasMark(text) {
			t.Fatalf("%q has none", text)
		}
	})
}

// A text of JSON of which it is said that it has no key has none in any of its strings, however they are written.
func TestNoKeyInJSONIsOverlooked(t *testing.T) {
	github := "ghp" + "_" + strings.Repeat("a1B2", 9)
	texts := rapid.SampledFrom([]string{"", " ", "a", "word ", "é", "\n", "/", "sk-", "0123456789abcdef", "x/y",
		github, base64.StdEncoding.EncodeToString([]byte("it is " + github)), "-----BEGIN PRIVATE KEY-----"})
	found, clean := 0, 0
	thorough.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(texts, 1, 4).Draw(t, "texts"), "")
		var written strings.Builder
		for _, c := range text {
			switch rapid.IntRange(0, 9).Draw(t, "way") {
			case 0:
				fmt.Fprintf(&written, `\u%04x`, c)
			case 1:
				written.WriteString(strings.Replace(string(c), "/", `\/`, 1))
			default:
				written.WriteRune(c)
			}
		}
		json := `{"a":["` + strings.ReplaceAll(written.String(), "\n", `\n`) + `",1.5e+300]}`
		if HasKey(text) {
			found++
			if !InJSON([]byte(json)) {
				t.Fatalf("%q has a key", json)
			}
		} else if !InJSON([]byte(json)) {
			clean++
		}
	})
	if found == 0 || clean == 0 {
		t.Errorf("%d texts with keys, %d found to have none", found, clean)
	}
}

// Long runs of letters, as an agent may print a picture or nothing but one letter.
func BenchmarkKeysInLongRuns(b *testing.B) {
	random := make([]byte, 3<<18)
	_, _ = rand.New(rand.NewSource(1)).Read(random)
	for name, text := range map[string]string{
		"one_letter": strings.Repeat("a", 1<<20), "base64": base64.StdEncoding.EncodeToString(random),
		"words": strings.Repeat("lorem_ipsum-dolor.sit ", 1<<20/22),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				withoutKeys(text)
			}
		})
	}
}
