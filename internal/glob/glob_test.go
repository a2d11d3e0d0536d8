package glob

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/fault"
)

// What bash 5.2 with globstar lists of the same tree, of regular files where a pattern has **.
func TestMatch(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"a.json", "b[1].json", "runs/c.json", "runs/d.csv", "runs/.hidden.json",
		"runs/.git/e.json",
		"runs/one/c.json", "runs/one/two/c.json", "runs/one.json/x.csv"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]string{
		"*.json":              "a.json b[1].json",
		"./runs/?.json":       "runs/c.json",
		"runs/*.json":         "runs/c.json runs/one.json",
		"runs/.*.json":        "runs/.hidden.json",
		"runs/[!c]*":          "runs/d.csv runs/one runs/one.json",
		"runs/[^c]*":          "runs/d.csv runs/one runs/one.json",
		"runs/**/c.json":      "runs/c.json runs/one/c.json runs/one/two/c.json",
		"runs/**/one/**/c.*":  "runs/one/c.json runs/one/two/c.json",
		"**/**/two/c.json":    "runs/one/two/c.json",
		"runs/one/**":         "runs/one/c.json runs/one/two/c.json",
		"**/*.json":           "a.json b[1].json runs/c.json runs/one/c.json runs/one/two/c.json",
		"r*/*/c.json":         "runs/one/c.json",
		"r*/*/nothing.json":   "",
		"runs/c.json/*":       "",
		"runs/*/../one/*.csv": "",
	} {
		if !IsPattern(pattern) {
			t.Errorf("%s is no pattern", pattern)
		}
		got, err := Match(t.Context(), filepath.FromSlash(pattern))
		if (err != nil) != (want == "") {
			t.Errorf("%s: %v", pattern, err)
		}
		for i := range got {
			got[i] = filepath.ToSlash(got[i])
		}
		if diff := cmp.Diff(strings.Fields(want), got,
			cmp.Transformer("", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
			t.Errorf("%s: %s", pattern, diff)
		}
	}
	for _, name := range []string{"a.json", "b[1].json", "gone.json", "b[1"} {
		if IsPattern(name) {
			t.Errorf("%s is a pattern", name)
		}
	}
	_, err := Match(t.Context(), "runs/one/two/*.csv")
	if err == nil || !strings.Contains(err.Error(), "matches no file") ||
		!strings.Contains(err.Error(), "the nearest folder is "+filepath.FromSlash("runs/one/two")+", which holds c.json") {
		t.Error(err)
	}
}

// What a pattern would match is what it matches once the file is there.
func TestMatchesIsMatch(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	names := []string{"a.jsonl", "b.json", ".hidden.json", "x/a.jsonl", "x/y/a.jsonl", "x/.z/a.jsonl", "x/y/b.json",
		"[c].json"}
	for _, name := range names {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, pattern := range []string{
		"*.json", "*", "./*.json", "x/*", "*/*.jsonl", "**", "**/*.jsonl", "x/**", "x/**/a.jsonl", "x/**/y/*", "**/y/**",
		".*.json",
		"x/.z/*", "x/.*/*", "[!a]*", "[[]*", "*.jsonl?", "x/../*.json", "**/**", filepath.Join(root, "x", "**"),
	} {
		found, err := Match(t.Context(), pattern)
		if err != nil && !errors.As(err, new(*fault.FileError)) {
			t.Fatal(err)
		}
		for _, name := range names {
			has := slices.ContainsFunc(found, func(file string) bool {
				if filepath.IsAbs(file) {
					return file == filepath.Join(root, name)
				}
				return filepath.Clean(file) == name
			})
			if got := Matches(pattern, name); got != has {
				t.Errorf("%s would match %s: %v, and does: %v", pattern, name, got, has)
			}
		}
	}
}
