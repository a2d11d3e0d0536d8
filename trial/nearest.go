package trial

import "strings"

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
		if d := editDistance(word, c); d < limit {
			best, least = c, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes (Wagner and Fischer 1974).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
