package problem

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// DidYouMean asks whether the person meant the word of the list that is nearest
// to what was typed, and is "" where none is near.
func DidYouMean(prefix, typed string, list []string) string {
	if word, ok := prose.Nearest(typed, list); ok {
		return fmt.Sprintf("did you mean %s%s?", prefix, word)
	}
	return ""
}
