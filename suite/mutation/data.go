package mutation

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

var (
	//go:embed data/synonyms.tsv
	synonymData string
	//go:embed data/weaker.tsv
	weakerData string
	//go:embed data/opposite.tsv
	oppositeData string
	//go:embed data/noise.txt
	noiseData string
	//go:embed data/documents.txt
	documentData string
	//go:embed data/misleading.txt
	misleadingData string
)

// phrase is a word or some, and what may stand in its place.
type phrase struct {
	from string
	to   []string
}

var (
	synonyms   = sync.OnceValue(func() map[string][]string { return pairs(synonymData) })
	weaker     = sync.OnceValue(func() []phrase { return phrases(weakerData) })
	opposites  = sync.OnceValue(func() []phrase { return phrases(oppositeData) })
	noises     = sync.OnceValue(func() []string { return rows(noiseData) })
	documents  = sync.OnceValue(func() []string { return rows(documentData) })
	misleading = sync.OnceValue(func() []string { return rows(misleadingData) })
)

// rows are the lines of a file of data without its comments.
func rows(data string) (rows []string) {
	for line := range strings.SplitSeq(data, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			rows = append(rows, line)
		}
	}
	return rows
}

// pairs are the second columns of a file of data by the first.
func pairs(data string) map[string][]string {
	all := map[string][]string{}
	for _, row := range rows(data) {
		cells := strings.Split(row, "\t")
		all[cells[0]] = append(all[cells[0]], cells[1])
	}
	return all
}

// phrases are those of a file of data, the longest first: "must not" goes before "must".
func phrases(data string) (all []phrase) {
	for from, to := range pairs(data) {
		all = append(all, phrase{from, to})
	}
	slices.SortFunc(all, func(a, b phrase) int {
		if len(a.from) != len(b.from) {
			return len(b.from) - len(a.from)
		}
		return strings.Compare(a.from, b.from)
	})
	return all
}
