package prose

import "testing"

// bruteEdits is the distance by its recursion.
func bruteEdits(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	last, other := len(a)-1, len(b)-1
	replace := 1
	if a[last] == b[other] {
		replace = 0
	}
	d := min(bruteEdits(a[:last], b)+1, bruteEdits(a, b[:other])+1, bruteEdits(a[:last], b[:other])+replace)
	if last > 0 && other > 0 && a[last] == b[other-1] && a[last-1] == b[other] {
		d = min(d, bruteEdits(a[:last-1], b[:other-1])+1)
	}
	return d
}

func TestEditsAgreesWithRecursion(t *testing.T) {
	var words []string
	for n := range 5 {
		words = append(words, wordsOf("ab", n)...)
	}
	words = append(words, "ca", "abc", "bca")
	for _, a := range words {
		for _, b := range words {
			if got, want := Edits(a, b), bruteEdits(a, b); got != want {
				t.Errorf("Edits(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}

func wordsOf(letters string, n int) []string {
	if n == 0 {
		return []string{""}
	}
	var words []string
	for _, shorter := range wordsOf(letters, n-1) {
		for _, letter := range letters {
			words = append(words, shorter+string(letter))
		}
	}
	return words
}
