package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// rows are the figures that need no more than the text of the files. The order is that of
// the table; the texts are compared between checkouts, so a row that is renamed looks like
// one that went and one that came.
func (m *module) rows() []row {
	all := slices.Sorted(maps.Keys(m.packages))
	public := m.public()
	total := m.sum(all)
	// What is shipped is a part of all: maintainers' programs, such as this one, are not in
	// it.
	shipped := m.reached(program)
	files, exported := map[string]int{}, map[string]int{}
	for _, name := range all {
		files[name] = len(m.packages[name].files)
	}
	for _, name := range public {
		exported[name] = m.sum([]string{name}).exported
	}
	var sizes []int
	for _, name := range all {
		for _, f := range m.packages[name].files {
			sizes = append(sizes, f.lines)
		}
	}
	return []row{
		{"lines of code, no tests", thousands(total.lines)},
		{"lines of what " + program + " is made of",
			fmt.Sprintf("%s in %d packages", thousands(m.lines(shipped)), len(shipped))},
		{"lines of the command line", thousands(m.lines(m.commandLine()))},
		{"folders at the top", fmt.Sprint(len(m.tops()))},
		{"arrows between them upwards", m.climbing()},
		{"packages of cmd that lay out text", fmt.Sprint(m.pastDocuments())},
		{"JSON schemas unknown to verify", m.unverified()},
		{"types of errors", fmt.Sprint(total.errors)},
		{"public packages", fmt.Sprint(len(public))},
		{"exported names a public package", spread(exported)},
		{"exported names of all public packages", thousands(m.sum(public).exported)},
		{fmt.Sprintf("lines over %d columns", mostColumns), share(total.long, total.lines)},
		{"comments, of code and comments", share(total.comments, total.comments+total.code)},
		{"exported identifiers documented", m.sum(public).names.String()},
		{"exported struct fields documented", m.sum(public).fields.String()},
		{"Go files a folder", spread(files)},
		{"lines a file", quantiles(sizes)},
		{"lines a function", quantiles(total.functions)},
	}
}

// sum adds up the files of these folders. long, code and the others are added field by
// field, functions are joined into one list.
func (m *module) sum(folders []string) (total file) {
	for _, name := range folders {
		for _, f := range m.packages[name].files {
			total.lines += f.lines
			total.long += f.long
			total.code += f.code
			total.comments += f.comments
			total.exported += f.exported
			total.errors += f.errors
			total.functions = append(total.functions, f.functions...)
			total.names.with += f.names.with
			total.names.all += f.names.all
			total.fields.with += f.fields.with
			total.fields.all += f.fields.all
		}
	}
	return total
}

// String is the share with a comment.
func (d nameCount) String() string { return share(d.with, d.all) }

// share is a part in percent, with both numbers. Of nothing it is 0 %.
func share(part, all int) string {
	return fmt.Sprintf("%.2f %% (%s of %s)", 100*float64(part)/float64(max(all, 1)), thousands(part), thousands(all))
}

// spread is the median of numbers that have names, and the largest. Where several are the
// largest, the first in the alphabet is named.
func spread(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	if len(names) == 0 {
		return "none"
	}
	median := quantile(slices.Sorted(maps.Values(counts)), 0.5)
	return fmt.Sprintf("median %g, max %d (%s)", median, counts[names[0]], names[0])
}

// quantiles are the median, the ninth tenth and the largest of numbers.
func quantiles(numbers []int) string {
	sorted := slices.Sorted(slices.Values(numbers))
	if len(sorted) == 0 {
		return "none"
	}
	return fmt.Sprintf("median %g, p90 %g, max %d", quantile(sorted, 0.5), quantile(sorted, 0.9), sorted[len(sorted)-1])
}

// quantile is the least of the sorted numbers that so large a share does not exceed; the
// median of an even number of them is the mean of the middle two. The rank is that of the
// nearest-rank method, share times n rounded up.
func quantile(sorted []int, share float64) float64 {
	n := len(sorted)
	if share == 0.5 && n%2 == 0 {
		return float64(sorted[n/2-1]+sorted[n/2]) / 2
	}
	k := int(share * float64(n))
	// An exact product is the rank itself, and ranks begin at 1 where indices begin at 0.
	if float64(k) == share*float64(n) {
		k--
	}
	return float64(sorted[min(max(k, 0), n-1)])
}

// thousands writes a number with commas. A sign would be taken for a digit: the numbers
// here have none.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
