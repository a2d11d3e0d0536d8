package architecture_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// mostColumns is how wide a line of code is at most, a tab being one column.
const mostColumns = 120

// TestLinesAreNarrow finds lines of code, but for tests and what is generated, that are wider, unless text between backquotes, such as the tag of
// a field or a query, is what makes them so.
func TestLinesAreNarrow(t *testing.T) {
	eachSource(t, func(path string, text []byte) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		quoted := backquoted(text)
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > mostColumns && !quoted[i+1] {
				t.Errorf("%s:%d has %d columns, more than %d", path, i+1, n, mostColumns)
			}
		}
	})
}

// eachSource hands every file of Go to a function, but for those that are generated.
func eachSource(t *testing.T, take func(path string, text []byte)) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && !bytes.HasPrefix(text, []byte("// Code generated")) {
			take(path, text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// backquoted are the lines of a file that texts between backquotes stand on.
func backquoted(text []byte) map[int]bool {
	lines := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		position, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return lines
		case kind == token.STRING && literal[0] == '`':
			first := file.Line(position)
			for i := range strings.Count(literal, "\n") + 1 {
				lines[first+i] = true
			}
		}
	}
}

// What lines are backquoted is told from the text.
func TestBackquoted(t *testing.T) {
	found := backquoted([]byte("package p\n\nconst a = \"`\"\nconst b = `x\ny` + `z`\nconst c = 1\n"))
	if len(found) != 2 || !found[4] || !found[5] {
		t.Errorf("found %v", found)
	}
}
