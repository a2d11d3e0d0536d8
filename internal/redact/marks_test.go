package redact

import (
	"encoding/base64"
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
