package manual

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// measuredRow is a line of the table of calibration with its group, in lower case.
type measuredRow struct{ group, decision string }

// promisedRows reads the lines that promise something out of the page that shows the table; the
// test of the pages has compared them with what is measured.
func promisedRows(page string) map[measuredRow]bool {
	heading := regexp.MustCompile(`^  ([A-Z][A-Z ]*[A-Z])$`)
	line := regexp.MustCompile(`^  (\S.*?) {2,}.*%\*? +(printed|[0-9.]+%)$`)
	rows := map[measuredRow]bool{}
	group, inside := "", false
	for text := range strings.Lines(page) {
		text = strings.TrimSuffix(text, "\n")
		switch {
		case strings.HasPrefix(text, "Known: "):
			return rows // what is not promised
		case strings.HasPrefix(text, "  decision ") && strings.HasSuffix(text, " at most"):
			inside = true
		case text == "":
			inside = false
		case !inside:
		case heading.MatchString(text):
			group = strings.ToLower(strings.TrimSpace(text))
		case line.MatchString(text):
			rows[measuredRow{group, line.FindStringSubmatch(text)[1]}] = true
		}
	}
	return rows
}

// Every rate that is promised has its place on the page of promises, which links to the group that
// measures it, and the page promises nothing that is not measured.
func TestPromisesAreMeasured(t *testing.T) {
	read := func(name string) string {
		page, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(page)
	}
	bench := read("bench.md")
	measured := promisedRows(bench)
	if len(measured) < 50 {
		t.Fatalf("only %d promised rows are read from the page of the benchmark", len(measured))
	}
	linked := map[measuredRow]bool{}
	links := regexp.MustCompile(`\[([^\]]+)\]\(bench\.md#([a-z-]+)\)`)
	for _, m := range links.FindAllStringSubmatch(read("promises.md"), -1) {
		if m[2] == "calibration" {
			continue // the whole table
		}
		group := strings.ReplaceAll(m[2], "-", " ")
		if !strings.Contains(bench, "\n#### "+group+"\n") {
			t.Errorf("promises.md links to bench.md#%s, which has no such heading", m[2])
		}
		row := measuredRow{group, m[1]}
		if !measured[row] {
			t.Errorf("promises.md names the row %q of the group %q, which the benchmark does not have or does not "+
				"promise", row.decision, row.group)
		}
		linked[row] = true
	}
	for row := range measured {
		if !linked[row] {
			t.Errorf("docs/promises.md does not name the row %q of the group %q", row.decision, row.group)
		}
	}
}
