package fingerprint

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// The parsing by its definition: each phrase is the longest one seen before and one
// byte more.
func phrasesByDefinition(text string) (n int) {
	seen := map[string]bool{}
	for len(text) > 0 {
		length := 1
		for length <= len(text) && seen[text[:length]] {
			length++
		}
		n++
		if length > len(text) {
			return n // the text ends within a phrase seen before
		}
		seen[text[:length]] = true
		text = text[length:]
	}
	return n
}

func TestComplexityByDefinition(t *testing.T) {
	var c complexity // one for all: a table that is used again is empty
	thorough.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("ab")), 1, 600, -1), rapid.StringN(1, 300, -1)).Draw(t,
			"text")
		if got, want := c.perByte(text), float64(phrasesByDefinition(text))/float64(len(text)); got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
