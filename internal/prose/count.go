package prose

import (
	"strconv"
	"strings"
)

// Count writes how many there are of what the noun names in the singular: "1 pass",
// "2 passes", "0 tries".
func Count(n int, noun string) string {
	return strconv.Itoa(n) + " " + Form(n, noun, Plural(noun))
}

// Form returns the first form for one, else the second: Form(n, "is", "are").
func Form(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Plural returns the plural of an English noun that follows the rules: pass, passes;
// try, tries; trial, trials.
func Plural(noun string) string {
	for _, ending := range []string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, ending) {
			return noun + "es"
		}
	}
	stem, ok := strings.CutSuffix(noun, "y")
	if ok && stem != "" && !strings.ContainsRune("aeiou", rune(stem[len(stem)-1])) {
		return stem + "ies"
	}
	return noun + "s"
}

// ByteCount writes a number of bytes in the largest binary unit that divides it:
// "64 MiB", "1000 bytes".
func ByteCount(n int) string {
	for _, unit := range []struct {
		size int
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n%unit.size == 0 && n > 0 {
			return strconv.Itoa(n/unit.size) + " " + unit.name
		}
	}
	return Count(n, "byte")
}

// Capitalised is a word at the beginning of a sentence.
func Capitalised(word string) string {
	if word == "" {
		return word
	}
	return strings.ToUpper(word[:1]) + word[1:]
}
