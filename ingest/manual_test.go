package ingest

import (
	"bytes"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestManualListsEveryFormat compares the table of formats in docs/import.md, with those
// that it says another page describes, with the formats that there are.
func TestManualListsEveryFormat(t *testing.T) {
	page, err := os.ReadFile("../docs/import.md")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := regexp.MustCompile(`\[The trial record\]\(trial\.md\) describes ([^.]*)\.`).FindSubmatch(page)
	if elsewhere == nil {
		t.Fatal("docs/import.md does not say which formats the trial record describes")
	}
	var listed []string
	for _, name := range regexp.MustCompile("`([a-z0-9-]+)`").FindAllSubmatch(elsewhere[1], -1) {
		listed = append(listed, string(name[1]))
	}
	_, table, _ := bytes.Cut(page, []byte("\n## Formats\n"))
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9-]+)` \\|").FindAllSubmatch(table, -1) {
		listed = append(listed, string(row[1]))
	}
	names := FormatNames()[1:] // auto is none
	for _, name := range names {
		if !slices.Contains(listed, name) {
			t.Errorf("docs/import.md has no row for %s", name)
		}
	}
	if len(listed) != len(names) {
		t.Errorf("docs/import.md lists %d formats, and there are %d", len(listed), len(names))
	}
}
