package cli

import (
	"fmt"
	"strings"
)

// didYouMean asks whether the person meant the word of the list that is nearest
// to what was typed, and is "" where none is near.
func didYouMean(prefix, typed string, words []string) string {
	if word := nearest(typed, words); word != "" {
		return fmt.Sprintf("did you mean %s%s?", prefix, word)
	}
	return ""
}

// nearest returns the first word that begins with what was typed, else the one
// with the fewest edits, at most a third of its letters; "" if there is none.
func nearest(typed string, words []string) string {
	typed = strings.ToLower(typed)
	if typed == "" || len(typed) > 40 {
		return ""
	}
	best, least := "", 0
	for _, word := range words {
		if strings.HasPrefix(word, typed) {
			return word
		}
		if d := edits(typed, word); d <= max(1, len(word)/3) && (best == "" || d < least) {
			best, least = word, d
		}
	}
	return best
}

// edits counts the bytes to insert, delete, replace or swap with their neighbour
// that turn one word into the other: the optimal string alignment distance
// (Damerau 1964; Wagner and Fischer 1974).
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := 1
			if a[i-1] == b[j-1] {
				replace = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
