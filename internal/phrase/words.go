package phrase

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// most is how many names of several a text lists.
const most = 5

// Several names things and counts them, and lists the first: "hard clause a", "6 hard
// clauses: a, b, c, d, e and 1 more".
func Several(noun string, names []string) string {
	if len(names) == 1 {
		return noun + " " + names[0]
	}
	return prose.Count(len(names), noun) + ": " + prose.Some(names, most)
}

// Names lists the first of several names, in quotation marks.
func Names(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = strconv.Quote(name)
	}
	return prose.Some(quoted, most)
}

// First lists the first of many names, as they are: "a, b, and 12 more".
func First(names []string) string {
	// More than elsewhere, since these stand in the reason of a whole suite.
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

// AreScenarios begins a sentence: "1 scenario is", "3 scenarios are".
func AreScenarios(n int) string {
	return prose.Count(n, "scenario") + " " + prose.Form(n, "is", "are")
}

// ScenariosPass says how many scenarios of several pass: "1 of 3 scenarios passes", "2 of 3 scenarios pass", "all 3
// scenarios pass", "both scenarios pass".
func ScenariosPass(passes, all int) string {
	switch {
	case passes < all:
		return fmt.Sprintf("%d of %s %s", passes, prose.Count(all, "scenario"), prose.Form(passes, "passes", "pass"))
	case all == 2:
		return "both scenarios pass"
	}
	return fmt.Sprintf("all %d scenarios pass", all)
}

// Excerpt returns a text of at most so many bytes: as it is, or its beginning with a mark that says how long it was,
// so that an excerpt of an excerpt is the same. The most is 40 or more. Bytes that are not UTF-8 are replaced, as
// JSON would.
func Excerpt(text string, most int) string {
	if valid := strings.ToValidUTF8(text[:min(len(text), most+1)], string(utf8.RuneError)); len(valid) <= most {
		return valid
	}
	// The length that is told is that of the whole text, in bytes.
	mark := fmt.Sprintf("… (%d bytes)", len(text))
	// A byte that is replaced becomes three.
	valid := strings.ToValidUTF8(prose.CutBytes(text, most), string(utf8.RuneError))
	return prose.CutBytes(valid, most-len(mark)) + mark
}
