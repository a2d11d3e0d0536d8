package trial

import (
	"strings"

	"github.com/tribunal-dev/tribunal/internal/words"
)

// nearest returns the candidate within two edits of the word, ignoring case, or
// that the word begins with; "" if there is none. Words of other lengths than a
// person would mistype are not compared.
func nearest(word string, candidates []string) string {
	if len(word) > 40 {
		return ""
	}
	word = strings.ToLower(word)
	best, least := "", 3
	for _, c := range candidates {
		if strings.HasPrefix(word, c) {
			return c
		}
		limit := min(least, len(c)) // a word of two letters is two edits from anything
		if d := words.Edits(word, c); d < limit {
			best, least = c, d
		}
	}
	return best
}
