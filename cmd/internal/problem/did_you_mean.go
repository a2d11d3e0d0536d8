package problem

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// DidYouMean asks whether the person meant the word of the list that is nearest
// to what was typed, and is "" where none is near.
func DidYouMean(prefix, typed string, list []string) string {
	if word := Nearest(typed, list); word != "" {
		return fmt.Sprintf("did you mean %s%s?", prefix, word)
	}
	return ""
}

// Nearest returns the first word that begins with what was typed, else the one
// with the fewest edits, at most a third of its letters, and of these rather one that
// begins alike; "" if there is none.
func Nearest(typed string, list []string) string {
	typed = strings.ToLower(typed)
	// Nothing here has a name nearly so long, and what was typed may be a pasted text.
	if typed == "" || len(typed) > 40 {
		return ""
	}
	best, least := "", 0
	for _, word := range list {
		if strings.HasPrefix(word, typed) {
			return word
		}
		// Short words get one edit, so that a slip in "run" is still found.
		d := prose.Edits(typed, word)
		better := best == "" || d < least || d == least && best[0] != typed[0] && word[0] == typed[0]
		if d <= max(1, len(word)/3) && better {
			best, least = word, d
		}
	}
	return best
}
