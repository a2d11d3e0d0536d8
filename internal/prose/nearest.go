package prose

import (
	"strconv"
	"strings"
)

// comparedBytes is how much of a word is compared: nobody mistypes more.
const comparedBytes = 60

// DidYouMean asks whether the person meant the word of the list that is nearest to
// what was typed, and lists them all where none is.
func DidYouMean(typed string, list []string) string {
	if word, ok := Nearest(typed, list); ok {
		return "did you mean " + strconv.Quote(word) + "?"
	}
	if len(list) == 1 {
		return "the only one is " + list[0]
	}
	const most = 40 // chosen: all that a person may read
	return "known are " + Some(list, most)
}

// Nearest returns the word of the list that was probably meant: the first that begins
// with what was typed, or else the one with the fewest [Edits], if they are at most a
// third of its letters, rather one that begins alike, or else the first with which begins what was typed. Case,
// hyphens, underscores and spaces make no difference.
func Nearest(typed string, list []string) (word string, ok bool) {
	const telling = 3 // letters that say enough of a word
	typed = plain(typed)
	for _, word := range list {
		if len(typed) > 1 && strings.HasPrefix(plain(word), typed) {
			return word, true
		}
	}
	best, least := "", 0
	for _, word := range list {
		edits := Edits(typed, plain(word))
		alike := typed != "" && plain(word)[:1] == typed[:1] && plain(best)[:min(1, len(best))] != typed[:1]
		better := best == "" || edits < least || edits == least && alike
		if edits <= max(1, len(word)/3) && edits < len(word) && better {
			best, least = word, edits
		}
	}
	if best != "" {
		return best, true
	}
	for _, word := range list {
		if len(word) >= telling && strings.HasPrefix(typed, plain(word)) {
			return word, true
		}
	}
	return "", false
}

// plain makes spellings that mean the same equal: maxTurns, max-turns, max_turns.
func plain(word string) string {
	word = word[:min(len(word), comparedBytes)]
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
}
