package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// The path is from the root of the repository wherever one stands in it, and else from the working directory.
func TestSource(t *testing.T) {
	text := []byte("version: 1\nname: s\nlimits: none\ntest: {threshold: 0.9}\nagent: {command: [x]}\nscenarios:\n" +
		"  - name: one\n    evaluate: [contains: x]\n  - {name: two, evaluate: [contains: x]}\n")
	root := t.TempDir()
	folder := filepath.Join(root, "tests", "agent")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, suite.FileName), text, 0o666); err != nil {
		t.Fatal(err)
	}
	want := func(file string, name string) {
		t.Helper()
		s, err := suite.Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		var source *runs.Source
		if file != "" {
			source = &runs.Source{File: file, Lines: map[string]int{"one": 7, "two": 9}}
		}
		if diff := cmp.Diff(source, Source(s)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	t.Chdir(folder)
	want("tribunal.yaml", "tribunal.yaml")
	want("", "no file at all")
	want("", ".")
	t.Chdir(root)
	want("tests/agent/tribunal.yaml", filepath.Join("tests", "agent", "tribunal.yaml"))
	if err := os.Mkdir(filepath.Join(root, ".git"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	want("tests/agent/tribunal.yaml", "tribunal.yaml")
	want("tests/agent/tribunal.yaml", filepath.Join(folder, "tribunal.yaml"))
	t.Setenv("GIT_CEILING_DIRECTORIES", "/elsewhere"+string(filepath.ListSeparator)+root)
	want("tribunal.yaml", "tribunal.yaml")
}
