package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

func Quote(name string) string { return strconv.Quote(name) }

// Several names things and counts them, and lists at most five.
func Several(n int, noun string, names []string) string {
	const most = 5
	if n == 1 {
		return noun + " " + names[0]
	}
	text := strconv.Itoa(n) + " " + noun + "s: " + strings.Join(names[:min(n, most)], ", ")
	if n > most {
		text += " and " + strconv.Itoa(n-most) + " more"
	}
	return text
}

func SingularPass(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}

// First names the first of many.
func First(names []string) string {
	const most = 8
	text := make([]string, 0, most+1)
	for i, name := range names {
		if i == most {
			text = append(text, fmt.Sprintf("and %d more", len(names)-most))
			break
		}
		text = append(text, prose.Excerpt(name))
	}
	return strings.Join(text, ", ")
}

// Excerpt returns the beginning of a text, with a mark that says how long it was.
// Bytes that are not UTF-8 are replaced, as JSON would.
func Excerpt(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	cut := most
	for cut > most-utf8.UTFMax && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:cut], "\ufffd"), len(text))
}

func AreScenarios(n int) string {
	if n == 1 {
		return "1 scenario is"
	}
	return fmt.Sprintf("%d scenarios are", n)
}

// Names names at most five.
func Names(names []string) string {
	const most = 5
	quoted := make([]string, 0, most)
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, fmt.Sprintf("%q", name))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
