package prose

import (
	"strconv"
	"strings"
)

// And lists words as a sentence does: "a", "a and b", "a, b and c".
func And(words []string) string { return sentence(words, " and ") }

// Or lists alternatives as a sentence does: "a", "a or b", "a, b or c".
func Or(words []string) string { return sentence(words, " or ") }

// sentence joins words with commas, and the last with a word.
func sentence(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	end := len(words) - 1
	return strings.Join(words[:end], ", ") + last + words[end]
}

// Some lists the first of many words, at most so many, and says how many more there
// are: "a, b and 3 more".
func Some(words []string, most int) string {
	most = max(most, 0)
	if len(words) <= most {
		return strings.Join(words, ", ")
	}
	rest := strconv.Itoa(len(words)-most) + " more"
	if most == 0 {
		return rest
	}
	return strings.Join(words[:most], ", ") + " and " + rest
}
