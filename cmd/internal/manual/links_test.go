package manual

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fencedBlock = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```$")
	linked      = regexp.MustCompile(`\]\(([^)\s#:]*)(?:#([^)\s]+))?\)`)
	headed      = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	markup      = regexp.MustCompile(`\]\([^)]*\)|[^\p{L}\p{N} _-]`)
)

// anchors are the names by which the headings of a page can be linked to.
func anchors(page string) map[string]bool {
	names := map[string]bool{}
	for _, heading := range headed.FindAllStringSubmatch(fencedBlock.ReplaceAllString(page, ""), -1) {
		text := markup.ReplaceAllString(strings.ToLower(heading[1]), "")
		names[strings.ReplaceAll(text, " ", "-")] = true
	}
	return names
}

// Every link of a page leads to a file that is there, and to a heading of it.
func TestLinksLeadSomewhere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for _, page := range append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		text := read(t, page)
		for _, link := range linked.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
			links++
			to := page
			if link[1] != "" {
				to = filepath.Join(filepath.Dir(page), link[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(page), link[1])
			} else if link[2] != "" && filepath.Ext(to) == ".md" && !anchors(read(t, to))[link[2]] {
				t.Errorf("%s links to %s#%s, which has no such heading", filepath.Base(page), filepath.Base(to), link[2])
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links are read", links)
	}
}

// Every page that a remark of an importer names is there, with its heading.
func TestRemarksLeadSomewhere(t *testing.T) {
	named := regexp.MustCompile(`docs/([a-z-]+\.md)#([a-z-]+)`)
	links := 0
	err := filepath.WalkDir(filepath.Join(root, "ingest", "internal"), func(file string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".go" {
			return err
		}
		for _, link := range named.FindAllStringSubmatch(read(t, file), -1) {
			if links++; !anchors(read(t, filepath.Join(root, "docs", link[1])))[link[2]] {
				t.Errorf("%s names %s, which has no such heading", filepath.Base(file), link[0])
			}
		}
		return nil
	})
	if err != nil || links == 0 {
		t.Errorf("%d links are read: %v", links, err)
	}
}

func TestAnchors(t *testing.T) {
	page := "# A page\n```sh\n# no heading\n```\n## `run`, and [more](x.md)'s: _a_-b\n"
	if got := anchors(page); len(got) != 2 || !got["a-page"] || !got["run-and-mores-_a_-b"] {
		t.Errorf("the headings are %v", got)
	}
}

// The manual stays short enough to be read, and README to be seen at once.
func TestManualIsShort(t *testing.T) {
	words := 0
	for _, pattern := range []string{"README.md", "docs/*.md", "examples/*/README.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatal(pattern, err)
		}
		for _, page := range pages {
			words += len(strings.Fields(read(t, page)))
		}
	}
	if words > 80_000 {
		t.Errorf("the manual has %d words, more than 80,000", words)
	}
	readme := read(t, filepath.Join(root, "README.md"))
	lines, links := strings.Count(readme, "\n"), len(linked.FindAllString(readme, -1))
	if lines > 120 || links > 15 {
		t.Errorf("README.md has %d lines and %d links, more than 120 or 15", lines, links)
	}
}
