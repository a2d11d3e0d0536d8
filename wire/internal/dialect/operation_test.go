package dialect

import (
	"flag"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of operations into the page")

// A row of the table is found by its own method and path, behind what base addresses have, and is of the same class for
// all providers. What is read has a form, and nothing else has.
func TestRowsAreFound(t *testing.T) {
	classes := map[string]Class{}
	for _, o := range Operations() {
		key := o.Method + " " + o.Path
		if was, ok := classes[key]; ok && was != o.Class {
			t.Errorf("%s is %s, and %s for %s", key, was, o.Class, o.Provider)
		}
		classes[key] = o.Class
		if !slices.Contains([]Class{Read, Free, Unpriced, Refused}, o.Class) || (o.Dialect != nil) != (o.Class == Read) {
			t.Errorf("%s is of the class %q, in the form %v", key, o.Class, o.Dialect)
		}
		for _, base := range []string{"", "/v1", "/v1beta", "/openai/deployments/d"} {
			asked := base + strings.ReplaceAll(o.Path, "{}", "x1")
			if got := Find(o.Method, asked); o.Path != "/" && (got.Class != o.Class || got.Dialect != o.Dialect) {
				t.Errorf("%s %s is %s as %s, and not %s", o.Method, asked, got.Class, got.Path, o.Class)
			}
		}
	}
	if len(classes) < 900 {
		t.Errorf("the table has %d operations", len(classes))
	}
}

// Of rows that a path ends with, the longest counts, and the one with fewer words that may be any; what is in no row is
// refused, and so is what is free behind words that no base address has.
func TestTheLongestRowCounts(t *testing.T) {
	for _, c := range []struct {
		method, path string
		class        Class
		form         string
	}{
		{"POST", "/messages", Read, "anthropic/messages"},
		{"POST", "/threads/t/messages", Refused, ""},
		{"POST", "/responses", Read, "openai/responses"},
		{"GET", "/responses", Refused, ""},
		{"GET", "/responses/models", Refused, ""},
		{"POST", "/responses/compact", Read, "openai/responses"},
		{"POST", "/inference/v1/chat/completions", Read, "openai/chat"},
		{"GET", "/v1/models", Free, ""},
		{"GET", "/nobody/knows/models", Refused, ""},
		{"POST", "/v1beta/models/m:countTokens", Free, ""},
		{"POST", "/v1beta/models/m:generatecontent", Refused, ""},
		{"POST", "/v1/projects/p/locations/l/publishers/google/models/m:generateContent", Read, "gemini/generateContent"},
		{"GET", "/", Free, ""},
		{"POST", "/", Refused, ""},
		{"GET", "/files/f", Free, ""},
		{"GET", "/files/f/content", Refused, ""},
		{"GET", "/v1beta/files/f:download", Refused, ""},
		{"POST", "/embeddings", Unpriced, ""},
		{"POST", ":generateContent", Refused, ""},
	} {
		o := Find(c.method, c.path)
		form := ""
		if o.Dialect != nil {
			form = o.Dialect.Name
		}
		if o.Class != c.class || form != c.form {
			t.Errorf("%s %s is %s %s, and not %s %s", c.method, c.path, o.Class, form, c.class, c.form)
		}
	}
}

// FuzzClean holds a path that is clear to what net/url and path make of it.
func FuzzClean(f *testing.F) {
	for _, p := range []string{"/", "//", "/a//b/", "/%61/b%3Ac", "/a/../b", "/a/%2e%2e/b", "/a;b", `/a\b`, "/a%2fb",
		"/a%", "/a%2",
		"/.a/..b/c..", "/a%252e", "/a%2%65", "/é", "/a/.", "a/b", ""} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		clean, clear := Clean(p)
		if again, same := Clean(clean); again != clean || same != clear {
			t.Errorf("%q becomes %q, and then %q", p, clean, again)
		}
		if !clear {
			return
		}
		plain, err := url.PathUnescape(p)
		if want := path.Clean("/" + plain); err != nil || want != clean || strings.ContainsAny(clean, `%;\?#`) || Climbs(p) {
			t.Errorf("%q becomes %q, and not %q (%v)", p, clean, want, err)
		}
	})
}

// The table of the manual has every operation.
func TestPageHasEveryOperation(t *testing.T) {
	const file = "../../../docs/wire.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const head = "| provider | class | operations |\n|---|---|---|\n"
	table := head + pageRows()
	before, rest, found := strings.Cut(string(text), head)
	_, after, _ := strings.Cut(rest, "\n\n")
	if *update && found {
		text = []byte(before + table + "\n" + after)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(string(text), "\n"+table+"\n") {
		t.Errorf("%s lacks the table of operations: go test ./wire/internal/dialect -run TestPageHasEveryOperation -update",
			file)
	}
}

// pageRows has a row for each provider and class but those that are refused, as is whatever has no row. A path without
// a method is one of POST.
func pageRows() string {
	rows := map[string]map[string][]string{} // methods, by provider and class, and by path
	for _, o := range Operations() {
		row := o.Provider + "\t" + string(o.Class)
		if rows[row] == nil {
			rows[row] = map[string][]string{}
		}
		rows[row][o.Path] = append(rows[row][o.Path], o.Method)
	}
	var b strings.Builder
	for _, provider := range []string{"openai", "anthropic", "gemini", "ollama"} {
		for _, class := range []Class{Read, Free, Unpriced} {
			row := rows[provider+"\t"+string(class)]
			var cells []string
			for _, path := range slices.Sorted(maps.Keys(row)) {
				methods := strings.Join(slices.Compact(slices.Sorted(slices.Values(row[path]))), ",")
				cells = append(cells, "`"+strings.TrimPrefix(methods+" "+path, "POST ")+"`")
			}
			if cells != nil {
				fmt.Fprintf(&b, "| `%s` | %s | %s |\n", provider, class, strings.Join(cells, ", "))
			}
		}
	}
	return b.String()
}
