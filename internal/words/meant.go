package words

import (
	"strconv"
	"strings"
)

// DidYouMean asks whether the person meant the word of the list that is nearest to
// what was typed, and lists them all where none is.
func DidYouMean(typed string, list []string) string {
	if word, ok := Nearest(typed, list); ok {
		return "did you mean " + strconv.Quote(word) + "?"
	}
	if len(list) == 1 {
		return "the only one is " + list[0]
	}
	return "known are " + strings.Join(list, ", ")
}

// Nearest returns the word of the list that was probably meant: the one that begins
// with what was typed, or else the one with the fewest edits, if they are few.
func Nearest(typed string, list []string) (word string, ok bool) {
	for _, word := range list {
		if len(typed) >= 3 && strings.HasPrefix(normal(word), normal(typed)) {
			return word, true
		}
	}
	best, least := "", 0
	for _, word := range list {
		if d := Edits(normal(typed), normal(word)); d <= max(1, len(word)/3) && (best == "" || d < least) {
			best, least = word, d
		}
	}
	return best, best != ""
}

// normal makes spellings that mean the same equal: maxTurns, max-turns, max_turns.
func normal(word string) string {
	word = word[:min(len(word), 60)]
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}
